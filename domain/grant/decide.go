package grant

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"time"

	"understudy/domain"
	"understudy/domain/access"
)

const (
	// CodeLifetime is how long a code waits to be redeemed.
	CodeLifetime = 60 * time.Second
	// AccessLifetime is how long an access token counts.
	AccessLifetime = time.Hour
	// Lifetime is how long a grant counts, however often it is refreshed.
	Lifetime = 90 * 24 * time.Hour
	// Grace is how long a refresh whose answer was lost may be tried again.
	Grace = 30 * time.Second
)

// What may be reused.
const (
	Code         = "code"
	RefreshToken = "refresh_token"
)

// Reused is the reason of a revocation that follows a reuse.
const Reused = "reuse"

// Command is a wish to a grant's stream.
//
//sumtype:decl
type Command interface{ grantCommand() }

// Issue makes the grant.
type Issue struct{ Grant Issued }

// Redeem exchanges the code for tokens, the hashes of which are in the command.
type Redeem struct {
	ClientID, RedirectURI  string
	CodeHash, Verifier     string
	AccessHash, NewRefresh string
	Now                    domain.Time
}

// Refresh exchanges a refresh token for new tokens. Scopes narrow the access token's,
// none leave them all.
type Refresh struct {
	ClientID, RefreshHash  string
	Scopes                 []string
	AccessHash, NewRefresh string
	Now                    domain.Time
}

// Revoke ends the grant.
type Revoke struct {
	Reason string
	Now    domain.Time
}

func (Issue) grantCommand()   {}
func (Redeem) grantCommand()  {}
func (Refresh) grantCommand() {}
func (Revoke) grantCommand()  {}

// State is what deciding needs to know.
type State struct {
	Grant   Issued
	Revoked bool
	// Tokens are the newest, none before the code was redeemed.
	Tokens Tokens
	// Previous is the refresh token that Tokens were given for, ExchangedAt when it
	// was exchanged first.
	Previous    string
	ExchangedAt domain.Time
	// Spent are all refresh tokens that no longer count.
	Spent []string
}

// Redeemed reports whether the code was exchanged.
func (s State) Redeemed() bool { return s.Tokens.RefreshHash != "" }

