// Package people is the read model of people: who they are, what they are in which
// organization, who is invited, and which sessions of the dashboard have not ended.
// What is personal is kept as the ciphertext that the events hold, so that nothing is
// left of somebody whose key is destroyed.
package people

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/user"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps people.
var Projection = projections.Projection{
	Name: "people", Version: version, Schema: schema,
	Prefixes: []string{account.StreamPrefix, user.StreamPrefix},
	Apply:    apply,
}

// Guarded is the projection for a program that can tell whether the keys of people
// and organizations are there: one that is neither there nor destroyed by an event
// stops it, with what check says, before anything is shown without its names.
func Guarded(check func(ctx context.Context, subjects []string) error) projections.Projection {
	p := Projection
	p.Apply = func(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
		if err := check(ctx, Subjects(events)); err != nil {
			return err
		}
		return apply(ctx, tx, events)
	}
	return p
}

// Subjects are those whose keys events are sealed with.
func Subjects(events []domain.Recorded) (subjects []string) {
	seen := map[string]bool{}
	for _, e := range events {
		switch e.Event.(type) {
		case user.Registered, account.Invited:
			if id := projections.StreamID(e); !seen[id] {
				seen[id] = true
				subjects = append(subjects, id)
			}
		}
	}
	return subjects
}

// What an invitation can be.
const (
	Waiting  = "pending"
	Accepted = "accepted"
	Revoked  = "revoked"
)

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	var batch pgx.Batch
	for _, e := range events {
		switch e.Event.(type) {
		case account.Event:
			ofAccount(&batch, e)
		case user.Event:
			ofUser(&batch, e)
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}

func ofAccount(b *pgx.Batch, recorded domain.Recorded) {
	org, revision := projections.StreamID(recorded), int64(recorded.Revision)
	is := func(userID string, role access.Role, at domain.Time) {
		b.Queue(`INSERT INTO members VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role, revision = excluded.revision`,
			org, userID, string(role), at.Time, revision)
	}
	switch e := recorded.Event.(type) {
	case account.UserAdded:
		is(e.UserID, access.Role(e.Role), e.At)
	case account.MemberJoined:
		is(e.UserID, e.Role, e.At)
		b.Queue(`UPDATE invitations SET status = $2 WHERE id = $1`, e.InvitationID, Accepted)
	case account.MemberRoleChanged:
		is(e.UserID, e.Role, e.At)
	case account.OwnershipTransferred:
		is(e.From, access.Admin, e.At)
		is(e.To, access.Owner, e.At)
	case account.MemberRemoved:
		b.Queue(`DELETE FROM members WHERE organization_id = $1 AND user_id = $2`, org, e.UserID)
	case account.Invited:
		b.Queue(`INSERT INTO invitations VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
			e.InvitationID, org, e.Email, string(e.Role), e.InvitedBy, Waiting, e.ExpiresAt.Time, e.At.Time)
	case account.InvitationRevoked:
		b.Queue(`UPDATE invitations SET status = $2 WHERE id = $1`, e.InvitationID, Revoked)
	case account.Deleted:
		b.Queue(`DELETE FROM members WHERE organization_id = $1`, org)
		b.Queue(`DELETE FROM invitations WHERE organization_id = $1`, org)
	}
}

func ofUser(b *pgx.Batch, recorded domain.Recorded) {
	id := projections.StreamID(recorded)
	switch e := recorded.Event.(type) {
	case user.Registered:
		b.Queue(`INSERT INTO users VALUES ($1, $2, $3, false, false, false, $4) ON CONFLICT DO NOTHING`, id, e.Email, e.Name, e.At.Time)
	case user.AddressVerified:
		b.Queue(`UPDATE users SET verified = true WHERE id = $1`, id)
	case user.FactorEnabled:
		b.Queue(`UPDATE users SET factor = true WHERE id = $1`, id)
	case user.FactorDisabled:
		b.Queue(`UPDATE users SET factor = false WHERE id = $1`, id)
	case user.SignedIn:
		b.Queue(`INSERT INTO sessions VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
			e.SessionID, id, e.OrganizationID, e.Factor, e.Agent, recorded.Meta.Address, e.At.Time)
	case user.OrganizationChosen:
		b.Queue(`UPDATE sessions SET organization_id = $2 WHERE id = $1`, e.SessionID, e.OrganizationID)
	case user.SessionEnded:
		b.Queue(`DELETE FROM sessions WHERE id = $1`, e.SessionID)
	case user.Erased:
		b.Queue(`UPDATE users SET email = '', name = '', erased = true WHERE id = $1`, id)
		b.Queue(`DELETE FROM sessions WHERE user_id = $1`, id)
	}
}
