package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/domain/custompersona"
	"understudy/domain/persona"
	"understudy/projections"
	"understudy/projections/personas"
)

// personaCommands makes, changes and deletes custom personas, and finds them
// for tests.
type personaCommands struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
}

// Create makes a persona.
func (c *personaCommands) Create(ctx context.Context, call httpapi.Call, personaID string, in httpapi.NewPersona) (httpapi.Document, error) {
	p := call.Principal
	return c.handle(ctx, call, personaID, custompersona.Create{Persona: custompersona.Created{
		PersonaID: personaID, OrganizationID: p.OrganizationID, Environment: p.Environment, Persona: in, At: now(),
	}})
}

// Change merges a patch into a persona.
func (c *personaCommands) Change(ctx context.Context, call httpapi.Call, personaID string, patch httpapi.PersonaPatch) (httpapi.Document, error) {
	// Whose it is decides whether it is there at all.
	if _, err := personas.Get(ctx, c.pool, personaID, ownerOf(call.Principal)); err != nil {
		return httpapi.Document{}, err
	}
	return c.handle(ctx, call, personaID, custompersona.Change{Patch: patch, Now: now()})
}

// handle runs a command and answers with the persona as it is then.
func (c *personaCommands) handle(ctx context.Context, call httpapi.Call, personaID string, command custompersona.Command) (httpapi.Document, error) {
	if err := c.run(ctx, call, personaID, command); err != nil {
		return httpapi.Document{}, err
	}
	d, err := personas.Get(ctx, c.pool, personaID, ownerOf(call.Principal))
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// run runs a command and returns once reads show what it did.
func (c *personaCommands) run(ctx context.Context, call httpapi.Call, personaID string, command custompersona.Command) error {
	if err := c.ready.accepts(personas.Projection.Name); err != nil {
		return err
	}
	result, err := c.streams.personas.Handle(ctx, call.CommandID, custompersona.Stream(personaID), command, call.Meta)
	if err != nil {
		return err
	}
	return c.positions.WaitOwnWrite(ctx, personas.Projection.Name, result.Position)
}

// Delete removes a persona. Tests that used it keep it as it was.
func (c *personaCommands) Delete(ctx context.Context, call httpapi.Call, personaID string) error {
	if _, err := personas.Get(ctx, c.pool, personaID, ownerOf(call.Principal)); err != nil {
		return err
	}
	return c.run(ctx, call, personaID, custompersona.Delete{Now: now()})
}

// cast finds the personas that a test asks for, in its order. Every id that is
// none of the owner's usable personas is named.
func (c *personaCommands) cast(ctx context.Context, owner projections.Owner, ids []string) ([]persona.Persona, error) {
	if err := c.ready.accepts(personas.Projection.Name); err != nil {
		return nil, err
	}
	found, err := personas.Find(ctx, c.pool, ids, owner)
	if err != nil {
		return nil, err
	}
	cast := make([]persona.Persona, 0, len(ids))
	var faults []domain.FieldError
	for i, id := range ids {
		p, ok := found[id]
		if !ok {
			faults = append(faults, domain.FieldError{
				Pointer: fmt.Sprintf("/personas/persona_ids/%d", i), Code: "unknown",
				Message: fmt.Sprintf("there is no custom persona %q; GET /personas lists yours", id),
			})
		}
		cast = append(cast, p)
	}
	if len(faults) > 0 {
		return nil, &domain.Error{Code: domain.CodeValidationFailed, Message: faults[0].Message, Fields: faults}
	}
	return cast, nil
}
