package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/projections"
)

// headerReason is why somebody changes who has access.
const headerReason = "X-Reason"

// witnessed is a command that says where its caller was, and why.
func (a *api) witnessed(c echo.Context, command service.Call) (service.Call, error) {
	return a.People.Witnessed(c.Request().Context(), command, c.RealIP(), c.Request().Header.Get(headerReason))
}

// change is the command of a PATCH or PUT that says where its caller was, and why.
func (a *api) change(c echo.Context) (service.Call, error) {
	return a.witnessed(c, callOf(c).change(c.Request()))
}

// onceWitnessed is once with a command that says where its caller was, and why.
func (a *api) onceWitnessed(c echo.Context, run func(ctx context.Context, resourceID string, command service.Call) (answer, error)) error {
	return a.once(c, func(ctx context.Context, resourceID string, command service.Call) (answer, error) {
		command, err := a.witnessed(c, command)
		if err != nil {
			return answer{}, err
		}
		return run(ctx, resourceID, command)
	})
}

// GetMe answers with whom the credential stands for.
func (a *api) GetMe(c echo.Context) error {
	doc, err := a.People.Me(c.Request().Context(), callOf(c).principal)
	if err != nil {
		return err
	}
	return sendJSON(c, doc.JSON)
}

// ListMembers lists the people of the organization.
func (a *api) ListMembers(c echo.Context, params ListMembersParams) error {
	return list(a, c, a.People.Members, service.Query{}, params.Limit, params.Cursor, nil)
}

// GetMember answers with a member.
func (a *api) GetMember(c echo.Context, id UserID) error {
	doc, err := find(c, a.People.Member, domain.PrefixUser, id)
	if err != nil {
		return err
	}
	return send(c, memberTag(doc), doc.JSON)
}

// memberTag is the ETag of a member: the revision that made them what they are, and what
// is known of the person, who changes that for themselves.
func memberTag(doc projections.Document[service.MemberDocument]) string {
	sum := sha256.Sum256(doc.JSON)
	return fmt.Sprintf(`"%d-%x"`, doc.Revision, sum[:4])
}

// ChangeMember changes a member's role.
func (a *api) ChangeMember(c echo.Context, id UserID) error {
	var request struct{ Role access.Role }
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	if !domain.ValidID(domain.PrefixUser, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	command, err := a.change(c)
	if err != nil {
		return err
	}
	doc, err := a.People.ChangeRole(c.Request().Context(), command, id, request.Role)
	if err != nil {
		return err
	}
	return write(c, answer{status: http.StatusOK, headers: map[string]string{"ETag": memberTag(doc)}, body: doc.JSON})
}

// RemoveMember ends a membership.
func (a *api) RemoveMember(c echo.Context, id UserID) error {
	return a.ends(c, domain.PrefixUser, id, a.People.RemoveMember)
}

// ends is the handler of what is deleted.
func (a *api) ends(c echo.Context, prefix, id string, end func(ctx context.Context, call service.Call, id string) error) error {
	if !domain.ValidID(prefix, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	command, err := a.witnessed(c, callOf(c).command(uuid.New()))
	if err != nil {
		return err
	}
	if err := end(c.Request().Context(), command, id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// CreateInvitation invites somebody.
func (a *api) CreateInvitation(c echo.Context) error {
	var request struct {
		Email string
		Role  access.Role
	}
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.onceWitnessed(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.People.Invite(ctx, command, id, request.Email, request.Role)
		if err != nil {
			return answer{}, err
		}
		return a.created("/invitations/"+id, revision(doc.Revision), doc.JSON), nil
	})
}

// ListInvitations lists invitations.
func (a *api) ListInvitations(c echo.Context, params ListInvitationsParams) error {
	return list(a, c, a.People.Invitations, service.Query{Status: string(params.Status)}, params.Limit, params.Cursor, nil)
}

// RevokeInvitation takes an invitation back.
func (a *api) RevokeInvitation(c echo.Context, id InvitationID) error {
	return a.ends(c, domain.PrefixInvitation, id, a.People.RevokeInvitation)
}

// TransferOrganization makes another member the owner.
func (a *api) TransferOrganization(c echo.Context) error {
	var request struct {
		UserID string `json:"user_id"`
	}
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.onceWitnessed(c, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.People.Transfer(ctx, command, request.UserID)
		if err != nil {
			return answer{}, err
		}
		return answer{status: http.StatusOK, headers: map[string]string{"Cache-Control": "no-store"}, body: doc.JSON}, nil
	})
}
