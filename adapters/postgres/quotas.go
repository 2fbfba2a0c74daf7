package postgres

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/domain"
	org "understudy/domain/account"
	"understudy/projections/usage"
)

// Quotas hold live sessions for tests that are about to be recorded, so that all
// nodes together never admit more than a plan allows. A reservation is on the disk
// before the test is recorded, and counts until the read model usage has the test:
// from then on the events say what has become of its sessions. Nothing is lost when
// a node dies in between; what it had reserved for a test that was never recorded
// comes back by Sweep.
type Quotas struct{ pool *pgxpool.Pool }

// NewQuotas keeps reservations in schema ops of the pool's database.
func NewQuotas(pool *pgxpool.Pool) *Quotas { return &Quotas{pool: pool} }

// Reserve holds the sessions of tests, by the tests' ids, for the month and under
// the limit of q; its counts are ignored. All of them are admitted, or none with
// *org.QuotaExceeded. Tests that were admitted before are not counted again.
func (s *Quotas) Reserve(ctx context.Context, organizationID string, q org.Quota, tests map[string]int) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// One decision at a time; what is read afterwards is as of afterwards.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, quotaLock(organizationID)); err != nil {
			return err
		}
		admitted, err := s.admitted(ctx, tx, q.Month, slices.Collect(maps.Keys(tests)))
		if err != nil {
			return err
		}
		wanted := 0
		for id, sessions := range tests {
			if !admitted[id] {
				wanted += sessions
			}
		}
		if q.Used, q.Reserved, err = counted(ctx, tx, organizationID, q.Month); err != nil {
			return err
		}
		if err := q.Admits(wanted); err != nil {
			return err
		}
		var batch pgx.Batch
		for id, sessions := range tests {
			batch.Queue(`
				insert into ops.quota_reservations values ($1, $2, $3, $4, clock_timestamp())
				on conflict (test_id) do update set month = excluded.month, sessions = excluded.sessions, reserved_at = excluded.reserved_at`,
				id, organizationID, string(q.Month), sessions)
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
	if err != nil && domain.CodeOf(err) == "" {
		return fmt.Errorf("reserve sessions: %w", err)
	}
	return err
}

// admitted are those of the tests that were recorded, or have a reservation of the
// month.
func (s *Quotas) admitted(ctx context.Context, tx pgx.Tx, month org.Month, ids []string) (map[string]bool, error) {
	rows, err := tx.Query(ctx, `
		select test_id from ops.quota_reservations where test_id = any($1) and month = $2
		union select id from `+usage.Tests+` where id = any($1)`, ids, string(month))
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	out := map[string]bool{}
	for _, id := range found {
		out[id] = true
	}
	return out, err
}

// Counted are the sessions of an organization's month: used, and reserved by tests
// that are recorded or about to be.
func (s *Quotas) Counted(ctx context.Context, organizationID string, month org.Month) (used, reserved int, err error) {
	return counted(ctx, s.pool, organizationID, month)
}

// counted is one statement, so that a test which is recorded meanwhile counts once.
func counted(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, organizationID string, month org.Month,
) (used, reserved int, err error) {
	err = q.QueryRow(ctx, `
		select coalesce(sum(used), 0), coalesce(sum(reserved), 0) from (
			select used, reserved from `+usage.Tests+` where organization_id = $1 and environment = $3 and month = $2
			union all
			select 0, sessions from ops.quota_reservations r where organization_id = $1 and month = $2
				and not exists (select from `+usage.Tests+` t where t.id = r.test_id)
		) sessions`, organizationID, string(month), string(domain.Live)).Scan(&used, &reserved)
	return used, reserved, err
}

// keepRecorded is how long a reservation stays after its test was recorded: longer
// than a rebuilt read model may be behind the one that it replaces.
const keepRecorded = time.Hour

// Sweep removes reservations that count no longer: of tests that the read model has
// had for long, and of those older than abandoned that recorded says were never
// recorded. abandoned must be longer than any request takes.
func (s *Quotas) Sweep(ctx context.Context, abandoned time.Duration, recorded func(ctx context.Context, testID string) (bool, error)) error {
	if _, err := s.pool.Exec(ctx, `
		delete from ops.quota_reservations r using `+usage.Tests+` t
		where t.id = r.test_id and r.reserved_at < clock_timestamp() - make_interval(secs => $1)`, keepRecorded.Seconds()); err != nil {
		return fmt.Errorf("sweep reservations: %w", err)
	}
	rows, err := s.pool.Query(ctx, `
		select test_id from ops.quota_reservations r where reserved_at <= clock_timestamp() - make_interval(secs => $1)
			and not exists (select from `+usage.Tests+` t where t.id = r.test_id)`, abandoned.Seconds())
	if err != nil {
		return fmt.Errorf("sweep reservations: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("sweep reservations: %w", err)
	}
	for _, id := range ids {
		if is, err := recorded(ctx, id); err != nil {
			return err
		} else if is {
			continue
		}
		// A request that tries again meanwhile has made it younger.
		if _, err := s.pool.Exec(ctx, `delete from ops.quota_reservations
			where test_id = $1 and reserved_at <= clock_timestamp() - make_interval(secs => $2)`, id, abandoned.Seconds()); err != nil {
			return fmt.Errorf("sweep reservations: %w", err)
		}
	}
	return nil
}

// quotaLock is the advisory lock of an organization's quota.
func quotaLock(organizationID string) int64 {
	h := fnv.New64a()
	h.Write([]byte("understudy quota " + organizationID))
	return int64(h.Sum64()) //nolint:gosec // any number will do
}
