package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"understudy/eventstore/node/engine"
)

// small makes a store of three streams: one of 41 events and a soft deletion,
// one that is tombstoned, and one in which an id comes twice.
func small(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "events")
	e, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 41 {
		if err := appendOne(t, e, n); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	twice := engine.NewEvent{ID: [16]byte{9}, Type: "t"}
	for i, expected := range []engine.Expected{engine.NoStream, 0} {
		if _, err := e.Append(ctx, engine.Append{Stream: "twice", Expected: expected, Events: []engine.NewEvent{twice}}); err != nil {
			t.Fatalf("append %d: %v", i, err)
		}
	}
	if _, err := e.Append(ctx, engine.Append{Stream: "gone", Expected: engine.Any, Events: []engine.NewEvent{twice}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Tombstone(ctx, "gone", engine.Any); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, "s", engine.Any); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCheckCountsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := small(t)
	var told []engine.Checked
	done, err := engine.Check(context.Background(), engine.Options{Dir: dir}, func(c engine.Checked) { told = append(told, c) })
	if err != nil {
		t.Fatal(err)
	}
	// Streams: s, its metadata, twice, gone.
	if done.Events != 46 || done.Total != 46 || done.Streams != 4 || done.Bytes == 0 {
		t.Errorf("the check counted %+v", done)
	}
	if len(told) == 0 || told[len(told)-1] != done {
		t.Errorf("and told of %+v", told)
	}
	if done, err := engine.Check(context.Background(), engine.Options{Dir: fill(t)}, nil); err != nil || done.Files == 0 || done.Files != done.TotalFiles {
		t.Errorf("of a store with tables it counted %+v, %v", done, err)
	}
}

func TestCheckFindsWhatDoesNotAgree(t *testing.T) {
	t.Parallel()
	at := func(n byte) []byte { return []byte{0, 0, 0, 0, 0, 0, 0, n} }
	key := func(parts ...string) []byte { return []byte(strings.Join(parts, "")) }
	for name, c := range map[string]struct {
		damage  func(db *pebble.DB) error
		finding string
	}{
		"event lost": {
			func(db *pebble.DB) error { return db.Delete(key("e", string(at(17))), nil) },
			"event 17 is missing",
		},
		"event of another layout": {
			func(db *pebble.DB) error { return db.Set(key("e", string(at(17))), []byte("?"), nil) },
			"event 17",
		},
		"revision lost": {
			func(db *pebble.DB) error { return db.Delete(key("s", "s\x00", string(at(16))), nil) },
			`event 17: `,
		},
		"revision too many": {
			func(db *pebble.DB) error { return db.Set(key("s", "s\x00", string(at(41))), at(46), nil) },
			"there are 47 stream entries for 46 events",
		},
		"stream without events": {
			func(db *pebble.DB) error { return db.Set(key("s", "ghost\x00", string(at(0))), at(3), nil) },
			"there are 47 stream entries for 46 events",
		},
		"revision of another event": {
			func(db *pebble.DB) error { return db.Set(key("s", "s\x00", string(at(16))), at(16), nil) },
			`revision 16 of stream "s" leads to event 16`,
		},
		"id lost": {
			func(db *pebble.DB) error {
				return db.Delete(key("i", "s\x00", string(make([]byte, 2)), "\x10\x01", string(make([]byte, 12))), nil)
			},
			"event 17: ",
		},
		"id too many": {
			func(db *pebble.DB) error { return db.Set(key("i", "s\x00", strings.Repeat("\xee", 16)), at(3), nil) },
			"event ids",
		},
		"foreign key": {
			func(db *pebble.DB) error { return db.Set(key("zebra"), at(1), nil) },
			`"zebra"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := small(t)
			db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(c.damage(db), db.Close()); err != nil {
				t.Fatal(err)
			}
			_, err = engine.Check(context.Background(), engine.Options{Dir: dir}, nil)
			if !errors.Is(err, engine.ErrUnreadable) || !strings.Contains(err.Error(), c.finding) || !strings.Contains(err.Error(), dir) {
				t.Errorf("the check answered %v", err)
			}
		})
	}
}

// quiet is a logger of Pebble's that says nothing.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

func TestCheckRefusesWhatIsInUseOrNoStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	e, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := engine.Check(context.Background(), engine.Options{Dir: dir}, nil); !errors.Is(err, engine.ErrLocked) {
		t.Errorf("of a directory in use it says %v", err)
	}
	empty := t.TempDir()
	if _, err := engine.Check(context.Background(), engine.Options{Dir: empty}, nil); err == nil || !strings.Contains(err.Error(), "no event store") {
		t.Errorf("of an empty directory it says %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(empty, "*")); err != nil || len(left) > 0 {
		t.Errorf("and leaves %v, %v", left, err)
	}
	if _, err := engine.Check(context.Background(), engine.Options{Dir: filepath.Join(empty, "none")}, nil); !errors.Is(err, engine.ErrUnreadable) {
		t.Errorf("of a directory that is not there it says %v", err)
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine.Check(ctx, engine.Options{Dir: small(t)}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("it answered %v", err)
	}
}
