package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// smallDiskSize is more than the log of a run, and filled within a moment.
const smallDiskSize = "size=1g"

// smallDisk gives the event store a disk of its own, where this process may: it can be
// filled without harm to others.
func (t *splitTrial) smallDisk() error {
	if err := os.MkdirAll(t.nodeDir(), 0o700); err != nil {
		return err
	}
	err := syscall.Mount("understudy-chaos", t.nodeDir(), "tmpfs", 0, smallDiskSize)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		fmt.Fprintln(t.out, "no disk is filled: this account may not mount one")
		return nil
	}
	t.small = err == nil
	return err
}

func unmounted(dir string) error { return syscall.Unmount(dir, 0) }
