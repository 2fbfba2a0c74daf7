package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// scratch makes a directory below the data directory for this process's
// temporary files, and removes those that killed processes have left: a
// directory is locked while its process lives. Processes may share the data
// directory. done removes it. There is none where the file system has no locks
// for directories, as NFS.
func scratch(dataDir string) (dir string, done func() error, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make a directory for temporary files: %w", err)
		}
	}()
	parent, err := filepath.Abs(filepath.Join(dataDir, "tmp")) // Chromium wants it absolute
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, err
	}
	// One process at a time: what another has just made is not locked yet.
	turn, err := lockDirectory(parent, syscall.LOCK_EX)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = turn.Close() }() // which also unlocks it
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		old := filepath.Join(parent, e.Name())
		lock, err := lockDirectory(old, syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			continue // its process lives
		}
		if err != nil {
			return "", nil, err
		}
		if err := errors.Join(os.RemoveAll(old), lock.Close()); err != nil {
			return "", nil, err
		}
	}
	if dir, err = os.MkdirTemp(parent, ""); err != nil {
		return "", nil, err
	}
	own, err := lockDirectory(dir, syscall.LOCK_EX)
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(dir))
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), own.Close()) }, nil
}

// lockDirectory takes a lock that ends when the file is closed, or with the process.
func lockDirectory(path string, how int) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f, nil
}
