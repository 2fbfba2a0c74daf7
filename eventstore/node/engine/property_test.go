package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"understudy/eventstore/node/engine"
)

// subject is an engine beside its model.
type subject struct {
	t     *rapid.T
	fs    *vfs.MemFS
	e     *engine.Engine
	m     model
	nextN int
	shelf shelf
}

func newSubject(t *rapid.T) *subject {
	s := &subject{t: t, fs: vfs.NewCrashableMem(), shelf: shelf{}}
	s.open()
	return s
}

func (s *subject) open() {
	e, err := engine.Open(engine.Options{Dir: "events", FS: s.fs, Archive: s.shelf})
	if err != nil {
		s.t.Fatal(err)
	}
	s.e = e
}

var streamNames = rapid.SampledFrom([]string{"a", "ab", "b"})

func expectations(last int64) *rapid.Generator[engine.Expected] {
	return rapid.OneOf(
		rapid.SampledFrom([]engine.Expected{engine.Any, engine.NoStream, engine.StreamExists}),
		rapid.Map(rapid.Int64Range(0, min(last, 20)+2), func(n int64) engine.Expected { return engine.Expected(n) }),
		rapid.Just(max(engine.NoStream, engine.Expected(min(last, 20)))),
	)
}

// draw makes an append; ids come from a small set, so that repetitions and
// mixtures of known and new ids are frequent.
func (s *subject) draw(t *rapid.T) engine.Append {
	stream := streamNames.Draw(t, "stream")
	a := engine.Append{Stream: stream, Expected: expectations(s.m.last(stream)).Draw(t, "expected")}
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		s.nextN++
		a.Events = append(a.Events, engine.NewEvent{
			ID:   [16]byte{byte(rapid.IntRange(1, 12).Draw(t, "id"))},
			Type: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "type"),
			JSON: rapid.Bool().Draw(t, "json"),
			Data: []byte(fmt.Sprint(s.nextN)), Metadata: bytes.Repeat([]byte{0}, rapid.SampledFrom([]int{1, 100}).Draw(t, "metadata")),
		})
	}
	return a
}

