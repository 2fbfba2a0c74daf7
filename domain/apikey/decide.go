package apikey

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/domain"
	"understudy/domain/access"
)

// maxName is how many characters a key's name may have.
const maxName = 100

// Command is a wish to a key's stream.
//
//sumtype:decl
type Command interface{ apikeyCommand() }

// Create makes a key.
type Create struct{ Key Created }

// Adopt runs a command on a key that the organization's stream records; if the
// command has an effect, the key's own stream begins with what is known of it.
type Adopt struct {
	Key  Adopted
	Then Command
}

// Change sets what is not nil.
type Change struct {
	Name   *string
	Scopes []string
	// ForgetExpiry lets the key live on; an ExpiresAt beside it counts.
	ForgetExpiry bool
	ExpiresAt    *domain.Time
	// Seen, unless nil, has the revision that the key must be at.
	Seen []uint64
	Now  domain.Time
}

// Rotate gives the key a new secret and lets the one in force count for Overlap.
type Rotate struct {
	RotationID string
	Hash       string
	LastFour   string
	Overlap    time.Duration
	Now        domain.Time
}

// Revoke ends the key.
type Revoke struct {
	Reason string
	Now    domain.Time
}

func (Create) apikeyCommand() {}
func (Adopt) apikeyCommand()  {}
func (Change) apikeyCommand() {}
func (Rotate) apikeyCommand() {}
func (Revoke) apikeyCommand() {}

// State is what deciding needs to know, and all there is to know of a key.
type State struct {
	Key Created
	// Events is how many events the stream has.
	Events uint64
	// Rotation is the newest one, with the hash that it replaces.
	Rotation Rotated
	Previous string
	Revoked  bool
}

// Decider is the key's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Revoked },
}

func evolve(s State, e Event) State {
	s.Events++
	switch e := e.(type) {
	case Created:
		s.Key = e
	case Adopted:
		s.Key = Created(e)
	case Changed:
		s.Key.Name, s.Key.Scopes, s.Key.ExpiresAt = e.Name, e.Scopes, e.ExpiresAt
	case Rotated:
		s.Previous, s.Rotation = s.Key.Hash, e
		s.Key.Hash, s.Key.LastFour = e.Hash, e.LastFour
	case Revoked:
		s.Revoked = true
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	switch c := c.(type) {
	case Create:
		if s.Key.KeyID != "" {
			return nil, nil
		}
		if err := check(c.Key.Name, c.Key.Scopes, c.Key.ExpiresAt, c.Key.At); err != nil {
			return nil, err
		}
		return []Event{c.Key}, nil
	case Adopt:
		if s.Key.KeyID != "" {
			return decide(s, c.Then)
		}
		adopted := State{Key: Created(c.Key), Events: 1}
		events, err := decide(adopted, c.Then)
		if err != nil || len(events) == 0 {
			return nil, err
		}
		return append([]Event{c.Key}, events...), nil
	case Revoke:
		switch {
		case s.Key.KeyID == "":
			return nil, noSuchKey()
		case s.Revoked:
			return nil, nil
		}
		return []Event{Revoked{Reason: c.Reason, At: c.Now}}, nil
	case Change:
		return change(s, c)
	case Rotate:
		return rotate(s, c)
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func change(s State, c Change) ([]Event, error) {
	if err := inForce(s, c.Now); err != nil {
		return nil, err
	}
	if c.Seen != nil && !slices.Contains(c.Seen, s.Events-1) {
		return nil, domain.Refuse(domain.CodeChanged, "the key has been changed since; read it again")
	}
	after := Changed{Name: s.Key.Name, Scopes: s.Key.Scopes, ExpiresAt: s.Key.ExpiresAt, At: c.Now}
	if c.Name != nil {
		after.Name = *c.Name
	}
	if c.Scopes != nil {
		after.Scopes = c.Scopes
	}
	if c.ForgetExpiry {
		after.ExpiresAt = nil
	}
	if c.ExpiresAt != nil {
		after.ExpiresAt = c.ExpiresAt
	}
	if after.Name == s.Key.Name && slices.Equal(after.Scopes, s.Key.Scopes) && sameTime(after.ExpiresAt, s.Key.ExpiresAt) {
		return nil, nil
	}
	if err := check(after.Name, after.Scopes, after.ExpiresAt, c.Now); err != nil {
		return nil, err
	}
	return []Event{after}, nil
}

func rotate(s State, c Rotate) ([]Event, error) {
	if s.Key.KeyID != "" && s.Rotation.RotationID == c.RotationID {
		return nil, nil
	}
	if err := inForce(s, c.Now); err != nil {
		return nil, err
	}
	if c.Overlap < 0 || c.Overlap > MaxOverlap {
		return nil, domain.Invalid("overlap_seconds", "out_of_range", "overlap_seconds must be 0 to %d", int(MaxOverlap/time.Second))
	}
	return []Event{Rotated{
		RotationID: c.RotationID, Hash: c.Hash, LastFour: c.LastFour, PreviousUntil: domain.At(c.Now.Add(c.Overlap)), At: c.Now,
	}}, nil
}

func noSuchKey() error { return domain.Refuse(domain.CodeNotFound, "there is no such key") }

func inForce(s State, now domain.Time) error {
	switch {
	case s.Key.KeyID == "":
		return noSuchKey()
	case s.Revoked:
		return domain.Refuse(domain.CodeWrongState, "the key is revoked; create another")
	case s.Key.ExpiresAt != nil && !now.Before(s.Key.ExpiresAt.Time):
		return domain.Refuse(domain.CodeWrongState, "the key has expired; create another")
	}
	return nil
}

func check(name string, scopes []string, expiresAt *domain.Time, now domain.Time) error {
	if n := utf8.RuneCountInString(name); strings.TrimSpace(name) == "" || n > maxName {
		return domain.Invalid("name", "length", "name must have 1 to %d characters", maxName)
	}
	if len(scopes) == 0 {
		return domain.Invalid("scopes", "required", "a key needs at least one scope")
	}
	for i, scope := range scopes {
		if !slices.Contains(access.Scopes, scope) {
			return domain.Invalid("scopes", "enum", "%q is not a scope", scope)
		}
		if slices.Contains(scopes[:i], scope) {
			return domain.Invalid("scopes", "unique", "%s is there twice", scope)
		}
	}
	if expiresAt != nil && !now.Before(expiresAt.Time) {
		return domain.Invalid("expires_at", "in_the_past", "expires_at must lie in the future")
	}
	return nil
}

func sameTime(a, b *domain.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(b.Time)
}
