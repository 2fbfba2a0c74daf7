// Package streamhub sends messages to WebSocket subscribers: those of a test,
// history first, then live, without a gap or a duplicate; and the public events
// of an organization, as webhooks get them.
//
// The messages of tests come from the timeline read model, whose rows appear
// in the order of their positions. One reader a node follows its end for the
// tests that somebody watches, so that 10,000 watched tests cost as few
// questions as one. What it reads is made ready to send once and shared by all
// subscribers of the test; a subscriber holds its place in it and no queue.
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
	// Last is the position of the newest message of all tests, -1 for none.
	Last(ctx context.Context) (int64, error)
	// Between reads up to limit messages after a position and up to another: of
	// the tests, or of all when there are none.
	Between(ctx context.Context, after, upTo int64, tests []string, limit int) ([]timeline.Stored, error)
	// Ended are those of the tests for which nothing will come after a position.
	Ended(ctx context.Context, tests []string, position uint64) ([]string, error)
	// Changed is closed when there may be new messages.
	Changed() <-chan struct{}
}

// Options are what a hub needs.
type Options struct {
	Timeline Timeline
	// Address is a stored message as it is sent, with what is made at the edge.
	Address func(timeline.Stored) []byte
	// Published are the public events of organizations.
	Published Published
	// Limit is how many connections the hub holds at once, > 0, and PerOrganization
	// how many of them one organization may have, 0 for all.
	Limit, PerOrganization int
	Logger                 *slog.Logger
	// PingEvery is how often clients are pinged, which keeps connections through
	// proxies and finds dead ones; PongTimeout is how long they may take to
	// answer. 0 means 20 s and 10 s.
	PingEvery, PongTimeout time.Duration
}

// Hub serves the subscribers of one node.
type Hub struct {
	Options

	ctx  context.Context
	stop context.CancelFunc
	live sync.WaitGroup
	// kick wakes the reader for a new feed.
	kick chan struct{}
	// reading has a place for every page of history that may be read at once.
	reading chan struct{}

	mu          sync.Mutex
	connections int
	// of are the connections by organization, listeners those of them that follow
	// public events, by organization as well.
	of, listeners map[string]int
	feeds         map[string]*feed
	fresh         []*feed // those that the reader does not know yet

	// The reader's own: up to where it has read, and whether it has begun.
	position int64
	begun    bool
}

// New makes a hub, which reads until Close.
func New(o Options) *Hub {
	ctx, stop := context.WithCancel(context.Background())
	if o.PingEvery == 0 {
		o.PingEvery = pingEvery
	}
	if o.PongTimeout == 0 {
		o.PongTimeout = pongTimeout
	}
	h := &Hub{
		Options: o, ctx: ctx, stop: stop, kick: make(chan struct{}, 1), reading: make(chan struct{}, historyAtOnce),
		feeds: map[string]*feed{}, of: map[string]int{}, listeners: map[string]int{},
	}
	h.live.Go(h.follow)
	return h
}

// Close ends every connection, telling clients to come again elsewhere.
func (h *Hub) Close() {
	h.mu.Lock()
	h.stop() // under the lock: whoever was let in before is waited for
	h.mu.Unlock()
	h.live.Wait()
}

const (
	// page is how many messages are read at once.
	page = 500
	// behind is how many live messages a subscriber may be behind before it is
	// closed and has to resume.
	behind = 1024
	// poll bounds how late a message is noticed that nobody signalled, because
	// the projector runs on another machine that cannot be heard.
	poll = time.Second
	// readTimeout bounds each question to the read model.
	readTimeout = 5 * time.Second
	// historyAtOnce is how many subscribers read history at once; others wait,
	// so that a crowd that reconnects leaves the database to other requests.
	historyAtOnce = 8
	// namedTests is up to how many watched tests the reader asks for by name;
	// with more it reads all messages and leaves out what nobody watches.
	namedTests = 100
)

// follow reads new messages for all feeds until the hub is closed.
func (h *Hub) follow() {
	for {
		changed := h.Timeline.Changed()
		fresh, tests := h.watched()
		if len(tests) == 0 {
			h.begun = false
			select {
			case <-h.ctx.Done():
				return
			case <-h.kick:
			}
			continue
		}
		more, err := h.round(fresh, tests)
		if h.ctx.Err() != nil {
			return
		}
		if err != nil {
			h.Logger.Warn("streams wait for the read model", "error", err)
		}
		if more {
			continue
		}
		select {
		case <-h.ctx.Done():
			return
		case <-changed:
		case <-h.kick:
		case <-time.After(poll):
		}
	}
}

// round reads one page and hands it to the feeds that it concerns.
func (h *Hub) round(fresh []*feed, tests []string) (more bool, err error) {
	ctx, cancel := context.WithTimeout(h.ctx, readTimeout)
	defer cancel()
	last, err := h.Timeline.Last(ctx)
	if err != nil {
		h.later(fresh)
		return false, err
	}
	if !h.begun {
		h.begun, h.position = true, last
	}
	h.start(fresh)
	if last <= h.position {
		return false, nil
	}
	if len(tests) > namedTests {
		tests = nil
	}
	messages, err := h.Timeline.Between(ctx, h.position, last, tests, page)
	if err != nil {
		return false, err
	}
	if more = len(messages) == page; more {
		last = int64(messages[page-1].Position)
	}
	if err := h.publish(ctx, messages); err != nil {
		return false, err
	}
	h.position = last
	return more, nil
}
