package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// longestScratch is how long the path may be of what temporary files are made in: below it
// Chromium makes a socket, for whose path a system has 107 bytes and itself takes 45.
const longestScratch = 32

// scratchParent is where the processes of a data directory make directories for temporary
// files: in it, unless its path is long, or this is root, whose browser runs as somebody
// who must not get in there.
func scratchParent(dataDir string) string {
	inside := filepath.Join(dataDir, "tmp")
	if os.Geteuid() != 0 && len(inside) <= longestScratch {
		return inside
	}
	return temporaryFor(dataDir, "understudy-t")
}

// temporaryFor is a short path in the system's directory for temporary files that is a
// data directory's own.
func temporaryFor(dataDir, prefix string) string {
	h := fnv.New64a()
	h.Write([]byte(dataDir))
	return filepath.Join(os.TempDir(), prefix+strconv.FormatUint(h.Sum64(), 36))
}

// scratch makes a directory below parent for this process's temporary files, which
// others can pass through and not list, and removes those that killed processes have
// left: a directory is locked while its process lives. Processes may share the parent,
// which has to be a directory of this user's. done removes it. There is none where the
// file system has no locks for directories, as NFS.
func scratch(parent string) (dir string, done func() error, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make a directory for temporary files: %w", err)
		}
	}()
	if parent, err = filepath.Abs(parent); err != nil { // Chromium wants it absolute
		return "", nil, err
	}
	if err := os.MkdirAll(parent, 0o711); err != nil { //nolint:gosec // see above
		return "", nil, err
	}
	if info, err := os.Lstat(parent); err != nil || !info.IsDir() || owner(info) != os.Geteuid() {
		return "", nil, errors.Join(fmt.Errorf("%s is no directory of this user's", parent), err)
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
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // see above
		return "", nil, err
	}
	own, err := lockDirectory(dir, syscall.LOCK_EX)
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(dir))
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), own.Close()) }, nil
}

// owner is the id of the user whom a file belongs to, -1 where that is not known.
func owner(info os.FileInfo) int {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(sys.Uid)
	}
	return -1
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
