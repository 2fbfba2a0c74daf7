package sessions

import (
	"context"

	"github.com/jackc/pgx/v5"
	quick "github.com/segmentio/encoding/json"

	"understudy/domain/session"
	"understudy/projections"
)

// Latest is where a session has come to: its last step and picture, nil before the first.
type Latest struct {
	Step       *session.Step
	Screenshot *Screenshot
}

// LatestOf reads where sessions have come to, by their ids.
func LatestOf(ctx context.Context, q projections.Querier, ids []string) (map[string]Latest, error) {
	rows, err := q.Query(ctx, `SELECT id, trace, evidence FROM `+qualified+` WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Latest, len(ids))
	var id string
	var trace, evidence []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &trace, &evidence}, func() error {
		var steps []session.Step
		var seen Evidence
		if _, err := quick.Parse(trace, &steps, quick.DontMatchCaseInsensitiveStructFields); err != nil {
			return err
		}
		if _, err := quick.Parse(evidence, &seen, quick.DontMatchCaseInsensitiveStructFields); err != nil {
			return err
		}
		var last Latest
		if n := len(steps); n > 0 {
			last.Step = &steps[n-1]
		}
		if n := len(seen.Screenshots); n > 0 {
			last.Screenshot = &seen.Screenshots[n-1]
		}
		all[id] = last
		return nil
	})
	return all, err
}

// Count is how many sessions of a test stand alike.
type Count struct {
	Status   session.Status
	Outcome  string
	Viewport string
	Sessions int
}

// Tally counts the sessions of a test by how they stand.
func Tally(ctx context.Context, q projections.Querier, testID string) ([]Count, error) {
	rows, err := q.Query(ctx, `SELECT status, outcome, viewport, count(*) FROM `+qualified+` WHERE test_id = $1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, testID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Count])
}
