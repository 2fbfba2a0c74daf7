package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/storetest"
)

// notebook keeps checkpoints in memory; it can be told to fail.
type notebook struct {
	mu       sync.Mutex
	at       map[string]uint64
	failures int
	stopped  string
}

func newNotebook() *notebook { return &notebook{at: map[string]uint64{}} }

var errNotebook = errors.New("the notebook is shut")

func (n *notebook) fails() bool {
	n.failures--
	return n.failures >= 0
}

func (n *notebook) Load(_ context.Context, name string) (uint64, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fails() {
		return 0, false, errNotebook
	}
	pos, ok := n.at[name]
	return pos, ok, nil
}

func (n *notebook) Save(_ context.Context, name string, pos uint64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fails() {
		return errNotebook
	}
	n.at[name] = pos
	return nil
}

func (n *notebook) Stop(_ context.Context, _, why string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fails() {
		return errNotebook
	}
	n.stopped = why
	return nil
}

// why is why the reactor r has stopped, "" while it has not.
func (n *notebook) why() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stopped
}

// saved is the checkpoint of the reactor r, 0 before the first.
func (n *notebook) saved() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.at["r"]
}

// lines is a log that can be read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// reactions notes what a reactor has done.
type reactions struct {
	mu   sync.Mutex
	done []domain.Recorded
}

func (r *reactions) note(e domain.Recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, e)
}

func (r *reactions) all() []domain.Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]domain.Recorded(nil), r.done...)
}

// run runs a reactor beside the test until stop is called, which waits for it.
func run(t *testing.T, store *eventstore.Store, r eventstore.Reactor) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(testContext(t))
	done := make(chan error, 1)
	go func() { done <- store.RunReactor(ctx, r) }()
	return func() {
		t.Helper()
		cancel()
		if err := storetest.Wait(t, "the reactor's end", done); !errors.Is(err, context.Canceled) {
			t.Errorf("the reactor ended with %v", err)
		}
	}
}

func TestReactorWorksInOrderAndGoesOnFromItsCheckpoint(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	for i := range 4 {
		mustAppend(t, store, fmt.Sprint("till-", i), eventstore.NoStream(), pendingPaid(fmt.Sprint(i), 10))
	}
	var first, second reactions
	book := newNotebook()
	reactor := eventstore.Reactor{Name: "r", Prefixes: []string{"till-"}, Checkpoints: book}
	reactor.React = func(_ context.Context, e domain.Recorded) error { first.note(e); return nil }
	stop := run(t, store, reactor)
	var last uint64
	storetest.Eventually(t, "all events", func() bool { return len(first.all()) == 40 })
	got := first.all()
	last = got[39].Position
	storetest.Eventually(t, "the checkpoint", func() bool { return book.saved() == last })
	stop()
	storetest.InOrder(t, got)

	mustAppend(t, store, "till-0", eventstore.Revision(9), pendingPaid("later", 3))
	reactor.React = func(_ context.Context, e domain.Recorded) error { second.note(e); return nil }
	stop = run(t, store, reactor)
	storetest.Eventually(t, "the new events", func() bool { return len(second.all()) >= 3 })
	stop()
	if got := second.all(); len(got) != 3 || got[0].Position <= last {
		t.Errorf("after its checkpoint at %d the reactor got %+v", last, got)
	}
}

func TestReactorRunsStreamsConcurrently(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	const streams, each, concurrency = 8, 25, 3
	for i := range each {
		for s := range streams {
			expected := eventstore.NoStream()
			if i > 0 {
				expected = eventstore.Revision(uint64(i - 1))
			}
			mustAppend(t, store, fmt.Sprint("till-", s), expected, pendingPaid(fmt.Sprint(s, "/", i), 1))
		}
	}
	var mu sync.Mutex
	running := map[string]bool{}
	next := map[string]uint64{}
	most, total := 0, 0
	book := newNotebook()
	stop := run(t, store, eventstore.Reactor{
		Name: "r", Concurrency: concurrency, Checkpoints: book,
		React: func(_ context.Context, e domain.Recorded) error {
			mu.Lock()
			if running[e.Stream] || next[e.Stream] != e.Revision {
				t.Errorf("%s@%d is out of its order", e.Stream, e.Revision)
			}
			running[e.Stream] = true
			most = max(most, len(running))
			mu.Unlock()
			<-time.After(time.Millisecond) // work, so that others can come beside it
			mu.Lock()
			defer mu.Unlock()
			delete(running, e.Stream)
			next[e.Stream]++
			total++
			return nil
		},
	})
	head, err := store.Head(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "the checkpoint at the end", func() bool { return book.saved() == head })
	stop()
	if total != streams*each || most < 2 || most > concurrency {
		t.Errorf("%d reactions, at most %d at once", total, most)
	}
}

func TestReactorTriesAgainUntilItWorks(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 5))
	var got reactions
	var log lines
	failures := 0
	book := newNotebook()
	book.failures = 2
	stop := run(t, store, eventstore.Reactor{
		Name: "r", Checkpoints: book, Logger: log.logger(),
		React: func(_ context.Context, e domain.Recorded) error {
			if e.Revision == 2 && failures < 3 {
				failures++
				return errors.New("not yet")
			}
			got.note(e)
			return nil
		},
	})
	storetest.Eventually(t, "all events", func() bool { return len(got.all()) == 5 })
	storetest.Eventually(t, "the checkpoint", func() bool { return book.saved() == got.all()[4].Position })
	stop()
	storetest.InOrder(t, got.all())
	if n, m := log.count("again: react"), log.count("recovered: react"); failures != 3 || n != 1 || m != 1 {
		t.Errorf("after %d failures the log has %d lines of trouble and %d of its end", failures, n, m)
	}
	if n := log.count("again: load checkpoint"); n != 1 {
		t.Errorf("%d lines about the checkpoints", n)
	}
}

