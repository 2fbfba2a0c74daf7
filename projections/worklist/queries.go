package worklist

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/projections"
)

var (
	qualified = projections.PostgresSchema("worklist", version) + ".items"
	turns     = projections.PostgresSchema("worklist", version) + ".turns"
)

// Item is a piece of work.
type Item struct {
	Stream      string
	Kind        Kind
	Environment domain.Environment
	TestID      string
	// Attempt is how often it has been begun (sessions) or tried (deliveries).
	Attempt int
	// DueAt is since when it has been due: what is due at once, since it was put
	// on the list.
	DueAt time.Time
	// Traceparent is that of the event that put it on the list.
	Traceparent string
}

// LeaseName names the lease on an item.
func (i Item) LeaseName() string { return string(i.Kind) + ":" + i.Stream }

// Due reads work of a kind that is due and that nobody holds a lease on, by turns:
// whoever has the least under way is next, then whoever was given a session the longest
// ago. Of an organization the first sessions of every test come before the second
// ones of any. So neither a large test holds up a small one, nor an organization
// another.
//
// Leases are few, items may be ten thousand: the names that are held are read
// first, so that the items are read in the order of their index and no more of
// them than are asked for, whatever the planner thinks of either table: a limit
// keeps a question for one item from being joined with all of them. The
// organizations are found by going from each to the next in that index.
func Due(ctx context.Context, q projections.Querier, kind Kind, env domain.Environment, limit int) ([]Item, error) {
	rows, err := q.Query(ctx, `WITH RECURSIVE held AS MATERIALIZED (
			SELECT substr(name, length($1) + 2) AS stream FROM ops.leases WHERE expires_at > now() AND starts_with(name, $1 || ':')
		), owners AS (
			(SELECT organization_id AS id FROM `+qualified+` WHERE kind = $1 AND environment = $2 ORDER BY organization_id LIMIT 1)
			UNION ALL
			SELECT (SELECT organization_id FROM `+qualified+` WHERE kind = $1 AND environment = $2 AND organization_id > o.id
				ORDER BY organization_id LIMIT 1) FROM owners o WHERE o.id IS NOT NULL
		), busy AS (
			SELECT i.organization_id AS id, count(*) AS under_way FROM held CROSS JOIN LATERAL (
				SELECT organization_id FROM `+qualified+` WHERE stream = held.stream LIMIT 1) i GROUP BY 1
		), waiting AS (
			SELECT o.id, coalesce(b.under_way, 0) AS under_way, coalesce(t.position, -1) AS turn
			FROM owners o LEFT JOIN busy b USING (id) LEFT JOIN `+turns+` t ON t.organization_id = o.id AND t.environment = $2
			CROSS JOIN LATERAL (SELECT FROM `+qualified+` i
				WHERE kind = $1 AND environment = $2 AND organization_id = o.id AND (due_at IS NULL OR due_at <= now())
				AND i.stream NOT IN (SELECT stream FROM held)
				ORDER BY ord, listed_at LIMIT 1) due
			ORDER BY 2, 3, 1 LIMIT $3
		)
		SELECT d.stream, d.kind, d.environment, d.test_id, d.attempt, coalesce(d.due_at, d.listed_at), d.traceparent FROM waiting w CROSS JOIN LATERAL (
			SELECT *, row_number() OVER (ORDER BY ord, listed_at) AS place FROM (
				SELECT stream, kind, environment, test_id, attempt, ord, listed_at, due_at, traceparent FROM `+qualified+` i
				WHERE kind = $1 AND environment = $2 AND organization_id = w.id AND (due_at IS NULL OR due_at <= now())
				AND i.stream NOT IN (SELECT stream FROM held)
				ORDER BY ord, listed_at LIMIT $3) first) d
		ORDER BY w.under_way + d.place, w.turn, w.id, d.place LIMIT $3`, string(kind), string(env), limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Item, err error) {
		return i, row.Scan(&i.Stream, (*string)(&i.Kind), (*string)(&i.Environment), &i.TestID, &i.Attempt, &i.DueAt, &i.Traceparent)
	})
}

