package projections_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/projections"
)

// TestNoBatchReadsAWholeTable: what a batch costs does not grow with the log. Postgres keeps
// the plans that it makes while a table is small.
func TestNoBatchReadsAWholeTable(t *testing.T) {
	t.Parallel()
	log := history(1)
	for _, p := range every {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
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
			var read int
			err = pool.QueryRow(testContext(t), `SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = $1 AND relname <> 'projector'`, schemaOf(p)).Scan(&read)
			if err != nil || read > 0 {
				t.Errorf("%d rows were read one after the other, error %v", read, err)
			}
		})
	}
}
