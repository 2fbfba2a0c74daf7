package deliveries

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/webhook"
	"understudy/projections"
)

var qualified = projections.PostgresSchema("deliveries", version) + ".deliveries"

// Get reads one delivery with its attempts.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	return projections.Get[Document](ctx, q, qualified, "doc", id, owner)
}

// Query selects a page of an endpoint's deliveries; zero fields do not filter.
type Query struct {
	WebhookID                   string
	Status, Event, TestID       string
	CreatedAfter, CreatedBefore time.Time
	// After is the id of the last delivery of the page before.
	After string
	Limit int
}

// List reads the deliveries of an endpoint, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, by Query) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, by.After, by.Limit,
		projections.Filter{Condition: "webhook_id = ?", Value: by.WebhookID},
		projections.IfGiven("status = ?", by.Status),
		projections.IfGiven("event = ?", by.Event),
		projections.IfGiven("test_id = ?", by.TestID),
		projections.IfGiven("created_at > ?", by.CreatedAfter),
		projections.IfGiven("created_at < ?", by.CreatedBefore))
}

// Replay selects what a replay makes again: of the deliveries of an endpoint
// that were scheduled in a time, both ends included, those that stood as Which
// says at a position of the log. Of a message that was replayed before only the
// last delivery counts, so that a second replay of what failed does not send
// again what has arrived since. Pings, and what was still under way, are left
// out.
//
// A delivery that has ended never changes, and Position cuts off all that came
// later: once the read model has come to Position, the selection is the same
// whenever it is read.
type Replay struct {
	WebhookID string
	From, To  time.Time
	Which     webhook.Which
	Position  uint64
}

// statuses are those that a replay takes, by what it is asked for.
var statuses = map[webhook.Which][]string{
	webhook.Failed:      {string(delivery.StatusAbandoned)},
	webhook.Skipped:     {string(delivery.StatusSkipped)},
	webhook.Undelivered: {string(delivery.StatusAbandoned), string(delivery.StatusSkipped)},
	webhook.All:         {string(delivery.StatusAbandoned), string(delivery.StatusSkipped), string(delivery.StatusDelivered)},
}

func (r Replay) selected() (from string, args []any) {
	return ` FROM ` + qualified + ` d WHERE d.webhook_id = $1 AND d.created_at BETWEEN $2 AND $3
		AND d.status = ANY($4) AND d.event <> $5 AND d.position <= $6 AND NOT EXISTS (
			SELECT FROM ` + qualified + ` later
			WHERE later.message_id = d.message_id AND later.scheduled > d.scheduled AND later.scheduled <= $6)`,
		[]any{r.WebhookID, r.From, r.To, statuses[r.Which], process.PingName, int64(r.Position)}
}

// CountReplay counts what a replay makes again.
func CountReplay(ctx context.Context, q projections.Querier, r Replay) (n int, err error) {
	from, args := r.selected()
	return n, q.QueryRow(ctx, `SELECT count(*)`+from, args...).Scan(&n)
}

// ReplayPage reads the ids of what a replay makes again, oldest first, at most
// limit of them after the id after.
func ReplayPage(ctx context.Context, q projections.Querier, r Replay, after string, limit int) ([]string, error) {
	from, args := r.selected()
	rows, err := q.Query(ctx, `SELECT d.id`+from+` AND d.id > $7 ORDER BY d.id LIMIT $8`, append(args, after, limit)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Waiting reads the ids of the deliveries to an endpoint that wait for a retry
// which is due after a time, oldest first, at most limit of them after the id
// after. One that is due is not among them: whoever makes the attempt finds out
// how the endpoint stands.
func Waiting(ctx context.Context, q projections.Querier, webhookID string, at time.Time, after string, limit int) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT id FROM `+qualified+` WHERE webhook_id = $1 AND status = $2 AND id > $3
		AND (doc->>'next_attempt_at')::timestamptz > $4 ORDER BY id LIMIT $5`, webhookID, string(delivery.Pending), after, at, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
