// Package streamhub sends the messages of tests to WebSocket subscribers:
// history first, then live, without a gap or a duplicate.
//
// Both come from the timeline read model, whose rows appear in the order of
// their positions. One feed a test reads new rows once for all of its
// subscribers.
package streamhub

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"understudy/projections/timeline"
)

// Timeline is where messages come from.
type Timeline interface {
	// After reads up to limit messages of a test after a position, -1 for all.
	After(ctx context.Context, testID string, position int64, limit int) ([]timeline.Stored, error)
	// Ended reports whether nothing will come for a test after a position.
	Ended(ctx context.Context, testID string, position uint64) (bool, error)
	// Changed is closed when there may be new messages.
	Changed() <-chan struct{}
}

// Hub serves the subscribers of one node.
type Hub struct {
	timeline Timeline
	decorate func([]byte) []byte
	logger   *slog.Logger

	ctx  context.Context
	stop context.CancelFunc
	live sync.WaitGroup

	mu    sync.Mutex
	feeds map[string]*feed
}

// New makes a hub. decorate adds what is made at the edge to a stored message.
func New(t Timeline, decorate func([]byte) []byte, logger *slog.Logger) *Hub {
	ctx, stop := context.WithCancel(context.Background())
	return &Hub{timeline: t, decorate: decorate, logger: logger, ctx: ctx, stop: stop, feeds: map[string]*feed{}}
}

// Close ends every connection, telling clients to come again elsewhere.
func (h *Hub) Close() {
	h.stop()
	h.live.Wait()
}

const (
	// page is how many messages are read at once.
	page = 500
	// queue is how many live messages a subscriber may be behind before it is
	// closed and has to resume.
	queue = 1024
	// poll bounds how late a message is noticed that nobody signalled.
	poll = time.Second
	// readTimeout bounds each question to the read model.
	readTimeout = 5 * time.Second
)

// feed reads a test's new messages for all of its subscribers.
type feed struct {
	hub    *Hub
	testID string

	mu          sync.Mutex
	position    int64
	ended       bool
	subscribers map[*subscriber]bool
	cancel      context.CancelFunc
}

// subscriber gets live messages over a channel. It is closed when the reader
// is too slow or the test has ended.
type subscriber struct {
	messages chan timeline.Stored
	tooSlow  bool
	ended    bool
}

// join adds a subscriber to the test's feed, which starts at the position the
// subscriber has read up to when it is the first. It returns the position
// after which messages will come over the channel.
func (h *Hub) join(testID string, position int64) (*feed, *subscriber, int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[testID]
	if f == nil {
		ctx, cancel := context.WithCancel(h.ctx)
		f = &feed{hub: h, testID: testID, position: position, subscribers: map[*subscriber]bool{}, cancel: cancel}
		h.feeds[testID] = f
		h.live.Go(func() { f.run(ctx) })
	}
	s := &subscriber{messages: make(chan timeline.Stored, queue)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = true
	if f.ended {
		f.drop(s, false)
	}
	return f, s, f.position
}

func (h *Hub) leave(f *feed, s *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(s, false)
	if len(f.subscribers) == 0 && h.feeds[f.testID] == f {
		delete(h.feeds, f.testID)
		f.cancel()
	}
}

// drop ends a subscription; the caller holds the feed's lock.
func (f *feed) drop(s *subscriber, tooSlow bool) {
	if f.subscribers[s] {
		delete(f.subscribers, s)
		s.tooSlow, s.ended = tooSlow, f.ended
		close(s.messages)
	}
}

func (f *feed) run(ctx context.Context) {
	for {
		changed := f.hub.timeline.Changed()
		more, err := f.advance(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.hub.logger.Warn("stream waits for the read model", "test", f.testID, "error", err)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(poll):
		}
	}
}

// advance reads one page and hands it to the subscribers.
func (f *feed) advance(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	f.mu.Lock()
	position := f.position
	f.mu.Unlock()
	messages, err := f.hub.timeline.After(ctx, f.testID, position, page)
	if err != nil || len(messages) == 0 {
		return false, err
	}
	ended, err := f.hub.ended(ctx, f.testID, messages)
	if err != nil {
		return false, err
	}
	for i := range messages {
		messages[i].JSON = f.hub.decorate(messages[i].JSON)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.position, f.ended = int64(messages[len(messages)-1].Position), ended
	for s := range f.subscribers {
		f.send(s, messages)
	}
	return len(messages) == page, nil
}

func (f *feed) send(s *subscriber, messages []timeline.Stored) {
	for _, m := range messages {
		select {
		case s.messages <- m:
		default:
			f.drop(s, true)
			return
		}
	}
	if f.ended {
		f.drop(s, false)
	}
}

// ended asks whether a page holds the last message of its test.
func (h *Hub) ended(ctx context.Context, testID string, messages []timeline.Stored) (bool, error) {
	for i := len(messages) - 1; i >= 0; i-- {
		if timeline.MayEnd(messages[i].Type) {
			return h.timeline.Ended(ctx, testID, messages[len(messages)-1].Position)
		}
	}
	return false, nil
}
