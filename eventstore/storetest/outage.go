package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/test/patience"
)

func closeEndsEverything(s *suite) {
	store := s.open()
	s.append(store, s.stream("1"), eventstore.NoStream(), notes(s.own, 1))
	c, done := Follow(s.context(), store, eventstore.Subscription{Prefixes: s.mine()})
	Eventually(s, "an event", func() bool { return len(c.Seen()) == 1 })
	if err := store.Close(); err != nil {
		s.Fatal(err)
	}
	if err := Wait(s, "the subscription's end", done); !errors.Is(err, eventstore.ErrUnavailable) {
		s.Errorf("the subscription ended with %v", err)
	}
	if err := store.Ping(s.context()); !errors.Is(err, eventstore.ErrUnavailable) {
		s.Errorf("a closed store said %v", err)
	}
}

func callsWhileTheStoreIsDown(s *suite) {
	timeout := patience.Scaled(time.Second) // within which a busy disk has to flush, too
	store := s.open(func(c *eventstore.Config) { c.CallTimeout = timeout })
	stream := s.stream("1")
	calls := map[string]func(ctx context.Context) error{
		"ping": store.Ping,
		"head": func(ctx context.Context) error { _, err := store.Head(ctx); return err },
		"append": func(ctx context.Context) error {
			_, err := store.Append(ctx, stream, eventstore.NoStream(), notes(stream, 1))
			return err
		},
		"read": func(ctx context.Context) error { return store.ReadStream(ctx, stream, 0, ignore) },
	}
	down := func() {
		s.Helper()
		var all sync.WaitGroup
		for name, call := range calls {
			for range 10 {
				all.Go(func() {
					limit := patience.For(3 * time.Second)
					err := call(context.Background())
					if late := limit.Lost(); !errors.Is(err, eventstore.ErrUnavailable) || late {
						s.Errorf("%s answered, late %v: %v", name, late, err)
					}
				})
			}
		}
		all.Wait()
	}
	up := func() {
		s.Helper()
		// Twice: the first call may be the one to notice.
		for _, name := range []string{"append", "append", "read", "head", "ping"} {
			if err := calls[name](context.Background()); err != nil {
				s.Errorf("%s: %v", name, err)
			}
		}
	}
	s.place.Stop() // before the Store has ever reached it
	down()
	s.place.Start()
	up()
	for range 2 {
		s.place.Stop()
		down()
		s.place.Start()
		up()
	}
}

func shortRestartGoesUnnoticed(s *suite) {
	store := s.open()
	const writers, each, restarts = 6, 60, 4
	var written atomic.Int64
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			stream := s.stream(fmt.Sprint(w))
			expected := eventstore.NoStream()
			for i := range each {
				at, err := store.Append(context.Background(), stream, expected,
					[]eventstore.Pending{{ID: domain.DeriveUUID(stream, fmt.Sprint(i)), Event: noted{Number: i}}})
				if err != nil || at.Revision != uint64(i) {
					s.Errorf("%s: append %d at %d: %v", stream, i, at.Revision, err)
					return
				}
				expected = eventstore.Revision(at.Revision)
				written.Add(1)
			}
		})
	}
	for i := range restarts {
		Eventually(s, "progress", func() bool { return written.Load() >= writers*each/(restarts+1)*int64(i+1) })
		s.place.Stop()
		s.place.Start()
	}
	all.Wait()
	for w := range writers {
		if got := s.read(store, s.stream(fmt.Sprint(w)), 0); len(got) != each {
			s.Errorf("writer %d has %d events", w, len(got))
		}
	}
}

func subscriptionSurvivesRestarts(s *suite) {
	store := s.open()
	ctx, cancel := context.WithCancel(s.context())
	defer cancel()
	c, done := Follow(ctx, store, eventstore.Subscription{Name: "all", MaxBatch: 7})
	filtered, filteredDone := Follow(ctx, store, eventstore.Subscription{Name: "some", Prefixes: []string{s.stream("1"), s.stream("3")}})

	const rounds, streams, each = 4, 4, 40
	total := 0
	expected := map[string]eventstore.Expected{}
	for round := range rounds {
		for i := range streams * each / 2 {
			stream := s.stream(fmt.Sprint(i % streams))
			at := s.append(store, stream, expected[stream], notes(fmt.Sprint(round, i), 2))
			expected[stream] = eventstore.Revision(at.Revision)
			total += 2
		}
		// Sometimes in the middle of the delivery, sometimes after it.
		if round%2 == 0 {
			Eventually(s, "all events so far", func() bool { return len(c.Seen()) == total })
		}
		s.place.Stop()
		s.place.Start()
	}
	Eventually(s, "all events", func() bool { return len(c.Seen()) >= total && len(filtered.Seen()) >= total/2 })
	cancel()
	for _, d := range []<-chan error{done, filteredDone} {
		if err := Wait(s, "the subscription's end", d); !errors.Is(err, context.Canceled) {
			s.Errorf("ended with %v", err)
		}
	}
	for name, got := range map[string][]domain.Recorded{"all": c.Seen(), "some": filtered.Seen()} {
		InOrder(s, got)
		revisions := map[string]uint64{}
		for _, e := range got {
			if e.Revision != revisions[e.Stream] {
				s.Fatalf("%s: %s@%d came instead of revision %d", name, e.Stream, e.Revision, revisions[e.Stream])
			}
			revisions[e.Stream]++
		}
	}
	if n := len(c.Seen()); n != total {
		s.Errorf("%d events came, %d were recorded", n, total)
	}
	if n := len(filtered.Seen()); n != total/2 {
		s.Errorf("%d events of two of four streams came, not %d", n, total/2)
	}
}

func fromEndKeepsItsBeginning(s *suite) {
	store, writer, stream := s.open(), s.open(), s.stream("1")
	s.append(writer, stream, eventstore.NoStream(), notes(stream, 1))
	c, _ := Follow(s.context(), store, eventstore.Subscription{FromEnd: true})
	Eventually(s, "the end", func() bool { return c.Checkpoint() > 0 })
	s.place.Stop()
	s.place.Start()
	s.append(writer, stream, eventstore.Revision(0), notes(stream+"later", 1))
	Eventually(s, "the event of the gap", func() bool { return len(c.Seen()) == 1 })
	if c.Seen()[0].Revision != 1 {
		s.Errorf("%+v came", c.Seen()[0])
	}
}
