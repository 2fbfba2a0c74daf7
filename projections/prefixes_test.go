package projections_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// What is folded from the log up to any event is what the read model had then,
// byte for byte: answers as of a moment are the answers of that moment.
func TestEveryPrefixFoldsToWhatWasStoredThen(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	for seed := uint64(1); seed <= 3; seed++ {
		log := history(seed)
		prefixes(t, pool, log, tests.Projection, testrun.StreamPrefix, tests.Fold, func(r tests.Row) stored { return stored{"doc": r.Doc} })
		prefixes(t, pool, log, webhooks.Projection, webhook.StreamPrefix, webhooks.Fold, func(r webhooks.Row) stored { return stored{"doc": r.Doc} })
		prefixes(t, pool, log, deliveries.Projection, delivery.StreamPrefix, deliveries.Fold, func(r deliveries.Row) stored { return stored{"doc": r.Doc} })
		prefixes(t, pool, log, sessions.Projection, session.StreamPrefix, sessions.Fold, func(r sessions.Row) stored { return stored{"doc": r.Doc, "trace": r.Trace} })
	}
}

// stored are values of a row by the columns that hold their JSON.
type stored map[string]any

// prefixes applies the events of a log one at a time and holds what each leaves
// in its row against the fold of its stream so far.
func prefixes[R any](t *testing.T, pool *pgxpool.Pool, log []domain.Recorded, p projections.Projection, prefix string,
	fold func(R, domain.Recorded) R, of func(R) stored,
) {
	t.Helper()
	ctx := testContext(t)
	if err := projections.Prepare(ctx, pool, p); err != nil {
		t.Fatal(err)
	}
	tx, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	use(t, tx, p)
	rows, compared := map[string]R{}, 0
	for _, e := range followed(p, log) {
		if err := p.Apply(ctx, tx, []domain.Recorded{e}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(e.Stream, prefix) {
			continue
		}
		rows[e.Stream] = fold(rows[e.Stream], e)
		for column, value := range of(rows[e.Stream]) {
			want, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			var revision int64
			err = tx.QueryRow(ctx, `SELECT `+column+`::text, revision FROM `+p.Name+` WHERE id = $1`, projections.StreamID(e)).Scan(&got, &revision)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) || uint64(revision) != e.Revision {
				t.Fatalf("%s of %s after revision %d (%s) is stored with revision %d as\n%s\nand folded as\n%s",
					column, e.Stream, e.Revision, e.Event.EventType(), revision, got, want)
			}
			compared++
		}
	}
	if compared < 20 {
		t.Errorf("%s: only %d states compared", p.Name, compared)
	}
}

// A log reads the same whatever program has recorded it: the shapes of an older
// one, those of the newest, or both as after an upgrade.
func TestOldShapesReadLikeTheNewest(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= histories; seed++ {
		newest := historyOf(seed, 0)
		same(t, fmt.Sprintf("log %d of an older program", seed), newest, historyOf(seed, commands))
		same(t, fmt.Sprintf("log %d of both", seed), newest, historyOf(seed, commands/2))
	}
}
