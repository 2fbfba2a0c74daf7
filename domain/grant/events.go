// Package grant is the stream of one grant: what a person has allowed an OAuth
// client. It begins with a code, which is redeemed once for tokens, which are
// refreshed until the grant's end. Codes and tokens carry the grant's id, and only
// their SHA-256 in hex is here, so that the expected revision of an append makes
// each of them good for one use.
package grant

import "understudy/domain"

// StreamPrefix begins the name of every grant's stream.
const StreamPrefix = "grant-"

// Stream names the stream of a grant.
func Stream(grantID string) string { return StreamPrefix + grantID }

// Event is a fact of a grant's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	grant()
}

// Issued records a person's consent and the code that tells the client of it.
type Issued struct {
	GrantID        string             `json:"grant_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	UserID         string             `json:"user_id"`
	ClientID       string             `json:"client_id"`
	Scopes         []string           `json:"scopes"`
	// RedirectURI is where the code was sent.
	RedirectURI string `json:"redirect_uri"`
	// Challenge is the S256 code challenge, "" for a confidential client that sent none.
	Challenge     string      `json:"challenge,omitempty"`
	CodeHash      string      `json:"code_hash"`
	CodeExpiresAt domain.Time `json:"code_expires_at"`
	// EndsAt is when the grant ends, however often it is refreshed.
	EndsAt domain.Time `json:"ends_at"`
	At     domain.Time `json:"at"`
}

// Redeemed records the tokens that the code was exchanged for.
type Redeemed struct {
	Tokens
	At domain.Time `json:"at"`
}

// Refreshed records the tokens that take the place of the refresh token before.
// Retried: that one had been exchanged already and its successor was not yet used;
// the successor no longer counts.
type Refreshed struct {
	Tokens
	Retried bool        `json:"retried,omitempty"`
	At      domain.Time `json:"at"`
}

// Tokens are an access token and the refresh token that came with it. Scopes are the
// access token's.
type Tokens struct {
	AccessHash      string      `json:"access_hash"`
	AccessExpiresAt domain.Time `json:"access_expires_at"`
	RefreshHash     string      `json:"refresh_hash"`
	Scopes          []string    `json:"scopes"`
}

// ReuseDetected records that a code or a refresh token which had been exchanged came
// again: somebody has stolen it.
type ReuseDetected struct {
	Of string      `json:"of"`
	At domain.Time `json:"at"`
}

// Revoked records that no code or token of the grant counts any longer.
type Revoked struct {
	Reason string      `json:"reason"`
	At     domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Issued) EventType() string { return "grant.issued.v1" }

// EventType returns the recorded literal.
func (Redeemed) EventType() string { return "grant.redeemed.v1" }

// EventType returns the recorded literal.
func (Refreshed) EventType() string { return "grant.refreshed.v1" }

// EventType returns the recorded literal.
func (ReuseDetected) EventType() string { return "grant.reuse_detected.v1" }

// EventType returns the recorded literal.
func (Revoked) EventType() string { return "grant.revoked.v1" }

func (Issued) grant()        {}
func (Redeemed) grant()      {}
func (Refreshed) grant()     {}
func (ReuseDetected) grant() {}
func (Revoked) grant()       {}

// Catalogue lists every event that a grant's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Issued](),
	domain.Recordable[Redeemed](),
	domain.Recordable[Refreshed](),
	domain.Recordable[ReuseDetected](),
	domain.Recordable[Revoked](),
}
