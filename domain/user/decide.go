package user

import (
	"maps"
	"slices"

	"understudy/domain"
)

// Command is a wish to a person's stream.
//
//sumtype:decl
type Command interface{ userCommand() }

// Register makes the person.
type Register struct{ User Registered }

// RequestVerification sends a link to the address. The newest link is the one that
// works.
type RequestVerification struct {
	TokenHash      string
	ExpiresAt, Now domain.Time
}

// RequestReset sends a link to a new password. The newest link is the one that works.
type RequestReset struct {
	TokenHash      string
	ExpiresAt, Now domain.Time
}

// Verify says that somebody came with the link to the address.
type Verify struct {
	TokenHash string
	Now       domain.Time
}

// Vouch says that the address was seen to be the person's in another way.
type Vouch struct{ Now domain.Time }

// Reset changes the password for somebody who came with the link to a new one, and
// ends all sessions.
type Reset struct {
	TokenHash, PasswordHash string
	Now                     domain.Time
}

// ChangePassword changes it for somebody who is signed in. Kept is the one session
// that goes on.
type ChangePassword struct {
	PasswordHash, Kept string
	Now                domain.Time
}

// SignIn begins a session for somebody whose password was checked against the hash
// Checked, and whose second factor, if there is one, holds: a code of a time step, or
// a recovery code by its hash.
type SignIn struct {
	SessionID, OrganizationID, Checked string
	Step                               int64
	RecoveryHash                       string
	Agent                              string
	Now                                domain.Time
}

// FailSignIn records a failure.
type FailSignIn struct {
	AttemptID, Reason string
	Now               domain.Time
}

// ChooseOrganization makes a session one for another organization.
type ChooseOrganization struct {
	SessionID, OrganizationID string
	Now                       domain.Time
}

// EndSession ends one.
type EndSession struct {
	SessionID, How string
	Now            domain.Time
}

// Depart ends those that are for an organization.
type Depart struct {
	OrganizationID string
	Now            domain.Time
}

// EnableFactor asks for codes from now on; Kept is the one session that goes on.
type EnableFactor struct {
	Secret         string
	RecoveryHashes []string
	Step           int64
	Kept           string
	Now            domain.Time
}

// DisableFactor asks for none any longer.
type DisableFactor struct{ Now domain.Time }

// Erase ends the person.
type Erase struct{ Now domain.Time }

// Expire ends a person whose address is not confirmed, and cannot be with a link that
// was sent.
type Expire struct{ Now domain.Time }

func (Register) userCommand()            {}
func (RequestVerification) userCommand() {}
func (RequestReset) userCommand()        {}
func (Verify) userCommand()              {}
func (Vouch) userCommand()               {}
func (Reset) userCommand()               {}
func (ChangePassword) userCommand()      {}
func (SignIn) userCommand()              {}
func (FailSignIn) userCommand()          {}
func (ChooseOrganization) userCommand()  {}
func (EndSession) userCommand()          {}
func (Depart) userCommand()              {}
func (EnableFactor) userCommand()        {}
func (DisableFactor) userCommand()       {}
func (Erase) userCommand()               {}
func (Expire) userCommand()              {}

// MaxSessions is how many sessions somebody has at once; the oldest ends for one
// more.
const MaxSessions = 50

// Link is one that was sent.
type Link struct {
	TokenHash string
	ExpiresAt domain.Time
}

// Opens reports whether the link with this hash works.
func (l Link) Opens(hash string, now domain.Time) bool {
	return l.TokenHash != "" && hash == l.TokenHash && now.Before(l.ExpiresAt.Time)
}

// Session is one that has not ended.
type Session struct{ ID, OrganizationID string }

// State is what deciding needs to know.
type State struct {
	// User is as it is now.
	User     Registered
	Verified bool
	Erased   bool
	// Verification and Reset are the links that work.
	Verification, Reset Link
	// Sessions are those that have not ended, oldest first.
	Sessions []Session
	// Secret is that of the second factor, "" for none; Step the last one that has
	// counted.
	Secret   string
	Step     int64
	Recovery map[string]bool
	// Failed is the attempt to sign in that failed last.
	Failed string
}

