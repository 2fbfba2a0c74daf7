package tests

import (
	"context"
	"time"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("tests", version) + ".tests"

// Get reads one test.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	return projections.Get[Document](ctx, q, qualified, "doc", id, owner)
}

// Open is what an owner has that has not ended.
type Open struct{ Tests, Sessions int }

// CountOpen counts the tests that have not ended and the sessions that they have yet
// to walk, without those with the ids.
func CountOpen(ctx context.Context, q projections.Querier, owner projections.Owner, without []string) (open Open, err error) {
	err = q.QueryRow(ctx, `SELECT count(*), coalesce(sum((doc->>'sessions_total')::int - (doc->>'sessions_completed')::int), 0) FROM `+qualified+`
		WHERE status = 'running' AND organization_id = $1 AND environment = $2 AND id <> ALL ($3)`,
		owner.OrganizationID, string(owner.Environment), without).Scan(&open.Tests, &open.Sessions)
	return open, err
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
func List(ctx context.Context, q projections.Querier, owner projections.Owner, query Query) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, query.After, query.Limit,
		projections.IfGiven("status = ?", query.Status),
		projections.IfGiven("created_at > ?", query.CreatedAfter),
		projections.IfGiven("created_at < ?", query.CreatedBefore))
}
