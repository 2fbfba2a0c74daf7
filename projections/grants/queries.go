package grants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain/oauthclient"
	"understudy/projections"
)

var (
	grants  = projections.PostgresSchema("grants", version) + ".grants"
	clients = projections.PostgresSchema("grants", version) + ".clients"
)

// Get reads a grant of a person.
func Get(ctx context.Context, q projections.Querier, id, userID string, owner projections.Owner) (projections.Document[Grant], error) {
	docs, _, err := projections.ListOwned[Grant](ctx, q, grants, owner, "", 1,
		projections.Filter{Condition: "id = ?", Value: id}, projections.Filter{Condition: "user_id = ?", Value: userID})
	if err != nil {
		return projections.Document[Grant]{}, err
	}
	if len(docs) == 0 {
		return projections.Document[Grant]{}, projections.NotFound(id)
	}
	return docs[0], nil
}

// List reads the grants of a person whose codes were exchanged and that count at a
// time, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, userID string, at time.Time, after string, limit int) ([]projections.Document[Grant], bool, error) {
	return projections.ListOwned[Grant](ctx, q, grants, owner, after, limit,
		projections.Filter{Condition: "user_id = ?", Value: userID}, projections.Filter{Condition: "redeemed AND NOT revoked AND ends_at > ?", Value: at},
		projections.Filter{Condition: "client_id NOT IN (SELECT id FROM " + clients + " WHERE deleted = ?)", Value: true})
}

// ClientNames reads what clients are called, deleted ones included.
func ClientNames(ctx context.Context, q projections.Querier, ids []string) (map[string]string, error) {
	rows, err := q.Query(ctx, `SELECT id, name FROM `+clients+` WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(ids))
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	return names, err
}

// OfClient reads the ids of a client's grants that were not revoked.
func OfClient(ctx context.Context, q projections.Querier, clientID string) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT id FROM `+grants+` WHERE client_id = $1 AND NOT revoked ORDER BY id`, clientID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Unrevoked reads the grants in an organization that were not revoked, of one person, or
// of everybody for "".
func Unrevoked(ctx context.Context, q projections.Querier, organizationID, userID string) ([]Grant, error) {
	rows, err := q.Query(ctx, `SELECT doc FROM `+grants+` WHERE organization_id = $1 AND ($2 = '' OR user_id = $2) AND NOT revoked ORDER BY id`, organizationID, userID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (g Grant, err error) {
		var doc []byte
		if err = row.Scan(&doc); err == nil {
			err = json.Unmarshal(doc, &g)
		}
		return g, err
	})
}

// Find reads a grant by its id alone, one whose client was deleted, which the command line never is, as a revoked one.
// Only who holds a token of it may be told.
func Find(ctx context.Context, q projections.Querier, id string) (g Grant, err error) {
	var doc []byte
	var deleted bool
	err = q.QueryRow(ctx, `SELECT g.doc, coalesce(c.deleted, g.client_id <> $2) FROM `+grants+` g LEFT JOIN `+clients+` c ON c.id = g.client_id WHERE g.id = $1`, id, oauthclient.CommandLine.ClientID).Scan(&doc, &deleted)
	if errors.Is(err, pgx.ErrNoRows) {
		return g, projections.NotFound(id)
	}
	if err == nil {
		err = json.Unmarshal(doc, &g)
	}
	if err != nil {
		return g, fmt.Errorf("find grant: %w", err)
	}
	g.Revoked = g.Revoked || deleted
	return g, nil
}
