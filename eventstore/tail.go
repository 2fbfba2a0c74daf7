package eventstore

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/domain"
)

// tailEvents and tailBytes (of data and metadata) bound what a tail holds:
// seconds of a busy service. Who is further behind reads from the store.
const (
	tailEvents = 4096
	tailBytes  = 4 << 20
)

// tail holds the newest events of the log, each received and decoded once for
// all subscriptions of a Store that have caught up. A service has twenty of them,
// and with a stream from the store for each, most of its work was to decode the
// same events again. Events are shared: nobody changes one.
type tail struct {
	mu sync.Mutex
	// begun is closed when the end of the log is known, or will not be.
	begun chan struct{}
	// known: events are all those after since, up to head.
	known       bool
	since, head uint64
	events      []told
	bytes       int
	// grown is closed and replaced with every batch.
	grown chan struct{}
}

// told is an event of the tail in both its forms. poison is why it cannot be taken
// in decoded.
type told struct {
	raw      Raw
	recorded domain.Recorded
	poison   error
}

func (e told) bytes() int { return len(e.raw.Data) + len(e.raw.Metadata) }

// decoded and asRecorded are what the two kinds of subscription take of an event.
func decoded(e told) (domain.Recorded, error) { return e.recorded, e.poison }
func asRecorded(e told) (Raw, error)          { return e.raw, nil }

func newTail() *tail { return &tail{begun: make(chan struct{}), grown: make(chan struct{})} }

// keepTail follows the log from its end until Close. A store that refuses that
// refuses the other subscriptions, too, and they say so.
func (s *Store) keepTail() {
	take := func(e *esdb.RecordedEvent) (told, error) {
		r := raw(e)
		if event, known := s.own.take(r); known {
			return told{r, event, nil}, nil
		}
		event, err := s.codec.Recorded(r)
		return told{r, event, err}, nil
	}
	_ = subscribe(s.life, s, Subscription{Name: "tail", FromEnd: true}, take, nil, s.tail.add)
	s.tail.end()
}

// awaitTail waits until the tail knows the end of the log, so that nothing lies
// between where a subscription catches up and where the tail begins.
func (s *Store) awaitTail(ctx context.Context) {
	s.beginTail.Do(func() { go s.keepTail() })
	select {
	case <-s.tail.begun:
	case <-time.After(s.timeout):
	case <-ctx.Done():
	}
}

// end sends everybody away, and those who wait for the beginning.
func (t *tail) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		close(t.begun)
	}
	t.known = false
	close(t.grown)
	t.grown = make(chan struct{})
}

// add takes in what has been recorded, and lets go of the oldest.
func (t *tail) add(_ context.Context, b BatchOf[told]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		t.known, t.since = true, b.Checkpoint
		close(t.begun)
	}
	t.head = max(t.head, b.Checkpoint)
	// Readers hold parts of the slice: what is in it is never overwritten.
	t.events = append(t.events, b.Events...)
	for _, e := range b.Events {
		t.bytes += e.bytes()
	}
	gone := 0
	for ; len(t.events)-gone > tailEvents || t.bytes > tailBytes; gone++ {
		t.bytes -= t.events[gone].bytes()
		t.since = t.events[gone].raw.Position
	}
	t.events = t.events[gone:]
	close(t.grown)
	t.grown = make(chan struct{})
	return nil
}

// after returns the events after a position, how far the log has been seen with
// them, and what is closed when there is more. ok is false when some of them are
// no longer held, or not yet.
func (t *tail) after(position uint64) (events []told, head uint64, grown <-chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known || position < t.since {
		return nil, 0, nil, false
	}
	i, _ := slices.BinarySearchFunc(t.events, position+1, func(e told, at uint64) int { return cmp.Compare(e.raw.Position, at) })
	return t.events[i:], max(t.head, position), t.grown, true
}

// follows reports whether the tail receives what is recorded.
func (t *tail) follows() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known
}

// holds reports whether everything after a position is held.
func (t *tail) holds(position uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known && position >= t.since
}
