package projections_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/projections"
)

// histories is how many logs have together events of every type; their seeds are
// 1, 2, ….
const histories = 10

func TestHistoriesHaveEveryEvent(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := uint64(1); seed <= histories; seed++ {
		for _, e := range history(seed) {
			seen[e.Event.EventType()]++
		}
	}
	for _, entry := range catalogue {
		if newest := domaintest.Example(entry).EventType(); seen[newest] == 0 {
			t.Errorf("no log has a %s", entry.Type)
		}
	}
}

// law is what holds of the rows of every projection, whatever its log is.
type law func(t *rapid.T, pool *pgxpool.Pool, p projections.Projection, log []domain.Recorded)

func TestLaws(t *testing.T) {
	t.Parallel()
	for _, p := range append([]projections.Projection{tally}, every...) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			pool := pgtest.Pool(t)
			empty := func(t tb) {
				if _, err := pool.Exec(testContext(t), `DROP SCHEMA IF EXISTS `+schemaOf(p)+` CASCADE`); err != nil {
					t.Fatal(err)
				}
				if err := projections.Prepare(testContext(t), pool, p); err != nil {
					t.Fatal(err)
				}
			}
			empty(t)
			if log := history(1); count(apply(t, pool, p, followed(p, log), len(log))) == 0 {
				t.Fatal("a usual log gives no rows, so that laws about them say nothing")
			}
			for name, law := range map[string]law{
				"rows do not depend on batches": batchesDoNotMatter, "projectors may end anywhere and be two": endsDoNotMatter,
				"rebuilding beside is living": rebuildingIsLiving,
			} {
				t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
					empty(t)
					law(t, pool, p, generated(t))
				}))
			}
		})
	}
}

func drawSizes(t *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 50), 1, 20).Draw(t, "sizes of batches")
}

// batchesDoNotMatter: batch = single. The rows that a log gives do not depend on how its events came,
// one at a time, in batches of any size, or all at once.
func batchesDoNotMatter(t *rapid.T, pool *pgxpool.Pool, p projections.Projection, log []domain.Recorded) {
	events := followed(p, log)
	whole := apply(t, pool, p, events, len(events)+1)
	same(t, "one at a time", whole, apply(t, pool, p, events, 1))
	same(t, "in batches", whole, apply(t, pool, p, events, drawSizes(t)...))
}

// endsDoNotMatter: restart = no restart, and twice = once. Projectors that end anywhere, also in
// the middle of a commit, and two at a time that get in each other's way, leave
// what one leaves that goes through.
func endsDoNotMatter(t *rapid.T, pool *pgxpool.Pool, p projections.Projection, log []domain.Recorded) {
	events := followed(p, log)
	whole := apply(t, pool, p, events, len(events)+1)
	source := newGrowing(log, drawSizes(t))
	source.grow(len(log))
	for _, batches := range rapid.SliceOfN(rapid.IntRange(1, 6), 0, 4).Draw(t, "batches until the end") {
		ctx, cancel := context.WithCancel(testContext(t))
		began := source.handed
		inTheMiddle := rapid.Bool().Draw(t, "in the middle of a commit")
		source.onBatch = func(n int) {
			switch {
			case n-began == batches && inTheMiddle:
				time.AfterFunc(time.Duration(batches)*100*time.Microsecond, cancel)
			case n-began > batches:
				cancel()
			}
		}
		projector(ctx, pool, p, source, projections.NewPositions(), reached(log), cancel)
		cancel()
	}
	source.onBatch = nil
	done := make(chan struct{})
	for range 2 {
		ctx, cancel := context.WithCancel(testContext(t))
		go func() {
			projector(ctx, pool, p, source, projections.NewPositions(), reached(log), cancel)
			done <- struct{}{}
		}()
	}
	<-done
	<-done
	same(t, "with ends, by two", whole, dump(t, pool, p))
}

// reached is the position at which all is applied.
func reached(log []domain.Recorded) uint64 {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Position
}

// projector runs one until it has reached a position or ctx ends.
func projector(ctx context.Context, pool *pgxpool.Pool, p projections.Projection, source projections.Source, positions *projections.Positions, upTo uint64, cancel func()) {
	go func() {
		_ = positions.Wait(ctx, p.Name, upTo) // or the end of ctx
		cancel()
	}()
	run := &projections.Projector{Projection: p, Pool: pool, Log: source, Positions: positions, Logger: slog.New(slog.DiscardHandler)}
	_ = run.Run(ctx) // a stop shows in the rows
}

// rebuildingIsLiving: replay = live. Rows that were built beside the serving ones, while more was
// recorded, are those that a projector has made as it came, and one that goes on
// from them does not differ either. Rebuilds that were interrupted before do no
// harm.
func rebuildingIsLiving(t *rapid.T, pool *pgxpool.Pool, p projections.Projection, log []domain.Recorded) {
	events := followed(p, log)
	live := apply(t, pool, p, events, 1)
	source := newGrowing(log, drawSizes(t))
	source.grow(rapid.IntRange(0, len(log)).Draw(t, "events before"))
	step := rapid.IntRange(1, 60).Draw(t, "events while a batch is applied")
	source.onBatch = func(int) { source.grow(step) }
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	positions, ended := projections.NewPositions(), make(chan struct{})
	go func() {
		defer close(ended)
		projector(ctx, pool, p, source, positions, reached(log), cancel)
	}()
	for _, ms := range rapid.SliceOfN(rapid.IntRange(0, 40), 0, 2).Draw(t, "ms until an interruption") {
		short, stop := context.WithTimeout(testContext(t), time.Duration(ms)*time.Millisecond)
		_, _ = rebuild(pool, source, p).Run(short) // however far it came
		stop()
	}
	for range rapid.IntRange(1, 2).Draw(t, "rebuilds") {
		if _, err := rebuild(pool, source, p).Run(testContext(t)); err != nil {
			t.Fatal(err)
		}
	}
	source.grow(len(log))
	<-ended
	same(t, "schemas", []string{schemaOf(p)}, schemas(t, pool))
	same(t, "rows", live, dump(t, pool, p))
	if at := position(t, pool, p); at != int64(reached(log)) {
		t.Errorf("the rows stand at %d of %d", at, reached(log))
	}
}
