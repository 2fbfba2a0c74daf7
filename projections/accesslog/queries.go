package accesslog

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/projections"
)

var entries = projections.PostgresSchema("accesslog", version) + ".entries"

// Entry is one thing that happened to an organization's access. Address is ciphertext of
// the person's key, Reason of the organization's.
type Entry struct {
	Position                                               uint64
	EventID, Type, Actor, Person, Subject, Address, Reason string
	RequestID                                              string
	At                                                     time.Time
	Details                                                json.RawMessage
}

// Filter narrows a list; what is empty does not. Type is one kind of event, such as
// user.signed_in, or a family, such as user. Before is a position, 0 for the newest.
type Filter struct {
	Actor, Type, Subject string
	Created              projections.Created
	Before               uint64
}

// List reads up to limit entries of an organization, the newest first, and whether there
// are more.
func List(ctx context.Context, q projections.Querier, organizationID string, f Filter, limit int) ([]Entry, bool, error) {
	rows, err := q.Query(ctx, `SELECT position, event_id, type, actor, person, subject, address, reason, request_id, at, details FROM `+entries+`
		WHERE organization_id = $1 AND ($2 = 0 OR position < $2)
		AND ($3 = '' OR actor = $3 OR person = $3) AND ($4 = '' OR type = $4 OR starts_with(type, $4 || '.')) AND ($5 = '' OR subject = $5)
		AND ($6::timestamptz IS NULL OR at > $6) AND ($7::timestamptz IS NULL OR at < $7)
		ORDER BY position DESC LIMIT $8`,
		organizationID, int64(f.Before), f.Actor, f.Type, f.Subject, moment(f.Created.After), moment(f.Created.Before), limit+1)
	if err != nil {
		return nil, false, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Entry, err error) {
		var position int64
		var told string
		err = row.Scan(&position, &e.EventID, &e.Type, &e.Actor, &e.Person, &e.Subject, &e.Address, &e.Reason, &e.RequestID, &e.At, &told)
		e.Position, e.Details = uint64(position), json.RawMessage(told)
		return e, err
	})
	if err != nil {
		return nil, false, err
	}
	return found[:min(len(found), limit)], len(found) > limit, nil
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
