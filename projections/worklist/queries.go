package worklist

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/projections"
)

var qualified = projections.PostgresSchema("worklist", version) + ".items"

// Item is a piece of work.
type Item struct {
	Stream      string
	Kind        Kind
	Environment domain.Environment
	TestID      string
	// Attempt is how often it has been begun (sessions) or tried (deliveries).
	Attempt int
	DueAt   time.Time
}

// LeaseName names the lease on an item.
func (i Item) LeaseName() string { return string(i.Kind) + ":" + i.Stream }

// Due reads work of a kind that is due and that nobody holds a lease on. The
// first sessions of every test come before the second ones of any, so that a
// large test does not hold up a small one.
//
// Leases are few, items may be ten thousand: the names that are held are read
// first, so that the items are read in the order of their index and no more of
// them than are asked for, whatever the planner thinks of either table.
func Due(ctx context.Context, q projections.Querier, kind Kind, env domain.Environment, limit int) ([]Item, error) {
	rows, err := q.Query(ctx, `SELECT stream, kind, environment, test_id, attempt, due_at FROM `+qualified+` i
		WHERE kind = $1 AND environment = $2 AND due_at <= now()
		AND i.kind || ':' || i.stream <> ALL (ARRAY(SELECT name FROM ops.leases WHERE expires_at > now()))
		ORDER BY ord, due_at LIMIT $3`, string(kind), string(env), limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Item, err error) {
		return i, row.Scan(&i.Stream, (*string)(&i.Kind), (*string)(&i.Environment), &i.TestID, &i.Attempt, &i.DueAt)
	})
}

// Endpoint is a delivery that is due, and the endpoint it goes to.
type Endpoint struct {
	Item
	WebhookID string
}

// DueDeliveries is Due for deliveries of both environments, the longest due
// first, without those to the endpoints in exclude.
func DueDeliveries(ctx context.Context, q projections.Querier, limit int, exclude []string) ([]Endpoint, error) {
	rows, err := q.Query(ctx, `SELECT stream, kind, environment, test_id, attempt, due_at, lane FROM `+qualified+` i
		WHERE kind = $1 AND due_at <= now() AND NOT lane = ANY(coalesce($2::text[], '{}'))
		AND NOT EXISTS (SELECT FROM ops.leases l WHERE l.name = i.kind || ':' || i.stream AND l.expires_at > now())
		ORDER BY due_at LIMIT $3`, string(Deliver), exclude, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Endpoint, err error) {
		return e, row.Scan(&e.Stream, (*string)(&e.Kind), (*string)(&e.Environment), &e.TestID, &e.Attempt, &e.DueAt, &e.WebhookID)
	})
}

// NextDelivery is when the next delivery that is not yet due will be; zero
// when there is none.
func NextDelivery(ctx context.Context, q projections.Querier) (time.Time, error) {
	var at *time.Time
	err := q.QueryRow(ctx, `SELECT min(due_at) FROM `+qualified+` WHERE kind = $1 AND due_at > now()`, string(Deliver)).Scan(&at)
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// NextDue is when the next work of a kind that is not yet due will be; zero
// when there is none.
func NextDue(ctx context.Context, q projections.Querier, kind Kind, env domain.Environment) (time.Time, error) {
	var at *time.Time
	err := q.QueryRow(ctx, `SELECT min(due_at) FROM `+qualified+` WHERE kind = $1 AND environment = $2 AND due_at > now()`,
		string(kind), string(env)).Scan(&at)
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// Waiting counts the sessions of an environment that have not ended.
func Waiting(ctx context.Context, q projections.Querier, env domain.Environment) (int, error) {
	var n int
	err := q.QueryRow(ctx, `SELECT count(*) FROM `+qualified+` WHERE kind = $1 AND environment = $2`,
		string(Session), string(env)).Scan(&n)
	return n, err
}

// Gone reads which of these streams have no work of the kind on the list.
func Gone(ctx context.Context, q projections.Querier, kind Kind, streams []string) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT s FROM unnest($2::text[]) s
		WHERE NOT EXISTS (SELECT FROM `+qualified+` i WHERE i.stream = s AND i.kind = $1)`, string(kind), streams)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
