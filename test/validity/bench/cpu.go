package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of CPU times in /proc: Linux shows all of them in
// hundredths of a second, whatever the kernel's own tick (proc(5), USER_HZ).
const clockTick = 10 * time.Millisecond

// cpu is what this process and everything below it (the driver, the browser)
// have computed so far; 0 on systems without /proc.
func cpu() time.Duration {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	type process struct {
		pid  string
		used time.Duration
	}
	children := map[string][]process{}
	var all []process
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, rest, _ := strings.Cut(string(raw), " ")
		fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		if len(fields) < 15 {
			continue
		}
		// Behind the name come state, ppid, …; utime, stime and those of the
		// children that have ended are the fields 14 to 17 of proc(5).
		ticks := 0
		for _, f := range fields[11:15] {
			n, _ := strconv.Atoi(f) // the kernel writes numbers here
			ticks += n
		}
		p := process{pid, time.Duration(ticks) * clockTick}
		children[fields[1]] = append(children[fields[1]], p)
		if pid == strconv.Itoa(os.Getpid()) {
			all = append(all, p)
		}
	}
	var used time.Duration
	for i := 0; i < len(all); i++ {
		used += all[i].used
		all = append(all, children[all[i].pid]...)
	}
	return used
}
