package comparisons

import (
	"context"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("comparisons", version) + ".comparisons"

// Get reads one comparison.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	return projections.Get[Document](ctx, q, qualified, "doc", id, owner)
}

// List reads comparisons, newest first; status and testID, of either side, narrow
// the list when not empty.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, status, testID string, created projections.Created, after string, limit int) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, after, limit, append(created.In("created_at"),
		projections.IfGiven("status = ?", status),
		projections.IfGiven("? IN (test_a, test_b)", testID))...)
}
