package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/storetest"
)

// Followers of one Store share what they receive. Whoever keeps up, falls far
// behind, begins late or in the middle, and whatever happens to the store
// meanwhile: each gets the events of its prefixes, all of them, once and in order.
func TestEveryFollowerGetsItsOwnEventsWhereverItIs(t *testing.T) {
	srv := startServer(t)
	store := srv.open()
	const streams, inEach, rounds = 7, 40, 20 // 5,600 events: more than are held
	name := func(round, i int) string { return fmt.Sprintf("s%d-%d", i, round) }
	write := func(from, to int) (last uint64) {
		for round := from; round < to; round++ {
			for i := range streams {
				last = mustAppend(t, store, name(round, i), eventstore.NoStream(), pendingPaid(name(round, i), inEach)).Position
			}
		}
		return last
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type followed struct {
		sub  eventstore.Subscription
		got  *storetest.Collector
		done <-chan error
	}
	var all []followed
	follow := func(sub eventstore.Subscription) {
		got, done := storetest.Follow(ctx, store, sub)
		all = append(all, followed{sub, got, done})
	}

	follow(eventstore.Subscription{})
	follow(eventstore.Subscription{Prefixes: []string{"s1-", "s4-"}, MaxBatch: 7})
	follow(eventstore.Subscription{Prefixes: []string{"nobody-"}})
	slow := &halting{resume: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		ended <- store.Subscribe(ctx, eventstore.Subscription{Prefixes: []string{"s2-"}}, slow.handle)
	}()
	middle := write(0, 3)
	follow(eventstore.Subscription{From: &middle, Prefixes: []string{"s3-", "s1-"}})
	write(3, 10)
	srv.stop()
	srv.start()
	write(10, rounds)
	follow(eventstore.Subscription{Prefixes: []string{"s5-"}})
	close(slow.resume)

	var truth []domain.Recorded
	head, err := store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	alone := srv.open() // which has caught up with nothing yet
	err = alone.Subscribe(ctx, eventstore.Subscription{UpTo: &head}, func(_ context.Context, b eventstore.Batch) error {
		truth = append(truth, b.Events...)
		return nil
	})
	if err != nil || len(truth) != streams*inEach*rounds {
		t.Fatalf("%d events are in the log: %v", len(truth), err)
	}
	wanted := func(sub eventstore.Subscription) (out []string) {
		for _, e := range truth {
			if (sub.From == nil || e.Position > *sub.From) && (len(sub.Prefixes) == 0 || slices.Contains(sub.Prefixes, e.Stream[:3])) {
				out = append(out, e.ID.String())
			}
		}
		return out
	}
	same := func(sub eventstore.Subscription, got func() []domain.Recorded) {
		t.Helper()
		want := wanted(sub)
		storetest.Eventually(t, fmt.Sprintf("the %d events of %q", len(want), sub.Prefixes), func() bool { return len(got()) >= len(want) })
		if ids := idsOf(got()); !slices.Equal(ids, want) {
			t.Errorf("%q: %d events came, not the %d in their order", sub.Prefixes, len(ids), len(want))
		}
	}
	for _, f := range all {
		same(f.sub, f.got.Seen)
	}
	same(eventstore.Subscription{Prefixes: []string{"s2-"}}, slow.seen)
	cancel()
	for _, f := range all {
		if err := storetest.Wait(t, "the end", f.done); !errors.Is(err, context.Canceled) {
			t.Errorf("%q ended with %v", f.sub.Prefixes, err)
		}
	}
	if err := storetest.Wait(t, "the end of the slow one", ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func idsOf(events []domain.Recorded) (out []string) {
	for _, e := range events {
		out = append(out, e.ID.String())
	}
	return out
}

// halting is a follower that does not return from its first events until it may.
type halting struct {
	resume chan struct{}
	mu     sync.Mutex
	events []domain.Recorded
}

func (h *halting) handle(_ context.Context, b eventstore.Batch) error {
	if len(b.Events) > 0 {
		<-h.resume
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, b.Events...)
	return nil
}

func (h *halting) seen() []domain.Recorded {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}
