package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// What access(2) is asked for.
const (
	mayRead = 4
	mayAll  = 7
)

// takeData makes the data directory, and closes one that is there to others.
func takeData(dataDir string) error {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return err
	}
	if err := usable(dataDir); err != nil {
		return err
	}
	info, err := os.Stat(dataDir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := os.Chmod(dataDir, 0o700); os.Geteuid() == 0 || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil // it is somebody else's; the browser of who is not root is no other user
}

// usable says what to do when the data directory, or something of ours in it, is
// closed to this process because another user made it: the user of an older image,
// or root, once. Of what the private Postgres keeps its own user takes care.
func usable(dataDir string) error {
	dataDir, err := filepath.Abs(dataDir)
	if err != nil {
		return err
	}
	if err := usableEntry(dataDir, dataDir, true); err != nil {
		return err
	}
	for _, name := range []string{"events", "audit", "subjects", "blobs", "keyring.json"} {
		err := filepath.WalkDir(filepath.Join(dataDir, name), func(path string, entry fs.DirEntry, err error) error {
			if entry == nil { // not there, or not to be looked at
				return nil //nolint:nilerr // who uses it says why
			}
			if name == "blobs" && !entry.IsDir() {
				return fs.SkipDir // of many pictures one is as good as all
			}
			return usableEntry(dataDir, path, entry.IsDir())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func usableEntry(dataDir, path string, directory bool) error {
	need := uint32(mayRead)
	if directory {
		need = mayAll
	}
	if !errors.Is(syscall.Access(path, need), syscall.EACCES) {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s belongs to the user with the id %d (mode %04o), and this process, of the user with the id %d, may not use it. Let root give it away: find %s -path %s -prune -o -exec chown -h %d:%d {} +",
		path, owner(info), info.Mode().Perm(), os.Geteuid(), dataDir, filepath.Join(dataDir, "postgres"), os.Geteuid(), os.Getegid())
}
