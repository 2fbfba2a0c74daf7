// Package address is the stream of one mail address: whose it is. It is named by a
// keyed hash, so that the log tells nobody the address, and two people cannot have
// the same one.
package address

import "understudy/domain"

// StreamPrefix begins the name of every address's stream.
const StreamPrefix = "address-"

// Stream names the stream of an address by its keyed hash.
func Stream(hash string) string { return StreamPrefix + hash }

// Event is a fact of an address's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	address()
}

// Claimed records who says that the address is theirs. Until it is confirmed,
// somebody else may say so.
type Claimed struct {
	UserID string      `json:"user_id"`
	At     domain.Time `json:"at"`
}

// Confirmed records that the address is that person's.
type Confirmed struct {
	UserID string      `json:"user_id"`
	At     domain.Time `json:"at"`
}

// Released records that the address is nobody's any longer.
type Released struct {
	UserID string      `json:"user_id"`
	At     domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Claimed) EventType() string { return "address.claimed.v1" }

// EventType returns the recorded literal.
func (Confirmed) EventType() string { return "address.confirmed.v1" }

// EventType returns the recorded literal.
func (Released) EventType() string { return "address.released.v1" }

func (Claimed) address()   {}
func (Confirmed) address() {}
func (Released) address()  {}

// Catalogue lists every event that an address's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Claimed](),
	domain.Recordable[Confirmed](),
	domain.Recordable[Released](),
}

// Command is a wish to an address's stream.
//
//sumtype:decl
type Command interface{ addressCommand() }

// Claim says that the address is somebody's.
type Claim struct {
	UserID string
	Now    domain.Time
}

// Confirm says that it has been seen to be.
type Confirm struct {
	UserID string
	Now    domain.Time
}

// Release gives it up.
type Release struct {
	UserID string
	Now    domain.Time
}

func (Claim) addressCommand()   {}
func (Confirm) addressCommand() {}
func (Release) addressCommand() {}

// State is what deciding needs to know.
type State struct {
	// UserID is whose the address is, "" for nobody.
	UserID    string
	Confirmed bool
}

// Decider is the address's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(State) bool { return false },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Claimed:
		return State{UserID: e.UserID}
	case Confirmed:
		return State{UserID: e.UserID, Confirmed: true}
	case Released:
		return State{}
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	switch c := c.(type) {
	case Claim:
		switch {
		case s.UserID == c.UserID:
			return nil, nil
		case s.Confirmed:
			return nil, domain.Refuse(domain.CodeConflict, "this address is somebody else's")
		}
		return []Event{Claimed{UserID: c.UserID, At: c.Now}}, nil
	case Confirm:
		switch {
		case s.UserID == c.UserID && s.Confirmed:
			return nil, nil
		case s.UserID != c.UserID:
			return nil, domain.Refuse(domain.CodeConflict, "this address is somebody else's by now")
		}
		return []Event{Confirmed{UserID: c.UserID, At: c.Now}}, nil
	case Release:
		if s.UserID != c.UserID {
			return nil, nil
		}
		return []Event{Released{UserID: c.UserID, At: c.Now}}, nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}
