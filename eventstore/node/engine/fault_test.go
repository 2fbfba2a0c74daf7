package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"understudy/eventstore/node/engine"
	"understudy/test/patience"
)

// limit bounds every wait of these tests, on an idle machine.
const limit = 20 * time.Second

func one(n int) engine.Append {
	return engine.Append{Stream: "s", Expected: engine.Any, Events: []engine.NewEvent{{
		ID: [16]byte{byte(n >> 16), byte(n >> 8), byte(n), 1}, Type: "t", Data: []byte(fmt.Sprint(n)),
	}}}
}

func appendOne(t *testing.T, e *engine.Engine, n int) error {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), limit)
	defer cancel()
	_, err := e.Append(ctx, one(n))
	return err
}

func recorded(t *testing.T, e *engine.Engine) []string {
	t.Helper()
	page, err := e.ReadAll(engine.AllQuery{Count: 1 << 30, Window: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, ev := range page.Events {
		out = append(out, string(ev.Data))
	}
	return out
}

func TestDiskErrorStopsAppendsAndLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	for name, kinds := range map[string][]errorfs.OpKind{
		"write": {errorfs.OpFileWrite},
		"sync":  {errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var broken atomic.Bool
			disk := vfs.NewCrashableMem()
			e, err := engine.Open(engine.Options{Dir: "events", FS: errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if broken.Load() && slices.Contains(kinds, op.Kind) {
					return errors.New("no space left on device")
				}
				return nil
			}))})
			if err != nil {
				t.Fatal(err)
			}
			var acknowledged []string
			for n := range 10 {
				if err := appendOne(t, e, n); err != nil {
					t.Fatal(err)
				}
				acknowledged = append(acknowledged, fmt.Sprint(n))
			}
			broken.Store(true)
			first := appendOne(t, e, 10)
			if !errors.Is(first, engine.ErrFailed) || !strings.Contains(first.Error(), "no space left") {
				t.Fatalf("the append that met the error answered %v", first)
			}
			broken.Store(false) // a disk that works again does not heal the engine
			if err := appendOne(t, e, 11); !errors.Is(err, engine.ErrFailed) {
				t.Errorf("the append after it answered %v", err)
			}
			if e.Err() == nil {
				t.Error("Err says nothing")
			}
			if got := recorded(t, e); !slices.Equal(got, acknowledged) {
				t.Errorf("reads after the error show %v", got)
			}
			left := disk.CrashClone(vfs.CrashCloneCfg{})
			if err := e.Close(); !errors.Is(err, engine.ErrFailed) {
				t.Errorf("closing answered %v", err)
			}
			again, err := engine.Open(engine.Options{Dir: "events", FS: left})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			got := recorded(t, again)
			if len(got) < len(acknowledged) || !slices.Equal(got[:10], acknowledged) {
				t.Errorf("after opening again the store holds %v", got)
			}
			if err := appendOne(t, again, 12); err != nil {
				t.Errorf("the store opened again refuses: %v", err)
			}
		})
	}
}