// append sends several appends at once, so that they share a sync.
func (s *subject) append(t *rapid.T) {
	var appends []engine.Append
	var pending []*engine.Pending
	for range rapid.IntRange(1, 4).Draw(t, "group") {
		a := s.draw(t)
		p, err := s.e.Submit(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		appends, pending = append(appends, a), append(pending, p)
	}
	for i, p := range pending {
		got, err := p.Wait(context.Background())
		want, wantErr := s.m.append(appends[i])
		if got != want || !sameError(err, wantErr) {
			t.Fatalf("%+v answered %+v, %v; want %+v, %v", appends[i], got, err, want, wantErr)
		}
	}
}

func (s *subject) metadata(t *rapid.T) {
	stream := streamNames.Draw(t, "stream")
	doc := map[string]int64{}
	for _, key := range []string{"$maxCount", "$tb", "mine"} {
		if rapid.Bool().Draw(t, key) {
			doc[key] = rapid.Int64Range(1, 6).Draw(t, key+" value")
		}
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s.nextN++
	a := engine.Append{Stream: "$$" + stream, Expected: engine.Any, Events: []engine.NewEvent{{
		ID: [16]byte{1, byte(s.nextN >> 8), byte(s.nextN)}, Type: "$metadata", JSON: true, Data: data,
	}}}
	got, err := s.e.Append(context.Background(), a)
	want, wantErr := s.m.append(a)
	if got != want || !sameError(err, wantErr) {
		t.Fatalf("metadata %s answered %+v, %v; want %+v, %v", data, got, err, want, wantErr)
	}
}

func (s *subject) end(t *rapid.T) {
	stream := streamNames.Draw(t, "stream")
	expected := expectations(s.m.last(stream)).Draw(t, "expected")
	tombstone := rapid.IntRange(0, 9).Draw(t, "tombstone") == 0
	do := s.e.Delete
	if tombstone {
		do = s.e.Tombstone
	}
	got, err := do(context.Background(), stream, expected)
	want, wantErr := s.m.end(stream, expected, tombstone)
	if got != want || !sameError(err, wantErr) {
		t.Fatalf("ending %s answered %d, %v; want %d, %v", stream, got, err, want, wantErr)
	}
}

// scavenge takes some events out, of which the model knows nothing.
func (s *subject) scavenge(t *rapid.T) {
	var chosen []engine.Event
	for _, ev := range s.m.log {
		if ev.Stream[0] != '$' && rapid.Bool().Draw(t, "scavenged") {
			chosen = append(chosen, ev)
		}
	}
	s.nextN++
	if _, err := s.e.Scavenge(context.Background(), s.shelf.put(fmt.Sprint(s.nextN), chosen)); err != nil {
		t.Fatal(err)
	}
}

func (s *subject) reopen(t *rapid.T) {
	if err := s.e.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := engine.Check(context.Background(), engine.Options{Dir: "events", FS: s.fs, Archive: s.shelf}, nil)
	if err != nil || done.Events != uint64(len(s.m.log)) {
		t.Fatalf("a check counts %d events of %d: %v", done.Events, len(s.m.log), err)
	}
	s.open()
}

// crash goes on from what a power failure could have left on the disk: all
// that was synced and a part of what was not.
func (s *subject) crash(t *rapid.T) {
	left := s.fs.CrashClone(vfs.CrashCloneCfg{
		UnsyncedDataPercent: rapid.SampledFrom([]int{0, 0, 30, 70, 100}).Draw(t, "unsynced"),
		RNG:                 rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
	})
	if err := s.e.Close(); err != nil {
		t.Fatal(err)
	}
	s.fs = left
	s.open()
}

// words are events in a form to compare: without times, and without the ids
// that the engine chooses itself, which the model cannot know.
func words(events []engine.Event) []string {
	out := make([]string, 0, len(events))
	for _, ev := range events {
		data, id := string(ev.Data), fmt.Sprint(ev.ID[0])
		var doc map[string]int64
		if ev.Type == "$metadata" && json.Unmarshal(ev.Data, &doc) == nil {
			data, id = fmt.Sprint(doc), ""
		}
		if ev.Type == "$streamDeleted" {
			id = ""
		}
		out = append(out, fmt.Sprintf("%d %s@%d %s %s json:%t %s %s", ev.Position, ev.Stream, ev.Revision, id, ev.Type, ev.JSON, data, ev.Metadata))
	}
	return out
}

// check reads everything in every way.
func (s *subject) check(t *rapid.T) {
	page := rapid.IntRange(1, 5).Draw(t, "page")
	for _, stream := range []string{"a", "ab", "b", "$$a", "$$ab", "$$b"} {
		want, wantErr := s.m.readable(stream)
		for _, dir := range []engine.Direction{engine.Forwards, engine.Backwards} {
			got, err := s.readStream(stream, dir, page)
			if diff := cmp.Diff(words(want), words(got)); diff != "" || !sameError(err, wantErr) {
				t.Fatalf("stream %s, direction %d: error %v, want %v\n%s", stream, dir, err, wantErr, diff)
			}
			slices.Reverse(want)
		}
	}
	match := func(stream, kind string) bool { return stream == "a" || kind == "y" }
	var filtered []engine.Event
	for _, ev := range s.m.log {
		if match(ev.Stream, ev.Type) {
			filtered = append(filtered, ev)
		}
	}
	for _, dir := range []engine.Direction{engine.Forwards, engine.Backwards} {
		all, some := slices.Clone(s.m.log), slices.Clone(filtered)
		if dir == engine.Backwards {
			slices.Reverse(all)
			slices.Reverse(some)
		}
		if diff := cmp.Diff(words(all), words(s.readAll(dir, page, nil))); diff != "" {
			t.Fatalf("all, direction %d:\n%s", dir, diff)
		}
		if diff := cmp.Diff(words(some), words(s.readAll(dir, page, match))); diff != "" {
			t.Fatalf("filtered, direction %d:\n%s", dir, diff)
		}
	}
	if s.e.Last() != uint64(len(s.m.log)) {
		t.Fatalf("last position is %d, want %d", s.e.Last(), len(s.m.log))
	}
}

func (s *subject) readStream(stream string, dir engine.Direction, page int) (out []engine.Event, err error) {
	from := int64(0)
	if dir == engine.Backwards {
		from = math.MaxInt64 - 1
	}
	for {
		p, err := s.e.ReadStream(stream, from, dir, page)
		if err != nil {
			return nil, err
		}
		out = append(out, p.Events...)
		if p.End {
			return out, nil
		}
		from = p.Next
	}
}

func (s *subject) readAll(dir engine.Direction, page int, match func(string, string) bool) (out []engine.Event) {
	q := engine.AllQuery{Direction: dir, Count: page, Window: 2 * page, Match: match}
	if dir == engine.Backwards {
		q.From = math.MaxUint64
	}
	for {
		p, err := s.e.ReadAll(q)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, p.Events...)
		if p.End {
			return out
		}
		q.From = p.Next
	}
}

func TestEngineBehavesLikeTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSubject(t)
		defer func() { _ = s.e.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"append":   s.append,
			"append 2": s.append,
			"append 3": s.append,
			"metadata": s.metadata,
			"end":      s.end,
			"scavenge": s.scavenge,
			"reopen":   s.reopen,
			"crash":    s.crash,
			"check":    s.check,
		})
		s.check(t)
	})
}
