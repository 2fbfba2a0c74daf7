package engine_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"understudy/eventstore/node/engine"
)

func TestEventsOlderThanMaxAgeAreNotRead(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64 // seconds
	clock.Store(1_700_000_000)
	e, err := engine.Open(engine.Options{Dir: "events", FS: vfs.NewMem(), Now: func() time.Time { return time.Unix(clock.Load(), 0) }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for n := range 3 {
		if err := appendOne(t, e, n); err != nil {
			t.Fatal(err)
		}
		clock.Add(100)
	}
	meta := engine.NewEvent{ID: [16]byte{9}, Type: engine.TypeMetadata, JSON: true, Data: []byte(`{"$maxAge":250}`)}
	if _, err := e.Append(context.Background(), engine.Append{Stream: "$$s", Expected: engine.NoStream, Events: []engine.NewEvent{meta}}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		later int64
		want  []int64
	}{
		{0, []int64{1, 2}}, // 300, 200 and 100 s old
		{50, []int64{1, 2}},
		{51, []int64{2}},
		{1000, nil},
	} {
		clock.Store(1_700_000_300 + step.later)
		for _, dir := range []engine.Direction{engine.Forwards, engine.Backwards} {
			from := int64(0)
			if dir == engine.Backwards {
				from = 99
			}
			page, err := e.ReadStream("s", from, dir, 10)
			if err != nil || !page.End {
				t.Fatalf("after %d s: end %t, error %v", step.later, page.End, err)
			}
			var got []int64
			for _, ev := range page.Events {
				got = append(got, ev.Revision)
			}
			slices.Sort(got)
			if !slices.Equal(got, step.want) {
				t.Errorf("after %d s, direction %d: revisions %v, want %v", step.later, dir, got, step.want)
			}
		}
	}
}
