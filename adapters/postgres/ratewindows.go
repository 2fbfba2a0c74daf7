package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// RateWindow is the length of a rate-limit window; the plans' limits are
// requests per minute.
const RateWindow = time.Minute

// sweepBatch bounds what one request pays for deleting old windows. It is more
// than one request ever adds, so the table stays about as large as the number
// of buckets in use.
const sweepBatch = 64

// RateWindows count requests in fixed windows that all nodes share.
type RateWindows struct{ pool *pgxpool.Pool }

// NewRateWindows keeps the counts in schema ops of the pool's database.
func NewRateWindows(pool *pgxpool.Pool) *RateWindows { return &RateWindows{pool: pool} }

// Take counts one request into the bucket's window at now and returns the
// count with it, and when the window ends. The request is within its limit
// when used ≤ limit; beyond, the count stays at limit+1.
func (r *RateWindows) Take(ctx context.Context, bucket string, limit int, now time.Time) (used int, resetAt time.Time, err error) {
	const q = `
		insert into ops.rate_windows as w (bucket, window_start, used) values ($1, $2, 1)
		on conflict (bucket, window_start) do update set used = least(w.used + 1, $3::int + 1)
		returning used`
	start := now.UTC().Truncate(RateWindow)
	resetAt = start.Add(RateWindow)
	if err := r.pool.QueryRow(ctx, q, bucket, start, limit).Scan(&used); err != nil {
		return 0, resetAt, fmt.Errorf("count request: %w", err)
	}
	if used > 1 {
		return used, resetAt, nil
	}
	// The first request of a bucket's window pays for the sweeping.
	if err := r.sweep(ctx, start.Add(-RateWindow)); err != nil {
		return 0, resetAt, err
	}
	return used, resetAt, nil
}

// sweep deletes windows that began before the given time. A window earlier
// than the current one stays, for nodes whose clock is behind.
func (r *RateWindows) sweep(ctx context.Context, before time.Time) error {
	const q = `
		delete from ops.rate_windows where ctid = any(array(
			select ctid from ops.rate_windows where window_start < $1 limit $2 for update skip locked
		))`
	if _, err := r.pool.Exec(ctx, q, before, sweepBatch); err != nil {
		return fmt.Errorf("sweep rate windows: %w", err)
	}
	return nil
}
