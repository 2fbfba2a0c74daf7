package reports

import (
	"context"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("reports", version) + ".reports"

// Get reads one report.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document, error) {
	return projections.Get(ctx, q, qualified, "doc", id, owner)
}

// List reads reports, newest first; testID narrows the list when not empty.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, testID, after string, limit int) ([]projections.Document, bool, error) {
	filters := []projections.Filter{
		{Condition: "organization_id = ?", Value: owner.OrganizationID},
		{Condition: "environment = ?", Value: string(owner.Environment)},
	}
	if testID != "" {
		filters = append(filters, projections.Filter{Condition: "test_id = ?", Value: testID})
	}
	var from any
	if after != "" {
		from = after
	}
	docs, _, more, err := projections.List(ctx, q, qualified, "doc", filters, projections.Order{Column: "id"}, from, limit)
	return docs, more, err
}
