package webhooks

import (
	"context"

	"github.com/jackc/pgx/v5"

	"understudy/domain/webhook"
	"understudy/projections"
)

var (
	qualified = projections.PostgresSchema("webhooks", version) + ".webhooks"
	states    = projections.PostgresSchema("webhooks", version) + ".states"
)

// Get reads one endpoint; a deleted one is not found.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	docs, _, err := list(ctx, q, owner, "", 1, projections.Filter{Condition: "id = ?", Value: id})
	if err != nil {
		return projections.Document[Document]{}, err
	}
	if len(docs) == 0 {
		return projections.Document[Document]{}, projections.NotFound(id)
	}
	return docs[0], nil
}

// Known returns nil for an endpoint that is or was there, deleted ones included.
func Known(ctx context.Context, q projections.Querier, id string, owner projections.Owner) error {
	_, err := projections.Get[Document](ctx, q, qualified, "doc", id, owner)
	return err
}

// List reads the endpoints that are not deleted, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, created projections.Created, after string, limit int) ([]projections.Document[Document], bool, error) {
	return list(ctx, q, owner, after, limit, created.In("(doc->>'created_at')::timestamptz")...)
}

// Count counts the endpoints that are not deleted, without the one with an id.
func Count(ctx context.Context, q projections.Querier, owner projections.Owner, without string) (int, error) {
	return projections.CountOwned(ctx, q, qualified, owner,
		projections.Filter{Condition: "status <> ?", Value: string(webhook.StatusDeleted)}, projections.Filter{Condition: "id <> ?", Value: without})
}

func list(ctx context.Context, q projections.Querier, owner projections.Owner, after string, limit int, more ...projections.Filter) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, after, limit,
		append(more, projections.Filter{Condition: "status <> ?", Value: string(webhook.StatusDeleted)})...)
}

// Endpoint is an endpoint as it stood at a position.
type Endpoint struct {
	ID     string
	Status webhook.Status
}

// Subscribed reads the endpoints of an owner that were subscribed to an event
// at a position of the log, disabled ones included, deleted ones not.
func Subscribed(ctx context.Context, q projections.Querier, owner projections.Owner, event string, position uint64) ([]Endpoint, error) {
	rows, err := q.Query(ctx, `SELECT webhook_id, status FROM (
			SELECT DISTINCT ON (webhook_id) webhook_id, status, events FROM `+states+`
			WHERE organization_id = $1 AND environment = $2 AND position <= $3
			ORDER BY webhook_id, position DESC) as_of
		WHERE status <> $4 AND $5 = ANY(events) ORDER BY webhook_id`,
		owner.OrganizationID, string(owner.Environment), int64(position), string(webhook.StatusDeleted), event)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Endpoint, err error) {
		return e, row.Scan(&e.ID, (*string)(&e.Status))
	})
}

// Revisions reads the last revision that is shown of each endpoint, deleted ones
// included.
func Revisions(ctx context.Context, q projections.Querier, ids []string) (map[string]uint64, error) {
	rows, err := q.Query(ctx, `SELECT id, revision FROM `+qualified+` WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]uint64, len(ids))
	var id string
	var revision int64
	_, err = pgx.ForEachRow(rows, []any{&id, &revision}, func() error {
		out[id] = uint64(revision)
		return nil
	})
	return out, err
}
