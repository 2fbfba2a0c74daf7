// Package accesslog is the read model of who signed in and who changed access, by
// organization. Where people were and why they did it is kept as the ciphertext that the
// events hold, so that nothing is left of somebody whose key is destroyed.
package accesslog

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/domain/user"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps entries, one for each organization that an event concerns.
var Projection = projections.Projection{
	Name: "accesslog", Version: version, Schema: schema,
	Prefixes: []string{account.StreamPrefix, user.StreamPrefix, apikey.StreamPrefix, oauthclient.StreamPrefix, grant.StreamPrefix},
	Apply:    apply,
}

// shown are the parts of events that entries tell: nothing secret, nothing personal.
var shown = []string{
	"client_id", "environment", "expires_at", "factor", "from", "how", "invitation_id", "name", "overlap_seconds", "plan",
	"previous_until", "reason", "redirect_uris", "role", "scopes", "session_id", "to", "user_id",
}

// details are the parts of an event that are shown, as JSON.
func details(e domain.Event) (string, error) {
	all, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(all, &parts); err != nil {
		return "", err
	}
	_, person := e.(user.Event)
	told := map[string]json.RawMessage{}
	for _, name := range shown {
		if part, ok := parts[name]; ok && (name != "name" || !person) { // a person's is ciphertext
			told[name] = part
		}
	}
	out, err := json.Marshal(told)
	return string(out), err
}

// subjectOf is what an event is about.
func subjectOf(recorded domain.Recorded) string {
	switch e := recorded.Event.(type) {
	case account.UserAdded:
		return e.UserID
	case account.KeyCreated:
		return e.KeyID
	case account.MemberJoined:
		return e.UserID
	case account.MemberRoleChanged:
		return e.UserID
	case account.MemberRemoved:
		return e.UserID
	case account.OwnershipTransferred:
		return e.To
	case account.Invited:
		return e.InvitationID
	case account.InvitationRevoked:
		return e.InvitationID
	}
	return projections.StreamID(recorded)
}

// organizationOf is the one that an event concerns, "" for each of its person.
func organizationOf(recorded domain.Recorded) string {
	switch recorded.Event.(type) {
	case account.Event:
		return projections.StreamID(recorded)
	case user.Registered: // before there is a membership
		return ""
	}
	return recorded.Meta.OrganizationID
}

// concerns: an event is about access. Tokens that are renewed as agreed change nothing.
func concerns(e domain.Event) bool {
	switch e.(type) {
	case account.QualityGateChanged, grant.Refreshed, grant.Redeemed:
		return false
	}
	return true
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	var batch pgx.Batch
	for _, e := range events {
		switch made := e.Event.(type) {
		case account.KeyCreated:
			owns(&batch, made.KeyID, made.CreatedBy)
		case apikey.Created:
			owns(&batch, made.KeyID, made.CreatedBy)
		case apikey.Adopted:
			owns(&batch, made.KeyID, made.CreatedBy)
		case grant.Issued:
			owns(&batch, made.GrantID, made.UserID)
		}
		joined, left := membership(e.Event)
		for _, userID := range joined {
			batch.Queue(`INSERT INTO members VALUES ($1, $2) ON CONFLICT DO NOTHING`, projections.StreamID(e), userID)
		}
		if err := enter(&batch, e); err != nil {
			return &projections.ApplyError{Cause: err}
		}
		if left != "" {
			batch.Queue(`DELETE FROM members WHERE organization_id = $1 AND user_id = $2`, projections.StreamID(e), left)
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// membership is who belongs to an organization from an event on, and who no longer does.
func membership(e domain.Event) (joined []string, left string) {
	switch e := e.(type) {
	case account.UserAdded:
		return []string{e.UserID}, ""
	case account.MemberJoined:
		return []string{e.UserID}, ""
	case account.MemberRemoved:
		return nil, e.UserID
	}
	return nil, ""
}

func owns(b *pgx.Batch, credential, userID string) {
	b.Queue(`INSERT INTO credentials VALUES ($1, $2) ON CONFLICT DO NOTHING`, credential, userID)
}

// enter adds the entries of an event. The person is who did it, whatever credential they
// used, or whose account it is; the address is sealed for that person.
func enter(b *pgx.Batch, e domain.Recorded) error {
	if !concerns(e.Event) {
		return nil
	}
	told, err := details(e.Event)
	if err != nil {
		return err
	}
	owner := ""
	if _, ok := e.Event.(user.Event); ok {
		owner = projections.StreamID(e)
	}
	kind := e.Event.EventType()
	kind = kind[:strings.LastIndex(kind, ".v")]
	b.Queue(`INSERT INTO entries
		SELECT $1, o.id, $2, $3, $4, $5, CASE WHEN $5 LIKE 'usr\_%' THEN $5 ELSE coalesce((SELECT user_id FROM credentials WHERE id = $5), $6) END, $7, $8, $9, $10, $11
		FROM (SELECT $12::text AS id WHERE $12 <> '' UNION SELECT organization_id FROM members WHERE $12 = '' AND user_id = $6) o
		ON CONFLICT DO NOTHING`,
		int64(e.Position), e.ID.String(), domain.At(e.Time).Time, kind, e.Meta.Actor, owner, subjectOf(e),
		e.Meta.Address, e.Meta.Reason, e.Meta.RequestID, told, organizationOf(e))
	return nil
}
