package timeline

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"understudy/projections"
)

var qualified = projections.PostgresSchema("timeline", version) + ".messages"

// Stored is a message as it is sent.
type Stored struct {
	TestID   string
	Position uint64
	Type     string
	JSON     json.RawMessage
}

const columns = `SELECT test_id, position, type, message FROM `

func collect(rows pgx.Rows, err error) ([]Stored, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Stored, err error) {
		var at int64
		err = row.Scan(&s.TestID, &at, &s.Type, (*[]byte)(&s.JSON))
		s.Position = uint64(at)
		return s, err
	})
}

// After reads up to limit messages of a test after a position, -1 for all.
func After(ctx context.Context, q projections.Querier, testID string, position int64, limit int) ([]Stored, error) {
	return collect(q.Query(ctx, columns+qualified+`
		WHERE test_id = $1 AND position > $2 ORDER BY position LIMIT $3`, testID, position, limit))
}

// Last is the position of the newest message of all tests, -1 for none.
func Last(ctx context.Context, q projections.Querier) (position int64, err error) {
	err = q.QueryRow(ctx, `SELECT coalesce(max(position), -1) FROM `+qualified).Scan(&position)
	return position, err
}

// Between reads up to limit messages after a position and up to another, of
// the tests, or of all when there are none.
func Between(ctx context.Context, q projections.Querier, after, upTo int64, tests []string, limit int) ([]Stored, error) {
	if len(tests) == 0 {
		return collect(q.Query(ctx, columns+qualified+`
			WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3`, after, upTo, limit))
	}
	return collect(q.Query(ctx, columns+qualified+`
		WHERE position > $1 AND position <= $2 AND test_id = ANY($3) ORDER BY position LIMIT $4`, after, upTo, tests, limit))
}

// Ended are those of the tests for which nothing will come after a position:
// they completed or failed, or were cancelled and each of their sessions has
// ended.
func Ended(ctx context.Context, q projections.Querier, tests []string, position uint64) ([]string, error) {
	const upTo = ` AND m.position <= $2 AND m.type IN `
	rows, err := q.Query(ctx, `SELECT m.test_id FROM `+qualified+` m
		WHERE m.test_id = ANY($1)`+upTo+`('test.completed', 'test.failed')
		UNION ALL SELECT c.test_id FROM `+qualified+` c
		WHERE c.test_id = ANY($1) AND c.position <= $2 AND c.type = 'test.cancelled'
		AND (c.message->'data'->>'sessions_total')::bigint <= (SELECT count(*) FROM `+qualified+` m
			WHERE m.test_id = c.test_id`+upTo+`('session.completed', 'session.failed', 'session.cancelled'))`,
		tests, int64(position))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// MayEnd reports whether a message of this type can be a test's last: a
// session's end is, when the test was cancelled before.
func MayEnd(messageType string) bool {
	switch messageType {
	case "test.completed", "test.failed", "test.cancelled", "session.completed", "session.failed", "session.cancelled":
		return true
	}
	return false
}
