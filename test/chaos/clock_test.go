package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// teller prints by how many minutes its wall clock has gone on, and how many it has run.
const teller = `package main

import (
	"fmt"
	"time"
)

func main() {
	began := time.Now()
	for {
		wall, ran := time.Now().Round(0).Sub(began.Round(0)), time.Since(began)
		fmt.Printf("wall %v, ran %v\n", wall.Round(time.Minute), ran.Round(time.Minute))
		time.Sleep(10 * time.Millisecond)
	}
}
`

// TestAClockIsSet in a program that runs: its wall clock goes forward and back by minutes,
// what it measures does not.
func TestAClockIsSet(t *testing.T) {
	t.Parallel()
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	c, err := newClock(filepath.Join(dir, "clock"))
	flags, failed := clocked(ctx, dir)
	program := filepath.Join(dir, "teller.go")
	if err := errors.Join(err, failed, os.WriteFile(program, []byte(teller), 0o600)); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "teller")
	if said, err := exec.CommandContext(ctx, "go", append([]string{"build", "-o", binary}, append(flags, program)...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if c.settable() {
		t.Error("a clock that no process has can be set")
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), c.env())
	p, err := harness.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Kill() }()
	for _, step := range []struct {
		minutes int8
		says    string
	}{{0, "wall 0s, ran 0s\n"}, {3, "wall 3m0s, ran 0s\n"}, {-2, "wall -2m0s, ran 0s\n"}} {
		if err := c.set(step.minutes); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Shows(ctx, 10*time.Second, step.says); err != nil {
			t.Fatal(err)
		}
	}
	if !c.settable() {
		t.Error("the clock of a process that goes by it cannot be set")
	}
	if err := c.next(); err != nil || c.settable() {
		t.Errorf("the clock of the next process can be set before it has begun: %v", err)
	}
}
