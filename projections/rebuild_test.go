package projections_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

func rebuild(pool *pgxpool.Pool, log projections.Source, p projections.Projection) *projections.Rebuild {
	return &projections.Rebuild{Projection: p, Pool: pool, Log: log, Logger: slog.New(slog.DiscardHandler)}
}

// schemas are the names of all schemas of read models.
func schemas(t tb, pool *pgxpool.Pool) (names []string) {
	t.Helper()
	stored, err := projections.ReadStored(testContext(t), pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stored {
		names = append(names, s.Schema)
	}
	return names
}

// Rows that were tampered with come back right, the projector that serves goes
// on without being told, and nothing is left behind.
func TestRebuildReplacesWhatServes(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	log, half := history(4), 0
	for half < len(log)/2 || !strings.HasPrefix(log[half-1].Stream, testrun.StreamPrefix) {
		half++
	}
	// A projector is told of what it does not follow in windows only: the last
	// event is its own.
	end := newWorld()
	end.createTest(5000, 1, owner(0))
	log = append(log, end.log...)
	r := s.project(pool, tests.Projection)
	r.reach(s.append(s.store, log[:half]...))
	if _, err := pool.Exec(testContext(t), `UPDATE `+schemaOf(tests.Projection)+`.tests SET doc = '{"id":"forged"}'`); err != nil {
		t.Fatal(err)
	}
	done, err := rebuild(pool, s.store, tests.Projection).Run(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(followed(tests.Projection, log[:half])); done.Events != n || !done.Replaced || done.Resumed {
		t.Errorf("%+v, want %d events in the place of others", done, n)
	}
	same(t, "schemas", []string{schemaOf(tests.Projection)}, schemas(t, pool))
	same(t, "rows", s.rows(tests.Projection), dump(t, pool, tests.Projection))

	r.reach(s.append(s.store, log[half:]...))
	same(t, "rows of the projector that goes on", s.rows(tests.Projection), dump(t, pool, tests.Projection))
}

// rows are those that a projector makes of the log from its start, in a database
// of its own.
func (s *server) rows(p projections.Projection) map[string][]string {
	s.t.Helper()
	head, err := s.store.Head(testContext(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	pool := pgtest.Pool(s.t)
	r := s.project(pool, p)
	r.reach(head)
	r.stop()
	return dump(s.t, pool, p)
}

// While rows are replaced again and again, under a log that grows, whoever reads
// what he has written finds it, never an error and never an older answer.
func TestReadersNoticeNoRebuild(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(20)
	all := s.project(pool, tests.Projection)
	all.reach(s.append(s.store, w.log...))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()

	var reading sync.WaitGroup
	var reads, writes atomic.Int64
	reading.Go(func() { // a caller who writes and reads his own
		length := map[string]uint64{}
		for i := 0; ctx.Err() == nil; i++ {
			id := testID(i % 20)
			length[id]++
			e := domain.Recorded{
				ID: domain.DeriveUUID(fmt.Sprint("counted", i)), Stream: testrun.Stream(id), Revision: length[id], Meta: owner(0),
				Event: testrun.SessionEnded{SessionID: fmt.Sprint("ses_", i), Index: i, Usable: true, At: domain.At(origin)},
			}
			all.reach(s.append(s.store, e))
			writes.Add(1)
			d, err := tests.Get(testContext(t), pool, id, org0)
			if err != nil || d.Revision != length[id] {
				t.Errorf("wrote revision %d of %s and read %d: %v", length[id], id, d.Revision, err)
				return
			}
		}
	})
	reading.Go(func() { // one who reads all the time
		last := map[string]uint64{}
		for i := 0; ctx.Err() == nil; i++ {
			id := testID(i % 20)
			d, err := tests.Get(testContext(t), pool, id, org0)
			if err != nil || d.Revision < last[id] {
				t.Errorf("read revision %d of %s after %d: %v", d.Revision, id, last[id], err)
				return
			}
			last[id] = d.Revision
			reads.Add(1)
			docs, more, err := tests.List(testContext(t), pool, org0, tests.Query{Limit: 30})
			if err != nil || more || len(docs) != 20 {
				t.Errorf("a list of %d tests: %v", len(docs), err)
				return
			}
		}
	})
	const least = 12
	times := 0
	for ; ctx.Err() == nil && !t.Failed() && (times < least || reads.Load() < least || writes.Load() < least); times++ {
		if done, err := rebuild(pool, s.store, tests.Projection).Run(testContext(t)); err != nil || !done.Replaced {
			t.Errorf("%+v: %v", done, err)
		}
	}
	cancel()
	reading.Wait()
	t.Logf("%d rebuilds beside %d reads and %d writes that were read", times, reads.Load(), writes.Load())
	if reads.Load() < least || writes.Load() < least {
		t.Errorf("only %d reads and %d writes", reads.Load(), writes.Load())
	}
	same(t, "schemas", []string{schemaOf(tests.Projection)}, schemas(t, pool))
}

// gated is a log whose first batch waits until it is let through.
type gated struct {
	projections.Source
	came, open chan struct{}
	once       sync.Once
}

func (g *gated) Subscribe(ctx context.Context, sub eventstore.Subscription, handle func(context.Context, eventstore.Batch) error) error {
	return g.Source.Subscribe(ctx, sub, func(ctx context.Context, b eventstore.Batch) error {
		g.once.Do(func() { close(g.came) })
		<-g.open
		return handle(ctx, b)
	})
}

// A projector that waits for the row of its position while the rows are replaced
// still holds on to the old row: it must not add to the new rows what they have.
func TestAProjectorThatWaitsIsSentToTheNewRows(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(40)
	before := s.project(pool, tally)
	before.reach(s.append(s.store, w.log[:20]...))
	before.stop()
	last := s.append(s.store, w.log[20:]...)
	held, err := pool.Begin(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback(testContext(t)) }() // after a commit it does nothing
	if _, err := held.Exec(testContext(t), `SELECT FROM `+schemaOf(tally)+`.projector FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	gate := &gated{Source: s.store, came: make(chan struct{}), open: make(chan struct{})}
	r := s.projectFrom(gate, pool, tally)
	<-gate.came
	swapped := make(chan error)
	go func() {
		_, err := rebuild(pool, s.store, tally).Run(testContext(t))
		swapped <- err
	}()
	waiting(t, pool, 1)
	close(gate.open)
	waiting(t, pool, 2)
	if err := held.Commit(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	r.reach(last)
	r.reach(s.append(s.store, domain.Recorded{ID: domain.DeriveUUID("one more"), Stream: testrun.Stream("more"), Event: w.log[0].Event}))
	same(t, "the tally", []string{"(41)"}, dump(t, pool, tally)["tally"])
}

// waiting waits until so many transactions wait for a lock.
func waiting(t *testing.T, pool *pgxpool.Pool, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " wait for a lock"), func() bool {
		var waits int
		err := pool.QueryRow(testContext(t), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits)
		return err == nil && waits == n
	})
}

// A new version is filled while the old one serves, and begins where it is.
func TestANewVersionIsFilledBeforehand(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(30)
	old := s.project(pool, tally)
	old.reach(s.append(s.store, w.log[:20]...))
	newer, applied := counting(tally)
	newer.Version++
	if done, err := rebuild(pool, s.store, newer).Run(testContext(t)); err != nil || done.Replaced || done.Events != 20 {
		t.Fatalf("%+v: %v", done, err)
	}
	old.reach(s.append(s.store, w.log[20:25]...)) // the old one serves on
	old.stop()
	applied.Store(0)
	r := s.project(pool, newer)
	r.reach(s.append(s.store, w.log[25:]...))
	if n := applied.Load(); n != 10 {
		t.Errorf("the new version had to take in %d events at its start, want 10", n)
	}
	same(t, "the tally", []string{"(30)"}, dump(t, pool, newer)["tally"])
	same(t, "the old tally", []string{"(25)"}, dump(t, pool, tally)["tally"])
}

// What was filled beforehand is brought up to the end once more, and beside a
// projector that does so itself there is nothing to be done.
func TestRowsAreCaughtUp(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	w := some(30)
	if _, err := rebuild(pool, s.store, tally).CatchUp(testContext(t)); !errors.Is(err, projections.ErrNotBuilt) {
		t.Errorf("of nothing: %v", err)
	}
	s.append(s.store, w.log[:20]...)
	if _, err := rebuild(pool, s.store, tally).Run(testContext(t)); err != nil {
		t.Fatal(err)
	}
	s.append(s.store, w.log[20:25]...)
	for _, want := range []int{5, 0} {
		if done, err := rebuild(pool, s.store, tally).CatchUp(testContext(t)); err != nil || done.Events != want || done.Replaced {
			t.Errorf("%+v: %v, want %d events", done, err, want)
		}
	}
	r := s.project(pool, tally)
	last := s.append(s.store, w.log[25:]...)
	if _, err := rebuild(pool, s.store, tally).CatchUp(testContext(t)); err != nil {
		t.Error(err)
	}
	r.reach(last)
	same(t, "the tally", []string{"(30)"}, dump(t, pool, tally)["tally"])
}

// The log may end with what a read model does not follow, and what this process holds of
// the log may lack it for a moment: it is the end all the same.
func TestRowsAreCaughtUpBehindWhatTheyDoNotFollow(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	other := s.open(catalogue)
	s.append(other, some(1).log...)
	if _, err := rebuild(pool, s.store, tally).Run(testContext(t)); err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	for i := range 100 {
		w.describe(fmt.Sprintf("per_%d", i), owner(0))
		last := s.append(other, w.log[i])
		if done, err := rebuild(pool, s.store, tally).CatchUp(testContext(t)); err != nil || done.Events != 0 || done.Position < int64(last) {
			t.Fatalf("%+v: %v, want the position %d", done, err, last)
		}
	}
}

// A rebuild that is interrupted leaves what serves alone, and the next one goes
// on where it was.
func TestAnInterruptedRebuildIsResumed(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	r := s.project(pool, tally)
	last := s.append(s.store, some(1500).log...)
	r.reach(last)
	ctx, cancel := context.WithCancel(testContext(t))
	first := rebuild(pool, s.store, tally)
	first.Progress = func(p projections.Progress) {
		if p.Events > 0 {
			cancel()
		}
	}
	if _, err := first.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	same(t, "the tally", []string{"(1500)"}, dump(t, pool, tally)["tally"])
	var half int
	if err := pool.QueryRow(testContext(t), `SELECT n FROM `+schemaOf(tally)+`_rebuild.tally`).Scan(&half); err != nil || half == 0 || half == 1500 {
		t.Fatalf("half-filled with %d: %v", half, err)
	}
	done, err := rebuild(pool, s.store, tally).Run(testContext(t))
	if err != nil || !done.Resumed || done.Events != 1500-half {
		t.Fatalf("%+v after %d: %v", done, half, err)
	}
	same(t, "the tally", []string{"(1500)"}, dump(t, pool, tally)["tally"])
	same(t, "schemas", []string{schemaOf(tally)}, schemas(t, pool))
}

func TestTwoRebuildsExcludeEachOther(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	s.append(s.store, some(3).log...)
	tried := false
	first := rebuild(pool, s.store, tally)
	first.Progress = func(projections.Progress) {
		if tried {
			return
		}
		tried = true
		if _, err := rebuild(pool, s.store, tally).Run(testContext(t)); !errors.Is(err, projections.ErrRebuilding) {
			t.Errorf("a second one: %v", err)
		}
		half := projections.Stored{Schema: schemaOf(tally) + "_rebuild", Projection: tally.Name, Version: tally.Version, Suffix: "_rebuild"}
		if err := projections.Drop(testContext(t), pool, half); !errors.Is(err, projections.ErrRebuilding) {
			t.Errorf("dropping what is being filled: %v", err)
		}
	}
	if _, err := first.Run(testContext(t)); err != nil || !tried {
		t.Fatal(err)
	}
}

// A rebuild that meets an event it cannot apply names it and changes nothing.
func TestARebuildStopsAtPoison(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	r := s.project(pool, tally)
	last := s.append(s.store, some(5).log...)
	r.reach(last)
	spoiled := tally
	spoiled.Apply = func(_ context.Context, _ pgx.Tx, events []domain.Recorded) error {
		if events[len(events)-1].Position == last {
			return &projections.ApplyError{Cause: errors.New("a column is too narrow")}
		}
		return nil
	}
	_, err := rebuild(pool, s.store, spoiled).Run(testContext(t))
	var poison *projections.PoisonError
	if !errors.As(err, &poison) || poison.Event.Stream != testrun.Stream(testID(4)) {
		t.Errorf("it ended with %v", err)
	}
	same(t, "the tally", []string{"(5)"}, dump(t, pool, tally)["tally"])
}

// What a projector stopped at, and what it passed, is beside its position, for
// other processes to read.
func TestStopsAndUnknownEventsAreKept(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	newer := s.open([]domain.Entry{domain.Recordable[renamed]()})
	s.append(newer, domain.Recorded{ID: domain.DeriveUUID("n"), Stream: "session-newer", Event: renamed{"x"}})
	refused, healed := s.project(pool, sessions.Projection), false
	s.append(s.store, refusedByPostgres()...)
	if err := refused.end(); err == nil {
		t.Fatal("the poison was swallowed")
	}
	state, err := projections.ReadState(testContext(t), pool, sessions.Projection)
	if err != nil || state.Unknown != 1 || !strings.Contains(state.Stopped, "session.queued.v1 of stream session-ses_2") {
		t.Errorf("%+v: %v", state, err)
	}
	// A program that can apply it goes on, and the stop is history.
	mended := sessions.Projection
	mended.Apply = func(context.Context, pgx.Tx, []domain.Recorded) error { healed = true; return nil }
	r := s.project(pool, mended)
	r.reach(s.append(s.store, domain.Recorded{ID: domain.DeriveUUID("after"), Stream: "session-after", Event: some(1).log[0].Event}))
	if state, err = projections.ReadState(testContext(t), pool, sessions.Projection); err != nil || state.Stopped != "" || state.Unknown != 1 || !healed {
		t.Errorf("after it was mended: %+v: %v", state, err)
	}
}

func TestOnlyWhatNobodyAsksForIsSuperseded(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	ctx := testContext(t)
	for _, schema := range []string{
		"rm_tally_v1", "rm_tally_v2", "rm_tally_v2_rebuild", "rm_tally_v3", "rm_tally_v3_rebuild", "rm_tally_v3_replaced", "rm_tally_v4",
		"rm_tally_v4_rebuild", "rm_later_v1", "rm_absent_v1", "rm_tallyx", "ops_rm_tally_v1",
	} {
		if _, err := pool.Exec(ctx, `CREATE SCHEMA `+schema+`; CREATE TABLE `+schema+`.t AS SELECT generate_series(1, 1000)`); err != nil {
			t.Fatal(err)
		}
	}
	present := []projections.Projection{{Name: "tally", Version: 3}, {Name: "absent", Version: 2}}
	stored, err := projections.ReadStored(ctx, pool)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range projections.Superseded(stored, present) {
		names = append(names, s.Schema)
		if s.Bytes < 8192 {
			t.Errorf("%s has %d bytes", s.Schema, s.Bytes)
		}
		if err := projections.Drop(ctx, pool, s); err != nil {
			t.Error(err)
		}
	}
	same(t, "superseded", []string{"rm_tally_v1", "rm_tally_v2", "rm_tally_v2_rebuild", "rm_tally_v3_rebuild", "rm_tally_v3_replaced"}, names)
	same(t, "left", []string{"rm_absent_v1", "rm_later_v1", "rm_tally_v3", "rm_tally_v4", "rm_tally_v4_rebuild"}, schemas(t, pool))
}

func TestAProcessOfOtherVersionsIsNoticed(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	connect := func(name string) *pgx.Conn {
		cfg, err := pgx.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		cfg.RuntimeParams["application_name"] = name
		conn, err := pgx.ConnectConfig(testContext(t), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(testContext(t)) })
		return conn
	}
	changed := tally
	changed.Version++
	ours, same := connect("psql"), projections.ClientName([]projections.Projection{tally, tests.Projection})
	connect(same)
	if err := projections.CheckUnused(testContext(t), ours, []projections.Projection{tests.Projection, tally}); err != nil {
		t.Errorf("beside a process of the same versions: %v", err)
	}
	for _, name := range []string{"understudy", projections.ClientName([]projections.Projection{changed, tests.Projection})} {
		other := connect(name)
		if err := projections.CheckUnused(testContext(t), ours, []projections.Projection{tests.Projection, tally}); !errors.Is(err, projections.ErrInUse) {
			t.Errorf("beside %q: %v", name, err)
		}
		if err := other.Close(testContext(t)); err != nil {
			t.Error(err)
		}
		eventually(t, "the connection is gone", func() bool {
			return projections.CheckUnused(testContext(t), ours, []projections.Projection{tests.Projection, tally}) == nil
		})
	}
}
