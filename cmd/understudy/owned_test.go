package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestTheDataDirectoryIsClosed to others, the browser's user among them, also where somebody
// has made it who did not think of that.
func TestTheDataDirectoryIsClosed(t *testing.T) {
	t.Parallel()
	made, missing := t.TempDir(), filepath.Join(t.TempDir(), "data", "of")
	if err := os.Chmod(made, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{made, missing} {
		if err := takeData(dir); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("%s has the mode %v, %v", dir, info.Mode(), err)
		}
	}
}
