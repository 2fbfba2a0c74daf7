package projections_test

import (
	"context"
	"slices"
	"strings"
	"sync"

	"understudy/domain"
	"understudy/eventstore"
)

// growing is a log in memory that ends where the test wants it to, and hands out
// batches of the sizes that the test wants.
type growing struct {
	log   []domain.Recorded
	sizes []int // again and again

	mu      sync.Mutex
	end     int // how many events are there
	handed  int // batches
	changed chan struct{}
	// onBatch, if set, is called before a batch is handed out.
	onBatch func(n int)
}

func newGrowing(log []domain.Recorded, sizes []int) *growing {
	return &growing{log: log, sizes: sizes, changed: make(chan struct{})}
}

// grow adds the next n events.
func (g *growing) grow(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end = min(g.end+n, len(g.log))
	close(g.changed)
	g.changed = make(chan struct{})
}

func (g *growing) position(n int) uint64 {
	if n == 0 {
		return 0
	}
	return g.log[n-1].Position
}

// Head is the position of the last event so far.
func (g *growing) Head(context.Context) (uint64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.position(g.end), nil
}

// Subscribe hands out what there is and what will be, up to where it is asked.
func (g *growing) Subscribe(ctx context.Context, sub eventstore.Subscription, handle func(context.Context, eventstore.Batch) error) error {
	next := 0
	for sub.From != nil && next < len(g.log) && g.log[next].Position <= *sub.From {
		next++
	}
	for {
		g.mu.Lock()
		end, changed, size := g.end, g.changed, g.sizes[g.handed%len(g.sizes)]
		g.mu.Unlock()
		if next == end {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		var b eventstore.Batch
		for ; next < end && len(b.Events) < size; next++ {
			e := g.log[next]
			if slices.ContainsFunc(sub.Prefixes, func(prefix string) bool { return strings.HasPrefix(e.Stream, prefix) }) {
				b.Events = append(b.Events, e)
			}
			b.Checkpoint = e.Position
		}
		g.mu.Lock()
		g.handed++
		handed := g.handed
		g.mu.Unlock()
		if g.onBatch != nil {
			g.onBatch(handed)
		}
		if err := handle(ctx, b); err != nil || sub.UpTo != nil && b.Checkpoint >= *sub.UpTo {
			return err
		}
	}
}
