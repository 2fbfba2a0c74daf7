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
	Position uint64
	Type     string
	JSON     json.RawMessage
}

// After reads up to limit messages of a test after a position, -1 for all.
func After(ctx context.Context, q projections.Querier, testID string, position int64, limit int) ([]Stored, error) {
	rows, err := q.Query(ctx, `SELECT position, type, message FROM `+qualified+`
		WHERE test_id = $1 AND position > $2 ORDER BY position LIMIT $3`, testID, position, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Stored, err error) {
		var at int64
		err = row.Scan(&at, &s.Type, &s.JSON)
		s.Position = uint64(at)
		return s, err
	})
}

// Ended reports whether nothing more will come for a test after position: it
// completed or failed, or it was cancelled and each of its sessions has ended.
func Ended(ctx context.Context, q projections.Querier, testID string, position uint64) (bool, error) {
	var ended bool
	const upTo = ` WHERE test_id = $1 AND position <= $2 AND type IN `
	err := q.QueryRow(ctx, `SELECT CASE
		WHEN EXISTS (SELECT FROM `+qualified+upTo+`('test.completed', 'test.failed')) THEN true
		WHEN NOT EXISTS (SELECT FROM `+qualified+upTo+`('test.cancelled')) THEN false
		ELSE (SELECT (message->'data'->>'sessions_total')::bigint FROM `+qualified+upTo+`('test.cancelled'))
			<= (SELECT count(*) FROM `+qualified+upTo+`('session.completed', 'session.failed', 'session.cancelled'))
		END`, testID, int64(position)).Scan(&ended)
	return ended, err
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
