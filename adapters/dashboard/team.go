package dashboard

import (
	"context"
	"net/http"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/projections"
)

// Team is the use cases of who belongs to an organization.
type Team interface {
	CallOf(ctx context.Context, v service.Visit, who service.Principal) (service.Call, error)
	Members(ctx context.Context, who service.Principal, q service.Query) (service.Page[service.MemberDocument], error)
	Invitations(ctx context.Context, who service.Principal, q service.Query) (service.Page[service.InvitationDocument], error)
	Invite(ctx context.Context, call service.Call, invitationID, email string, role access.Role) (projections.Document[service.InvitationDocument], error)
	RevokeInvitation(ctx context.Context, call service.Call, invitationID string) error
	ChangeRole(ctx context.Context, call service.Call, userID string, role access.Role) (projections.Document[service.MemberDocument], error)
	RemoveMember(ctx context.Context, call service.Call, userID string) error
	Transfer(ctx context.Context, call service.Call, userID string) (projections.Document[service.MemberDocument], error)
	Invitation(ctx context.Context, token string) (service.Invited, error)
	Join(ctx context.Context, v service.Visit, who service.Principal, token string) error
	JoinAnew(ctx context.Context, v service.Visit, token, name, password string) (service.Entry, error)
}

// teamRoutes are the pages of who belongs to an organization, acts for it and had access.
func (d *Dashboard) teamRoutes() map[string]signedIn {
	return map[string]signedIn{
		"GET /organization/delete": d.only(access.Billing, d.deletePage), "POST /organization/delete": d.only(access.Billing, d.deleteOrganization),
		"GET /members": d.members, "POST /members/invitations": d.onTeam(d.invite), "POST /members/invitations/{id}/revoke": d.onTeam(d.revokeInvitation),
		"POST /members/{id}/role": d.onTeam(d.changeRole), "POST /members/{id}/remove": d.onTeam(d.removeMember), "POST /members/{id}/owner": d.onTeam(d.transfer),
		"GET /log": d.only(access.Team, d.log), "GET /log/file": d.only(access.Team, d.logFile),
		"GET /clients": d.only(access.Team, d.clients), "POST /clients": d.only(access.Team, d.registerClient), "GET /clients/{id}": d.only(access.Team, d.client),
		"POST /clients/{id}": d.only(access.Team, d.changeClient), "POST /clients/{id}/rotate": d.only(access.Team, d.rotateClient), "POST /clients/{id}/delete": d.only(access.Team, d.deleteClient),
	}
}

// shown is how many members and invitations a page lists.
const shown = 100

// membersPage is who belongs to the organization and who is invited.
type membersPage struct {
	Members     []service.MemberDocument
	Invitations []service.InvitationDocument
	Roles       []access.Role
	// Self is who looks, Owner: they are the owner.
	Self  string
	Owner bool
	// Next is where the list goes on, "" at its end.
	Next string
}

// grantable are the roles to choose from.
var grantable = []access.Role{access.Viewer, access.Member, access.CICD, access.Admin}

func (d *Dashboard) membersView(ctx context.Context, who service.Principal, after string) (view, error) {
	page := membersPage{Roles: grantable, Self: who.UserID, Owner: who.Role == access.Owner}
	members, err := d.Team.Members(ctx, who, service.Query{Limit: shown, After: after})
	if err != nil {
		return view{}, err
	}
	if page.Members, err = decoded(members); err != nil {
		return view{}, err
	}
	page.Next = members.Next
	v := view{Title: "Members", Who: &who}
	if v.Team() {
		invitations, err := d.Team.Invitations(ctx, who, service.Query{Limit: shown, Status: "pending"})
		if err != nil {
			return view{}, err
		}
		if page.Invitations, err = decoded(invitations); err != nil {
			return view{}, err
		}
	}
	v.Data = page
	return v, nil
}

