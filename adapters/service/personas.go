package service

import (
	"context"
	"encoding/json"

	"understudy/domain/custompersona"
	"understudy/domain/persona"
	"understudy/projections"
	"understudy/projections/personas"
)

// CreatePersona makes a custom persona. Trying again with the same ids is the
// same persona.
func (s *Service) CreatePersona(ctx context.Context, call Call, personaID string, draft persona.Draft) (projections.Document[personas.Document], error) {
	p := call.Principal
	leave, err := s.admitPersona(ctx, p, personaID)
	if err != nil {
		return projections.Document[personas.Document]{}, err
	}
	defer leave()
	return s.persona(ctx, call, personaID, custompersona.Create{Persona: custompersona.Created{
		PersonaID: personaID, OrganizationID: p.OrganizationID, Environment: p.Environment, Persona: draft, At: now(),
	}})
}

// ChangePersona merges a patch (RFC 7396) into a custom persona.
func (s *Service) ChangePersona(ctx context.Context, call Call, personaID string, patch json.RawMessage) (projections.Document[personas.Document], error) {
	// Whose it is decides whether it is there at all.
	if _, err := s.Persona(ctx, call.Principal, personaID); err != nil {
		return projections.Document[personas.Document]{}, err
	}
	return s.persona(ctx, call, personaID, custompersona.Change{Patch: patch, Now: now()})
}

func (s *Service) persona(ctx context.Context, call Call, personaID string, command custompersona.Command) (projections.Document[personas.Document], error) {
	return handle(ctx, s, s.Streams.Personas, call, custompersona.Stream(personaID), command, []string{personas.Projection.Name},
		func(custompersona.State) (projections.Document[personas.Document], error) {
			return s.Persona(ctx, call.Principal, personaID)
		})
}

// DeletePersona removes a custom persona. Tests that used it keep it as it was.
func (s *Service) DeletePersona(ctx context.Context, call Call, personaID string) error {
	if _, err := s.Persona(ctx, call.Principal, personaID); err != nil {
		return err
	}
	_, err := handle(ctx, s, s.Streams.Personas, call, custompersona.Stream(personaID), custompersona.Command(custompersona.Delete{Now: now()}),
		[]string{personas.Projection.Name}, func(custompersona.State) (struct{}, error) { return struct{}{}, nil })
	return err
}
