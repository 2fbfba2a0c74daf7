//go:build unix

package main

import "syscall"

// openFiles is how many files and sockets the process may have open: the soft
// limit, which Go has raised to the hard one when the process began; 0 where
// the system does not tell.
func openFiles() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return int(min(uint64(l.Cur), maxStreams+otherFiles)) //nolint:gosec,unconvert // bounded; signed on some systems
}