func decoded[T any](page service.Page[T]) (out []T, err error) {
	for _, doc := range page.Items {
		v, err := doc.Decode()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (d *Dashboard) members(w http.ResponseWriter, r *http.Request, who service.Principal) {
	v, err := d.membersView(r.Context(), who, r.URL.Query().Get("after"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "members", v)
}

// onTeam changes something about the organization's people and shows them again.
func (d *Dashboard) onTeam(do func(r *http.Request, call service.Call) (note string, err error)) signedIn {
	return func(w http.ResponseWriter, r *http.Request, who service.Principal) {
		if !d.form(w, r) {
			return
		}
		call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		note, err := do(r, call)
		if err == nil {
			d.goOn(w, r, "/members", note)
			return
		}
		v, viewErr := d.membersView(r.Context(), who, "")
		if viewErr != nil {
			d.fail(w, r, err)
			return
		}
		d.again(w, r, "members", v, err)
	}
}

func (d *Dashboard) invite(r *http.Request, call service.Call) (string, error) {
	email := r.PostFormValue("email")
	call, id, err := d.once(r, call, domain.PrefixInvitation)
	if err != nil {
		return "", err
	}
	_, err = d.Team.Invite(r.Context(), call, id, email, access.Role(r.PostFormValue("role")))
	return "An invitation is on its way to " + email + ".", err
}

func (d *Dashboard) revokeInvitation(r *http.Request, call service.Call) (string, error) {
	return "The invitation is taken back.", d.Team.RevokeInvitation(r.Context(), call, r.PathValue("id"))
}

func (d *Dashboard) changeRole(r *http.Request, call service.Call) (string, error) {
	_, err := d.Team.ChangeRole(r.Context(), call, r.PathValue("id"), access.Role(r.PostFormValue("role")))
	return "The role is changed.", err
}

func (d *Dashboard) removeMember(r *http.Request, call service.Call) (string, error) {
	id, note := r.PathValue("id"), "They belong to the organization no longer. Their keys, tokens and sessions have ended."
	if id == call.Principal.UserID {
		note = "You have left the organization. Your keys, tokens and sessions there have ended."
	}
	return note, d.Team.RemoveMember(r.Context(), call, id)
}

func (d *Dashboard) transfer(r *http.Request, call service.Call) (string, error) {
	_, err := d.Team.Transfer(r.Context(), call, r.PathValue("id"))
	return "They own the organization now; you are an admin.", err
}

// invitationPage is an invitation, and who looks at it.
type invitationPage struct {
	Invited service.Invited
	Token   string
}

func (d *Dashboard) invitationPage(w http.ResponseWriter, r *http.Request) {
	d.invited(w, r, r.URL.Query().Get("token"), nil)
}

// invited shows an invitation, with what went wrong at accepting it.
func (d *Dashboard) invited(w http.ResponseWriter, r *http.Request, token string, wrong error) {
	invited, err := d.Team.Invitation(r.Context(), token)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v := view{Title: "Join " + invited.Organization, Data: invitationPage{invited, token}}
	if who, err := d.who(r.Context()); err == nil {
		v.Who = &who
	}
	if wrong != nil {
		d.again(w, r, "invitation", v, wrong)
		return
	}
	d.show(w, r, http.StatusOK, "invitation", v)
}

func (d *Dashboard) join(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	token := r.PostFormValue("token")
	if err := d.Team.Join(r.Context(), d.visit(r), who, token); err != nil {
		d.invited(w, r, token, err)
		return
	}
	d.goOn(w, r, "/", "Welcome: you have joined.")
}

func (d *Dashboard) joinAnew(w http.ResponseWriter, r *http.Request) {
	if !d.form(w, r) {
		return
	}
	token := r.PostFormValue("token")
	entry, err := d.Team.JoinAnew(r.Context(), d.visit(r), token, r.PostFormValue("name"), r.PostFormValue("password"))
	if err != nil {
		d.invited(w, r, token, err)
		return
	}
	d.enter(w, r, entry, "/", "Welcome: you have joined.")
}
