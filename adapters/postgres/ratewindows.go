package postgres

import (
	"context"
	"fmt"
	"maps"
	"sync"
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

// shareEvery is how long the requests of a busy bucket are counted in memory
// before the other nodes are told of them.
const shareEvery = 100 * time.Millisecond

// maxBuckets bounds the windows in memory, some 200 bytes each. Buckets beyond
// are counted in the database only.
const maxBuckets = 16384

// RateWindows count requests in fixed windows for the only process of an
// installation; SharedWindows are for several. It counts in memory, exactly, and
// tells the database of a bucket ten times a second at most, so that the limit costs
// a busy caller nothing. What it has counted since it last told is lost when it dies.
type RateWindows struct {
	pool    *pgxpool.Pool
	mu      sync.Mutex
	windows map[string]*rateWindow
}

// rateWindow is a bucket's current window as far as this node knows.
type rateWindow struct {
	start time.Time
	// known is closed once the database's count is in used; until then nobody
	// is answered.
	known chan struct{}
	// used counts all requests, unshared those that the database does not
	// know, limit+1 at most.
	used, unshared int
	shared         time.Time
	sharing        bool
}

// NewRateWindows keeps the counts in schema ops of the pool's database.
func NewRateWindows(pool *pgxpool.Pool) *RateWindows {
	return &RateWindows{pool: pool, windows: map[string]*rateWindow{}}
}

// Take counts one request into the bucket's window at now and returns the
// count with it, and when the window ends. The request is within its limit
// when used ≤ limit; beyond, the count stays at limit+1.
func (r *RateWindows) Take(ctx context.Context, bucket string, limit int, now time.Time) (used int, resetAt time.Time, err error) {
	start := now.UTC().Truncate(RateWindow)
	resetAt = start.Add(RateWindow)
	w, first := r.window(bucket, start)
	switch {
	case w == nil:
		used, err = r.share(ctx, bucket, start, 1, limit)
		return used, resetAt, err
	case first:
		used, err = r.open(ctx, bucket, w, limit)
		return used, resetAt, err
	}
	select {
	case <-w.known:
	case <-ctx.Done():
		return 0, resetAt, fmt.Errorf("count request: %w", ctx.Err())
	}
	used, err = r.count(ctx, bucket, w, limit)
	return used, resetAt, err
}

// Full reports whether the bucket's window at now is known to have no room under a limit.
func (r *RateWindows) Full(bucket string, limit int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.windows[bucket]
	return w != nil && w.start.Equal(now.UTC().Truncate(RateWindow)) && w.used >= limit
}

// window finds a bucket's window. first: the caller has to open it. nil: there
// is no room for it.
func (r *RateWindows) window(bucket string, start time.Time) (w *rateWindow, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.windows[bucket]; w != nil && w.start.Equal(start) {
		return w, false
	}
	if len(r.windows) >= maxBuckets {
		maps.DeleteFunc(r.windows, func(_ string, w *rateWindow) bool { return !w.start.Equal(start) })
	}
	if len(r.windows) >= maxBuckets {
		return nil, false
	}
	w = &rateWindow{start: start, known: make(chan struct{}), sharing: true}
	r.windows[bucket] = w
	return w, true
}

// open counts the first request of a window, on top of what earlier processes have
// counted.
func (r *RateWindows) open(ctx context.Context, bucket string, w *rateWindow, limit int) (int, error) {
	used, err := r.share(ctx, bucket, w.start, 1, limit)
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(w.known)
	w.sharing = false
	if err != nil {
		if r.windows[bucket] == w {
			delete(r.windows, bucket) // the next request opens it
		}
		return 0, err
	}
	w.used, w.shared = used, time.Now()
	return used, nil
}

// count counts one more request of an open window.
func (r *RateWindows) count(ctx context.Context, bucket string, w *rateWindow, limit int) (int, error) {
	r.mu.Lock()
	w.used = min(w.used+1, limit+1)
	w.unshared = min(w.unshared+1, limit+1)
	mine := w.used
	if w.sharing || time.Since(w.shared) < shareEvery {
		r.mu.Unlock()
		return mine, nil
	}
	told := w.unshared
	w.sharing, w.unshared = true, 0
	r.mu.Unlock()
	total, err := r.share(ctx, bucket, w.start, told, limit)
	r.mu.Lock()
	defer r.mu.Unlock()
	w.sharing, w.shared = false, time.Now()
	if err != nil {
		w.unshared = min(w.unshared+told, limit+1)
		return 0, err
	}
	// What others have counted comes before this request.
	others := max(0, total-mine)
	w.used = min(w.used+others, limit+1)
	return min(mine+others, limit+1), nil
}

// share adds n requests to the database's count and returns it.
func (r *RateWindows) share(ctx context.Context, bucket string, start time.Time, n, limit int) (used int, err error) {
	const q = `
		insert into ops.rate_windows as w (bucket, window_start, used) values ($1, $2, least($3::int, $4::int + 1))
		on conflict (bucket) do update set
			window_start = excluded.window_start,
			used = least(case when w.window_start = excluded.window_start then w.used else 0 end + $3::int, $4::int + 1)
		returning used`
	if err := r.pool.QueryRow(ctx, q, bucket, start, n, limit).Scan(&used); err != nil {
		return 0, fmt.Errorf("count request: %w", err)
	}
	if used > n {
		return used, nil
	}
	// The first request of a bucket's window pays for the sweeping.
	return used, sweepWindows(ctx, r.pool, start.Add(-RateWindow))
}

// sweepWindows deletes windows that began before the given time.
func sweepWindows(ctx context.Context, pool *pgxpool.Pool, before time.Time) error {
	const q = `
		delete from ops.rate_windows where ctid = any(array(
			select ctid from ops.rate_windows where window_start < $1 limit $2 for update skip locked
		))`
	if _, err := pool.Exec(ctx, q, before, sweepBatch); err != nil {
		return fmt.Errorf("sweep rate windows: %w", err)
	}
	return nil
}
