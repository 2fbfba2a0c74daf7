package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/domain"
	"understudy/eventstore"
)

func TestCallsWhileTheStoreIsDown(t *testing.T) {
	t.Parallel()
	const timeout = 300 * time.Millisecond
	srv := newServer(t)
	store := srv.open(func(c *eventstore.Config) { c.CallTimeout = timeout })
	calls := map[string]func(ctx context.Context) error{
		"ping": store.Ping,
		"head": func(ctx context.Context) error { _, err := store.Head(ctx); return err },
		"append": func(ctx context.Context) error {
			_, err := store.Append(ctx, "till-1", eventstore.NoStream(), pendingPaid("a", 1))
			return err
		},
		"read": func(ctx context.Context) error {
			return store.ReadStream(ctx, "till-1", 0, func(domain.Recorded) error { return nil })
		},
	}
	down := func() {
		t.Helper()
		var all sync.WaitGroup
		for name, call := range calls {
			for range 10 {
				all.Go(func() {
					begun := time.Now()
					err := call(context.Background())
					if took := time.Since(begun); !errors.Is(err, eventstore.ErrUnavailable) || took > 10*timeout {
						t.Errorf("%s answered after %s: %v", name, took, err)
					}
				})
			}
		}
		all.Wait()
	}
	up := func() {
		t.Helper()
		// Twice: the first call may be the one to notice.
		for _, name := range []string{"append", "append", "read", "head", "ping"} {
			if err := calls[name](context.Background()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	down()
	srv.start()
	up()
	for range 2 {
		srv.stop()
		down()
		srv.start()
		up()
	}
}

func TestRestartShorterThanTheTimeoutGoesUnnoticed(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open(func(c *eventstore.Config) { c.CallTimeout = patience })
	const writers, each, restarts = 6, 60, 4
	var written atomic.Int64
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			stream := fmt.Sprintf("till-%d", w)
			expected := eventstore.NoStream()
			for i := range each {
				at, err := store.Append(context.Background(), stream, expected,
					[]eventstore.Pending{{ID: domain.DeriveUUID(stream, fmt.Sprint(i)), Event: paid{Amount: i}}})
				if err != nil || at.Revision != uint64(i) {
					t.Errorf("%s: append %d at %d: %v", stream, i, at.Revision, err)
					return
				}
				expected = eventstore.Revision(at.Revision)
				written.Add(1)
			}
		})
	}
	for i := range restarts {
		eventually(t, "progress", func() bool { return written.Load() >= writers*each/(restarts+1)*int64(i+1) })
		srv.stop()
		srv.start()
	}
	all.Wait()
	for w := range writers {
		got := readAll(t, store, fmt.Sprintf("till-%d", w), 0)
		if len(got) != each {
			t.Errorf("writer %d has %d events", w, len(got))
		}
	}
}

func TestDeadlineHoldsWhenTheServerIsSilent(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "es.sock")
	silent, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket) // connects, but nobody ever answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	store, err := eventstore.Open(eventstore.Config{Socket: socket, Codec: eventstore.NewCodec()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err = store.Head(ctx)
	if !errors.Is(err, eventstore.ErrUnavailable) || time.Since(begun) > 2*time.Second {
		t.Errorf("answered after %s: %v", time.Since(begun), err)
	}

	ctx, cancel = context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- store.Ping(ctx) }()
	cancel()
	if err := wait(t, "a cancelled ping", done); !errors.Is(err, context.Canceled) || errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("a cancelled call said %v", err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 1))
	c, done := follow(testContext(t), store, eventstore.Subscription{})
	eventually(t, "an event", func() bool { return len(c.seen()) == 1 })
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := wait(t, "the subscription's end", done); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("the subscription ended with %v", err)
	}
	if err := store.Ping(testContext(t)); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("a closed store said %v", err)
	}
}

// Not parallel: it counts the process's goroutines.
func TestNothingIsLeftRunning(t *testing.T) {
	srv := startServer(t)
	warm := srv.open()
	mustAppend(t, warm, "till-warm", eventstore.NoStream(), pendingPaid("w", 1))
	if err := warm.Close(); err != nil {
		t.Fatal(err)
	}
	srv.stop()
	before := runtime.NumGoroutine()

	store := srv.open(func(c *eventstore.Config) { c.CallTimeout = 50 * time.Millisecond })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, done := follow(ctx, store, eventstore.Subscription{})
	for round := range 3 {
		for range 20 {
			if err := store.Ping(ctx); err == nil {
				t.Error("a stopped server answered")
			}
		}
		srv.start()
		eventually(t, "an append", func() bool {
			_, err := store.Append(ctx, fmt.Sprintf("till-%d", round), eventstore.NoStream(), pendingPaid("x", 3))
			return err == nil
		})
		eventually(t, "the events", func() bool { return len(c.seen()) == 1+3*(round+1) })
		srv.stop()
	}
	cancel()
	if err := wait(t, "the subscription's end", done); !errors.Is(err, context.Canceled) {
		t.Errorf("the subscription ended with %v", err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= before+2 })
}
