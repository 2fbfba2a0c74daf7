package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where a data directory's name is too long for a socket, it is in a directory
// where everybody may write: in one that is surely our own.
func TestTheSocketIsInADirectoryOfOurOwn(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	data := filepath.Join(temp, strings.Repeat("long", 30))
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	path, err := socketPath(data)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := socketPath(data); err != nil || again != path {
		t.Errorf("a second time it is %s, %v", again, err)
	}
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := socketPath(data); err == nil {
		t.Error("everybody may enter it")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := socketPath(data); err == nil {
		t.Error("it leads elsewhere")
	}
}
