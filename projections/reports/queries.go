package reports

import (
	"context"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("reports", version) + ".reports"

// Get reads one report.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	return projections.Get[Document](ctx, q, qualified, "doc", id, owner)
}

// List reads reports, newest first; testID narrows the list when not empty.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, testID string, created projections.Created, after string, limit int) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, after, limit, append(created.In("created_at"), projections.IfGiven("test_id = ?", testID))...)
}
