package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/projections"
)

var (
	keys    = projections.PostgresSchema("keys", version) + ".keys"
	members = projections.PostgresSchema("keys", version) + ".members"
	plans   = projections.PostgresSchema("keys", version) + ".plans"
)

// Get reads a key of an owner.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Key], error) {
	return projections.Get[Key](ctx, q, keys, "doc", id, owner)
}

// Query selects a page of keys; zero fields do not filter. A status is that at Now.
type Query struct {
	CreatedBy                   string
	Status                      Status
	CreatedAfter, CreatedBefore time.Time
	Now                         time.Time
	After                       string
	Limit                       int
}

// inStatus are the conditions of statuses, each with the time they are asked at.
var inStatus = map[Status]string{
	Active:   "NOT revoked AND coalesce(expires_at, 'infinity') > ?::timestamptz AND coalesce(previous_until, '-infinity') <= now()",
	Rotating: "NOT revoked AND coalesce(expires_at, 'infinity') > ?::timestamptz AND coalesce(previous_until, '-infinity') > now()",
	Expired:  "NOT revoked AND expires_at <= ?::timestamptz",
	Revoked:  "revoked AND ?::timestamptz IS NOT NULL",
}

// List reads a page of an owner's keys, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, query Query) ([]projections.Document[Key], bool, error) {
	return projections.ListOwned[Key](ctx, q, keys, owner, query.After, query.Limit,
		projections.IfGiven("created_by = ?", query.CreatedBy), projections.IfGiven("created_at > ?", query.CreatedAfter),
		projections.IfGiven("created_at < ?", query.CreatedBefore), projections.Filter{Condition: inStatus[query.Status], Value: query.Now})
}

// Unrevoked reads the keys of an organization that were not revoked, of one person, or of
// everybody for "".
func Unrevoked(ctx context.Context, q projections.Querier, organizationID, userID string) ([]Key, error) {
	return collect(ctx, q, `SELECT doc FROM `+keys+` WHERE organization_id = $1 AND ($2 = '' OR created_by = $2) AND NOT revoked ORDER BY id`, organizationID, userID)
}

// Everything is all that authentication needs, as of one position.
type Everything struct {
	// Position is -1 before the first event.
	Position int64
	Keys     []Key
	Members  []Member
	Plans    map[string]account.Plan
}

// All reads everything at once.
func All(ctx context.Context, pool *pgxpool.Pool) (all Everything, err error) {
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if all.Position, err = projections.ReadPosition(ctx, tx, Projection); err != nil {
			return err
		}
		if all.Keys, err = collect(ctx, tx, `SELECT doc FROM `+keys); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT organization_id, user_id, role FROM `+members)
		if err != nil {
			return err
		}
		if all.Members, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Member]); err != nil {
			return err
		}
		all.Plans = map[string]account.Plan{}
		if rows, err = tx.Query(ctx, `SELECT organization_id, plan FROM `+plans); err != nil {
			return err
		}
		var organizationID, plan string
		_, err = pgx.ForEachRow(rows, []any{&organizationID, &plan}, func() error {
			all.Plans[organizationID] = account.Plan(plan)
			return nil
		})
		return err
	})
	return all, err
}

func collect(ctx context.Context, q projections.Querier, sql string, args ...any) ([]Key, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (k Key, err error) {
		var doc []byte
		if err = row.Scan(&doc); err == nil {
			err = json.Unmarshal(doc, &k)
		}
		return k, err
	})
}

// Found is a key with what bounds it.
type Found struct {
	Key
	// Role is that of who made it, "" for somebody who is no member.
	Role access.Role
	Plan account.Plan
}

// Find reads the key whose secret, or secret before, has this hash.
func Find(ctx context.Context, q projections.Querier, hash string) (f Found, err error) {
	var doc []byte
	err = q.QueryRow(ctx, `SELECT k.doc, coalesce(m.role, ''), coalesce(p.plan, '') FROM `+keys+` k
		LEFT JOIN `+members+` m ON m.organization_id = k.organization_id AND m.user_id = k.created_by
		LEFT JOIN `+plans+` p ON p.organization_id = k.organization_id
		WHERE k.hash = $1 OR k.previous_hash = $1`, hash).Scan(&doc, (*string)(&f.Role), (*string)(&f.Plan))
	if errors.Is(err, pgx.ErrNoRows) {
		return f, projections.NotFound("key")
	}
	if err == nil {
		err = json.Unmarshal(doc, &f.Key)
	}
	if err != nil {
		err = fmt.Errorf("find key: %w", err)
	}
	return f, err
}

// RoleOf is the role of a person in an organization, "" for none.
func RoleOf(ctx context.Context, q projections.Querier, organizationID, userID string) (role access.Role, err error) {
	err = q.QueryRow(ctx, `SELECT role FROM `+members+` WHERE organization_id = $1 AND user_id = $2`, organizationID, userID).Scan((*string)(&role))
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return role, err
}

// Standing is the role of a person in an organization, "" for none, and its plan.
func Standing(ctx context.Context, q projections.Querier, organizationID, userID string) (role access.Role, plan account.Plan, err error) {
	err = q.QueryRow(ctx, `SELECT m.role, coalesce(p.plan, '') FROM `+members+` m LEFT JOIN `+plans+` p ON p.organization_id = m.organization_id
		WHERE m.organization_id = $1 AND m.user_id = $2`, organizationID, userID).Scan((*string)(&role), (*string)(&plan))
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return role, plan, err
}
