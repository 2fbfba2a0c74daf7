package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of CPU times in /proc: Linux shows all of them in
// hundredths of a second, whatever the kernel's own tick (proc(5), USER_HZ).
const clockTick = 10 * time.Millisecond

// process is one line of the process table.
type process struct {
	pid, parent int
	name        string
	// cpu is its own, ended that of its children that have ended.
	cpu, ended time.Duration
}

// tree is a process and everything below it: the service with its Postgres,
// its browser and its encoder.
func tree(root int) ([]process, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]process{}
	var out []process
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		p, err := parseStat(string(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if p.pid == root {
			out = append(out, p)
		}
		children[p.parent] = append(children[p.parent], p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("process %d has ended", root)
	}
	for i := 0; i < len(out); i++ {
		out = append(out, children[out[i].pid]...)
	}
	return out, nil
}

// parseStat reads /proc/<pid>/stat, whose second field may hold anything.
func parseStat(line string) (process, error) {
	open, shut := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || shut < open {
		return process{}, fmt.Errorf("unreadable: %q", line)
	}
	fields := strings.Fields(line[shut+1:])
	if len(fields) < 15 {
		return process{}, fmt.Errorf("unreadable: %q", line)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i]) // the kernel writes numbers here
		return n
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	// Behind the name come state, ppid, …; utime, stime, cutime and cstime are
	// the fields 14 to 17 of proc(5).
	return process{
		pid: pid, parent: number(1), name: line[open+1 : shut],
		cpu:   time.Duration(number(11)+number(12)) * clockTick,
		ended: time.Duration(number(13)+number(14)) * clockTick,
	}, err
}

// computed is CPU time by who used it.
type computed struct {
	service  time.Duration // the program itself
	postgres time.Duration
	others   time.Duration // the browser, the encoder
}

func (c computed) sum() time.Duration { return c.service + c.postgres + c.others }

func (c computed) add(o computed) computed {
	return computed{c.service + o.service, c.postgres + o.postgres, c.others + o.others}
}

func (c computed) minus(o computed) computed {
	return computed{c.service - o.service, c.postgres - o.postgres, c.others - o.others}
}

// shares tells who used one n-th of it.
func (c computed) shares(n int) string {
	each := func(d time.Duration) string { return short(d / time.Duration(n)) }
	return fmt.Sprintf("CPU: service %s, Postgres %s, others %s", each(c.service), each(c.postgres), each(c.others))
}

// cpu is what the service and everything below it have computed so far.
func (s *service) cpu() (c computed, err error) {
	all, err := tree(s.PID())
	for _, p := range all {
		switch {
		case p.pid == s.PID():
			c.service += p.cpu
			c.others += p.ended
		case p.name == "postgres":
			c.postgres += p.cpu + p.ended
		default:
			c.others += p.cpu + p.ended
		}
	}
	return c, err
}

// memory is the proportional set size of the service and everything below it:
// what the machine would have more if they all ended.
func (s *service) memory() (bytes int64, shares string, err error) {
	all, err := tree(s.PID())
	if err != nil {
		return 0, "", err
	}
	byName, count := map[string]int64{}, map[string]int{}
	for _, p := range all {
		pss, err := proportional(p.pid)
		if err != nil {
			continue // it has ended
		}
		bytes += pss
		byName[p.name] += pss
		count[p.name]++
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		parts = append(parts, fmt.Sprintf("%s ×%d %.0f MB", name, count[name], megabytes(byName[name])))
	}
	return bytes, strings.Join(parts, ", "), nil
}

func proportional(pid int) (int64, error) { return rollup(pid, "Pss:") }

// rollup reads one line of the summary of a process's memory (proc(5)), in bytes.
func rollup(pid int, line string) (int64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), line); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, lines.Err()
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
