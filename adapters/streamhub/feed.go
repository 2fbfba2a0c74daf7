package streamhub

import (
	"context"
	"slices"
	"sync/atomic"

	"understudy/projections/timeline"
)

// feed has a test's live messages for all of its subscribers. Its fields but
// the atomic one belong to the hub's lock.
type feed struct {
	testID      string
	subscribers int
	// started: the reader has begun to look for this test's messages. ready is
	// closed then; what a subscriber reads from then on leaves no gap.
	started bool
	ready   chan struct{}
	// next is filled with the messages that come next.
	next *slot
	// told is how many messages the feed has had.
	told atomic.Uint64
}

// slot is a place in a feed. Its fields are set once filled is closed. Slots
// that every subscriber has left behind are garbage.
type slot struct {
	before   uint64 // messages of the feed before this slot
	filled   chan struct{}
	messages []message
	ended    bool // the last of these is the last of the test
	next     *slot
}

// message is ready to send, whoever gets it.
type message struct {
	position uint64
	frame    frame
}

func newSlot(before uint64) *slot { return &slot{before: before, filled: make(chan struct{})} }

// join adds a subscriber to the test's feed. What is read once the feed is
// ready and what comes at the place make everything.
func (h *Hub) join(testID string) (*feed, *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[testID]
	if f == nil {
		f = &feed{testID: testID, ready: make(chan struct{}), next: newSlot(0)}
		h.feeds[testID] = f
		h.fresh = append(h.fresh, f)
		select {
		case h.kick <- struct{}{}:
		default: // it has yet to look
		}
	}
	f.subscribers++
	return f, f.next
}

func (h *Hub) leave(f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.subscribers--; f.subscribers == 0 {
		delete(h.feeds, f.testID)
	}
}

// watched are the feeds that wait to be started, and all tests that have one,
// theirs included.
func (h *Hub) watched() (fresh []*feed, tests []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fresh, h.fresh = h.fresh, nil
	tests = make([]string, 0, len(h.feeds))
	for id := range h.feeds {
		tests = append(tests, id)
	}
	return fresh, tests
}

// later puts feeds back that could not be started.
func (h *Hub) later(fresh []*feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fresh = append(h.fresh, fresh...)
}

func (h *Hub) start(fresh []*feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range fresh {
		f.started = true
		close(f.ready)
	}
}

// publish makes messages ready to send and gives them to their feeds. Nothing
// is given when it fails.
func (h *Hub) publish(ctx context.Context, messages []timeline.Stored) error {
	byTest := map[string][]timeline.Stored{}
	var perhapsOver []string
	h.mu.Lock()
	for _, m := range messages {
		// A feed that is not started belongs to the next round, which begins
		// after this one's messages; its subscribers read these as history.
		if f := h.feeds[m.TestID]; f != nil && f.started {
			byTest[m.TestID] = append(byTest[m.TestID], m)
		}
	}
	h.mu.Unlock()
	ready := make(map[string][]message, len(byTest))
	for id, of := range byTest {
		for _, m := range of {
			ready[id] = append(ready[id], message{m.Position, framed(h.Address(m))})
		}
		if slices.ContainsFunc(of, func(m timeline.Stored) bool { return timeline.MayEnd(m.Type) }) {
			perhapsOver = append(perhapsOver, id)
		}
	}
	var over []string
	if len(perhapsOver) > 0 {
		var err error
		if over, err = h.Timeline.Ended(ctx, perhapsOver, messages[len(messages)-1].Position); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, of := range ready {
		if f := h.feeds[id]; f != nil && f.started {
			f.publish(of, slices.Contains(over, id))
		}
	}
	return nil
}

// publish fills the feed's slot, which wakes every subscriber.
func (f *feed) publish(messages []message, ended bool) {
	s := f.next
	s.messages, s.ended = messages, ended
	s.next = newSlot(s.before + uint64(len(messages)))
	f.next = s.next
	f.told.Store(s.next.before)
	close(s.filled)
}
