// Package oauthclient is the stream of one OAuth client: an application that asks
// people for access on their behalf. A confidential client keeps a secret, of which
// only the SHA-256 and the last four characters are here; a public one has none.
package oauthclient

import "understudy/domain"

// StreamPrefix begins the name of every client's stream.
const StreamPrefix = "oauthclient-"

// Stream names the stream of a client.
func Stream(clientID string) string { return StreamPrefix + clientID }

// Event is a fact of a client's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	oauthclient()
}

// Registered records a client. One without a secret is public.
type Registered struct {
	ClientID       string   `json:"client_id"`
	OrganizationID string   `json:"organization_id"`
	Name           string   `json:"name"`
	RedirectURIs   []string `json:"redirect_uris"`
	// SecretHash is the SHA-256 of the secret in hex.
	SecretHash     string      `json:"secret_hash,omitempty"`
	SecretLastFour string      `json:"secret_last_four,omitempty"`
	CreatedBy      string      `json:"created_by"`
	At             domain.Time `json:"at"`
}

// Changed records what a client is called and where it may be answered from then
// on, the whole of it.
type Changed struct {
	Name         string      `json:"name"`
	RedirectURIs []string    `json:"redirect_uris"`
	At           domain.Time `json:"at"`
}

// SecretRotated records a new secret. The one before counts until PreviousUntil; any
// older one no longer does.
type SecretRotated struct {
	SecretHash     string      `json:"secret_hash"`
	SecretLastFour string      `json:"secret_last_four"`
	PreviousUntil  domain.Time `json:"previous_until"`
	At             domain.Time `json:"at"`
}

// Deleted records that the client is told nothing and given nothing any longer.
type Deleted struct {
	At domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Registered) EventType() string { return "oauthclient.registered.v1" }

// EventType returns the recorded literal.
func (Changed) EventType() string { return "oauthclient.changed.v1" }

// EventType returns the recorded literal.
func (SecretRotated) EventType() string { return "oauthclient.secret_rotated.v1" }

// EventType returns the recorded literal.
func (Deleted) EventType() string { return "oauthclient.deleted.v1" }

func (Registered) oauthclient()    {}
func (Changed) oauthclient()       {}
func (SecretRotated) oauthclient() {}
func (Deleted) oauthclient()       {}

// Catalogue lists every event that a client's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Registered](),
	domain.Recordable[Changed](),
	domain.Recordable[SecretRotated](),
	domain.Recordable[Deleted](),
}
