// Package user is the stream of one person: address, password, second factor and
// the sessions of the dashboard. Name, mail address, program and secret of the
// second factor are ciphertext of the person's own key, which ends with the person.
package user

import "understudy/domain"

// StreamPrefix begins the name of every person's stream.
const StreamPrefix = "user-"

// Stream names the stream of a person.
func Stream(userID string) string { return StreamPrefix + userID }

// Event is a fact of a person's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	user()
}

// Registered records a person who has signed up.
type Registered struct {
	UserID string `json:"user_id"`
	// Email and Name are ciphertext, PasswordHash is argon2id in its usual form.
	Email        string      `json:"email"`
	Name         string      `json:"name"`
	PasswordHash string      `json:"password_hash"`
	At           domain.Time `json:"at"`
}

// VerificationRequested records that a link was sent to the person's address.
type VerificationRequested struct {
	// TokenHash is the SHA-256 of what the link holds, in hex.
	TokenHash string      `json:"token_hash"`
	ExpiresAt domain.Time `json:"expires_at"`
	At        domain.Time `json:"at"`
}

// AddressVerified records that the address is the person's.
type AddressVerified struct {
	At domain.Time `json:"at"`
}

// ResetRequested records that a link to a new password was sent.
type ResetRequested struct {
	TokenHash string      `json:"token_hash"`
	ExpiresAt domain.Time `json:"expires_at"`
	At        domain.Time `json:"at"`
}

// PasswordChanged records a new password. Links to another no longer work.
type PasswordChanged struct {
	PasswordHash string `json:"password_hash"`
	// How is "reset" for a link, "changed" by somebody who is signed in.
	How string      `json:"how"`
	At  domain.Time `json:"at"`
}

// SignedIn records a session of the dashboard.
type SignedIn struct {
	SessionID      string `json:"session_id"`
	OrganizationID string `json:"organization_id"`
	// Factor is the second one: "totp", "recovery_code" or, without one, "".
	Factor string `json:"factor,omitempty"`
	// Step is the time step of the code: neither it nor an older one counts again.
	Step int64 `json:"step,omitempty"`
	// Agent is the browser as it names itself, ciphertext.
	Agent string      `json:"agent,omitempty"`
	At    domain.Time `json:"at"`
}

// SignInFailed records that somebody who knows the address could not sign in.
type SignInFailed struct {
	AttemptID string `json:"attempt_id"`
	// Reason is "password" or "factor".
	Reason string      `json:"reason"`
	At     domain.Time `json:"at"`
}

// OrganizationChosen records which organization a session is for from then on.
type OrganizationChosen struct {
	SessionID      string      `json:"session_id"`
	OrganizationID string      `json:"organization_id"`
	At             domain.Time `json:"at"`
}

// SessionEnded records the end of a session.
type SessionEnded struct {
	SessionID string `json:"session_id"`
	// How says why: one of the constants below.
	How string      `json:"how"`
	At  domain.Time `json:"at"`
}

// Why sessions end.
const (
	SignedOut = "signed_out" // by itself
	Ended     = "ended"      // by its person from another session
	NewSecret = "password"   // with the password or the second factor
	Removed   = "removed"    // with the membership or the organization
	Gone      = "erased"     // with the person
)

// FactorEnabled records that codes of a generator are asked for from then on.
type FactorEnabled struct {
	// Secret is the generator's, ciphertext. RecoveryHashes are SHA-256 in hex of
	// codes that count once each.
	Secret         string      `json:"secret"`
	RecoveryHashes []string    `json:"recovery_hashes"`
	Step           int64       `json:"step"`
	At             domain.Time `json:"at"`
}

// RecoveryCodeUsed records that one of the codes has counted.
type RecoveryCodeUsed struct {
	Hash string      `json:"hash"`
	At   domain.Time `json:"at"`
}

// FactorDisabled records that the password alone is enough again.
type FactorDisabled struct {
	At domain.Time `json:"at"`
}

// Erased records that the person is gone. The key of all that is ciphertext here is
// destroyed after it.
type Erased struct {
	At domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Registered) EventType() string { return "user.registered.v1" }

// EventType returns the recorded literal.
func (VerificationRequested) EventType() string { return "user.verification_requested.v1" }

// EventType returns the recorded literal.
func (AddressVerified) EventType() string { return "user.address_verified.v1" }

// EventType returns the recorded literal.
func (ResetRequested) EventType() string { return "user.reset_requested.v1" }

// EventType returns the recorded literal.
func (PasswordChanged) EventType() string { return "user.password_changed.v1" }

// EventType returns the recorded literal.
func (SignedIn) EventType() string { return "user.signed_in.v1" }

// EventType returns the recorded literal.
func (SignInFailed) EventType() string { return "user.sign_in_failed.v1" }

// EventType returns the recorded literal.
func (OrganizationChosen) EventType() string { return "user.organization_chosen.v1" }

// EventType returns the recorded literal.
func (SessionEnded) EventType() string { return "user.session_ended.v1" }

// EventType returns the recorded literal.
func (FactorEnabled) EventType() string { return "user.factor_enabled.v1" }

// EventType returns the recorded literal.
func (RecoveryCodeUsed) EventType() string { return "user.recovery_code_used.v1" }

// EventType returns the recorded literal.
func (FactorDisabled) EventType() string { return "user.factor_disabled.v1" }

// EventType returns the recorded literal.
func (Erased) EventType() string { return "user.erased.v1" }

func (Registered) user()            {}
func (VerificationRequested) user() {}
func (AddressVerified) user()       {}
func (ResetRequested) user()        {}
func (PasswordChanged) user()       {}
func (SignedIn) user()              {}
func (SignInFailed) user()          {}
func (OrganizationChosen) user()    {}
func (SessionEnded) user()          {}
func (FactorEnabled) user()         {}
func (RecoveryCodeUsed) user()      {}
func (FactorDisabled) user()        {}
func (Erased) user()                {}

// Catalogue lists every event that a person's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Registered](),
	domain.Recordable[VerificationRequested](),
	domain.Recordable[AddressVerified](),
	domain.Recordable[ResetRequested](),
	domain.Recordable[PasswordChanged](),
	domain.Recordable[SignedIn](),
	domain.Recordable[SignInFailed](),
	domain.Recordable[OrganizationChosen](),
	domain.Recordable[SessionEnded](),
	domain.Recordable[FactorEnabled](),
	domain.Recordable[RecoveryCodeUsed](),
	domain.Recordable[FactorDisabled](),
	domain.Recordable[Erased](),
}
