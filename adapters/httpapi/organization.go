package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/domain/account"
)

// GetOrganization answers with the caller's organization.
func (a *api) GetOrganization(c echo.Context) error {
	doc, err := a.Reads.Organization(c.Request().Context(), callOf(c).principal)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// ChangeOrganization merges a patch into the organization's settings.
func (a *api) ChangeOrganization(c echo.Context) error {
	change, err := organizationChange(callOf(c).body)
	if err != nil {
		return err
	}
	command, err := a.change(c)
	if err != nil {
		return err
	}
	doc, err := a.Commands.ChangeOrganization(c.Request().Context(), command, change)
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", revision(doc.Revision))
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, doc.JSON)
}

// DeleteOrganization ends the organization for good.
func (a *api) DeleteOrganization(c echo.Context, params DeleteOrganizationParams) error {
	command, err := a.witnessed(c, callOf(c).command(uuid.New()))
	if err != nil {
		return err
	}
	if err := a.People.DeleteOrganization(c.Request().Context(), command, params.Organization); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// organizationChange reads a merge patch (RFC 7396): null takes back.
func organizationChange(body []byte) (change account.Change, err error) {
	var request, rule patch
	if err := json.Unmarshal(body, &request); err != nil {
		return change, fmt.Errorf("a body that its schema takes: %w", err)
	}
	if err := request.decode("name", &change.Name); err != nil {
		return change, err
	}
	if request.isNull("quality_gate") {
		change.ForgetThreshold, change.ForgetCriteria = true, true
		return change, nil
	}
	if err := request.decode("quality_gate", &rule); err != nil {
		return change, err
	}
	change.ForgetThreshold, change.ForgetCriteria = rule.isNull("threshold"), rule.isNull("criteria")
	if err := rule.decode("threshold", &change.Threshold); err != nil {
		return change, err
	}
	return change, rule.decode("criteria", &change.Criteria)
}

// patch is a merge patch (RFC 7396): null takes back, and what it does not have
// stays.
type patch map[string]json.RawMessage

func (p patch) isNull(name string) bool { return string(p[name]) == "null" }

// decode reads a member, where there is one.
func (p patch) decode(name string, into any) error {
	if raw, given := p[name]; given {
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("%s that its schema takes: %w", name, err)
		}
	}
	return nil
}
