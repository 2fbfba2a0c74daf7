package comparisons

import (
	"context"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("comparisons", version) + ".comparisons"

// Get reads one comparison.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document, error) {
	return projections.Get(ctx, q, qualified, "doc", id, owner)
}

// List reads comparisons, newest first; status and testID, of either side, narrow
// the list when not empty.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, status, testID, after string, limit int) ([]projections.Document, bool, error) {
	filters := []projections.Filter{
		{Condition: "organization_id = ?", Value: owner.OrganizationID},
		{Condition: "environment = ?", Value: string(owner.Environment)},
	}
	if status != "" {
		filters = append(filters, projections.Filter{Condition: "status = ?", Value: status})
	}
	if testID != "" {
		filters = append(filters, projections.Filter{Condition: "? IN (test_a, test_b)", Value: testID})
	}
	var from any
	if after != "" {
		from = after
	}
	docs, _, more, err := projections.List(ctx, q, qualified, "doc", filters, projections.Order{Column: "id"}, from, limit)
	return docs, more, err
}
