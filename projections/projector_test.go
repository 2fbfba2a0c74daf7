package projections_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

var org0 = projections.Owner{OrganizationID: "org_0", Environment: domain.Live}

// some is a log of n tests of one organization.
func some(n int) *world {
	w := newWorld()
	for i := range n {
		w.createTest(i, 2, owner(0))
	}
	return w
}

func position(t tb, pool *pgxpool.Pool, p projections.Projection) (at int64) {
	t.Helper()
	if err := pool.QueryRow(testContext(t), `SELECT position FROM `+schemaOf(p)+`.projector`).Scan(&at); err != nil {
		t.Fatal(err)
	}
	return at
}

// counting counts the events that a projection is given.
func counting(p projections.Projection) (projections.Projection, *atomic.Int64) {
	var n atomic.Int64
	apply := p.Apply
	p.Apply = func(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
		n.Add(int64(len(events)))
		return apply(ctx, tx, events)
	}
	return p, &n
}

func TestProjectorFollowsAndResumes(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(3)
	s.append(s.store, w.log...)
	p, applied := counting(tests.Projection)
	first := s.project(pool, p)
	w.tell(testrun.Stream(testID(1)), testrun.Cancel{Now: w.at()}, owner(0))
	last := s.append(s.store, w.log[3])
	first.reach(last)
	doc, err := tests.Get(testContext(t), pool, testID(1), org0)
	if err != nil || doc.Revision != 1 || !strings.Contains(string(doc.JSON), `"status":"cancelled"`) {
		t.Fatalf("test 1 is %s at revision %d: %v", doc.JSON, doc.Revision, err)
	}
	if at := position(t, pool, p); at != int64(last) {
		t.Fatalf("the stored position is %d, want %d", at, last)
	}
	first.stop()
	if err := first.end(); err != nil {
		t.Fatalf("stopped with %v", err)
	}

	w.createTest(3, 1, owner(0))
	last = s.append(s.store, w.log[4])
	again := s.project(pool, p)
	again.reach(last)
	if n := applied.Load(); n != 5 {
		t.Errorf("five events were applied %d times", n)
	}
	if rows := dump(t, pool, p)["tests"]; len(rows) != 4 {
		t.Errorf("%d tests, want 4", len(rows))
	}
}

