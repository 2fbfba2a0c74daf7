package postgres_test

import (
	"context"
	"sync"
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
	for range 3 {
		if wait := take("account:1"); wait != 0 {
			t.Fatalf("a free attempt waits %s", wait)
		}
	}
	if wait := take("account:1"); wait <= 0 || wait > 2*time.Second {
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
	var tried sync.WaitGroup
	var mu sync.Mutex
	free := 0
	for range 20 {
		tried.Go(func() {
			wait, err := a.Take(ctx, "account:1", 5)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if wait == 0 {
				free++
			}
		})
	}
	tried.Wait()
	if free != 5 {
		t.Errorf("%d of 20 at once were tried, want 5", free)
	}
}

func TestBrowserSessionsExpire(t *testing.T) {
	t.Parallel()
	ctx, pool := context.Background(), pgtest.Pool(t)
	s := postgres.NewBrowserSessions(pool)
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
