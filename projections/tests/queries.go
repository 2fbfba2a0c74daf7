package tests

import (
	"context"
	"encoding/json"
	"time"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("tests", version) + ".tests"

// Get reads one test.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document, error) {
	return projections.Get(ctx, q, qualified, "doc", id, owner)
}

// Query narrows a list of tests; zero values do not.
type Query struct {
	Status        string
	CreatedAfter  time.Time
	CreatedBefore time.Time
	After         string // id of the last test of the page before
	Limit         int
}

// List reads tests, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, query Query) ([]projections.Document, bool, error) {
	filters := []projections.Filter{
		{Condition: "organization_id = ?", Value: owner.OrganizationID},
		{Condition: "environment = ?", Value: string(owner.Environment)},
	}
	if query.Status != "" {
		filters = append(filters, projections.Filter{Condition: "status = ?", Value: query.Status})
	}
	if !query.CreatedAfter.IsZero() {
		filters = append(filters, projections.Filter{Condition: "created_at > ?", Value: query.CreatedAfter})
	}
	if !query.CreatedBefore.IsZero() {
		filters = append(filters, projections.Filter{Condition: "created_at < ?", Value: query.CreatedBefore})
	}
	var after any
	if query.After != "" {
		after = query.After
	}
	docs, _, more, err := projections.List(ctx, q, qualified, "doc", filters, projections.Order{Column: "id"}, after, query.Limit)
	return docs, more, err
}

// Stored is the document of a row, byte for byte as Get would read it.
func Stored(r Row) (json.RawMessage, error) { return table.Stored(r, "doc") }
