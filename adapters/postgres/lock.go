package postgres

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile takes the lock that makes a data directory one process's own. The
// kernel lets go of it when the process ends, however it ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.New("another process runs a server in this directory; stop it or choose another data directory")
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// unlockFile lets go of the lock at once: a child that is just being forked
// still has the open file for a moment, and with it the lock.
func unlockFile(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // closing does the same, only later
	_ = f.Close()
}
