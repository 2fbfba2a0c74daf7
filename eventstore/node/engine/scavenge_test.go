package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/eventstore/node/engine"
)

// errAway says that an archive is not on the shelf.
var errAway = &fs.PathError{Op: "find", Path: "archive", Err: fs.ErrNotExist}

// shelf is archives in memory, by name.
type shelf map[string][]engine.Event

// put adds an archive and returns its name.
func (s shelf) put(name string, events []engine.Event) string {
	s[name] = events
	return name
}

func (s shelf) Each(archive string, each func(position uint64, ref string, data, metadata []byte) error) error {
	events, ok := s[archive]
	if !ok {
		return errAway
	}
	for i, ev := range events {
		if err := each(ev.Position, fmt.Sprint(archive, " ", i), ev.Data, ev.Metadata); err != nil {
			return err
		}
	}
	return nil
}

func (s shelf) Read(ref string) (data, metadata []byte, err error) {
	archive, at, _ := strings.Cut(ref, " ")
	i, err := strconv.Atoi(at)
	if err != nil || i >= len(s[archive]) {
		return nil, nil, errAway
	}
	return s[archive][i].Data, s[archive][i].Metadata, nil
}

// wholeBytes compares bytes as a whole: one by one takes a minute of a core.
var wholeBytes = cmp.Comparer(func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) })

func allEvents(t *testing.T, e *engine.Engine) []engine.Event {
	t.Helper()
	var out []engine.Event
	for q := (engine.AllQuery{Count: 1 << 30, Window: 1 << 30}); ; {
		page, err := e.ReadAll(q)
		if err != nil {
			t.Fatal(err)
		}
		if out = append(out, page.Events...); page.End {
			return out
		}
		q.From = page.Next
	}
}

func opened(t *testing.T, dir string, archive engine.Archive) *engine.Engine {
	t.Helper()
	e, err := engine.Open(engine.Options{Dir: dir, Archive: archive})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

func TestScavengedEventsReadAsBeforeAndTakeNoSpace(t *testing.T) {
	t.Parallel()
	dir, archives := fill(t), &tearing{shelf: shelf{}}
	e := opened(t, dir, archives)
	before, size := allEvents(t, e), sizeOf(t, dir)
	archives.put("one", before[:len(before)/2])
	archives.put("two", before[len(before)/2:])

	for n := range 3 { // cut off in the middle, it goes on
		ctx, cancel := context.WithCancel(context.Background())
		archives.left, archives.cut = 400*(n+1), cancel
		if _, err := e.Scavenge(ctx, "one", "two"); !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off, it says %v", err)
		}
	}
	done, err := e.Scavenge(context.Background(), "one", "two")
	if err != nil || done.Bytes == 0 {
		t.Fatalf("scavenged %+v, %v", done, err)
	}
	if again, err := e.Scavenge(context.Background(), "one", "two"); err != nil || again.Events != 0 {
		t.Errorf("again it takes out %+v, %v", again, err)
	}
	if diff := cmp.Diff(before, allEvents(t, e), wholeBytes); diff != "" {
		t.Errorf("then events read as\n%.2000s", diff)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	again := opened(t, dir, archives)
	if diff := cmp.Diff(before, allEvents(t, again), wholeBytes); diff != "" {
		t.Errorf("opened again, events read as\n%.2000s", diff)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if now := sizeOf(t, dir); now > size/4 {
		t.Errorf("the directory had %d bytes and has %d", size, now)
	}
	checked, err := engine.Check(context.Background(), engine.Options{Dir: dir, Archive: archives}, nil)
	if err != nil || checked.Events != uint64(len(before)) {
		t.Errorf("a check counts %+v, %v", checked, err)
	}
}

// tearing cuts a scavenge off after so many events.
type tearing struct {
	shelf

	left int
	cut  func()
}

func (a *tearing) Each(archive string, each func(position uint64, ref string, data, metadata []byte) error) error {
	return a.shelf.Each(archive, func(position uint64, ref string, data, metadata []byte) error {
		if a.left--; a.left == 0 {
			a.cut()
		}
		return each(position, ref, data, metadata)
	})
}

func TestAnArchiveThatIsNotTheLogIsRefused(t *testing.T) {
	t.Parallel()
	dir, archives := small(t), shelf{}
	e := opened(t, dir, archives)
	long := engine.NewEvent{ID: [16]byte{7}, Type: "t", Data: []byte(strings.Repeat("long ", 100)), Metadata: []byte("m")}
	if _, err := e.Append(context.Background(), engine.Append{Stream: "long", Expected: engine.Any, Events: []engine.NewEvent{long}}); err != nil {
		t.Fatal(err)
	}
	before := allEvents(t, e)
	last := before[len(before)-1]
	changed, metadata, moved, own := last, last, last, before[45]
	changed.Data, metadata.Metadata, moved.Position = []byte("other"), nil, last.Position+1
	for name, c := range map[string]struct {
		event engine.Event
		err   error
	}{
		"other data":      {changed, engine.ErrUnreadable},
		"other metadata":  {metadata, engine.ErrUnreadable},
		"none of the log": {moved, engine.ErrUnreadable},
		"the store's own": {own, engine.ErrInvalid},
		"no such archive": {engine.Event{}, engine.ErrArchive},
	} {
		if c.event.Position > 0 {
			archives.put(name, []engine.Event{c.event})
		}
		if _, err := e.Scavenge(context.Background(), name); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, allEvents(t, e), wholeBytes); diff != "" {
		t.Fatalf("refused archives changed the log:\n%.2000s", diff)
	}
	if done, err := e.Scavenge(context.Background(), archives.put("right", []engine.Event{last})); err != nil || done.Events != 1 {
		t.Fatalf("%+v, %v", done, err)
	}

	// What is changed in an archive, or away, is missed where it is read, and there alone.
	for name, c := range map[string]struct {
		damage func()
		err    error
	}{
		"changed": {func() { archives.put("right", []engine.Event{changed}) }, engine.ErrUnreadable},
		"away":    {func() { delete(archives, "right") }, engine.ErrArchive},
	} {
		c.damage()
		if _, err := e.ReadStream("long", 0, engine.Forwards, 1); !errors.Is(err, c.err) {
			t.Errorf("%s, its stream reads %v", name, err)
		}
		if _, err := e.ReadAll(engine.AllQuery{Count: 1000, Window: 1000}); !errors.Is(err, c.err) {
			t.Errorf("%s, all read %v", name, err)
		}
		page, err := e.ReadAll(engine.AllQuery{Count: 1000, Window: 1000, Match: func(stream, _ string) bool { return stream != "long" }})
		if err != nil || len(page.Events) != len(before)-1 {
			t.Errorf("%s, others read %d events, %v", name, len(page.Events), err)
		}
		if again, err := e.Append(context.Background(), engine.Append{Stream: "long", Expected: engine.NoStream, Events: []engine.NewEvent{long}}); err != nil || again.Position != last.Position {
			t.Errorf("%s, the append again answers %+v, %v", name, again, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Check(context.Background(), engine.Options{Dir: dir}, nil); !errors.Is(err, engine.ErrArchive) {
		t.Errorf("without its archives a check says %v", err)
	}
}