func TestReadersSeeOnlyWhatIsOnDisk(t *testing.T) {
	t.Parallel()
	var hold atomic.Bool
	syncing, goOn := make(chan struct{}, 100), make(chan struct{})
	e, err := engine.Open(engine.Options{Dir: "events", FS: errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if hold.Load() && slices.Contains([]errorfs.OpKind{errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo}, op.Kind) {
			syncing <- struct{}{}
			<-goOn
		}
		return nil
	}))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := appendOne(t, e, 0); err != nil {
		t.Fatal(err)
	}
	watch := e.NewWatch("s")
	defer watch.Close()
	hold.Store(true)
	pending, err := e.Submit(context.Background(), one(1))
	if err != nil {
		t.Fatal(err)
	}
	patience.Receive(t, limit, "the append is synced", syncing)
	for range 100 { // while the disk is at it
		page, err := e.ReadStream("s", 0, engine.Forwards, 10)
		if err != nil || len(page.Events) != 1 || page.Last != 0 {
			t.Fatalf("the stream shows %d events up to %d, error %v", len(page.Events), page.Last, err)
		}
		if got := recorded(t, e); len(got) != 1 || e.Last() != 1 {
			t.Fatalf("all events show %v up to %d", got, e.Last())
		}
	}
	select {
	case <-watch.C:
		t.Fatal("a subscriber was woken before the event was on disk")
	default:
	}
	hold.Store(false)
	close(goOn)
	ctx, cancel := patience.Context(context.Background(), limit)
	defer cancel()
	if _, err := pending.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if page, err := e.ReadStream("s", 0, engine.Forwards, 10); err != nil || len(page.Events) != 2 {
		t.Errorf("then the stream shows %d events, error %v", len(page.Events), err)
	}
	select {
	case <-watch.C:
	case <-ctx.Done():
		t.Error("the subscriber was not woken")
	}
}

// fill makes a store of many events on the real disk, big enough to have
// tables besides the log.
func fill(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "events")
	e, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		a := one(n)
		for i := range 50 {
			body := make([]byte, 10_000)
			for j := range body {
				body[j] = byte((n*7919 + i*104729 + j*j) >> 3)
			}
			a.Events = append(a.Events, engine.NewEvent{ID: [16]byte{byte(n), byte(i), 2}, Type: "big", Data: body})
		}
		if _, err := e.Append(context.Background(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDamagedDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, dir string){
		"manifest": func(t *testing.T, dir string) { overwrite(t, dir, "MANIFEST-*", 20) },
		"log":      func(t *testing.T, dir string) { overwrite(t, dir, "*.log", 2000) },
		"options":  func(t *testing.T, dir string) { overwrite(t, dir, "OPTIONS-*", 0) },
		"table lost": func(t *testing.T, dir string) {
			for _, path := range files(t, dir, "*.sst") {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fill(t)
			damage(t, dir)
			e, err := engine.Open(engine.Options{Dir: dir})
			if err == nil {
				_ = e.Close()
			}
			if !errors.Is(err, engine.ErrUnreadable) {
				t.Fatalf("opening answered %v", err)
			}
			if !strings.Contains(err.Error(), dir) {
				t.Errorf("the error does not name the directory: %v", err)
			}
		})
	}
}

func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(out) == 0 {
		t.Fatalf("no file %s in %s (error %v)", pattern, dir, err)
	}
	return out
}

// overwrite puts rubbish into every matching file, from an offset on.
func overwrite(t *testing.T, dir, pattern string, offset int64) {
	t.Helper()
	for _, path := range files(t, dir, pattern) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte(strings.Repeat("\xa5", 64)), offset); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestForeignDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(engine.Options{Dir: dir})
	if err == nil {
		_ = e.Close()
	}
	if !errors.Is(err, engine.ErrUnreadable) {
		t.Fatalf("opening answered %v", err)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "CURRENT")); err != nil || string(kept) != "something else" {
		t.Errorf("the file holds %q, error %v", kept, err)
	}
}

func TestDirectoryInUseIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	e, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if second, err := engine.Open(engine.Options{Dir: dir}); !errors.Is(err, engine.ErrLocked) {
		t.Errorf("opening it twice answered %v, %v", second, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		t.Fatalf("opening it after the close answered %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestCallsAfterCloseAreRefused(t *testing.T) {
	t.Parallel()
	e, err := engine.Open(engine.Options{Dir: "events", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_, readErr := e.ReadStream("s", 0, engine.Forwards, 1)
	_, allErr := e.ReadAll(engine.AllQuery{Count: 1, Window: 1})
	for _, err := range []error{appendOne(t, e, 1), readErr, allErr} {
		if !errors.Is(err, engine.ErrClosed) {
			t.Errorf("a call after the close answered %v", err)
		}
	}
}
