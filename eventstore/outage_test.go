package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"understudy/eventstore"
	"understudy/eventstore/storetest"
)

func TestDeadlineHoldsWhenTheServerIsSilent(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "es.sock")
	silent, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket) // connects, but nobody ever answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	store, err := eventstore.Open(eventstore.Config{Socket: socket, Codec: eventstore.NewCodec(), CallTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	go func() { _, err := store.Head(ctx); done <- err }()
	if err := storetest.Wait(t, "a call whose time is over", done); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("it said %v", err)
	}

	ctx, cancel = context.WithCancel(context.Background())
	go func() { done <- store.Ping(ctx) }()
	cancel()
	if err := storetest.Wait(t, "a cancelled ping", done); !errors.Is(err, context.Canceled) || errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("a cancelled call said %v", err)
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
	c, done := storetest.Follow(ctx, store, eventstore.Subscription{})
	for round := range 3 {
		for range 20 {
			if err := store.Ping(ctx); err == nil {
				t.Error("a stopped server answered")
			}
		}
		srv.start()
		storetest.Eventually(t, "an append", func() bool {
			_, err := store.Append(ctx, fmt.Sprintf("till-%d", round), eventstore.NoStream(), pendingPaid("x", 3))
			return err == nil
		})
		storetest.Eventually(t, "the events", func() bool { return len(c.Seen()) == 1+3*(round+1) })
		srv.stop()
	}
	cancel()
	if err := storetest.Wait(t, "the subscription's end", done); !errors.Is(err, context.Canceled) {
		t.Errorf("the subscription ended with %v", err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	storetest.Eventually(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= before+2 })
}
