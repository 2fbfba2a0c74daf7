package oauthclient

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/domain"
)

// MaxOverlap is how long two secrets of one client may count at most.
const MaxOverlap = 30 * 24 * time.Hour

const maxName = 100

// Command is a wish to a client's stream.
//
//sumtype:decl
type Command interface{ oauthclientCommand() }

// Register makes the client.
type Register struct{ Client Registered }

// Change names the client anew or says anew where it may be answered; nil leaves a
// thing as it is.
type Change struct {
	Name         *string
	RedirectURIs []string
	Now          domain.Time
}

// RotateSecret gives a confidential client a new secret; the one before goes on
// counting for the overlap.
type RotateSecret struct {
	SecretHash, SecretLastFour string
	Overlap                    time.Duration
	Now                        domain.Time
}

// Delete ends the client.
type Delete struct{ Now domain.Time }

func (Register) oauthclientCommand()     {}
func (Change) oauthclientCommand()       {}
func (RotateSecret) oauthclientCommand() {}
func (Delete) oauthclientCommand()       {}

// State is what deciding needs to know. Client is as it is now.
type State struct {
	Client  Registered
	Deleted bool
	// PreviousHash counts until PreviousUntil.
	PreviousHash  string
	PreviousUntil domain.Time
}

// Exists reports whether there is such a client.
func (s State) Exists() bool { return s.Client.ClientID != "" && !s.Deleted }

// Public reports whether the client can keep no secret.
func (s State) Public() bool { return s.Client.SecretHash == "" }

// Authenticates reports whether the secret with this hash is the client's now.
func (s State) Authenticates(hash string, now domain.Time) bool {
	return !s.Public() && (hash == s.Client.SecretHash ||
		s.PreviousHash != "" && hash == s.PreviousHash && now.Before(s.PreviousUntil.Time))
}

// Decider is the client's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Deleted },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Registered:
		return State{Client: e}
	case Changed:
		s.Client.Name, s.Client.RedirectURIs = e.Name, e.RedirectURIs
	case SecretRotated:
		s.PreviousHash, s.PreviousUntil = s.Client.SecretHash, e.PreviousUntil
		s.Client.SecretHash, s.Client.SecretLastFour = e.SecretHash, e.SecretLastFour
	case Deleted:
		s.Deleted = true
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	if s.Deleted {
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such client")
	}
	if c, registers := c.(Register); registers {
		return register(s, c)
	}
	if !s.Exists() {
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such client")
	}
	switch c := c.(type) {
	case Change:
		after := s.Client
		if c.Name != nil {
			after.Name = *c.Name
		}
		if c.RedirectURIs != nil {
			after.RedirectURIs = c.RedirectURIs
		}
		if after.Name == s.Client.Name && slices.Equal(after.RedirectURIs, s.Client.RedirectURIs) {
			return nil, nil
		}
		if err := check(after); err != nil {
			return nil, err
		}
		return []Event{Changed{Name: after.Name, RedirectURIs: after.RedirectURIs, At: c.Now}}, nil
	case RotateSecret:
		switch {
		case s.Public():
			return nil, domain.Refuse(domain.CodeWrongState, "a public client has no secret")
		case c.SecretHash == s.Client.SecretHash:
			return nil, nil
		case c.SecretHash == "":
			return nil, domain.Invalid("", "required", "a secret is missing")
		case c.Overlap < 0 || c.Overlap > MaxOverlap:
			return nil, domain.Invalid("overlap_seconds", "range", "two secrets may count for 30 days at most")
		}
		return []Event{SecretRotated{
			SecretHash: c.SecretHash, SecretLastFour: c.SecretLastFour,
			PreviousUntil: domain.At(c.Now.Add(c.Overlap)), At: c.Now,
		}}, nil
	case Delete:
		return []Event{Deleted{At: c.Now}}, nil
	case Register:
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func register(s State, c Register) ([]Event, error) {
	if s.Client.ClientID != "" {
		return nil, nil
	}
	if err := check(c.Client); err != nil {
		return nil, err
	}
	return []Event{c.Client}, nil
}

// check refuses a client that nobody could use, naming every field at fault.
func check(c Registered) error {
	var faults []domain.FieldError
	if strings.TrimSpace(c.Name) == "" || utf8.RuneCountInString(c.Name) > maxName {
		faults = append(faults, domain.FieldError{Field: "name", Code: "length", Message: "a client needs a name of at most 100 characters"})
	}
	faults = append(faults, checkRedirects(c.RedirectURIs, c.SecretHash == "")...)
	if len(faults) == 0 {
		return nil
	}
	return &domain.Error{Code: domain.CodeValidationFailed, Message: faults[0].Message, Fields: faults}
}
