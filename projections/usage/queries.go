package usage

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/projections"
)

// Tests is the table, for whoever has to count what is not in it yet.
var Tests = projections.PostgresSchema("usage", version) + ".tests"

// InMonth counts the live sessions of an organization's month.
func InMonth(ctx context.Context, q projections.Querier, organizationID string, month account.Month) (used, reserved int, err error) {
	err = q.QueryRow(ctx, `SELECT coalesce(sum(used), 0), coalesce(sum(reserved), 0) FROM `+Tests+`
		WHERE organization_id = $1 AND environment = $2 AND month = $3`, organizationID, string(domain.Live), string(month)).Scan(&used, &reserved)
	return used, reserved, err
}

// Group is what tests have in common.
type Group string

// The groups.
const (
	ByDay  Group = "day"  // of their creation, in UTC
	ByKey  Group = "key"  // that asked for them
	ByTest Group = "test" // each by itself
)

var groups = map[Group]string{
	ByDay:  `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') COLLATE "C"`,
	ByKey:  `key_id`,
	ByTest: `id COLLATE "C"`,
}

// Sum is the usage of the tests of a group.
type Sum struct {
	// Group is the day, the credential's id or the test's.
	Group string `json:"group"`
	Tests int    `json:"tests"`
	// Sessions are those that were asked for: Used, Reserved and Returned together.
	Sessions int `json:"sessions"`
	Used     int `json:"used"`
	Reserved int `json:"reserved"`
	Returned int `json:"returned"`
}

// Query selects tests that were created from From on and, unless it is zero, before To.
type Query struct {
	From, To time.Time
	By       Group
	// After is the group that a page begins after, "" for the first page.
	After string
	Limit int
}

// List sums up the usage of groups, the last first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, which Query) (sums []Sum, more bool, err error) {
	group := groups[which.By]
	var to *time.Time
	if !which.To.IsZero() {
		to = &which.To
	}
	rows, err := q.Query(ctx, `SELECT `+group+`, count(*), sum(sessions), sum(used), sum(reserved), sum(returned) FROM `+Tests+`
		WHERE organization_id = $1 AND environment = $2 AND created_at >= $3 AND (created_at < $4 OR $4 IS NULL) AND ($5 = '' OR `+group+` < $5)
		GROUP BY 1 ORDER BY 1 DESC LIMIT $6`,
		owner.OrganizationID, string(owner.Environment), which.From, to, which.After, which.Limit+1)
	if err != nil {
		return nil, false, err
	}
	sums, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Sum])
	if more = len(sums) > which.Limit; more {
		sums = sums[:which.Limit]
	}
	return sums, more, err
}
