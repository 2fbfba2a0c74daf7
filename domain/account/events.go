// Package account is the stream of one organization: its plan, its people, who is
// invited, its first API keys and its settings.
package account

import (
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/gate"
)

// StreamPrefix begins the name of every organization's stream.
const StreamPrefix = "account-"

// Stream names the stream of an organization.
func Stream(organizationID string) string { return StreamPrefix + organizationID }

// Event is a fact of an organization's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	account()
}

// OrganizationCreated records an organization with its plan.
type OrganizationCreated struct {
	OrganizationID string      `json:"organization_id"`
	Name           string      `json:"name"`
	Plan           Plan        `json:"plan"`
	At             domain.Time `json:"at"`
}

// UserAdded records a person. The address is ciphertext; the password a hash.
type UserAdded struct {
	UserID       string      `json:"user_id"`
	Email        string      `json:"email"`
	PasswordHash string      `json:"password_hash"`
	Role         string      `json:"role"`
	At           domain.Time `json:"at"`
}

// KeyCreated records an API key by its hash; the key itself is nowhere.
type KeyCreated struct {
	KeyID          string             `json:"key_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Name           string             `json:"name"`
	// Hash is the SHA-256 of the key in hex.
	Hash      string      `json:"hash"`
	LastFour  string      `json:"last_four"`
	Scopes    []string    `json:"scopes"`
	CreatedBy string      `json:"created_by"`
	At        domain.Time `json:"at"`
}

// QualityGateChanged records what the organization demands of its tests from
// then on, the whole of it: of tests in both environments that say nothing else.
type QualityGateChanged struct {
	// Threshold is nil when the organization has none of its own.
	Threshold *float64 `json:"threshold,omitempty"`
	// Criteria are thresholds of single criteria.
	Criteria map[string]float64 `json:"criteria,omitempty"`
	At       domain.Time        `json:"at"`
}

// Rule is what the organization demands since the event.
func (e QualityGateChanged) Rule() gate.Rule {
	return gate.Rule{Threshold: e.Threshold, Criteria: e.Criteria}
}

// PlanChanged records the plan that the organization is on from then on.
type PlanChanged struct {
	Plan Plan        `json:"plan"`
	At   domain.Time `json:"at"`
}

// Renamed records what the organization is called from then on.
type Renamed struct {
	Name string      `json:"name"`
	At   domain.Time `json:"at"`
}

// MemberJoined records that a person belongs to the organization from then on.
type MemberJoined struct {
	UserID string      `json:"user_id"`
	Role   access.Role `json:"role"`
	// InvitationID is "" for who came without one.
	InvitationID string      `json:"invitation_id,omitempty"`
	At           domain.Time `json:"at"`
}

// MemberRoleChanged records what a member is from then on.
type MemberRoleChanged struct {
	UserID string      `json:"user_id"`
	Role   access.Role `json:"role"`
	At     domain.Time `json:"at"`
}

// MemberRemoved records that a person no longer belongs to the organization: by
// leaving it, or by somebody else.
type MemberRemoved struct {
	UserID string      `json:"user_id"`
	Left   bool        `json:"left"`
	At     domain.Time `json:"at"`
}

// OwnershipTransferred records another owner. Who was it is an admin.
type OwnershipTransferred struct {
	From string      `json:"from"`
	To   string      `json:"to"`
	At   domain.Time `json:"at"`
}

// Invited records that somebody is asked to join.
type Invited struct {
	InvitationID string `json:"invitation_id"`
	// Email is ciphertext of the organization's own key.
	Email string      `json:"email"`
	Role  access.Role `json:"role"`
	// TokenHash is the SHA-256 of what the link holds, in hex.
	TokenHash string      `json:"token_hash"`
	InvitedBy string      `json:"invited_by"`
	ExpiresAt domain.Time `json:"expires_at"`
	At        domain.Time `json:"at"`
}

// InvitationRevoked records that an invitation no longer counts.
type InvitationRevoked struct {
	InvitationID string      `json:"invitation_id"`
	At           domain.Time `json:"at"`
}

// Deleted records the end of the organization. Nobody belongs to it any longer, and
// its own key is destroyed after it.
type Deleted struct {
	At domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (OrganizationCreated) EventType() string { return "account.organization_created.v1" }

// EventType returns the recorded literal.
func (UserAdded) EventType() string { return "account.user_added.v1" }

// EventType returns the recorded literal.
func (KeyCreated) EventType() string { return "account.key_created.v1" }

// EventType returns the recorded literal.
func (QualityGateChanged) EventType() string { return "account.quality_gate_changed.v1" }

// EventType returns the recorded literal.
func (PlanChanged) EventType() string { return "account.plan_changed.v1" }

// EventType returns the recorded literal.
func (Renamed) EventType() string { return "account.renamed.v1" }

// EventType returns the recorded literal.
func (MemberJoined) EventType() string { return "account.member_joined.v1" }

// EventType returns the recorded literal.
func (MemberRoleChanged) EventType() string { return "account.member_role_changed.v1" }

// EventType returns the recorded literal.
func (MemberRemoved) EventType() string { return "account.member_removed.v1" }

// EventType returns the recorded literal.
func (OwnershipTransferred) EventType() string { return "account.ownership_transferred.v1" }

// EventType returns the recorded literal.
func (Invited) EventType() string { return "account.invited.v1" }

// EventType returns the recorded literal.
func (InvitationRevoked) EventType() string { return "account.invitation_revoked.v1" }

// EventType returns the recorded literal.
func (Deleted) EventType() string { return "account.deleted.v1" }

func (OrganizationCreated) account()  {}
func (UserAdded) account()            {}
func (KeyCreated) account()           {}
func (QualityGateChanged) account()   {}
func (MemberJoined) account()         {}
func (MemberRoleChanged) account()    {}
func (MemberRemoved) account()        {}
func (OwnershipTransferred) account() {}
func (Invited) account()              {}
func (InvitationRevoked) account()    {}
func (Deleted) account()              {}
func (PlanChanged) account()          {}
func (Renamed) account()              {}

// Catalogue lists every event that an organization's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[OrganizationCreated](),
	domain.Recordable[UserAdded](),
	domain.Recordable[KeyCreated](),
	domain.Recordable[QualityGateChanged](),
	domain.Recordable[PlanChanged](),
	domain.Recordable[Renamed](),
	domain.Recordable[MemberJoined](),
	domain.Recordable[MemberRoleChanged](),
	domain.Recordable[MemberRemoved](),
	domain.Recordable[OwnershipTransferred](),
	domain.Recordable[Invited](),
	domain.Recordable[InvitationRevoked](),
	domain.Recordable[Deleted](),
}
