package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
)

func TestAttemptsWaitLongerAndLonger(t *testing.T) {
	t.Parallel()
	ctx, pool := context.Background(), pgtest.Pool(t)
	a := postgres.NewAttempts(pool)
	take := func(bucket string) time.Duration {
		t.Helper()
		wait, err := a.Take(ctx, bucket, 3)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	var began time.Time
	for range 3 {
		began = time.Now()
		if wait := take("account:1"); wait != 0 {
			t.Fatalf("a free attempt waits %s", wait)
		}
	}
	// The first wait is a second from the last free one, and may be over by now.
	if wait := take("account:1"); wait <= 0 && time.Since(began) < time.Second || wait > 2*time.Second {
		t.Errorf("after the free ones it waits %s", wait)
	}
	if wait := take("account:2"); wait != 0 {
		t.Errorf("another account waits %s", wait)
	}
	// As if the waits were over, twenty times.
	for range 20 {
		if _, err := pool.Exec(ctx, `update ops.sign_in_attempts set free_at = clock_timestamp() where bucket = 'account:1'`); err != nil {
			t.Fatal(err)
		}
		if wait := take("account:1"); wait != 0 {
			t.Fatalf("when the wait is over it waits %s", wait)
		}
	}
	if wait := take("account:1"); wait < 14*time.Minute || wait > 15*time.Minute {
		t.Errorf("after many it waits %s", wait)
	}
	if err := a.Clear(ctx, "account:1"); err != nil {
		t.Fatal(err)
	}
	if wait := take("account:1"); wait != 0 {
		t.Errorf("after success it waits %s", wait)
	}
}

func TestAttemptsSideBySideAreNoMore(t *testing.T) {
	t.Parallel()
	ctx, pool := context.Background(), pgtest.Pool(t)
	a := postgres.NewAttempts(pool)
	// Many buckets, for which attempt sees which other one's wait is luck.
	for round := range 20 {
		var tried sync.WaitGroup
		var free atomic.Int32
		began := time.Now()
		for range 20 {
			tried.Go(func() {
				wait, err := a.Take(ctx, fmt.Sprintf("account:%d", round), 5)
				if err != nil {
					t.Error(err)
				}
				if wait == 0 {
					free.Add(1)
				}
			})
		}
		tried.Wait()
		// The fifth failure is followed by a second's wait: on a machine that needs longer
		// than that for the twenty, others may be tried after it.
		if n := free.Load(); n < 5 || n > 5 && time.Since(began) < time.Second {
			t.Errorf("%d of 20 at once were tried, want 5", n)
		}
	}
}

// TestBrowserSessionsLastWhileTheyAreUsed: what is asked for goes on, what nobody asks for
// is over.
func TestBrowserSessionsLastWhileTheyAreUsed(t *testing.T) {
	t.Parallel()
	ctx, pool := context.Background(), pgtest.Pool(t)
	s := postgres.NewBrowserSessions(pool, time.Hour)
	later := func(by string) {
		if _, err := pool.Exec(ctx, `update ops.browser_sessions set seen_at = seen_at - $1::interval`, by); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CommitCtx(ctx, "t", []byte("a"), time.Now().Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for range 3 { // three halves of an hour, with a use in each
		later("30 minutes")
		if _, found, err := s.FindCtx(ctx, "t"); err != nil || !found {
			t.Fatalf("a used one is found: %t %v", found, err)
		}
	}
	later("1 hour")
	if _, found, err := s.FindCtx(ctx, "t"); err != nil || found {
		t.Errorf("one that nobody used for an hour is found: %t %v", found, err)
	}
}

func TestBrowserSessionsExpire(t *testing.T) {
	t.Parallel()
	ctx, pool := context.Background(), pgtest.Pool(t)
	s := postgres.NewBrowserSessions(pool, time.Hour)
	if err := s.CommitCtx(ctx, "t", []byte("a"), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if data, found, err := s.FindCtx(ctx, "t"); err != nil || !found || string(data) != "a" {
		t.Errorf("found %q %t %v", data, found, err)
	}
	if err := s.CommitCtx(ctx, "t", []byte("b"), time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, found, err := s.FindCtx(ctx, "t"); err != nil || found {
		t.Errorf("an expired one is found: %t %v", found, err)
	}
	if err := postgres.NewAttempts(pool).Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := pool.QueryRow(ctx, `select count(*) from ops.browser_sessions`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d are left, %v", left, err)
	}
}
