package eventstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// firstPause and longestPause bound the wait between two tries of a call or a
// subscription; it doubles in between.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// backoff is a growing pause with jitter.
type backoff struct {
	first, longest time.Duration
	next           time.Duration
}

// reset makes the next pause the first one again.
func (b *backoff) reset() { b.next = 0 }

// wait pauses. It reports false when ctx ended first.
func (b *backoff) wait(ctx context.Context) bool {
	if b.next == 0 {
		b.next = b.first
	}
	pause := b.next/2 + rand.N(b.next/2+1)
	b.next = min(2*b.next, b.longest)
	return sleep(ctx, pause)
}

// sleep waits for d. It reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// call makes one call that can safely be repeated, and repeats it while the
// store is unreachable until the Store's call timeout.
func call[T any](ctx context.Context, s *Store, op string, do func(context.Context, *esdb.Client) (T, error)) (T, error) {
	var none T
	ctx, cancel := s.bind(ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	pause := backoff{first: firstPause, longest: longestPause}
	var last error
	for {
		result, err := attempt(ctx, s, do)
		if err == nil {
			return result, nil
		}
		if ctx.Err() != nil && last != nil {
			err = last // says more than that time is up
		}
		if !retryable(err) || !pause.wait(ctx) {
			return none, outcome(ctx, op, err)
		}
		last = err
	}
}

// attempt makes a call once. It returns when ctx ends even if the client does
// not; the client's answer is then dropped.
func attempt[T any](ctx context.Context, s *Store, do func(context.Context, *esdb.Client) (T, error)) (T, error) {
	type answer struct {
		result T
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		a.err = s.withClient(ctx, func(client *esdb.Client) (err error) {
			a.result, err = do(ctx, client)
			return err
		})
		done <- a
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// flow runs a call that yields many items. The items come through the channel,
// which is closed at the end; the function then returns the call's error. The
// caller cancels ctx when it stops before the end.
func flow[T any](ctx context.Context, s *Store, buffer int, do func(client *esdb.Client, emit func(T) error) error) (<-chan T, func() error) {
	items := make(chan T, buffer)
	var failure error // written before items is closed, read after
	emit := func(item T) error {
		select {
		case items <- item:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	go func() {
		defer close(items)
		failure = s.withClient(ctx, func(client *esdb.Client) error { return do(client, emit) })
	}()
	return items, func() error { return failure }
}

// withClient runs do with a client and judges from its error whether the
// client is still good.
func (s *Store) withClient(ctx context.Context, do func(*esdb.Client) error) (err error) {
	c, err := s.conns.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.conns.release(c)
	defer func() {
		// The client panics in whoever waits inside it while it is closed.
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errClientFailed, p)
		}
		if lost, dead := connectionLost(ctx, err); lost {
			s.conns.retire(c, dead)
		}
	}()
	return do(c.client)
}

// outcome is the error that the caller of an operation sees.
func outcome(ctx context.Context, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled) && !errors.Is(context.Cause(ctx), errClosed):
		return fmt.Errorf("eventstore: %s: %w", op, context.Canceled)
	case errors.Is(err, ErrUnavailable):
		return fmt.Errorf("eventstore: %s: %w", op, err)
	case ctx.Err() != nil || retryable(err):
		return fmt.Errorf("eventstore: %s: %w: %w", op, ErrUnavailable, err)
	}
	if named := namedError(err); named != nil {
		return fmt.Errorf("eventstore: %s: %w: %w", op, named, err)
	}
	return fmt.Errorf("eventstore: %s: %w", op, err)
}
