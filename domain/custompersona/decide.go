package custompersona

import (
	"encoding/json"

	"understudy/domain"
	"understudy/domain/persona"
)

// Command is a wish to a custom persona's stream.
//
//sumtype:decl
type Command interface{ custompersonaCommand() }

// Create makes the persona.
type Create struct{ Persona Created }

// Change describes the persona anew where Patch, a JSON merge patch of its
// draft (RFC 7396), says so. The patch is applied to the persona as it is when
// the command is decided on, so that of two changes at once none is lost.
type Change struct {
	Patch json.RawMessage
	Now   domain.Time
}

// Delete removes the persona.
type Delete struct{ Now domain.Time }

func (Create) custompersonaCommand() {}
func (Change) custompersonaCommand() {}
func (Delete) custompersonaCommand() {}

// Status is where a custom persona stands.
type Status string

// The statuses of a custom persona. A stream without events has the empty one.
const (
	Usable        Status = "usable"
	StatusDeleted Status = "deleted"
)

// State is what deciding needs to know.
type State struct {
	Status  Status
	Persona persona.Draft
}

// Decider is the custom persona's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Status == StatusDeleted },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Created:
		return State{Status: Usable, Persona: e.Persona}
	case Changed:
		s.Persona = e.Persona
	case Deleted:
		s.Status = StatusDeleted
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	if _, creates := c.(Create); !creates && s.Status != Usable {
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such persona")
	}
	switch c := c.(type) {
	case Create:
		if s.Status != "" {
			return nil, nil
		}
		if err := check(c.Persona.Persona); err != nil {
			return nil, err
		}
		return []Event{c.Persona}, nil
	case Change:
		after, err := s.Persona.Merge(c.Patch)
		if err != nil {
			return nil, err
		}
		if after == s.Persona {
			return nil, nil
		}
		if err := check(after); err != nil {
			return nil, err
		}
		return []Event{Changed{Persona: after, At: c.Now}}, nil
	case Delete:
		return []Event{Deleted{At: c.Now}}, nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// check refuses a persona that nobody could be, naming every field at fault.
func check(d persona.Draft) error {
	faults := d.Validate()
	if len(faults) == 0 {
		return nil
	}
	return &domain.Error{Code: domain.CodeValidationFailed, Message: faults[0].Message, Fields: faults}
}
