package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScratch: what a process that ended left is removed by the next one, what
// one that lives has made is not.
func TestScratch(t *testing.T) {
	data := t.TempDir()
	left := filepath.Join(data, "tmp", "killed", "recording")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(data)
	first, doneFirst, err := scratch("tmp")
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(first) {
		t.Errorf("%s is relative", first)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", left, err)
	}
	picture := filepath.Join(first, "00001.jpg")
	if err := os.WriteFile(picture, []byte("…"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, doneSecond, err := scratch(filepath.Join(data, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(picture); err != nil || first == second {
		t.Errorf("another process took %s away (its own is %s): %v", picture, second, err)
	}
	if err := doneFirst(); err != nil {
		t.Error(err)
	}
	if err := doneSecond(); err != nil {
		t.Error(err)
	}
	if rest, err := os.ReadDir(filepath.Join(data, "tmp")); err != nil || len(rest) > 0 {
		t.Errorf("left behind: %v, %v", rest, err)
	}
}

func TestScratchThatCannotBe(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if dir, _, err := scratch(filepath.Join(data, "tmp")); err == nil || dir != "" {
		t.Errorf("%q, %v", dir, err)
	}
}

// TestChromiumsSocketHasRoom: the browsers of desktops make one where their temporary files
// are, and end where its path is too long.
func TestChromiumsSocketHasRoom(t *testing.T) {
	t.Parallel()
	const below, room = "/1234567890/b1234567890/tmp/org.chromium.Chromium.XXXXXX/SingletonSocket", 107
	for _, data := range []string{"/d", "/tmp/d3", "/var/lib/understudy", "/home/" + strings.Repeat("somebody/", 20) + "data"} {
		if path := scratchParent(data) + below; len(path) > room && len(os.TempDir()) < 6 {
			t.Errorf("with the data in %s it has %d bytes: %s", data, len(path), path)
		}
	}
}
