package tests

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

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
	Status, Name  string
	URL, Task     string
	CreatedAfter  time.Time
	CreatedBefore time.Time
	// Text is found in the address, the task or the name, in any case.
	Text  string
	After string // id of the last test of the page before
	Limit int
}

// List reads tests, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, query Query) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, query.After, query.Limit,
		projections.IfGiven("status = ?", query.Status),
		projections.IfGiven("doc->>'name' = ?", query.Name),
		projections.IfGiven("url = ?", hashed(query.URL)),
		projections.IfGiven("task = ?", hashed(query.Task)),
		projections.IfGiven("created_at > ?", query.CreatedAfter),
		projections.IfGiven("created_at < ?", query.CreatedBefore),
		projections.IfGiven("position(lower(?) IN lower(concat_ws(E'\\n', doc->>'url', doc->>'task', doc->>'name'))) > 0", query.Text))
}

// Ended is a test that has ended, and how many sessions it has.
type Ended struct {
	ID       string
	Sessions int
}

// ListEnded lists tests of all owners that ended before a moment, those behind the id
// after, in the order of ids.
func ListEnded(ctx context.Context, q projections.Querier, before time.Time, after string, limit int) ([]Ended, error) {
	rows, err := q.Query(ctx, `SELECT id, (doc->>'sessions_total')::int FROM `+qualified+`
		WHERE id > $1 AND status <> 'running' AND created_at < $2 AND (doc->>'completed_at')::timestamptz < $2 ORDER BY id LIMIT $3`, after, before, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Ended])
}

// Score is how a completed test came out.
type Score struct {
	ID, URL, Task string
	// Overall is nil where nothing could be scored.
	Overall *float64
}

// scored is how many scores of an address and task there are at most.
const scored = 50

// Scores are those of an owner's last completed tests of addresses and tasks, which
// belong together by their places in the lists, newest first.
func Scores(ctx context.Context, q projections.Querier, owner projections.Owner, urls, tasks []string) ([]Score, error) {
	hashes := func(texts []string) (all []string) {
		for _, text := range texts {
			all = append(all, hashed(text))
		}
		return all
	}
	rows, err := q.Query(ctx, `SELECT last.id, wanted.url, wanted.task, last.overall
		FROM (SELECT DISTINCT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])) AS wanted (url, task, url_hash, task_hash)
		CROSS JOIN LATERAL (
			SELECT id, (doc->'aggregate_scores'->>'overall')::float8 AS overall FROM `+qualified+`
			WHERE organization_id = $1 AND environment = $2 AND task = task_hash AND url = url_hash AND status = 'completed'
			ORDER BY id DESC LIMIT $7
		) AS last ORDER BY last.id DESC`,
		owner.OrganizationID, string(owner.Environment), urls, tasks, hashes(urls), hashes(tasks), scored)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Score])
}

// Alike are the tests of one address and task.
type Alike struct {
	// Latest is the newest of those that have completed, Completed how many there are.
	Latest    Document
	Completed int
}

// ListAlike groups an owner's completed tests by address and task, those of the newest
// tests first.
func ListAlike(ctx context.Context, q projections.Querier, owner projections.Owner, limit int) (all []Alike, err error) {
	rows, err := q.Query(ctx, `SELECT t.doc, g.n FROM (
			SELECT max(id) AS id, count(*) AS n FROM `+qualified+`
			WHERE organization_id = $1 AND environment = $2 AND status = 'completed' GROUP BY task, url ORDER BY 1 DESC LIMIT $3
		) g JOIN `+qualified+` t USING (id) ORDER BY g.id DESC`, owner.OrganizationID, string(owner.Environment), limit)
	if err != nil {
		return nil, err
	}
	var doc []byte
	var n int
	_, err = pgx.ForEachRow(rows, []any{&doc, &n}, func() error {
		latest, err := projections.Document[Document]{JSON: slices.Clone(doc)}.Decode()
		all = append(all, Alike{latest, n})
		return err
	})
	return all, err
}