// Exists reports whether there is such a person.
func (s State) Exists() bool { return s.User.UserID != "" && !s.Erased }

// Decider is the person's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Erased },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Registered:
		return State{User: e}
	case VerificationRequested:
		s.Verification = Link{e.TokenHash, e.ExpiresAt}
	case AddressVerified:
		s.Verified, s.Verification = true, Link{}
	case ResetRequested:
		s.Reset = Link{e.TokenHash, e.ExpiresAt}
	case PasswordChanged:
		s.User.PasswordHash, s.Reset = e.PasswordHash, Link{}
	case SignedIn:
		s.Sessions = append(slices.Clone(s.Sessions), Session{e.SessionID, e.OrganizationID})
		s.Step = max(s.Step, e.Step)
	case OrganizationChosen:
		s.Sessions = slices.Clone(s.Sessions)
		for i := range s.Sessions {
			if s.Sessions[i].ID == e.SessionID {
				s.Sessions[i].OrganizationID = e.OrganizationID
			}
		}
	case SessionEnded:
		s.Sessions = slices.DeleteFunc(slices.Clone(s.Sessions), func(have Session) bool { return have.ID == e.SessionID })
	case FactorEnabled:
		s.Secret, s.Step, s.Recovery = e.Secret, e.Step, map[string]bool{}
		for _, hash := range e.RecoveryHashes {
			s.Recovery[hash] = true
		}
	case RecoveryCodeUsed:
		s.Recovery = maps.Clone(s.Recovery)
		delete(s.Recovery, e.Hash)
	case FactorDisabled:
		s.Secret, s.Step, s.Recovery = "", 0, nil
	case Erased:
		return State{User: Registered{UserID: s.User.UserID}, Erased: true}
	case SignInFailed:
		s.Failed = e.AttemptID
	}
	return s
}

var errNobody = domain.Refuse(domain.CodeNotFound, "there is no such person")

// errLink is told of links that are wrong, old or used, whichever it is.
var errLink = domain.Refuse(domain.CodeForbidden, "this link is not the newest one, has been used, or has expired; ask for another")

