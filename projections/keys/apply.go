// Package keys is the read model of credentials: API keys, and what bounds them,
// the roles of people and the plans of organizations.
package keys

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 3

// Projection keeps keys, members and plans.
var Projection = projections.Projection{
	Name: "keys", Version: version, Schema: schema,
	Prefixes: []string{account.StreamPrefix, apikey.StreamPrefix},
	Apply:    apply,
}

// Key is all there is to know of an API key.
type Key struct {
	ID             string             `json:"id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Name           string             `json:"name"`
	Hash           string             `json:"hash"`
	LastFour       string             `json:"last_four"`
	Scopes         []string           `json:"scopes"`
	CreatedBy      string             `json:"created_by"`
	CreatedAt      domain.Time        `json:"created_at"`
	ExpiresAt      *domain.Time       `json:"expires_at"`
	// PreviousHash is that of the secret before, which counts until PreviousUntil.
	PreviousHash  string       `json:"previous_hash,omitempty"`
	PreviousUntil *domain.Time `json:"previous_until,omitempty"`
	Revoked       bool         `json:"revoked,omitempty"`
	// Inherited: the organization's stream records it, and it has none of its own.
	Inherited bool `json:"inherited,omitempty"`
}

// Status is where a key stands.
type Status string

// The statuses of a key.
const (
	Active   Status = "active"
	Rotating Status = "rotating"
	Revoked  Status = "revoked"
	Expired  Status = "expired"
)

// StatusAt is where the key stands at a time.
func (k Key) StatusAt(now time.Time) Status {
	switch {
	case k.Revoked:
		return Revoked
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return Expired
	case k.PreviousUntil != nil && now.Before(k.PreviousUntil.Time):
		return Rotating
	}
	return Active
}

// InForce reports whether the secret with this hash counts at a time.
func (k Key) InForce(hash string, now time.Time) bool {
	switch k.StatusAt(now) {
	case Revoked, Expired:
		return false
	case Rotating:
		return hash == k.Hash || hash == k.PreviousHash
	case Active:
	}
	return hash == k.Hash
}

// Fold is the key after one more event about it.
func Fold(k Key, e domain.Recorded) Key {
	switch e := e.Event.(type) {
	case account.KeyCreated:
		if k.ID != "" {
			return k
		}
		return Key{
			ID: e.KeyID, OrganizationID: e.OrganizationID, Environment: e.Environment, Name: e.Name, Hash: e.Hash, LastFour: e.LastFour,
			Scopes: e.Scopes, CreatedBy: e.CreatedBy, CreatedAt: e.At, Inherited: true,
		}
	case apikey.Created:
		return made(e)
	case apikey.Adopted:
		return made(apikey.Created(e))
	case apikey.Changed:
		k.Name, k.Scopes, k.ExpiresAt = e.Name, e.Scopes, e.ExpiresAt
	case apikey.Rotated:
		k.PreviousHash, k.PreviousUntil = k.Hash, &e.PreviousUntil
		k.Hash, k.LastFour = e.Hash, e.LastFour
	case apikey.Revoked:
		k.Revoked = true
	}
	return k
}

func made(e apikey.Created) Key {
	return Key{
		ID: e.KeyID, OrganizationID: e.OrganizationID, Environment: e.Environment, Name: e.Name, Hash: e.Hash, LastFour: e.LastFour,
		Scopes: e.Scopes, CreatedBy: e.CreatedBy, CreatedAt: e.At, ExpiresAt: e.ExpiresAt,
	}
}

// IDOf is the key that an event is about, "" for none.
func IDOf(e domain.Recorded) string {
	switch event := e.Event.(type) {
	case account.KeyCreated:
		return event.KeyID
	case apikey.Event:
		return projections.StreamID(e)
	}
	return ""
}

var table = projections.Table[Key]{
	Name: "keys",
	Columns: []projections.Column[Key]{
		projections.Derived("organization_id", func(k *Key) any { return k.OrganizationID }),
		projections.Derived("environment", func(k *Key) any { return string(k.Environment) }),
		projections.Derived("created_by", func(k *Key) any { return k.CreatedBy }),
		projections.Derived("hash", func(k *Key) any { return k.Hash }),
		projections.Derived("previous_hash", func(k *Key) any { return k.PreviousHash }),
		projections.Derived("created_at", func(k *Key) any { return k.CreatedAt.Time }),
		projections.Derived("expires_at", func(k *Key) any { return timeOf(k.ExpiresAt) }),
		projections.Derived("previous_until", func(k *Key) any { return timeOf(k.PreviousUntil) }),
		projections.Derived("revoked", func(k *Key) any { return k.Revoked }),
		projections.KeptJSON("doc", func(k *Key) *Key { return k }),
	},
	ID:   IDOf,
	Fold: Fold,
}

func timeOf(t *domain.Time) any {
	if t == nil {
		return nil
	}
	return t.Time
}

// Member is a person's role in an organization.
type Member struct {
	OrganizationID, UserID string
	Role                   access.Role
}

// RolesAfter are the roles that an event gives, "" to who is no longer a member. That an
// organization has ended is not among them.
func RolesAfter(e domain.Recorded) []Member {
	organizationID := projections.StreamID(e)
	switch e := e.Event.(type) {
	case account.UserAdded:
		return []Member{{organizationID, e.UserID, access.Role(e.Role)}}
	case account.MemberJoined:
		return []Member{{organizationID, e.UserID, e.Role}}
	case account.MemberRoleChanged:
		return []Member{{organizationID, e.UserID, e.Role}}
	case account.MemberRemoved:
		return []Member{{organizationID, e.UserID, ""}}
	case account.OwnershipTransferred:
		return []Member{{organizationID, e.From, access.Admin}, {organizationID, e.To, access.Owner}}
	}
	return nil
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	if err := table.Apply(ctx, tx, events); err != nil {
		return err
	}
	var batch pgx.Batch
	for _, recorded := range events {
		organizationID := projections.StreamID(recorded)
		switch e := recorded.Event.(type) {
		case account.OrganizationCreated:
			batch.Queue(`INSERT INTO plans VALUES ($1, $2) ON CONFLICT (organization_id) DO UPDATE SET plan = excluded.plan`, organizationID, string(e.Plan))
		case account.PlanChanged:
			batch.Queue(`UPDATE plans SET plan = $2 WHERE organization_id = $1`, organizationID, string(e.Plan))
		case account.Deleted:
			batch.Queue(`DELETE FROM members WHERE organization_id = $1`, organizationID)
		}
		for _, m := range RolesAfter(recorded) {
			if m.Role == "" {
				batch.Queue(`DELETE FROM members WHERE organization_id = $1 AND user_id = $2`, m.OrganizationID, m.UserID)
				continue
			}
			batch.Queue(`INSERT INTO members VALUES ($1, $2, $3) ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`,
				m.OrganizationID, m.UserID, string(m.Role))
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// OrganizationOf is the organization whose stream has the event.
func OrganizationOf(e domain.Recorded) string { return projections.StreamID(e) }
