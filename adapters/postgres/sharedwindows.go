package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// takeAttempts is how often a request is counted anew because a window ended while
// it was.
const takeAttempts = 3

// SharedWindows count requests in windows that several nodes share, one by one and
// all by the database's clock: in each window exactly as many are admitted as the
// limit says, whichever node they come to. That a bucket is full until its window
// ends is remembered, so that who goes on is refused without asking.
//
// Its pool should be its own, and commit without waiting for the disk
// (PoolOptions.Asynchronous): requests must not wait behind other work.
type SharedWindows struct {
	pool *pgxpool.Pool
	mu   sync.Mutex
	full map[string]fullWindow
}

// fullWindow is a window that has no room under a limit until a moment of this
// node's monotonic clock.
type fullWindow struct {
	limit   int
	resetAt time.Time
	until   time.Time
}

// NewSharedWindows keeps the counts in schema ops of the pool's database.
func NewSharedWindows(pool *pgxpool.Pool) *SharedWindows {
	return &SharedWindows{pool: pool, full: map[string]fullWindow{}}
}

// Take counts one request into the bucket's current window and returns the count
// with it, and when the window ends by the database's clock. The request is within
// its limit when used ≤ limit; beyond, the count is limit+1.
func (s *SharedWindows) Take(ctx context.Context, bucket string, limit int, _ time.Time) (used int, resetAt time.Time, err error) {
	if resetAt, full := s.isFull(bucket, limit); full {
		return limit + 1, resetAt, nil
	}
	const count = `
		insert into ops.rate_windows as w (bucket, window_start, used) values ($1, date_trunc('minute', clock_timestamp()), 1)
		on conflict (bucket) do update set
			window_start = greatest(w.window_start, excluded.window_start),
			used = case when w.window_start < excluded.window_start then 1 else w.used + 1 end
		where w.window_start < excluded.window_start or w.used < $2
		returning used, window_start, clock_timestamp()`
	// Meanwhile the next window may have begun, which has room.
	const look = `select $2 + 1, window_start, clock_timestamp() from ops.rate_windows where bucket = $1 and used >= $2`
	for range takeAttempts {
		var start, now time.Time
		for _, q := range []string{count, look} {
			err = s.pool.QueryRow(ctx, q, bucket, limit).Scan(&used, &start, &now)
			if !errors.Is(err, pgx.ErrNoRows) {
				break
			}
		}
		if errors.Is(err, pgx.ErrNoRows) {
			continue // swept or begun anew in between
		}
		if err != nil {
			return 0, time.Time{}, fmt.Errorf("count request: %w", err)
		}
		resetAt = start.Add(RateWindow)
		left := resetAt.Sub(now)
		if used > limit && left <= 0 {
			continue // full until just now
		}
		if used >= limit {
			s.remember(bucket, fullWindow{limit: limit, resetAt: resetAt, until: time.Now().Add(left)})
		}
		if used == 1 {
			return used, resetAt, sweepWindows(ctx, s.pool, start.Add(-RateWindow))
		}
		return used, resetAt, nil
	}
	return 0, time.Time{}, errors.New("count request: its window kept ending")
}

// Full reports whether the bucket's current window is known to have no room under a limit.
func (s *SharedWindows) Full(bucket string, limit int, _ time.Time) bool {
	_, full := s.isFull(bucket, limit)
	return full
}

func (s *SharedWindows) isFull(bucket string, limit int) (resetAt time.Time, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, known := s.full[bucket]
	return w.resetAt, known && limit <= w.limit && time.Now().Before(w.until)
}

// remember notes a full window. Those that have ended make room.
func (s *SharedWindows) remember(bucket string, w fullWindow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.full) >= maxBuckets {
		now := time.Now()
		maps.DeleteFunc(s.full, func(_ string, w fullWindow) bool { return !now.Before(w.until) })
	}
	if len(s.full) < maxBuckets {
		s.full[bucket] = w
	}
}
