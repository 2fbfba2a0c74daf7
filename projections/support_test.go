package projections_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/process"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/readmodels"
	"understudy/test/patience"
)

func TestMain(m *testing.M) {
	// Each of rapid's checks fills whole schemas. A flag on the command line wins.
	if err := flag.Set("rapid.checks", "5"); err != nil {
		panic(err)
	}
	pgtest.Main(m)
}

// tb is a test or one of rapid's.
type tb interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(f func())
}

// limit bounds every wait of these tests, on an idle machine.
const limit = 20 * time.Second

// every read model there is.
var every = readmodels.All()

var catalogue = process.Catalogue()

func testContext(t tb) context.Context {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), 3*limit)
	t.Cleanup(cancel)
	return ctx
}

// server is a real node with an empty log.
type server struct {
	t      *testing.T
	socket string
	store  *eventstore.Store
}

func startServer(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{t: t, socket: filepath.Join(dir, "es.sock")}
	n, err := node.Start(context.Background(), node.Options{Dir: filepath.Join(dir, "log"), Socket: s.socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	s.store = s.open(catalogue)
	return s
}

// open is a connection of a program that knows these events.
func (s *server) open(known []domain.Entry) *eventstore.Store {
	s.t.Helper()
	store, err := eventstore.Open(eventstore.Config{Socket: s.socket, Codec: eventstore.NewCodec(known), CallTimeout: patience.Scaled(limit)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := store.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return store
}

// append records events one by one, each in its stream, and gives the position
// of the last one.
func (s *server) append(store *eventstore.Store, events ...domain.Recorded) (position uint64) {
	s.t.Helper()
	for _, e := range events {
		expected := eventstore.NoStream()
		if e.Revision > 0 {
			expected = eventstore.Revision(e.Revision - 1)
		}
		appended, err := store.Append(testContext(s.t), e.Stream, expected, []eventstore.Pending{{ID: e.ID, Event: e.Event, Meta: e.Meta}})
		if err != nil {
			s.t.Fatal(err)
		}
		position = appended.Position
	}
	return position
}

// running is a projector that works beside a test.
type running struct {
	t         *testing.T
	name      string
	positions *projections.Positions
	stop      func()
	ended     chan error
}

func (s *server) project(pool *pgxpool.Pool, p projections.Projection) *running {
	s.t.Helper()
	return s.projectFrom(s.store, pool, p)
}

func (s *server) projectFrom(log projections.Log, pool *pgxpool.Pool, p projections.Projection) *running {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: s.t, name: p.Name, positions: projections.NewPositions(), ended: make(chan error, 1)}
	projector := &projections.Projector{
		Projection: p, Pool: pool, Log: log, Positions: r.positions, Logger: slog.New(slog.DiscardHandler),
	}
	go func() { r.ended <- projector.Run(ctx) }()
	stopped := false
	r.stop = func() {
		cancel()
		if !stopped {
			stopped = true
			_ = r.end() // tests that expect an error ask for it
		}
	}
	s.t.Cleanup(r.stop)
	return r
}

// end waits for the projector's end and gives its error.
func (r *running) end() error {
	r.t.Helper()
	err := patience.Receive(r.t, limit, "the end of projector "+r.name, r.ended)
	r.ended <- err
	return err
}

// reach waits until the projector has committed position.
func (r *running) reach(position uint64) {
	r.t.Helper()
	ctx, cancel := patience.Context(context.Background(), limit)
	defer cancel()
	if err := r.positions.Wait(ctx, r.name, position); err != nil {
		r.t.Fatalf("projection %s is at %d, not at %d: %v %v", r.name, r.positions.At(context.Background(), r.name), position, err, r.positions.Stopped())
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	patience.Eventually(t, limit, what, condition)
}

// apply gives events to a projection the way the projector does, in batches of
// these sizes (the last one again and again), in a transaction that is not
// committed, and tells all rows of all tables.
func apply(t tb, pool *pgxpool.Pool, p projections.Projection, events []domain.Recorded, sizes ...int) (rows map[string][]string) {
	t.Helper()
	ctx := testContext(t)
	tx, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(ctx); err != nil {
			t.Error(err)
		}
	}()
	use(t, tx, p)
	for len(events) > 0 {
		n := min(sizes[0], len(events))
		if len(sizes) > 1 {
			sizes = sizes[1:]
		}
		if err := p.Apply(ctx, tx, events[:n]); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		events = events[n:]
	}
	return dump(t, tx, p)
}

// fill commits events to the tables of a projection.
func fill(t *testing.T, pool *pgxpool.Pool, p projections.Projection, events []domain.Recorded) {
	t.Helper()
	ctx := testContext(t)
	if err := projections.Prepare(ctx, pool, p); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		use(t, tx, p)
		return p.Apply(ctx, tx, followed(p, events))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func schemaOf(p projections.Projection) string { return projections.PostgresSchema(p.Name, p.Version) }

func use(t tb, tx pgx.Tx, p projections.Projection) {
	t.Helper()
	if _, err := tx.Exec(testContext(t), `SET LOCAL search_path TO `+schemaOf(p)); err != nil {
		t.Fatal(err)
	}
}

// dump tells all rows of all tables of a projection but its position.
func dump(t tb, q projections.Querier, p projections.Projection) map[string][]string {
	t.Helper()
	ctx := testContext(t)
	list := func(sql string, args ...any) []string {
		rows, err := q.Query(ctx, sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	tables := map[string][]string{}
	for _, name := range list(`SELECT tablename::text FROM pg_tables WHERE schemaname = $1`, schemaOf(p)) {
		if name != "projector" {
			tables[name] = list(fmt.Sprintf(`SELECT r::text FROM %s.%s r ORDER BY 1`, schemaOf(p), name))
		}
	}
	return tables
}

func count(rows map[string][]string) (n int) {
	for table := range maps.Values(rows) {
		n += len(table)
	}
	return n
}

// followed are the events of the streams that a projection follows.
func followed(p projections.Projection, log []domain.Recorded) []domain.Recorded {
	return slices.DeleteFunc(slices.Clone(log), func(e domain.Recorded) bool {
		return !slices.ContainsFunc(p.Prefixes, func(prefix string) bool { return strings.HasPrefix(e.Stream, prefix) })
	})
}

func same[T any](t tb, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
