package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Leases are short claims on names (a session to run, a projector to lead)
// that end by themselves. Time is the database's, so that the clocks of the
// nodes do not matter. Names are locked in their order everywhere: claims that
// overlap wait for each other, they never deadlock.
//
// Leases are committed without waiting for the disk: one of the last moment that
// Postgres forgets in a crash is one that ends early.
//
// A lease keeps two workers from doing the same work at once most of the time.
// What must never happen twice is decided by an append at an expected
// revision, not by a lease.
type Leases struct{ pool *pgxpool.Pool }

// NewLeases keeps leases in schema ops of the pool's database.
func NewLeases(pool *pgxpool.Pool) *Leases { return &Leases{pool: pool} }

// Claim takes every one of the names that is free, has run out, or is the
// owner's already, for ttl from now, and returns those. Names that others hold
// are left out. To claim one's own is to renew it.
func (l *Leases) Claim(ctx context.Context, names []string, owner string, ttl time.Duration) ([]string, error) {
	const q = `
		insert into ops.leases as l (name, owner, expires_at)
		select name, $2, clock_timestamp() + make_interval(secs => $3)
		from (select distinct unnest($1::text[]) as name order by 1) n
		on conflict (name) do update set owner = excluded.owner, expires_at = excluded.expires_at
		where l.expires_at <= clock_timestamp() or l.owner = excluded.owner
		returning name`
	claimed, err := l.names(ctx, q, names, owner, ttl.Seconds())
	if err != nil {
		return nil, fmt.Errorf("claim leases: %w", err)
	}
	return claimed, nil
}

// Release gives up those of the names that are the owner's.
func (l *Leases) Release(ctx context.Context, names []string, owner string) error {
	const q = `
		with mine as (
			select name from ops.leases where name = any($1) and owner = $2 order by name for update
		)
		delete from ops.leases l using mine where l.name = mine.name
		returning l.name`
	if _, err := l.names(ctx, q, names, owner); err != nil {
		return fmt.Errorf("release leases: %w", err)
	}
	return nil
}

// Sweep deletes leases that ran out over a minute ago. Nothing depends on it
// but the table's size.
func (l *Leases) Sweep(ctx context.Context) error {
	const q = `
		delete from ops.leases where name in (
			select name from ops.leases where expires_at < clock_timestamp() - interval '1 minute'
			order by name for update skip locked
		)`
	if _, err := l.pool.Exec(ctx, q); err != nil {
		return fmt.Errorf("sweep leases: %w", err)
	}
	return nil
}

func (l *Leases) names(ctx context.Context, q string, args ...any) ([]string, error) {
	// One batch is one transaction, and set_config ends with it.
	var batch pgx.Batch
	batch.Queue(`select set_config('synchronous_commit', 'off', true)`)
	var names []string
	batch.Queue(q, args...).Query(func(rows pgx.Rows) (err error) {
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return names, l.pool.SendBatch(ctx, &batch).Close()
}