func decide(s State, c Command) ([]Event, error) {
	if c, registers := c.(Register); registers && s.User.UserID == "" {
		return []Event{c.User}, nil
	}
	if !s.Exists() {
		return nil, errNobody
	}
	switch c := c.(type) {
	case Register:
		return nil, nil
	case RequestVerification:
		if s.Verified || c.TokenHash == s.Verification.TokenHash {
			return nil, nil
		}
		return []Event{VerificationRequested{TokenHash: c.TokenHash, ExpiresAt: c.ExpiresAt, At: c.Now}}, nil
	case RequestReset:
		if c.TokenHash == s.Reset.TokenHash {
			return nil, nil
		}
		return []Event{ResetRequested{TokenHash: c.TokenHash, ExpiresAt: c.ExpiresAt, At: c.Now}}, nil
	case Verify:
		if !s.Verification.Opens(c.TokenHash, c.Now) {
			return nil, errLink
		}
		return []Event{AddressVerified{At: c.Now}}, nil
	case Vouch:
		if s.Verified {
			return nil, nil
		}
		return []Event{AddressVerified{At: c.Now}}, nil
	case Reset:
		if !s.Reset.Opens(c.TokenHash, c.Now) {
			return nil, errLink
		}
		events := []Event{PasswordChanged{PasswordHash: c.PasswordHash, How: "reset", At: c.Now}}
		if !s.Verified { // only the address's owner has the link
			events = append(events, AddressVerified{At: c.Now})
		}
		return append(events, s.end("", NewSecret, c.Now)...), nil
	case ChangePassword:
		if c.PasswordHash == s.User.PasswordHash {
			return nil, nil
		}
		return append([]Event{PasswordChanged{PasswordHash: c.PasswordHash, How: "changed", At: c.Now}}, s.end(c.Kept, NewSecret, c.Now)...), nil
	case FailSignIn:
		if c.AttemptID == s.Failed {
			return nil, nil
		}
		return []Event{SignInFailed{AttemptID: c.AttemptID, Reason: c.Reason, At: c.Now}}, nil
	case SignIn:
		return s.signIn(c)
	case ChooseOrganization, EndSession, Depart:
		return s.ofSessions(c), nil
	case EnableFactor:
		if s.Secret != "" {
			return nil, domain.Refuse(domain.CodeWrongState, "a second factor is set up already")
		}
		enabled := FactorEnabled{Secret: c.Secret, RecoveryHashes: c.RecoveryHashes, Step: c.Step, At: c.Now}
		return append([]Event{enabled}, s.end(c.Kept, NewSecret, c.Now)...), nil
	case DisableFactor:
		if s.Secret == "" {
			return nil, nil
		}
		return []Event{FactorDisabled{At: c.Now}}, nil
	case Erase:
		return append(s.end("", Gone, c.Now), Erased{At: c.Now}), nil
	case Expire:
		if s.Verified || c.Now.Before(s.Verification.ExpiresAt.Time) || c.Now.Before(s.Reset.ExpiresAt.Time) {
			return nil, nil
		}
		return []Event{Erased{At: c.Now}}, nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// signIn checks what only the stream knows for certain: that the password is still
// that one, and that a code has not counted before.
func (s State) signIn(c SignIn) ([]Event, error) {
	if slices.ContainsFunc(s.Sessions, func(have Session) bool { return have.ID == c.SessionID }) {
		return nil, nil
	}
	switch {
	case !s.Verified:
		return nil, domain.Refuse(domain.CodeWrongState, "the address has yet to be verified")
	case c.Checked != s.User.PasswordHash:
		return nil, domain.Refuse(domain.CodeForbidden, "the password has changed")
	}
	var events []Event
	in := SignedIn{SessionID: c.SessionID, OrganizationID: c.OrganizationID, Agent: c.Agent, At: c.Now}
	if s.Secret != "" {
		switch {
		case c.RecoveryHash != "" && s.Recovery[c.RecoveryHash]:
			in.Factor = "recovery_code"
			events = append(events, RecoveryCodeUsed{Hash: c.RecoveryHash, At: c.Now})
		case c.RecoveryHash == "" && c.Step > s.Step:
			in.Factor, in.Step = "totp", c.Step
		default:
			return nil, domain.Refuse(domain.CodeForbidden, "this code is wrong or was used before")
		}
	}
	for i := 0; i <= len(s.Sessions)-MaxSessions; i++ {
		events = append(events, SessionEnded{SessionID: s.Sessions[i].ID, How: Ended, At: c.Now})
	}
	return append(events, in), nil
}

func (s State) ofSessions(c Command) (events []Event) {
	for _, have := range s.Sessions {
		switch c := c.(type) {
		case ChooseOrganization:
			if have.ID == c.SessionID && have.OrganizationID != c.OrganizationID {
				events = append(events, OrganizationChosen{SessionID: have.ID, OrganizationID: c.OrganizationID, At: c.Now})
			}
		case EndSession:
			if have.ID == c.SessionID {
				events = append(events, SessionEnded{SessionID: have.ID, How: c.How, At: c.Now})
			}
		case Depart:
			if have.OrganizationID == c.OrganizationID {
				events = append(events, SessionEnded{SessionID: have.ID, How: Removed, At: c.Now})
			}
		default:
		}
	}
	return events
}

// end ends every session but one.
func (s State) end(kept, how string, now domain.Time) (events []Event) {
	for _, have := range s.Sessions {
		if have.ID != kept {
			events = append(events, SessionEnded{SessionID: have.ID, How: how, At: now})
		}
	}
	return events
}
