package browser

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// profileFlag is how Chromium is told its profile directory.
const profileFlag = "--user-data-dir="

// children maps the child processes of a process to their command lines, with
// NUL between the arguments. The client library does not tell which processes it
// starts, and one that hangs can only be ended by its id.
func children(parent int) map[int]string {
	found := map[int]string{}
	for pid, of := range parents() {
		if of == parent {
			found[pid] = commandLine(pid)
		}
	}
	return found
}

// below reports whether a process descends from another, which has to be one: what came
// into a container from outside has the parent 0.
func below(pid, ancestor int, parents map[int]int) bool {
	for ; pid > 1 && ancestor > 0; pid = parents[pid] {
		if parents[pid] == ancestor {
			return true
		}
	}
	return false
}

// processes are those of this machine.
func processes() (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }()
	names, _ := proc.Readdirnames(-1) // as many as there are
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parents maps the processes of this machine to their parents.
func parents() map[int]int {
	found := map[int]int{}
	for _, pid := range processes() {
		raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		// pid (comm) state ppid …; comm may hold spaces and parentheses.
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		if of, err := strconv.Atoi(fields[1]); err == nil {
			found[pid] = of
		}
	}
	return found
}

// memoryOf is what a process holds in memory, in bytes, 0 if there is no such process.
func memoryOf(pid int) int64 {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0
	}
	if fields := strings.Fields(string(raw)); len(fields) > 1 { // total resident …, in pages
		pages, err := strconv.ParseInt(fields[1], 10, 64)
		if err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	return 0
}

// queued is how long the main thread of a process has wanted to run and was not let, since
// it began; 0 where the system does not tell.
func queued(pid int) time.Duration {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
	fields := strings.Fields(string(raw)) // ran, waited to run, in ns; times it ran
	if err != nil || len(fields) < 2 {
		return 0
	}
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(ns)
}

// forked are the processes that the main thread of a process has made and that go on; none
// where the system does not tell.
func forked(pid int) (pids []int) {
	own := strconv.Itoa(pid)
	raw, _ := os.ReadFile(filepath.Join("/proc", own, "task", own, "children"))
	for _, field := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// commandLine is a process's command line, "" if there is no such process.
func commandLine(pid int) string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return ""
	}
	return string(raw)
}
