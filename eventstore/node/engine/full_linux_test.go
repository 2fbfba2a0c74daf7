package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"understudy/eventstore/node/engine"
)

// TestFullDisk fills a small disk of its own and makes room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=24m,mode=0700"); err != nil {
		t.Skipf("a disk of 24 MiB cannot be mounted here (root may): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(disk, "events")
	e, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	for n := 0; ; n++ {
		a := one(n)
		a.Events[0].Metadata = make([]byte, 100_000)
		if _, err = e.Append(context.Background(), a); err != nil {
			break
		}
		if acknowledged = append(acknowledged, string(a.Events[0].Data)); n > 1000 {
			t.Fatal("24 MiB took 100 MB")
		}
	}
	if !errors.Is(err, engine.ErrFailed) || !strings.Contains(err.Error(), "no space left on device") {
		t.Fatalf("the append that did not fit answered %v", err)
	}
	if err := appendOne(t, e, 5000); !errors.Is(err, engine.ErrFailed) {
		t.Errorf("the one after it answered %v", err)
	}
	if got := recordedPaged(t, e); !slices.Equal(got, acknowledged) {
		t.Errorf("reads show %d events of %d", len(got), len(acknowledged))
	}
	// After such an error the directory stays locked until the process ends:
	// what it leaves behind is the same files under another name.
	_ = e.Close()
	left, later := filepath.Join(disk, "left"), filepath.Join(disk, "later")
	if err := os.Rename(dir, left); err != nil {
		t.Fatal(err)
	}
	full, err := engine.Open(engine.Options{Dir: left})
	if !errors.Is(err, engine.ErrUnwritable) || !strings.Contains(err.Error(), left) || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("starting on the full disk answered %v, %v", full, err)
	}
	if err := errors.Join(os.Remove(ballast), os.Rename(left, later)); err != nil {
		t.Fatal(err)
	}
	again, err := engine.Open(engine.Options{Dir: later})
	if err != nil {
		t.Fatalf("starting after room was made answered %v", err)
	}
	defer again.Close()
	got := recordedPaged(t, again)
	// The one that got no answer may be there too.
	if len(got) > len(acknowledged)+1 || len(got) < len(acknowledged) || !slices.Equal(got[:len(acknowledged)], acknowledged) {
		t.Errorf("then it has %d events of %d", len(got), len(acknowledged))
	}
	if err := appendOne(t, again, 6000); err != nil {
		t.Errorf("and refuses: %v", err)
	}
}

// recordedPaged reads events that are too large for one page.
func recordedPaged(t *testing.T, e *engine.Engine) (out []string) {
	t.Helper()
	for q := (engine.AllQuery{Count: 100, Window: 100}); ; {
		page, err := e.ReadAll(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range page.Events {
			out = append(out, string(ev.Data))
		}
		if page.End {
			return out
		}
		q.From = page.Next
	}
}
