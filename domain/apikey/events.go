// Package apikey is the stream of one API key: created, changed, rotated to a new
// secret while the old one still counts, revoked. The key itself is nowhere: its
// SHA-256 and its last four characters are.
package apikey

import (
	"time"

	"understudy/domain"
)

// StreamPrefix begins the name of every key's stream.
const StreamPrefix = "apikey-"

// Stream names the stream of a key.
func Stream(keyID string) string { return StreamPrefix + keyID }

// MaxOverlap is how long two secrets of one key may count at most.
const MaxOverlap = 30 * 24 * time.Hour

// Event is a fact of a key's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	apikey()
}

// Created records a key.
type Created struct {
	KeyID          string             `json:"key_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Name           string             `json:"name"`
	// Hash is the SHA-256 of the key in hex.
	Hash     string   `json:"hash"`
	LastFour string   `json:"last_four"`
	Scopes   []string `json:"scopes"`
	// CreatedBy is the person whose role bounds the scopes.
	CreatedBy string       `json:"created_by"`
	ExpiresAt *domain.Time `json:"expires_at,omitempty"`
	At        domain.Time  `json:"at"`
}

// Adopted begins the stream of a key that the organization's stream records: what
// is known of it from there. At is when it was created.
type Adopted Created

// Changed records what a key is called and may do from then on, the whole of it.
type Changed struct {
	Name      string       `json:"name"`
	Scopes    []string     `json:"scopes"`
	ExpiresAt *domain.Time `json:"expires_at,omitempty"`
	At        domain.Time  `json:"at"`
}

// Rotated records a new secret. The one before counts until PreviousUntil; any
// older one no longer does.
type Rotated struct {
	RotationID    string      `json:"rotation_id"`
	Hash          string      `json:"hash"`
	LastFour      string      `json:"last_four"`
	PreviousUntil domain.Time `json:"previous_until"`
	At            domain.Time `json:"at"`
}

// Revoked records that no secret of the key counts any longer.
type Revoked struct {
	Reason string      `json:"reason,omitempty"`
	At     domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Created) EventType() string { return "apikey.created.v1" }

// EventType returns the recorded literal.
func (Adopted) EventType() string { return "apikey.adopted.v1" }

// EventType returns the recorded literal.
func (Changed) EventType() string { return "apikey.changed.v1" }

// EventType returns the recorded literal.
func (Rotated) EventType() string { return "apikey.rotated.v1" }

// EventType returns the recorded literal.
func (Revoked) EventType() string { return "apikey.revoked.v1" }

func (Created) apikey() {}
func (Adopted) apikey() {}
func (Changed) apikey() {}
func (Rotated) apikey() {}
func (Revoked) apikey() {}

// Catalogue lists every event that a key's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Created](),
	domain.Recordable[Adopted](),
	domain.Recordable[Changed](),
	domain.Recordable[Rotated](),
	domain.Recordable[Revoked](),
}