// Dropping every read model while it is kept, or while nothing runs, changes
// no answer.
func TestDroppedReadModelsAreRebuilt(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	last := s.append(s.store, history(99)...)
	want := map[string]map[string][]string{}
	projectors := map[string]*running{}
	for _, p := range every {
		projectors[p.Name] = s.project(pool, p)
	}
	for _, p := range every {
		projectors[p.Name].reach(last)
		if want[p.Name] = dump(t, pool, p); count(want[p.Name]) == 0 {
			t.Fatalf("%s has no rows", p.Name)
		}
	}
	for _, p := range every {
		if _, err := pool.Exec(testContext(t), `DROP SCHEMA `+schemaOf(p)+` CASCADE`); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range every {
		eventually(t, p.Name+" is there again", func() bool {
			at, err := projections.ReadPosition(testContext(t), pool, p)
			return err == nil && at >= int64(last)
		})
		same(t, p.Name+" after it was rebuilt", want[p.Name], dump(t, pool, p))
	}
}

// TestLostCommitsAreMadeAgain: a standby that took over lacks the newest commits, and no
// event comes. The projector notices and reads them again.
func TestLostCommitsAreMadeAgain(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	last := s.append(s.store, some(3).log...)
	running := s.project(pool, tests.Projection)
	running.reach(last)
	want := dump(t, pool, tests.Projection)
	schema := schemaOf(tests.Projection)
	if _, err := pool.Exec(testContext(t), `TRUNCATE `+schema+`.tests; UPDATE `+schema+`.projector SET position = -1`); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lost commits are there again", func() bool { return position(t, pool, tests.Projection) == int64(last) })
	same(t, "the read model", want, dump(t, pool, tests.Projection))
}

// tally is a projection that any event applied twice would falsify.
var tally = projections.Projection{
	Name: "tally", Version: 1, Prefixes: []string{testrun.StreamPrefix},
	Schema: `CREATE TABLE tally (n bigint NOT NULL); INSERT INTO tally VALUES (0);`,
	Apply: func(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
		_, err := tx.Exec(ctx, `UPDATE tally SET n = n + $1`, len(events))
		return err
	},
}

func TestTwoProjectorsApplyOnce(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(300)
	a, b := s.project(pool, tally), s.project(pool, tally)
	last := s.append(s.store, w.log...)
	a.reach(last)
	b.reach(last)
	same(t, "the tally", []string{"(300)"}, dump(t, pool, tally)["tally"])
}

func TestProjectorOutlivesItsConnections(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(40)
	r := s.project(pool, tally)
	r.reach(s.append(s.store, w.log[:20]...))
	_, err := pool.Exec(testContext(t), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	if err != nil {
		t.Fatal(err)
	}
	r.reach(s.append(s.store, w.log[20:]...))
	same(t, "the tally", []string{"(40)"}, dump(t, pool, tally)["tally"])
}

// misshapen is recorded under a literal that this program reads otherwise.
type misshapen struct {
	Sessions string `json:"sessions"`
}

func (misshapen) EventType() string { return testrun.Created{}.EventType() }

// renamed is an event of a newer program.
type renamed struct {
	Name string `json:"name"`
}

func (renamed) EventType() string { return "testrun.renamed.v1" }

// refusedByPostgres are two sessions of which only one can have its place in
// their test.
func refusedByPostgres() (out []domain.Recorded) {
	for _, id := range []string{"ses_1", "ses_2"} {
		q := session.Queued{SessionID: id, TestID: "test_1", Index: 0, At: domain.At(origin)}
		out = append(out, domain.Recorded{ID: domain.DeriveUUID(id), Stream: session.Stream(id), Event: q})
	}
	return out
}

func TestPoisonStopsAndNamesTheEvent(t *testing.T) {
	t.Parallel()
	pair := refusedByPostgres()
	for name, c := range map[string]struct {
		projection   projections.Projection
		good, poison domain.Recorded
		known        []domain.Entry
		says         string
	}{
		"of another shape": {
			projection: tests.Projection, good: some(1).log[0],
			poison: domain.Recorded{ID: domain.DeriveUUID("odd"), Stream: "testrun-odd", Event: misshapen{"many"}},
			known:  []domain.Entry{domain.Recordable[misshapen]()},
			says:   "testrun-odd@0 (testrun.created.v1",
		},
		"that no row can hold": {
			projection: deliveries.Projection,
			good:       domain.Recorded{ID: domain.DeriveUUID("good"), Stream: "delivery-good", Event: delivery.Scheduled{DeliveryID: "good", Body: "{}"}},
			poison:     domain.Recorded{ID: domain.DeriveUUID("odd"), Stream: "delivery-odd", Event: delivery.Scheduled{DeliveryID: "odd", Body: "{"}},
			known:      catalogue,
			says:       "delivery.scheduled.v1 of stream delivery-odd, revision 0",
		},
		"that the database refuses": {
			projection: sessions.Projection, good: pair[0], poison: pair[1], known: catalogue,
			says: "session.queued.v1 of stream session-ses_2, revision 0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pool := startServer(t), pgtest.Pool(t)
			before := s.append(s.store, c.good)
			at := s.append(s.open(c.known), c.poison)
			r := s.project(pool, c.projection)
			err := r.end()
			var poison *projections.PoisonError
			if !errors.As(err, &poison) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("ended with %v, want it to name %q", err, c.says)
			}
			if stopped := r.positions.Stopped()[c.projection.Name]; !errors.Is(stopped, err) {
				t.Errorf("stopped by %v, want %v", stopped, err)
			}
			// What came before stays, and whoever waits for more is told.
			r.reach(before)
			if rows := count(dump(t, pool, c.projection)); rows != 1 {
				t.Errorf("%d rows, want the one of the good event", rows)
			}
			if err := r.positions.Wait(testContext(t), c.projection.Name, at); domain.CodeOf(err) != domain.CodeUnavailable {
				t.Errorf("waiting for the poison: %v", err)
			}
		})
	}
}

