// Package account is the stream of one organization: its plan, its people, its
// API keys and its settings.
package account

import (
	"understudy/domain"
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

// EventType returns the recorded literal.
func (OrganizationCreated) EventType() string { return "account.organization_created.v1" }

// EventType returns the recorded literal.
func (UserAdded) EventType() string { return "account.user_added.v1" }

// EventType returns the recorded literal.
func (KeyCreated) EventType() string { return "account.key_created.v1" }

// EventType returns the recorded literal.
func (QualityGateChanged) EventType() string { return "account.quality_gate_changed.v1" }

func (OrganizationCreated) account() {}
func (UserAdded) account()           {}
func (KeyCreated) account()          {}
func (QualityGateChanged) account()  {}

// Catalogue lists every event that an organization's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[OrganizationCreated](),
	domain.Recordable[UserAdded](),
	domain.Recordable[KeyCreated](),
	domain.Recordable[QualityGateChanged](),
}
