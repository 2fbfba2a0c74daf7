package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"understudy/eventstore/node/engine"
)

// whole is a directory with events in tables of several generations and in the
// log, as a killed process leaves it.
type whole struct {
	disk   *vfs.MemFS
	files  []string
	events []engine.Event
}

const damagedDir = "events"

var sound = sync.OnceValues(func() (w whole, err error) {
	disk := vfs.NewCrashableMem()
	var e *engine.Engine
	for generation := range 4 {
		if e, err = engine.Open(engine.Options{Dir: damagedDir, FS: disk}); err != nil {
			return w, err
		}
		for n := range 30 {
			a := engine.Append{Stream: fmt.Sprintf("s-%d", n%7), Expected: engine.Any}
			for i := range 1 + n%4 {
				a.Events = append(a.Events, engine.NewEvent{
					ID: [16]byte{byte(generation), byte(n), byte(i), 3}, Type: "t", JSON: true,
					Data: []byte(strings.Repeat(fmt.Sprint(generation, n, i), 40)), Metadata: []byte("{}"),
				})
			}
			if _, err = e.Append(context.Background(), a); err != nil {
				return w, err
			}
		}
		if generation == 3 {
			break // killed
		}
		if err = e.Close(); err != nil {
			return w, err
		}
	}
	w.disk = copyOf(disk)
	page, err := e.ReadAll(engine.AllQuery{Count: 1 << 30, Window: 1 << 30})
	if err = errors.Join(err, e.Close()); err != nil {
		return w, err
	}
	w.events = page.Events
	w.files, err = w.disk.List(damagedDir)
	slices.Sort(w.files)
	w.files = slices.DeleteFunc(w.files, func(name string) bool { return name == "LOCK" })
	return w, err
})

// copyOf is a disk with all that is on another one, synced or not.
func copyOf(disk *vfs.MemFS) *vfs.MemFS {
	return disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
}

func content(disk vfs.FS, name string) ([]byte, error) {
	f, err := disk.Open(disk.PathJoin(damagedDir, name))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(f)
	return raw, errors.Join(err, f.Close())
}

func allFiles(t *rapid.T, disk vfs.FS) map[string][]byte {
	names, err := disk.List(damagedDir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		if out[name], err = content(disk, name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func replace(disk vfs.FS, name string, raw []byte) error {
	f, err := disk.Create(disk.PathJoin(damagedDir, name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	return errors.Join(err, f.Sync(), f.Close())
}

// everything reads a directory in every way.
func everything(disk vfs.FS) (events []engine.Event, err error) {
	e, err := engine.Open(engine.Options{Dir: damagedDir, FS: disk})
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	defer func() { _ = e.Close() }() // after damage was met it says so again
	page, err := e.ReadAll(engine.AllQuery{Count: 1 << 30, Window: 1 << 30})
	if err != nil {
		return nil, fmt.Errorf("reading all: %w", err)
	}
	byStream := map[string][]engine.Event{}
	for _, ev := range page.Events {
		byStream[ev.Stream] = append(byStream[ev.Stream], ev)
	}
	for stream, want := range byStream {
		got, err := e.ReadStream(stream, 0, engine.Forwards, 1<<30)
		if err != nil {
			return nil, fmt.Errorf("reading a stream: %w", err)
		}
		if !reflect.DeepEqual(want, got.Events) {
			return nil, fmt.Errorf("stream %s is not what all events say:\n%s", stream, cmp.Diff(want, got.Events))
		}
	}
	return page.Events, nil
}

// named is what a refusal has to point at: a file, an event, or both.
var named = regexp.MustCompile(`\d{6}\.|file \d{6}|event \d|events \d|acknowledged|marker|manifest|MANIFEST|OPTIONS|CURRENT`)

// TestDamageIsRefusedOrHarmless: whatever happens to any one file, a store
// either has every acknowledged event or says that it has not.
func TestDamageIsRefusedOrHarmless(t *testing.T) {
	t.Parallel()
	w, err := sound()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := everything(copyOf(w.disk)); err != nil || !reflect.DeepEqual(got, w.events) {
		t.Fatalf("the undamaged store: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		disk := copyOf(w.disk)
		name := rapid.SampledFrom(w.files).Draw(t, "file")
		raw, err := content(disk, name)
		if err != nil {
			t.Fatal(err)
		}
		damage := rapid.SampledFrom([]string{"flip", "flip", "overwrite", "truncate", "remove"}).Draw(t, "damage")
		if len(raw) == 0 {
			damage = "remove"
		}
		switch at := rapid.IntRange(0, max(len(raw)-1, 0)).Draw(t, "at"); damage {
		case "flip":
			raw[at] ^= rapid.ByteRange(1, 255).Draw(t, "bits")
			err = replace(disk, name, raw)
		case "overwrite":
			end := min(len(raw), at+rapid.IntRange(1, 600).Draw(t, "length"))
			copy(raw[at:end], make([]byte, end-at))
			err = replace(disk, name, raw)
		case "truncate":
			err = replace(disk, name, raw[:at])
		case "remove":
			err = disk.Remove(disk.PathJoin(damagedDir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		if dir, err := disk.OpenDir(damagedDir); err != nil || dir.Sync() != nil {
			t.Fatal("sync of the directory")
		}
		before := copyOf(disk)
		_, checked := engine.Check(context.Background(), engine.Options{Dir: damagedDir, FS: before}, nil)
		got, err := everything(disk)
		if err == nil {
			if !reflect.DeepEqual(w.events, got) {
				t.Fatalf("the store opens and lies:\n%s", cmp.Diff(w.events, got))
			}
			return
		}
		if !errors.Is(err, engine.ErrUnreadable) || !named.MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("the refusal is %v", err)
		}
		if strings.HasPrefix(err.Error(), "opening") && !errors.Is(err, engine.ErrFailed) {
			if diff := cmp.Diff(allFiles(t, before), allFiles(t, disk)); diff != "" {
				t.Fatalf("%v, and it changed the directory:\n%s", err, diff)
			}
		}
		if checked == nil {
			t.Fatalf("a check found nothing, and the store answers %v", err)
		}
	})
}
