package projections_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/session"
	"understudy/projections"
	"understudy/projections/worklist"
)

// TestNoBatchReadsAWholeTable: what a batch costs does not grow with the log. Postgres keeps
// the plans that it makes while a table is small.
func TestNoBatchReadsAWholeTable(t *testing.T) {
	t.Parallel()
	log := history(1)
	for _, p := range every {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			read := readBy(t, p, log, `SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = $1 AND relname <> 'projector'`)
			if read > 0 {
				t.Errorf("%d rows were read one after the other", read)
			}
		})
	}
}

// TestAnItemOfWorkIsFoundAmongMany: without reading those of its kind, whatever Postgres
// thought of the list while it was empty.
func TestAnItemOfWorkIsFoundAmongMany(t *testing.T) {
	t.Parallel()
	const many = 1000
	at, later := domain.At(time.Unix(1_800_000_000, 0)), domain.At(time.Unix(1_900_000_000, 0))
	// First a few, by which Postgres plans, then many.
	of := func(prefix string, events ...domain.Event) (log []domain.Recorded) {
		for _, ids := range [][2]int{{0, 20}, {20, many}} {
			for revision, e := range events {
				for id := ids[0]; id < ids[1]; id++ {
					log = append(log, domain.Recorded{
						Stream: fmt.Sprint(prefix, id), Revision: uint64(revision), Position: uint64(len(log) + 1), //nolint:gosec // they fit
						Time: at.Time, Event: e, Meta: domain.Meta{OrganizationID: "org_1", Environment: domain.Sandbox},
					})
				}
			}
		}
		return log
	}
	for kind, log := range map[string][]domain.Recorded{
		"session": of(session.StreamPrefix, session.Queued{TestID: "test_1", OrganizationID: "org_1", Environment: domain.Sandbox},
			session.Started{TestID: "test_1", Attempt: 1}, session.Completed{TestID: "test_1"}),
		"delivery": of(delivery.StreamPrefix, delivery.Scheduled{WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Sandbox},
			delivery.Attempted{Attempt: 1, NextDueAt: &later}, delivery.Delivered{WebhookID: "whk_1"}),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			read := readBy(t, worklist.Projection, log, `SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = $1 AND relname = 'items'`)
			if most := 4 * len(log); read > most {
				t.Errorf("%d entries of indexes were read for %d events, want at most %d", read, len(log), most)
			}
		})
	}
}

// readBy is what a projector has read of its tables that applied a log from its first
// event on, as Postgres counts it.
func readBy(t *testing.T, p projections.Projection, log []domain.Recorded, count string) (read int) {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 1 // which tells what it has read when it is asked to
	pool, err := pgxpool.NewWithConfig(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	source := newGrowing(log, []int{1, 40})
	source.grow(len(log))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	projector(ctx, pool, p, source, projections.NewPositions(), reached(log), cancel)
	if _, err := pool.Exec(testContext(t), `SELECT pg_stat_force_next_flush()`); err != nil {
		t.Fatal(err)
	}
	if err := pool.QueryRow(testContext(t), count, schemaOf(p)).Scan(&read); err != nil {
		t.Fatal(err)
	}
	return read
}
