package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
)

// CreatePersona makes a custom persona.
func (a *api) CreatePersona(c echo.Context) error {
	var request NewPersona
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.once(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.Commands.CreatePersona(ctx, command, id, request)
		if err != nil {
			return answer{}, err
		}
		return a.created("/personas/"+id, revision(doc.Revision), doc.JSON), nil
	})
}

// ListPersonas lists custom personas.
func (a *api) ListPersonas(c echo.Context, params ListPersonasParams) error {
	return list(a, c, a.Reads.Personas, service.Query{CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}, params.Limit, params.Cursor, nil)
}

// GetPersona answers with a custom persona.
func (a *api) GetPersona(c echo.Context, id PersonaID) error {
	doc, err := find(c, a.Reads.Persona, domain.PrefixPersona, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// ChangePersona merges a patch into a custom persona.
func (a *api) ChangePersona(c echo.Context, id PersonaID) error {
	if !domain.ValidID(domain.PrefixPersona, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	call := callOf(c)
	doc, err := a.Commands.ChangePersona(c.Request().Context(), call.change(c.Request()), id, call.body)
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", revision(doc.Revision))
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, doc.JSON)
}

// DeletePersona deletes a custom persona; tests that used it keep it.
func (a *api) DeletePersona(c echo.Context, id PersonaID) error {
	if !domain.ValidID(domain.PrefixPersona, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	if err := a.Commands.DeletePersona(c.Request().Context(), callOf(c).command(uuid.New()), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
