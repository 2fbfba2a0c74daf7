package browser

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// profileFlag is how Chromium is told its profile directory.
const profileFlag = "--user-data-dir="

// children maps the child processes of a process to their command lines, with
// NUL between the arguments. The client library does not tell which processes it
// starts, and one that hangs can only be ended by its id.
func children(parent int) map[int]string {
	found := map[int]string{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return found
	}
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		// pid (comm) state ppid …; comm may hold spaces and parentheses.
		end := strings.LastIndexByte(string(raw), ')')
		fields := strings.Fields(string(raw[end+1:]))
		if end < 0 || len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			found[pid] = commandLine(pid)
		}
	}
	return found
}

// commandLine is a process's command line, "" if there is no such process.
func commandLine(pid int) string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return ""
	}
	return string(raw)
}