// Decider is the grant's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Revoked },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Issued:
		return State{Grant: e}
	case Redeemed:
		s.Tokens = e.Tokens
	case Refreshed:
		s.Spent = append(slices.Clip(s.Spent), s.Tokens.RefreshHash)
		if !e.Retried {
			s.Previous, s.ExchangedAt = s.Tokens.RefreshHash, e.At
		}
		s.Tokens = e.Tokens
	case ReuseDetected:
	case Revoked:
		s.Revoked = true
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	if s.Revoked {
		if _, again := c.(Revoke); again {
			return nil, nil
		}
		return nil, refused("the grant was revoked")
	}
	if c, issues := c.(Issue); issues {
		return issue(s, c.Grant)
	}
	if s.Grant.GrantID == "" {
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such grant")
	}
	switch c := c.(type) {
	case Redeem:
		return redeem(s, c)
	case Refresh:
		return refresh(s, c)
	case Revoke:
		return []Event{Revoked{Reason: c.Reason, At: c.Now}}, nil
	case Issue:
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// challenges are all that an S256 challenge can be (RFC 7636, 4.2).
var challenges = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// verifiers are all that a code verifier can be (RFC 7636, 4.1).
var verifiers = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

func issue(s State, g Issued) ([]Event, error) {
	switch {
	case s.Grant.GrantID != "":
		return nil, nil
	case g.GrantID == "" || g.CodeHash == "":
		return nil, domain.Invalid("", "required", "a grant needs an id and a code")
	case g.Environment != domain.Live && g.Environment != domain.Sandbox:
		return nil, domain.Invalid("environment", "enum", "environment must be live or test")
	case len(g.Scopes) == 0:
		return nil, domain.Invalid("scope", "required", "a grant needs a scope")
	case g.Challenge != "" && !challenges.MatchString(g.Challenge):
		return nil, domain.Invalid("code_challenge", "invalid", "code_challenge must be the base64url of a SHA-256")
	}
	for _, scope := range g.Scopes {
		if !slices.Contains(access.Scopes, scope) {
			return nil, domain.Invalid("scope", "enum", "%q is not a scope", scope)
		}
	}
	return []Event{g}, nil
}

// redeem exchanges the code, once. A code that comes again from the client it was
// made for ends the grant (RFC 6749, 4.1.2): that one of two who had it stole it is
// certain, which of them is not.
func redeem(s State, c Redeem) ([]Event, error) {
	switch {
	case c.CodeHash != s.Grant.CodeHash:
		return nil, refused("the code is not known")
	case c.ClientID != s.Grant.ClientID:
		return nil, refused("the code was made for another client")
	case s.Redeemed() && c.NewRefresh == s.Tokens.RefreshHash:
		return nil, nil
	case s.Redeemed():
		return reused(Code, c.Now), nil
	case !c.Now.Before(s.Grant.CodeExpiresAt.Time):
		return nil, refused("the code has expired")
	case c.RedirectURI != s.Grant.RedirectURI:
		return nil, refused("redirect_uri is not the one that the code was sent to")
	case s.Grant.Challenge == "" && c.Verifier != "":
		return nil, refused("there is a code_verifier, but the authorization request had no code_challenge")
	case s.Grant.Challenge != "" && !proves(c.Verifier, s.Grant.Challenge):
		return nil, refused("code_verifier does not fit the code_challenge")
	case c.AccessHash == "" || c.NewRefresh == "":
		return nil, domain.Invalid("", "required", "tokens are missing")
	}
	return []Event{Redeemed{Tokens: s.tokens(c.AccessHash, c.NewRefresh, s.Grant.Scopes, c.Now), At: c.Now}}, nil
}

// refresh exchanges the refresh token for the next. One that was exchanged before
// ends the grant, but for the last of them within Grace while its successor is unused:
// then the answer may have been lost.
func refresh(s State, c Refresh) ([]Event, error) {
	newest := c.RefreshHash == s.Tokens.RefreshHash
	retried := s.Previous != "" && c.RefreshHash == s.Previous
	switch {
	case !s.Redeemed() || !newest && !slices.Contains(s.Spent, c.RefreshHash):
		return nil, refused("the refresh token is not known")
	case c.ClientID != s.Grant.ClientID:
		return nil, refused("the refresh token was given to another client")
	case c.NewRefresh == s.Tokens.RefreshHash:
		return nil, nil
	case !newest && (!retried || c.Now.Sub(s.ExchangedAt.Time) > Grace):
		return reused(RefreshToken, c.Now), nil
	case !c.Now.Before(s.Grant.EndsAt.Time):
		return nil, refused("the grant has ended")
	case c.AccessHash == "" || c.NewRefresh == "" || slices.Contains(s.Spent, c.NewRefresh):
		return nil, domain.Invalid("", "required", "new tokens are missing")
	}
	scopes := c.Scopes
	if len(scopes) == 0 {
		scopes = s.Grant.Scopes
	}
	for _, scope := range scopes {
		if !slices.Contains(s.Grant.Scopes, scope) {
			return nil, domain.Invalid("scope", "enum", "%q was not granted", scope)
		}
	}
	return []Event{Refreshed{Tokens: s.tokens(c.AccessHash, c.NewRefresh, scopes, c.Now), Retried: retried, At: c.Now}}, nil
}

// tokens are recorded with when the access token ends: never after the grant.
func (s State) tokens(accessHash, refreshHash string, scopes []string, now domain.Time) Tokens {
	ends := now.Add(AccessLifetime)
	if ends.After(s.Grant.EndsAt.Time) {
		ends = s.Grant.EndsAt.Time
	}
	return Tokens{AccessHash: accessHash, AccessExpiresAt: domain.At(ends), RefreshHash: refreshHash, Scopes: scopes}
}

func reused(what string, now domain.Time) []Event {
	return []Event{ReuseDetected{Of: what, At: now}, Revoked{Reason: Reused, At: now}}
}

// proves reports whether a verifier's S256 is the challenge.
func proves(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return verifiers.MatchString(verifier) && base64.RawURLEncoding.EncodeToString(sum[:]) == challenge
}

func refused(why string) error { return domain.Refuse(domain.CodeWrongState, "%s", why) }
