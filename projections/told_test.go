package projections_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/projections"
	"understudy/projections/tests"
	"understudy/test/patience"
)

// trips are the round trips of a pool's connections, each as the statements in it.
type trips struct {
	mu   sync.Mutex
	made []string
}

func (r *trips) note(statements string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, statements)
}

// since are the trips from the first that has a text on.
func (r *trips) since(text string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := slices.IndexFunc(r.made, func(s string) bool { return strings.Contains(s, text) })
	if first < 0 {
		return nil
	}
	return slices.Clone(r.made[first:])
}

func (r *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	r.note(q.SQL)
	return ctx
}

func (*trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	var all []string
	for _, q := range b.Batch.QueuedQueries {
		all = append(all, q.SQL)
	}
	r.note(strings.Join(all, "; "))
	return ctx
}

func (*trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// traced is another pool of a pool's database.
func traced(t *testing.T, pool *pgxpool.Pool) (*pgxpool.Pool, *trips) {
	t.Helper()
	made, cfg := new(trips), pool.Config()
	cfg.ConnConfig.Tracer = made
	other, err := pgxpool.NewWithConfig(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	return other, made
}

func TestABatchWithoutKnownEventsIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	s, pool := startServer(t), pgtest.Pool(t)
	last := s.append(s.store, some(1).log...)
	other, made := traced(t, pool)
	s.projectFrom(s.open(nil), other, tests.Projection).reach(last)
	if got := made.since("SET position"); len(got) != 1 {
		t.Errorf("%d round trips: %q", len(got), got)
	}
	if at := position(t, pool, tests.Projection); at != int64(last) {
		t.Errorf("the stored position is %d, want %d", at, last)
	}
}

// TestOthersHearOfWhatIsCommitted: of every batch, with known events and without, but
// of none that another projector had the position of.
func TestOthersHearOfWhatIsCommitted(t *testing.T) {
	t.Parallel()
	for name, known := range map[string][]domain.Entry{"known events": catalogue, "unknown events": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pool := startServer(t), pgtest.Pool(t)
			ctx := testContext(t)
			listener, err := pool.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Release()
			if _, err := listener.Exec(ctx, `LISTEN understudy_read_models`); err != nil {
				t.Fatal(err)
			}
			w, p := some(3), tests.Projection
			first := s.append(s.store, w.log[0])
			positions := projections.NewPositions()
			projector := projections.Projector{
				Projection: p, Pool: pool, Log: s.open(known), Positions: positions, Logger: slog.New(slog.DiscardHandler), Tell: true,
			}
			running, stop := context.WithCancel(ctx)
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- projector.Run(running) }()
			if err := positions.Wait(ctx, p.Name, first); err != nil {
				t.Fatal(err)
			}
			const elsewhere = 1 << 40
			if _, err := pool.Exec(ctx, `UPDATE `+schemaOf(p)+`.projector SET position = $1`, int64(elsewhere)); err != nil {
				t.Fatal(err)
			}
			s.append(s.store, w.log[1])
			if err := positions.Wait(ctx, p.Name, elsewhere); err != nil {
				t.Fatal(err)
			}
			stop()
			if err := patience.Receive(t, limit, "the end of the projector", ended); err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(ctx, `SELECT pg_notify('understudy_read_models', 'end')`); err != nil {
				t.Fatal(err)
			}
			var heard []string
			for len(heard) == 0 || heard[len(heard)-1] != "end" {
				n, err := listener.Conn().WaitForNotification(ctx)
				if err != nil {
					t.Fatal(err)
				}
				heard = append(heard, n.Payload)
			}
			want := []string{fmt.Sprintf(`{"name":"tests","position":%d}`, first), "end"}
			if diff := cmp.Diff(want, heard); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}
