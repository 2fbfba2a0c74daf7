package deliveries

import (
	"context"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("deliveries", version) + ".deliveries"

// Get reads one delivery with its attempts.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document, error) {
	return projections.Get(ctx, q, qualified, "doc", id, owner)
}

// List reads the deliveries of an endpoint, newest first; status narrows the
// list when it is not empty.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, webhookID, status, after string, limit int) ([]projections.Document, bool, error) {
	filters := []projections.Filter{
		{Condition: "webhook_id = ?", Value: webhookID},
		{Condition: "organization_id = ?", Value: owner.OrganizationID},
		{Condition: "environment = ?", Value: string(owner.Environment)},
	}
	if status != "" {
		filters = append(filters, projections.Filter{Condition: "status = ?", Value: status})
	}
	var from any
	if after != "" {
		from = after
	}
	docs, _, more, err := projections.List(ctx, q, qualified, "doc", filters, projections.Order{Column: "id"}, from, limit)
	return docs, more, err
}
