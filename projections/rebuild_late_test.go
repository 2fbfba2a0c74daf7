package projections_test

import (
	"context"
	"errors"
	"testing"

	"understudy/adapters/postgres/pgtest"
	"understudy/projections"
)

// A commit that Postgres has begun goes through also when the run that asked for
// it has gone: the next run waits for it, whether it put the rows in their place
// or added a batch to them.
func TestALateCommitOfAnInterruptedRebuildIsWaitedFor(t *testing.T) {
	t.Parallel()
	for commit, schema := range map[string]string{"swap": schemaOf(tally), "batch": schemaOf(tally) + "_rebuild"} {
		t.Run(commit, func(t *testing.T) {
			t.Parallel()
			s, pool := startServer(t), pgtest.Pool(t)
			r := s.project(pool, tally)
			r.reach(s.append(s.store, some(1500).log...))
			r.stop()
			run := func(ctx context.Context, progress func(projections.Progress)) <-chan error {
				r, ended := rebuild(pool, s.store, tally), make(chan error, 1)
				r.Progress = progress
				go func() {
					_, err := r.Run(ctx)
					ended <- err
				}()
				return ended
			}
			ctx, interrupt := context.WithCancel(testContext(t))
			half := run(ctx, func(p projections.Progress) {
				if p.Events > 0 {
					interrupt()
				}
			})
			if err := <-half; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			held, err := pool.Begin(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = held.Rollback(testContext(t)) }() // after a commit it does nothing
			if _, err := held.Exec(testContext(t), `SELECT pg_advisory_xact_lock(1)`); err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(testContext(t), lateCommits+`CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON `+schema+`.projector
				DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()`); err != nil {
				t.Fatal(err)
			}
			ctx, interrupt = context.WithCancel(testContext(t))
			late := run(ctx, nil)
			waiting(t, pool, 1)
			interrupt()
			if err := <-late; err == nil {
				t.Fatal("it was not interrupted")
			}
			next := run(testContext(t), nil)
			waiting(t, pool, 2)
			if err := held.Commit(testContext(t)); err != nil {
				t.Fatal(err)
			}
			if err := <-next; err != nil {
				t.Fatal(err)
			}
			same(t, "the tally", []string{"(1500)"}, dump(t, pool, tally)["tally"])
			same(t, "schemas", []string{schemaOf(tally)}, schemas(t, pool))
		})
	}
}

// lateCommits makes commits wait for advisory lock 1, whatever their client asks for
// meanwhile.
const lateCommits = `CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		LOOP
			BEGIN
				PERFORM pg_advisory_xact_lock_shared(1);
				RETURN NULL;
			EXCEPTION WHEN query_canceled THEN -- and wait on
			END;
		END LOOP;
	END $$;`
