package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The back-off after failures: the first ones are free, then the wait doubles from a
// second to a quarter of an hour. A day without a failure forgets them.
const (
	longestWait = 15 * time.Minute
	forgetAfter = 24 * time.Hour
)

// Attempts tells how long to wait before a password is tried again, over all nodes.
type Attempts struct{ pool *pgxpool.Pool }

// NewAttempts keeps the counts in schema ops of the pool's database.
func NewAttempts(pool *pgxpool.Pool) *Attempts { return &Attempts{pool} }

// Take counts an attempt of a bucket as a failure, unless it comes too early: then it
// tells how long to wait, and nothing may be tried. It counts before the password is
// looked at, so that attempts side by side get no more tries than one after another.
func (a *Attempts) Take(ctx context.Context, bucket string, free int) (wait time.Duration, err error) {
	const q = `
		with taken as (
			insert into ops.sign_in_attempts as a (bucket, failures, free_at, last_at)
			values ($1, 1, clock_timestamp(), clock_timestamp())
			on conflict (bucket) do update set
				failures = case when a.last_at < clock_timestamp() - $4::interval then 1 else a.failures + 1 end,
				free_at = clock_timestamp() + case
					when a.last_at < clock_timestamp() - $4::interval or a.failures + 1 < $2::int then interval '0'
					else least($3::interval, interval '1 second' * power(2, least(a.failures + 1 - $2::int, 20))) end,
				last_at = clock_timestamp()
			where a.free_at <= clock_timestamp()
			returning bucket)
		select exists (select from taken),
			coalesce(extract(epoch from (select free_at - clock_timestamp() from ops.sign_in_attempts where bucket = $1)), 0)::float8`
	// The second column is of before the statement: an attempt that is refused for one
	// beside it may find the wait of an earlier one there, or none.
	var taken bool
	var seconds float64
	if err := a.pool.QueryRow(ctx, q, bucket, free, longestWait, forgetAfter).Scan(&taken, &seconds); err != nil {
		return 0, fmt.Errorf("count an attempt: %w", err)
	}
	if taken {
		return 0, nil
	}
	return max(time.Duration(seconds*float64(time.Second)), time.Second), nil
}

// Clear forgets a bucket's failures: somebody has got in.
func (a *Attempts) Clear(ctx context.Context, bucket string) error {
	if _, err := a.pool.Exec(ctx, `delete from ops.sign_in_attempts where bucket = $1`, bucket); err != nil {
		return fmt.Errorf("forget attempts: %w", err)
	}
	return nil
}

// Return takes back an attempt that was no failure, and the wait after it.
func (a *Attempts) Return(ctx context.Context, bucket string) error {
	const q = `update ops.sign_in_attempts set failures = greatest(failures - 1, 0), free_at = clock_timestamp() where bucket = $1`
	if _, err := a.pool.Exec(ctx, q, bucket); err != nil {
		return fmt.Errorf("take back an attempt: %w", err)
	}
	return nil
}

// Sweep deletes what is forgotten, and browser sessions that are over. Those that nobody
// uses any more go with their lifetime.
func (a *Attempts) Sweep(ctx context.Context) error {
	_, err := a.pool.Exec(ctx, `delete from ops.sign_in_attempts where last_at < clock_timestamp() - $1::interval`, forgetAfter)
	if err == nil {
		_, err = a.pool.Exec(ctx, `delete from ops.browser_sessions where expires_at < clock_timestamp()`)
	}
	if err != nil {
		return fmt.Errorf("sweep attempts: %w", err)
	}
	return nil
}

// BrowserSessions keep what the dashboard knows of a browser, as scs wants it kept. That
// one is in use is noted here, apart from what it holds: a request that only looks would
// else write what it had read over what another one has changed meanwhile.
type BrowserSessions struct {
	pool *pgxpool.Pool
	idle time.Duration
}

// seenEvery is how often it is noted that a browser session is in use.
const seenEvery = time.Minute

// NewBrowserSessions keeps them in schema ops of the pool's database, each until nobody
// has used it for so long.
func NewBrowserSessions(pool *pgxpool.Pool, idle time.Duration) *BrowserSessions {
	return &BrowserSessions{pool, idle}
}

// FindCtx reads a session that has not expired, which is a use of it.
func (s *BrowserSessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	var unseen time.Duration
	err = s.pool.QueryRow(ctx, `select data, clock_timestamp() - seen_at from ops.browser_sessions
		where token = $1 and expires_at > clock_timestamp() and seen_at > clock_timestamp() - $2::interval`, token, s.idle).Scan(&data, &unseen)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err == nil && unseen > min(seenEvery, s.idle/2) {
		_, err = s.pool.Exec(ctx, `update ops.browser_sessions set seen_at = clock_timestamp() where token = $1`, token)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read a browser session: %w", err)
	}
	return data, true, nil
}

// CommitCtx writes one.
func (s *BrowserSessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	_, err := s.pool.Exec(ctx, `insert into ops.browser_sessions (token, data, expires_at) values ($1, $2, $3)
		on conflict (token) do update set data = excluded.data, expires_at = excluded.expires_at, seen_at = excluded.seen_at`, token, data, expiry)
	if err != nil {
		return fmt.Errorf("write a browser session: %w", err)
	}
	return nil
}

// DeleteCtx ends one.
func (s *BrowserSessions) DeleteCtx(ctx context.Context, token string) error {
	if _, err := s.pool.Exec(ctx, `delete from ops.browser_sessions where token = $1`, token); err != nil {
		return fmt.Errorf("delete a browser session: %w", err)
	}
	return nil
}

// The methods without a context are for scs, which calls them of a store that has no
// others.

// Find is FindCtx.
func (s *BrowserSessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx.
func (s *BrowserSessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx.
func (s *BrowserSessions) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