// TestAPanicIsPoison: it stops the projection before the event, whatever batch it comes
// in, and nobody else.
func TestAPanicIsPoison(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(3)
	last := s.append(s.store, w.log...)
	third := 0
	for i, e := range w.log {
		if _, is := e.Event.(testrun.Created); is {
			third = i
		}
	}
	broken := tests.Projection
	apply := broken.Apply
	broken.Apply = func(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
		for _, e := range events {
			if e.Stream == w.log[third].Stream {
				panic("no such row")
			}
		}
		return apply(ctx, tx, events)
	}
	r := s.project(pool, broken)
	err := r.end()
	var poison *projections.PoisonError
	if says := "testrun.created.v1 of stream " + w.log[third].Stream + ", revision 0"; !errors.As(err, &poison) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "no such row") {
		t.Fatalf("ended with %v, want it to name %q", err, says)
	}
	if rows := dump(t, pool, tests.Projection)["tests"]; len(rows) != 2 {
		t.Errorf("%d tests, want the 2 before", len(rows))
	}
	// The right program goes on from there.
	r = s.project(pool, tests.Projection)
	r.reach(last)
	if rows := dump(t, pool, tests.Projection)["tests"]; len(rows) != 3 {
		t.Errorf("%d tests, want 3", len(rows))
	}
}

func unknown(t *testing.T, pool *pgxpool.Pool, p projections.Projection) int {
	t.Helper()
	state, err := projections.ReadState(testContext(t), pool, p)
	if err != nil {
		t.Fatal(err)
	}
	return state.Unknown
}

func TestUnknownEventsAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	newer := s.open([]domain.Entry{domain.Recordable[renamed]()})
	w := some(3)
	s.append(s.store, w.log[0])
	for i := range 2 {
		s.append(newer, domain.Recorded{ID: domain.DeriveUUID(fmt.Sprint(i)), Stream: fmt.Sprint("testrun-newer", i), Event: renamed{"x"}})
	}
	last := s.append(s.store, w.log[1:]...)
	r := s.project(pool, tests.Projection)
	r.reach(last)
	same(t, "unknown events", 2, unknown(t, pool, tests.Projection))
	if rows := dump(t, pool, tests.Projection)["tests"]; len(rows) != 3 {
		t.Errorf("%d tests, want 3", len(rows))
	}
}

// A batch that is tried again, event by event, counts its unknown ones once.
func TestUnknownEventsBesidePoisonAreCountedOnce(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	newer := s.open([]domain.Entry{domain.Recordable[renamed]()})
	s.append(newer, domain.Recorded{ID: domain.DeriveUUID("n"), Stream: "delivery-newer", Event: renamed{"x"}})
	s.append(s.store, domain.Recorded{ID: domain.DeriveUUID("odd"), Stream: "delivery-odd", Event: delivery.Scheduled{DeliveryID: "odd", Body: "{"}})
	r := s.project(pool, deliveries.Projection)
	if err := r.end(); err == nil {
		t.Fatal("the poison was swallowed")
	}
	same(t, "unknown events", 1, unknown(t, pool, deliveries.Projection))
}

// Two nodes that start at once make the schema once.
func TestPrepareAtOnce(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	done := make(chan error)
	for range 6 {
		go func() { done <- projections.Prepare(context.Background(), pool, tests.Projection) }()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if at := position(t, pool, tests.Projection); at != -1 {
		t.Errorf("a new read model begins at %d, want -1", at)
	}
}
