package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// clock is the wall clock of a process that was built with clocked: the machine's and as
// many minutes more as the first byte of a file says, from -128 to 127, at any time. The
// second byte is 1 once such a process has begun. Timers and what is measured by them
// are not moved, as those of a machine are not whose clock is set.
type clock struct{ path string }

// clockEnv names the file to a process; one without it has the machine's clock.
const clockEnv = "CHAOS_CLOCK"

func newClock(path string) (clock, error) {
	return clock{path}, os.WriteFile(path, []byte{0, 0}, 0o600)
}

func (c clock) env() string { return clockEnv + "=" + c.path }

// set has the clock go that many minutes ahead of the machine's.
func (c clock) set(minutes int8) error { return c.write(0, byte(minutes)) }

// settable reports whether the newest process that was given the clock goes by it.
func (c clock) settable() bool {
	raw, err := os.ReadFile(c.path)
	return err == nil && len(raw) == 2 && raw[1] == 1
}

// next makes the clock that of a process that has not begun.
func (c clock) next() error { return c.write(1, 0) }

func (c clock) write(at int64, b byte) error {
	f, err := os.OpenFile(c.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{b}, at)
	return errors.Join(err, f.Close())
}

// Package time as clocked programs have it: Now asks the runtime once, and adds ahead.
const (
	askedOf = "\tsec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	asked   = "\tsec, nsec, mono := runtimeNow()\n\tsec += 60 * int64(int8(ahead[0]))\n\tif mono == 0 {"
	added   = `package time

import "syscall"

var ahead = func() []byte {
	path, named := syscall.Getenv("` + clockEnv + `")
	if !named {
		return []byte{0}
	}
	f, err := syscall.Open(path, syscall.O_RDWR, 0)
	if err != nil {
		panic(path + ": " + err.Error())
	}
	bytes, err := syscall.Mmap(f, 0, 2, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(path + ": " + err.Error())
	}
	bytes[1] = 1
	return bytes
}()
`
)

// clocked writes into a directory what go build is to take instead of Go's own package
// time, and returns the flags that say so.
func clocked(ctx context.Context, dir string) (flags []string, err error) {
	said, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "time").Output()
	if err != nil {
		return nil, fmt.Errorf("go list time: %w", err)
	}
	source := strings.TrimSpace(string(said))
	raw, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		return nil, err
	}
	now := strings.Replace(string(raw), askedOf, asked, 1)
	if now == string(raw) {
		return nil, fmt.Errorf("%s: Now does not ask for the time as it did", source)
	}
	replace := map[string]string{}
	for name, text := range map[string]string{"time.go": now, "ahead.go": added} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(source, name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "overlay.json")
	return []string{"-overlay", path}, os.WriteFile(path, overlay, 0o600)
}
