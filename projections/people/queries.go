package people

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain/access"
	"understudy/projections"
)

var (
	users       = projections.PostgresSchema("people", version) + ".users"
	members     = projections.PostgresSchema("people", version) + ".members"
	invitations = projections.PostgresSchema("people", version) + ".invitations"
	sessions    = projections.PostgresSchema("people", version) + ".sessions"
)

// User is a person. Email and Name are ciphertext.
type User struct {
	ID, Email, Name          string
	Verified, Factor, Erased bool
	CreatedAt                time.Time
}

// GetUser reads a person who is not erased.
func GetUser(ctx context.Context, q projections.Querier, id string) (User, error) {
	var u User
	err := q.QueryRow(ctx, `SELECT id, email, name, verified, factor, erased, created_at FROM `+users+` WHERE id = $1 AND NOT erased`, id).
		Scan(&u.ID, &u.Email, &u.Name, &u.Verified, &u.Factor, &u.Erased, &u.CreatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return u, projections.NotFound(id)
	}
	return u, err
}

// Unconfirmed are people, some of them, who came before a time and whose address was not
// confirmed. Of each there are id and address.
func Unconfirmed(ctx context.Context, q projections.Querier, before time.Time, most int) ([]User, error) {
	return query(ctx, q, func(row pgx.CollectableRow) (u User, err error) {
		err = row.Scan(&u.ID, &u.Email)
		return u, err
	},
		`SELECT id, email FROM `+users+` WHERE NOT verified AND NOT erased AND created_at < $1 ORDER BY created_at LIMIT $2`, before, most)
}

// Member is a person in an organization; of one whose stream is not there Email and
// Name are "".
type Member struct {
	OrganizationID string
	User           User
	Role           access.Role
	JoinedAt       time.Time
	Revision       uint64
}

const memberColumns = `m.organization_id, m.user_id, m.role, m.joined_at, m.revision, coalesce(u.email, ''), coalesce(u.name, ''), coalesce(u.verified, false), coalesce(u.factor, false)`

func scanMember(row pgx.CollectableRow) (m Member, err error) {
	var revision int64
	err = row.Scan(&m.OrganizationID, &m.User.ID, (*string)(&m.Role), &m.JoinedAt, &revision, &m.User.Email, &m.User.Name, &m.User.Verified, &m.User.Factor)
	m.Revision = uint64(revision)
	return m, err
}

func query[T any](ctx context.Context, q projections.Querier, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// one is the first of what a query finds.
func one[T any](what string, found []T, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	if len(found) == 0 {
		return none, projections.NotFound(what)
	}
	return found[0], nil
}

// cut takes the one row off that was read to know whether there are more.
func cut[T any](all []T, limit int, err error) ([]T, bool, error) {
	if len(all) > limit {
		return all[:limit], true, err
	}
	return all, false, err
}

// GetMember reads one member of an organization.
func GetMember(ctx context.Context, q projections.Querier, organizationID, userID string) (Member, error) {
	found, err := query(ctx, q, scanMember, `SELECT `+memberColumns+` FROM `+members+` m LEFT JOIN `+users+` u ON u.id = m.user_id
		WHERE m.organization_id = $1 AND m.user_id = $2`, organizationID, userID)
	return one(userID, found, err)
}

// Members lists those of an organization, the newest people first.
func Members(ctx context.Context, q projections.Querier, organizationID, after string, limit int) ([]Member, bool, error) {
	found, err := query(ctx, q, scanMember, `SELECT `+memberColumns+` FROM `+members+` m LEFT JOIN `+users+` u ON u.id = m.user_id
		WHERE m.organization_id = $1 AND ($2 = '' OR m.user_id < $2) ORDER BY m.user_id DESC LIMIT $3`, organizationID, after, limit+1)
	return cut(found, limit, err)
}

// Memberships are the organizations that a person belongs to, the latest first.
func Memberships(ctx context.Context, q projections.Querier, userID string) ([]Member, error) {
	return query(ctx, q, scanMember, `SELECT `+memberColumns+` FROM `+members+` m LEFT JOIN `+users+` u ON u.id = m.user_id
		WHERE m.user_id = $1 ORDER BY m.joined_at DESC, m.organization_id`, userID)
}

// Invitation asks somebody to join. Email is ciphertext.
type Invitation struct {
	ID, OrganizationID, Email, InvitedBy, Status string
	Role                                         access.Role
	ExpiresAt, CreatedAt                         time.Time
}

const invitationColumns = `id, organization_id, email, role, invited_by, status, expires_at, created_at`

func scanInvitation(row pgx.CollectableRow) (i Invitation, err error) {
	err = row.Scan(&i.ID, &i.OrganizationID, &i.Email, (*string)(&i.Role), &i.InvitedBy, &i.Status, &i.ExpiresAt, &i.CreatedAt)
	return i, err
}

// GetInvitation reads one of an organization.
func GetInvitation(ctx context.Context, q projections.Querier, organizationID, id string) (Invitation, error) {
	found, err := query(ctx, q, scanInvitation, `SELECT `+invitationColumns+` FROM `+invitations+` WHERE organization_id = $1 AND id = $2`, organizationID, id)
	return one(id, found, err)
}

// Invitations lists those of an organization, newest first.
func Invitations(ctx context.Context, q projections.Querier, organizationID, status, after string, limit int) ([]Invitation, bool, error) {
	found, err := query(ctx, q, scanInvitation, `SELECT `+invitationColumns+` FROM `+invitations+`
		WHERE organization_id = $1 AND ($2 = '' OR status = $2) AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT $4`, organizationID, status, after, limit+1)
	return cut(found, limit, err)
}

// Session is one of the dashboard that has not ended. Agent and Address are
// ciphertext.
type Session struct {
	ID, UserID, OrganizationID, Factor, Agent, Address string
	StartedAt                                          time.Time
}

const sessionColumns = `s.id, s.user_id, s.organization_id, s.factor, s.agent, s.address, s.started_at`

func scanSession(row pgx.CollectableRow) (s Session, err error) {
	err = row.Scan(&s.ID, &s.UserID, &s.OrganizationID, &s.Factor, &s.Agent, &s.Address, &s.StartedAt)
	return s, err
}

// Sessions lists a person's, newest first.
func Sessions(ctx context.Context, q projections.Querier, userID string) ([]Session, error) {
	return query(ctx, q, scanSession, `SELECT `+sessionColumns+` FROM `+sessions+` s WHERE s.user_id = $1 ORDER BY s.id DESC`, userID)
}

// GetSession reads one.
func GetSession(ctx context.Context, q projections.Querier, id string) (Session, error) {
	found, err := query(ctx, q, scanSession, `SELECT `+sessionColumns+` FROM `+sessions+` s WHERE s.id = $1`, id)
	return one("session", found, err)
}