// Delivery is a delivery that is due.
type Delivery struct {
	Stream, WebhookID, OrganizationID string
	// Attempt is how often it has been tried.
	Attempt int
	// Traceparent is that of the event that scheduled it.
	Traceparent string
}

// turnsAmong is among how many times the limit of those that are due longest
// ClaimDeliveries takes turns.
const turnsAmong = 4

// ClaimDeliveries leases deliveries of both environments that are due to owner
// for ttl: at most limit of them, none to the endpoints or of the organizations
// left out, and none that somebody holds. Organizations take turns, and within
// each its endpoints; of an endpoint's, retries go first, which have their times,
// then those that are due longest. next is when the
// first delivery that is not yet due will be, zero when there is none. What is
// due is Postgres's clock to say, but for first attempts, which are due at once;
// next is the same moment by the clock of this process, which may be off.
//
// It is one transaction in one round trip, as of one moment: nothing falls due
// between its two questions. The leases are those of other work (schema ops).
func ClaimDeliveries(
	ctx context.Context, q interface {
		SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	}, owner string, limit int, ttl time.Duration, withoutEndpoints, withoutOrganizations []string,
) (claimed []Delivery, next time.Time, err error) {
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('synchronous_commit', 'off', true)`)
	batch.Queue(`SELECT extract(epoch FROM min(due_at) - clock_timestamp())::float8 FROM ` + qualified + `
		WHERE kind = 'delivery' AND due_at > now()`).QueryRow(func(row pgx.Row) error {
		var seconds *float64
		err := row.Scan(&seconds)
		if err == nil && seconds != nil {
			next = time.Now().Add(time.Duration(*seconds * float64(time.Second)))
		}
		return err
	})
	const free = ` AND lane <> ALL (coalesce($4::text[], '{}')) AND organization_id <> ALL (coalesce($5::text[], '{}'))
		AND NOT EXISTS (SELECT FROM ops.leases l WHERE l.name = 'delivery:' || i.stream AND l.expires_at > now())`
	batch.Queue(`WITH waiting AS (
			(SELECT stream, organization_id, lane, attempt, listed_at AS since, traceparent FROM `+qualified+` i
			WHERE kind = 'delivery' AND due_at IS NULL`+free+` ORDER BY listed_at LIMIT $6)
			UNION ALL
			(SELECT stream, organization_id, lane, attempt, due_at AS since, traceparent FROM `+qualified+` i
			WHERE kind = 'delivery' AND due_at <= now()`+free+` ORDER BY due_at LIMIT $6)
		), due AS (
			SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY of_lane, since) AS turn FROM (
				SELECT *, row_number() OVER (PARTITION BY lane ORDER BY attempt = 0, since) AS of_lane FROM waiting) w
			ORDER BY turn, since LIMIT $3
		), leased AS (
			INSERT INTO ops.leases AS l (name, owner, expires_at)
			SELECT 'delivery:' || stream, $1, clock_timestamp() + make_interval(secs => $2) FROM due ORDER BY 1
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
			WHERE l.expires_at <= clock_timestamp()
			RETURNING name
		)
		SELECT stream, lane, organization_id, attempt, traceparent FROM due JOIN leased ON name = 'delivery:' || stream ORDER BY turn, since`,
		owner, ttl.Seconds(), limit, withoutEndpoints, withoutOrganizations, turnsAmong*limit).Query(func(rows pgx.Rows) (err error) {
		claimed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Delivery])
		return err
	})
	return claimed, next, q.SendBatch(ctx, &batch).Close()
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
		LEFT JOIN LATERAL (SELECT stream FROM `+qualified+` WHERE stream = s AND kind = $1 LIMIT 1) i ON true
		WHERE i.stream IS NULL`, string(kind), streams)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
