package eventstore

import (
	"container/list"
	"context"
	"sync"

	"github.com/google/uuid"
)

// folded is a stream's state as of one of its events. It is a value: who has
// one keeps it, whatever others do. The zero value but for State is a stream
// without events.
type folded[S any] struct {
	state    S
	exists   bool
	revision uint64 // of the last event folded
	position uint64 // its commit position
	ids      *idSet
}

// expected is what an append decided on this state requires.
func (f folded[S]) expected() Expected {
	if !f.exists {
		return NoStream()
	}
	return Revision(f.revision)
}

// next is the revision of the first event not folded yet.
func (f folded[S]) next() uint64 {
	if !f.exists {
		return 0
	}
	return f.revision + 1
}

// idSet holds the ids of a stream's events. It only grows, so that the states
// of different revisions of one stream can share it: an id that is in it has
// been recorded, if not before this state then after it.
type idSet struct {
	mu  sync.Mutex
	ids map[uuid.UUID]struct{}
}

func newIDSet() *idSet { return &idSet{ids: make(map[uuid.UUID]struct{})} }

func (s *idSet) add(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids[id] = struct{}{}
}

func (s *idSet) has(id uuid.UUID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.ids[id]
	return ok
}

// cache holds the folded states of the streams used last.
type cache[S any] struct {
	size int

	mu      sync.Mutex
	streams map[string]*list.Element // of cached[S]
	recent  *list.List               // most recent first
}

type cached[S any] struct {
	stream string
	folded folded[S]
}

func newCache[S any](size int) *cache[S] {
	return &cache[S]{size: size, streams: make(map[string]*list.Element), recent: list.New()}
}

func (c *cache[S]) get(stream string) (folded[S], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.streams[stream]
	if !ok {
		return folded[S]{}, false
	}
	c.recent.MoveToFront(el)
	return el.Value.(cached[S]).folded, true
}

// put keeps a state unless a later one of the same stream is there.
func (c *cache[S]) put(stream string, f folded[S]) {
	if c.size <= 0 || !f.exists {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.streams[stream]; ok {
		c.recent.MoveToFront(el)
		if el.Value.(cached[S]).folded.revision <= f.revision {
			el.Value = cached[S]{stream, f}
		}
		return
	}
	c.streams[stream] = c.recent.PushFront(cached[S]{stream, f})
	if c.recent.Len() > c.size {
		last := c.recent.Back()
		c.recent.Remove(last)
		delete(c.streams, last.Value.(cached[S]).stream)
	}
}

func (c *cache[S]) drop(stream string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.streams[stream]; ok {
		c.recent.Remove(el)
		delete(c.streams, stream)
	}
}

// dropBefore drops a state of before a revision.
func (c *cache[S]) dropBefore(stream string, revision uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.streams[stream]; ok && el.Value.(cached[S]).folded.revision < revision {
		c.recent.Remove(el)
		delete(c.streams, stream)
	}
}

// turns gives the commands of one stream their turns, one at a time, so that
// they do not fail each other's expected revision. Streams do not share turns.
type turns struct {
	mu      sync.Mutex
	streams map[string]*turn
}

type turn struct {
	free  chan struct{} // holds a token when nobody has the turn
	users int
}

func newTurns() *turns { return &turns{streams: make(map[string]*turn)} }

// take waits for the stream's turn until ctx ends. The caller gives it back
// with the function returned.
func (t *turns) take(ctx context.Context, stream string) (giveBack func(), err error) {
	t.mu.Lock()
	own, ok := t.streams[stream]
	if !ok {
		own = &turn{free: make(chan struct{}, 1)}
		own.free <- struct{}{}
		t.streams[stream] = own
	}
	own.users++
	t.mu.Unlock()

	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(t.streams, stream)
		}
	}
	select {
	case <-own.free:
		return func() {
			own.free <- struct{}{}
			leave()
		}, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
