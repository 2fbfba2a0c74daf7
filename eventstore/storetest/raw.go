package storetest

import (
	"context"
	"errors"

	"understudy/eventstore"
)

// Auditors get what was recorded, not what the program makes of it: unknown
// types, odd spacing and data that no decoder would take, too.
func rawEventsAreAsRecorded(s *suite) {
	store, stream := s.open(), s.stream("raw")
	ctx := s.context()
	recorded := []struct{ typ, data, meta string }{
		{"storetest.noted.v1", `{"number":  7.50e0}`, `{"actor": "x"}`},
		{"storetest.noted.v1", `["not a note"]`, ``},
		{"storetest.shredded.v9", `{"b":1,"a":2}`, `{}`},
	}
	for _, r := range recorded {
		s.record(stream, r.typ, r.data, r.meta)
	}
	var read []eventstore.Raw
	collect := func(e eventstore.Raw) error { read = append(read, e); return nil }
	if err := store.ReadStreamRaw(ctx, stream, 0, 100, collect); err != nil {
		s.Fatal(err)
	}
	if len(read) != len(recorded) {
		s.Fatalf("read %d events, recorded %d", len(read), len(recorded))
	}
	for i, r := range recorded {
		e := read[i]
		if e.Type != r.typ || string(e.Data) != r.data || string(e.Metadata) != r.meta || e.Revision != uint64(i) || e.Stream != stream {
			s.Errorf("event %d is %+v, recorded was %+v", i, e, r)
		}
		if e.Created.IsZero() || e.ContentType == "" || e.ID == [16]byte{} {
			s.Errorf("event %d lacks its time, content type or id: %+v", i, e)
		}
	}

	var followed []eventstore.Raw
	done := errors.New("done")
	err := store.SubscribeRaw(ctx, eventstore.Subscription{Name: "raw", Prefixes: s.mine()}, func(_ context.Context, b eventstore.RawBatch) error {
		followed = append(followed, b.Events...)
		if len(followed) == len(recorded) {
			return done
		}
		return nil
	})
	if !errors.Is(err, done) {
		s.Fatal(err)
	}
	for i, e := range followed {
		if e.Position != read[i].Position || string(e.Data) != string(read[i].Data) || e.ID != read[i].ID {
			s.Errorf("event %d: followed %+v, read %+v", i, e, read[i])
		}
	}

	read = nil
	if err := store.ReadStreamRaw(ctx, stream, 1, 1, collect); err != nil {
		s.Fatal(err)
	}
	if len(read) != 1 || read[0].Revision != 1 {
		s.Errorf("one event from revision 1 on: %+v", read)
	}
	if err := store.ReadStreamRaw(ctx, s.stream("none"), 0, 1, collect); !errors.Is(err, eventstore.ErrStreamNotFound) {
		s.Errorf("a stream that is not there: %v", err)
	}
	if last, err := store.LastRevision(ctx, stream); err != nil || last != uint64(len(recorded)-1) {
		s.Errorf("the last revision is %d, %v", last, err)
	}
	if _, err := store.LastRevision(ctx, s.stream("none")); !errors.Is(err, eventstore.ErrStreamNotFound) {
		s.Errorf("the last revision of a stream that is not there: %v", err)
	}
}