func TestReactorHoldsBeforeEventsOfANewerProgram(t *testing.T) {
	t.Parallel()
	for name, newer := range map[string]string{"unknown type": "till.emptied.v1", "unreadable data": "till.paid.v1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := startServer(t)
			store := srv.open()
			at := mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 3))
			srv.record("till-1", newer, `{"amount":"all"}`, `{}`)
			mustAppend(t, store, "till-2", eventstore.NoStream(), pendingPaid("b", 1))
			var got reactions
			var log lines
			book := newNotebook()
			reactor := eventstore.Reactor{
				Name: "r", Concurrency: 4, Checkpoints: book, Logger: log.logger(),
				React: func(_ context.Context, e domain.Recorded) error { got.note(e); return nil },
			}
			stop := run(t, store, reactor)
			storetest.Eventually(t, "word of it", func() bool { return log.count("holding") == 1 && log.count(newer) > 0 })
			stop()
			if n := len(got.all()); n != 3 || book.saved() != at.Position {
				t.Fatalf("%d reactions, checkpoint %d, the event before is at %d", n, book.saved(), at.Position)
			}

			// The newer program goes on where this one held.
			codec := eventstore.NewCodec([]domain.Entry{
				domain.Recordable[closed](),
				{Type: "till.paid.v1", Decode: func([]byte) (domain.Event, error) { return paid{}, nil }},
				{Type: "till.emptied.v1", Decode: func([]byte) (domain.Event, error) { return opened{}, nil }},
			})
			reactor.Concurrency = 1 // above it, streams do not wait for each other
			stop = run(t, srv.open(func(c *eventstore.Config) { c.Codec = codec }), reactor)
			storetest.Eventually(t, "the other events", func() bool { return len(got.all()) == 5 })
			stop()
			storetest.InOrder(t, got.all())
		})
	}
}

func TestReactorFromTheEnd(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 3))
	var got reactions
	book := newNotebook()
	reactor := eventstore.Reactor{
		Name: "r", FromEnd: true, Checkpoints: book,
		React: func(_ context.Context, e domain.Recorded) error { got.note(e); return nil },
	}
	stop := run(t, store, reactor)
	storetest.Eventually(t, "a checkpoint", func() bool { return book.saved() > 0 })
	stop()
	// What comes while it is not running is not before its beginning.
	mustAppend(t, store, "till-1", eventstore.Revision(2), pendingPaid("b", 1))
	stop = run(t, store, reactor)
	storetest.Eventually(t, "the new event", func() bool { return len(got.all()) > 0 })
	stop()
	if all := got.all(); len(all) != 1 || all[0].Revision != 3 {
		t.Errorf("the reactor got %+v", all)
	}
}

func TestReactorIsStoppedWhileItFails(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 1))
	failed := make(chan struct{}, 100)
	book := newNotebook()
	stop := run(t, store, eventstore.Reactor{
		Name: "r", Checkpoints: book,
		React: func(context.Context, domain.Recorded) error {
			failed <- struct{}{}
			return errors.New("never")
		},
	})
	storetest.Wait(t, "a second try", failed)
	storetest.Wait(t, "a second try", failed)
	stop()
	if at := book.saved(); at != 0 {
		t.Errorf("the checkpoint passed a failing event: %d", at)
	}
}

// TestAPanicStopsTheReactorAndNothingElse: whoever panics over an event has done what
// came before, names the event, tries no more, and goes on from there in a program
// that can take it in.
func TestAPanicStopsTheReactorAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, atOnce := range map[string]bool{"one by one": false, "all at once": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := startServer(t).open()
			for i := range 3 {
				mustAppend(t, store, fmt.Sprint("till-", i), eventstore.NoStream(), pendingPaid(fmt.Sprint(i), 1))
			}
			var before, after, other reactions
			var log lines
			tries := 0
			react := func(e domain.Recorded) {
				if e.Stream == "till-1" {
					tries++
					panic("the drawer is stuck")
				}
				before.note(e)
			}
			reactor := eventstore.Reactor{Name: "r", Prefixes: []string{"till-"}, Checkpoints: newNotebook(), Logger: log.logger()}
			book := reactor.Checkpoints.(*notebook)
			if atOnce {
				reactor.ReactAll = func(_ context.Context, events []domain.Recorded) error {
					for _, e := range events {
						react(e)
					}
					return nil
				}
			} else {
				reactor.React = func(_ context.Context, e domain.Recorded) error { react(e); return nil }
			}
			stop := run(t, store, reactor)
			stopOther := run(t, store, eventstore.Reactor{Name: "other", Prefixes: []string{"till-"}, Checkpoints: newNotebook(),
				React: func(_ context.Context, e domain.Recorded) error { other.note(e); return nil }})
			storetest.Eventually(t, "the reactor's stop", func() bool { return book.why() != "" })
			if why := book.why(); !strings.Contains(why, "event till-1@0 (") || !strings.Contains(why, "the drawer is stuck") {
				t.Errorf("it says %q", why)
			}
			storetest.Eventually(t, "another reactor's work", func() bool { return len(other.all()) == 3 })
			stopOther()
			stop()
			if n := log.count("stopped at an event"); n != 1 || tries > 2 || len(before.all()) == 0 {
				t.Errorf("it said so %d times, tried %d times and did %d events before", n, tries, len(before.all()))
			}
			reactor.ReactAll = nil
			reactor.React = func(_ context.Context, e domain.Recorded) error { after.note(e); return nil }
			stop = run(t, store, reactor)
			storetest.Eventually(t, "what was left", func() bool { return len(after.all()) >= 2 })
			stop()
		})
	}
}
