package storetest

import (
	"context"
	"errors"
	"slices"

	"understudy/eventstore"
)

func subscriptionBeginsWhereItIsTold(s *suite) {
	store, stream := s.open(), s.stream("1")
	ctx := s.context()
	s.append(store, stream, eventstore.NoStream(), notes(stream, 5))
	all := s.read(store, stream, 0)

	from := all[2].Position
	start, _ := Follow(ctx, store, eventstore.Subscription{Prefixes: s.mine()})
	behind, _ := Follow(ctx, store, eventstore.Subscription{From: &from})
	end, _ := Follow(ctx, store, eventstore.Subscription{FromEnd: true})
	// The end is told at once, so that it can be noted.
	Eventually(s, "the end", func() bool { return end.Checkpoint() == all[4].Position })
	s.append(store, stream, eventstore.Revision(4), notes(stream+"later", 1))
	all = s.read(store, stream, 0)

	Eventually(s, "the events from the start", func() bool { return slices.Equal(ids(start.Seen()), ids(all)) })
	Eventually(s, "the events behind a position", func() bool { return slices.Equal(ids(behind.Seen()), ids(all[3:])) })
	Eventually(s, "the events behind the end", func() bool { return slices.Equal(ids(end.Seen()), ids(all[5:])) })
	InOrder(s, start.Seen())
}

func subscriptionToPrefixes(s *suite) {
	store := s.open()
	for _, name := range []string{"a-1", "b-1", "a-2", "c-1"} {
		s.append(store, s.stream(name), eventstore.NoStream(), notes(s.stream(name), 2))
	}
	c, _ := Follow(s.context(), store, eventstore.Subscription{Prefixes: []string{s.stream("a-"), s.stream("c-")}})
	Eventually(s, "the events of three streams", func() bool { return len(c.Seen()) == 6 })
	var streams []string
	for _, e := range c.Seen() {
		streams = append(streams, e.Stream)
	}
	if want := []string{s.stream("a-1"), s.stream("a-2"), s.stream("c-1")}; !slices.Equal(slices.Compact(streams), want) {
		s.Errorf("events came of %q, not of %q", streams, want)
	}
}

func checkpointsAdvanceWithoutEvents(s *suite) {
	store, stream := s.open(), s.stream("1")
	at := s.append(store, stream, eventstore.NoStream(), notes(stream, 3))
	c, _ := Follow(s.context(), store, eventstore.Subscription{Prefixes: []string{s.own + "other-"}})
	Eventually(s, "the end of the log as checkpoint", func() bool { return c.Checkpoint() >= at.Position })
	told := c.Checkpoint()
	s.append(store, stream, eventstore.Revision(2), notes(stream+"later", 600))
	Eventually(s, "a checkpoint on the way", func() bool { return c.Checkpoint() > told })
	if got := c.Seen(); len(got) != 0 {
		s.Errorf("events of another prefix came: %+v", got)
	}
}

func systemEventsAreNotDelivered(s *suite) {
	store := s.open()
	head, err := store.Head(s.context())
	if err != nil {
		s.Fatal(err)
	}
	s.record("$$"+s.stream("1"), "$metadata", `{}`, `{}`)
	s.record(s.stream("1"), "$odd", `{}`, `{}`)
	s.append(store, s.stream("2"), eventstore.NoStream(), notes(s.stream("2"), 1))
	for _, sub := range []eventstore.Subscription{{From: &head}, {Prefixes: s.mine()}} {
		c, _ := Follow(s.context(), store, sub)
		Eventually(s, "an event", func() bool { return len(c.Seen()) > 0 })
		if got := c.Seen(); len(got) != 1 || got[0].Stream != s.stream("2") {
			s.Errorf("with prefixes %q: %+v", sub.Prefixes, got)
		}
	}
}

func handlersErrorEndsTheSubscription(s *suite) {
	store := s.open()
	s.append(store, s.stream("1"), eventstore.NoStream(), notes(s.own, 1))
	enough := errors.New("enough")
	err := store.Subscribe(s.context(), eventstore.Subscription{Prefixes: s.mine()}, func(context.Context, eventstore.Batch) error { return enough })
	if !errors.Is(err, enough) {
		s.Fatalf("got %v", err)
	}
}

func handlersPanicEndsTheSubscription(s *suite) {
	store := s.open()
	s.append(store, s.stream("1"), eventstore.NoStream(), notes(s.own, 1))
	err := store.Subscribe(s.context(), eventstore.Subscription{Prefixes: s.mine()}, func(context.Context, eventstore.Batch) error { panic("enough") })
	var broken *eventstore.Panic
	if !errors.As(err, &broken) || broken.Value != "enough" {
		s.Fatalf("got %v", err)
	}
}

func batchesAreBounded(s *suite) {
	store := s.open()
	s.append(store, s.stream("1"), eventstore.NoStream(), notes(s.own, 100))
	ctx, cancel := context.WithCancel(s.context())
	defer cancel()
	most, sum := 0, 0
	err := store.Subscribe(ctx, eventstore.Subscription{MaxBatch: 10, Prefixes: s.mine()}, func(_ context.Context, b eventstore.Batch) error {
		n := len(b.Events)
		if n > 0 && b.Checkpoint < b.Events[n-1].Position {
			s.Errorf("checkpoint %d is behind the event at %d", b.Checkpoint, b.Events[n-1].Position)
		}
		if most, sum = max(most, n), sum+n; sum == 100 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || most > 10 || sum != 100 {
		s.Fatalf("%d events in batches of up to %d, %v", sum, most, err)
	}
}

func poisonEndsTheSubscription(s *suite) {
	store, stream := s.open(), s.stream("1")
	s.append(store, stream, eventstore.NoStream(), notes(stream, 2))
	s.record(stream, "storetest.erased.v1", `{}`, `[]`) // unknown is not poison: it is delivered
	s.record(stream, "storetest.noted.v1", `{"number":"x"}`, `{}`)
	s.append(store, s.stream("2"), eventstore.NoStream(), notes(s.stream("2"), 1))

	c, done := Follow(s.context(), store, eventstore.Subscription{Prefixes: s.mine()})
	err := Wait(s, "the end", done)
	var poison *eventstore.PoisonError
	if !errors.As(err, &poison) {
		s.Fatalf("got %v", err)
	}
	got := c.Seen()
	if len(got) != 3 || got[2].Event.EventType() != "storetest.erased.v1" {
		s.Fatalf("before the poison came %+v", got)
	}
	if poison.Stream != stream || poison.Revision != 3 || poison.Type != "storetest.noted.v1" ||
		poison.Position <= got[2].Position || poison.Err == nil || c.Checkpoint() != got[2].Position {
		s.Errorf("poison %+v, checkpoint %d", poison, c.Checkpoint())
	}
	if err := store.ReadStream(s.context(), stream, 0, ignore); !errors.As(err, &poison) {
		s.Errorf("the read said %v", err)
	}
}
