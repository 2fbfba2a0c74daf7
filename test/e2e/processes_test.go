package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/test/patience"
)

// process is one that runs on this machine. The time of its start tells it
// from a later one with the same number.
type process struct {
	pid, parent int
	started     string
	command     string // arguments with blanks between them
}

// lookUp reads a process; ok is false when it is gone or a zombie, which only
// waits for its parent to take note.
func lookUp(pid int) (p process, ok bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return p, false
	}
	// "pid (name) state ppid …", the start time is field 22; names may hold
	// blanks and parentheses.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, false
	}
	p = process{pid: pid, started: fields[19]}
	p.parent, _ = strconv.Atoi(fields[1]) // the kernel writes numbers
	if command, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		p.command = strings.ReplaceAll(string(command), "\x00", " ")
	}
	return p, true
}

// family are the processes that descend from the service's.
func (s *service) family() (out []process) {
	byParent := map[int][]process{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := lookUp(pid); ok {
				byParent[p.parent] = append(byParent[p.parent], p)
			}
		}
	}
	queue := byParent[s.PID()]
	for len(queue) > 0 {
		out, queue = append(out, queue[0]), append(queue[1:], byParent[queue[0].pid]...)
	}
	return out
}

// postmaster is the service's own Postgres.
func (s *service) postmaster() (process, bool) {
	for _, p := range s.family() {
		if p.parent == s.PID() && strings.Contains(p.command, "postgres") {
			return p, true
		}
	}
	return process{}, false
}

// chromium is the service's browser. Its helpers all say of what --type they
// are; it is the parent of the first ones. (Debian starts it by a shell script,
// which stays.)
func (s *service) chromium() (process, bool) {
	for _, p := range s.family() {
		if strings.Contains(p.command, "--type=") {
			if parent, ok := lookUp(p.parent); ok && !strings.Contains(parent.command, "--type=") {
				return parent, true
			}
		}
	}
	return process{}, false
}

// gone waits until none of the processes is left.
func gone(t testing.TB, family []process, within time.Duration) {
	t.Helper()
	left := func() (out []process) {
		for _, p := range family {
			if now, ok := lookUp(p.pid); ok && now.started == p.started {
				out = append(out, p)
			}
		}
		return out
	}
	if err := patience.Until(t.Context(), within, func() bool { return len(left()) == 0 }); err != nil {
		for _, p := range left() {
			t.Errorf("left over: %d %.120s: %v", p.pid, p.command, err)
		}
	}
}
