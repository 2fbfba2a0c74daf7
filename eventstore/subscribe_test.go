package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
)

// checkOrder fails unless positions only grow.
func checkOrder(t *testing.T, events []domain.Recorded) {
	t.Helper()
	for i := 1; i < len(events); i++ {
		if events[i].Position <= events[i-1].Position {
			t.Fatalf("event %d is at position %d, after %d", i, events[i].Position, events[i-1].Position)
		}
	}
}

func TestSubscriptionSurvivesRestarts(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open()
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	c, done := follow(ctx, store, eventstore.Subscription{Name: "all", MaxBatch: 7})
	filtered, filteredDone := follow(ctx, store, eventstore.Subscription{Name: "some", Prefixes: []string{"till-1", "till-3"}})

	const rounds, streams, each = 4, 4, 40
	total := 0
	expected := map[string]eventstore.Expected{}
	for round := range rounds {
		for i := range streams * each / 2 {
			stream := fmt.Sprintf("till-%d", i%streams)
			at := mustAppend(t, store, stream, expected[stream], pendingPaid(fmt.Sprint(round, i), 2))
			expected[stream] = eventstore.Revision(at.Revision)
			total += 2
		}
		// Sometimes in the middle of the delivery, sometimes after it.
		if round%2 == 0 {
			eventually(t, "all events so far", func() bool { return len(c.seen()) == total })
		}
		srv.stop()
		srv.start()
	}
	eventually(t, "all events", func() bool { return len(c.seen()) >= total && len(filtered.seen()) >= total/2 })
	cancel()
	for _, d := range []<-chan error{done, filteredDone} {
		if err := wait(t, "the subscription's end", d); !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	}
	for name, got := range map[string][]domain.Recorded{"all": c.seen(), "some": filtered.seen()} {
		checkOrder(t, got)
		revisions := map[string]uint64{}
		for _, e := range got {
			if e.Revision != revisions[e.Stream] {
				t.Fatalf("%s: %s@%d came instead of revision %d", name, e.Stream, e.Revision, revisions[e.Stream])
			}
			revisions[e.Stream]++
		}
	}
	if n := len(c.seen()); n != total {
		t.Errorf("%d events came, %d were recorded", n, total)
	}
	if n := len(filtered.seen()); n != total/2 {
		t.Errorf("%d events of two of four streams came, not %d", n, total/2)
	}
}

func TestSubscriptionBeginsWhereItIsTold(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	ctx := testContext(t)
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 5))
	all := readAll(t, store, "till-1", 0)

	from := all[2].Position
	behind, _ := follow(ctx, store, eventstore.Subscription{From: &from})
	end, _ := follow(ctx, store, eventstore.Subscription{FromEnd: true})
	// The end is told at once, so that it can be noted.
	eventually(t, "the end", func() bool { return end.checkpoint() == all[4].Position })
	mustAppend(t, store, "till-1", eventstore.Revision(4), pendingPaid("b", 1))
	all = readAll(t, store, "till-1", 0)

	eventually(t, "the events behind a position", func() bool { return slices.Equal(ids(behind.seen()), ids(all[3:])) })
	eventually(t, "the events behind the end", func() bool { return slices.Equal(ids(end.seen()), ids(all[5:])) })
}

func TestSubscriptionFromTheEndKeepsItsBeginningOverARestart(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store, writer := srv.open(), srv.open()
	mustAppend(t, writer, "till-1", eventstore.NoStream(), pendingPaid("a", 1))
	c, _ := follow(testContext(t), store, eventstore.Subscription{FromEnd: true})
	eventually(t, "the end", func() bool { return c.checkpoint() > 0 })
	srv.stop()
	srv.start()
	mustAppend(t, writer, "till-1", eventstore.Revision(0), pendingPaid("b", 1))
	eventually(t, "the event of the gap", func() bool { return len(c.seen()) == 1 })
	if c.seen()[0].Revision != 1 {
		t.Errorf("%+v came", c.seen()[0])
	}
}

func TestCheckpointsAdvanceWithoutEvents(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	ctx := testContext(t)
	at := mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 3))
	c, _ := follow(ctx, store, eventstore.Subscription{Prefixes: []string{"other-"}})
	eventually(t, "the end of the log as checkpoint", func() bool { return c.checkpoint() == at.Position })
	mustAppend(t, store, "till-1", eventstore.Revision(2), pendingPaid("b", 100))
	eventually(t, "a checkpoint on the way", func() bool { return c.checkpoint() > at.Position })
	if got := c.seen(); len(got) != 0 {
		t.Errorf("events of another prefix came: %+v", got)
	}
}

func TestSystemEventsAreNotDelivered(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open()
	srv.record("$$till-1", "$metadata", `{}`, `{}`)
	srv.record("till-1", "$odd", `{}`, `{}`)
	mustAppend(t, store, "till-2", eventstore.NoStream(), pendingPaid("a", 1))
	for _, prefixes := range [][]string{nil, {"till-"}} {
		c, _ := follow(testContext(t), store, eventstore.Subscription{Prefixes: prefixes})
		eventually(t, "an event", func() bool { return len(c.seen()) > 0 })
		if got := c.seen(); len(got) != 1 || got[0].Stream != "till-2" {
			t.Errorf("with prefixes %q: %+v", prefixes, got)
		}
	}
}

func TestHandlersErrorEndsTheSubscription(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 1))
	enough := errors.New("enough")
	err := store.Subscribe(testContext(t), eventstore.Subscription{}, func(context.Context, eventstore.Batch) error { return enough })
	if !errors.Is(err, enough) {
		t.Fatalf("got %v", err)
	}
}

func TestBatchesAreBoundedAndNeverWaitToFill(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 100))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var sizes []int
	err := store.Subscribe(ctx, eventstore.Subscription{MaxBatch: 10}, func(_ context.Context, b eventstore.Batch) error {
		if n := len(b.Events); n > 0 && b.Checkpoint < b.Events[n-1].Position {
			t.Errorf("checkpoint %d is behind the event at %d", b.Checkpoint, b.Events[n-1].Position)
		}
		sizes = append(sizes, len(b.Events))
		sum := 0
		for _, n := range sizes {
			sum += n
		}
		if sum == 100 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || slices.Max(sizes) > 10 {
		t.Fatalf("batches of %v, %v", sizes, err)
	}
}

func TestPoisonEndsTheSubscription(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 2))
	srv.record("till-1", "till.emptied.v1", `{}`, `[]`) // unknown is not poison: it is delivered
	srv.record("till-1", "till.paid.v1", `{"amount":"x"}`, `{}`)
	mustAppend(t, store, "till-2", eventstore.NoStream(), pendingPaid("b", 1))

	c, done := follow(testContext(t), store, eventstore.Subscription{})
	err := wait(t, "the end", done)
	var poison *eventstore.PoisonError
	if !errors.As(err, &poison) {
		t.Fatalf("got %v", err)
	}
	got := c.seen()
	if len(got) != 3 || got[2].Event.EventType() != "till.emptied.v1" {
		t.Fatalf("before the poison came %+v", got)
	}
	if poison.Stream != "till-1" || poison.Revision != 3 || poison.Type != "till.paid.v1" ||
		poison.Position <= got[2].Position || poison.Err == nil || c.checkpoint() != got[2].Position {
		t.Errorf("poison %+v, checkpoint %d", poison, c.checkpoint())
	}
	if err := store.ReadStream(testContext(t), "till-1", 0, func(domain.Recorded) error { return nil }); !errors.As(err, &poison) {
		t.Errorf("the read said %v", err)
	}
}
