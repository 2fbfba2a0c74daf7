package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// InUse reports whether another process has the event store in a directory open. It
// asks for the owner of the lock and takes none, so a process that opens the store
// meanwhile is not refused. A process that has the store open itself must not call it:
// it would lose its lock.
func InUse(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, "LOCK")) // Pebble's name for it
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	held := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &held); err != nil {
		return false, fmt.Errorf("lock of %s: %w", dir, err)
	}
	return held.Type != syscall.F_UNLCK, nil
}
