package storetest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/test/patience"
)

// Eventually waits until a condition holds.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	patience.Eventually(t, Patience, what, condition)
}

// Wait waits for the result of something that runs beside the test.
func Wait[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	return patience.Receive(t, Patience, what, c)
}

// Collector is a subscriber that keeps what it is given.
type Collector struct {
	mu          sync.Mutex
	events      []domain.Recorded
	checkpoints []uint64
}

// Follow subscribes beside the test; the channel gets Subscribe's error.
func Follow(ctx context.Context, store *eventstore.Store, sub eventstore.Subscription) (*Collector, <-chan error) {
	c := &Collector{}
	done := make(chan error, 1)
	go func() { done <- store.Subscribe(ctx, sub, c.handle) }()
	return c, done
}

func (c *Collector) handle(_ context.Context, b eventstore.Batch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, b.Events...)
	c.checkpoints = append(c.checkpoints, b.Checkpoint)
	return nil
}

// Seen is what has come so far.
func (c *Collector) Seen() []domain.Recorded {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.events)
}

// Checkpoint is the last one that came, 0 before the first.
func (c *Collector) Checkpoint() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.checkpoints) == 0 {
		return 0
	}
	return c.checkpoints[len(c.checkpoints)-1]
}

// InOrder fails unless positions only grow.
func InOrder(t testing.TB, events []domain.Recorded) {
	t.Helper()
	for i := 1; i < len(events); i++ {
		if events[i].Position <= events[i-1].Position {
			t.Fatalf("event %d is at position %d, after %d", i, events[i].Position, events[i-1].Position)
		}
	}
}
