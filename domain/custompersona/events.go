// Package custompersona is the stream of one persona that a customer has
// described: created, changed, deleted. Tests keep the personas they were
// created with, so that nothing here changes what was walked before.
package custompersona

import (
	"understudy/domain"
	"understudy/domain/persona"
)

// StreamPrefix begins the name of every custom persona's stream.
const StreamPrefix = "persona-"

// Stream names the stream of a custom persona.
func Stream(personaID string) string { return StreamPrefix + personaID }

// Event is a fact of a custom persona's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	custompersona()
}

// Created records a persona as it was described; what was not given is not in
// it.
type Created struct {
	PersonaID      string             `json:"persona_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Persona        persona.Draft      `json:"persona"`
	At             domain.Time        `json:"at"`
}

// Changed records the whole persona as it is described from now on.
type Changed struct {
	Persona persona.Draft `json:"persona"`
	At      domain.Time   `json:"at"`
}

// Deleted records that no further test can use the persona.
type Deleted struct {
	At domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Created) EventType() string { return "persona.created.v1" }

// EventType returns the recorded literal.
func (Changed) EventType() string { return "persona.changed.v1" }

// EventType returns the recorded literal.
func (Deleted) EventType() string { return "persona.deleted.v1" }

func (Created) custompersona() {}
func (Changed) custompersona() {}
func (Deleted) custompersona() {}

// Catalogue lists every event that a custom persona's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Created](),
	domain.Recordable[Changed](),
	domain.Recordable[Deleted](),
}
