package clients

import (
	"context"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("clients", version) + ".clients"

// Get reads a client of an organization; a deleted one is not found. Both
// environments see the same clients.
func Get(ctx context.Context, q projections.Querier, id, organizationID string) (projections.Document[Client], error) {
	docs, _, err := list(ctx, q, organizationID, "", 1, projections.Filter{Condition: "id = ?", Value: id})
	if err != nil {
		return projections.Document[Client]{}, err
	}
	if len(docs) == 0 {
		return projections.Document[Client]{}, projections.NotFound(id)
	}
	return docs[0], nil
}

// List reads the clients of an organization that are not deleted, newest first.
func List(ctx context.Context, q projections.Querier, organizationID, after string, limit int) ([]projections.Document[Client], bool, error) {
	return list(ctx, q, organizationID, after, limit)
}

func list(ctx context.Context, q projections.Querier, organizationID, after string, limit int, more ...projections.Filter) ([]projections.Document[Client], bool, error) {
	filters := append(more, projections.Filter{Condition: "organization_id = ?", Value: organizationID},
		projections.Filter{Condition: "deleted = ?", Value: false}, projections.IfGiven("id < ?", after))
	docs, _, again, err := projections.List[Client](ctx, q, qualified, "doc", filters, projections.Order{Column: "id"}, nil, limit)
	return docs, again, err
}
