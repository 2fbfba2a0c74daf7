package httpapi_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"understudy/adapters/httpapi"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/projections"
)

// folk are the people of org_a, one of them, and what was asked of them.
type folk struct {
	httpapi.People
	asked []string
}

const bob = "usr_01h455vb4pex5vsknk084sn02q"

func (*folk) Witnessed(_ context.Context, call service.Call, address, reason string) (service.Call, error) {
	call.Meta.Address, call.Meta.Reason = address, reason
	return call, nil
}

func (f *folk) did(call service.Call, what ...string) {
	f.asked = append(f.asked, strings.Join(append(what, call.Meta.Address, call.Meta.Reason), " "))
}

func (*folk) Me(_ context.Context, p service.Principal) (projections.Document[service.MeDocument], error) {
	return projections.Made(p.KeyID, service.MeDocument{Role: p.Role, Credential: service.MyCredential{ID: p.KeyID, Environment: p.Environment, Scopes: p.Scopes}}, 0)
}

func (*folk) Member(_ context.Context, p service.Principal, id string) (projections.Document[service.MemberDocument], error) {
	if p.OrganizationID != "org_a" || id != bob {
		return projections.Document[service.MemberDocument]{}, projections.NotFound(id)
	}
	return projections.Made(id, service.MemberDocument{ID: id, Email: "bob@example.com", Name: "Bob", Role: access.Member, JoinedAt: domain.At(noon)}, 3)
}

func (f *folk) Members(ctx context.Context, p service.Principal, _ service.Query) (service.Page[service.MemberDocument], error) {
	doc, err := f.Member(ctx, p, bob)
	if err != nil {
		return service.Page[service.MemberDocument]{}, err
	}
	return service.Page[service.MemberDocument]{Items: []projections.Document[service.MemberDocument]{doc}}, nil
}

func (f *folk) ChangeRole(ctx context.Context, call service.Call, id string, role access.Role) (projections.Document[service.MemberDocument], error) {
	f.did(call, "role", string(role))
	return f.Member(ctx, call.Principal, id)
}

func (f *folk) RemoveMember(ctx context.Context, call service.Call, id string) error {
	f.did(call, "remove")
	_, err := f.Member(ctx, call.Principal, id)
	return err
}

func (f *folk) Transfer(ctx context.Context, call service.Call, id string) (projections.Document[service.MemberDocument], error) {
	f.did(call, "transfer")
	return f.Member(ctx, call.Principal, id)
}

func (f *folk) Invite(_ context.Context, call service.Call, id, email string, role access.Role) (projections.Document[service.InvitationDocument], error) {
	f.did(call, "invite", email, string(role))
	return projections.Made(id, service.InvitationDocument{
		ID: id, Email: email, Role: role, Status: "pending", InvitedBy: "usr_1", CreatedAt: domain.At(noon), ExpiresAt: domain.At(noon),
	}, 0)
}

func (*folk) Invitations(context.Context, service.Principal, service.Query) (service.Page[service.InvitationDocument], error) {
	return service.Page[service.InvitationDocument]{}, nil
}

func (f *folk) RevokeInvitation(_ context.Context, call service.Call, _ string) error {
	f.did(call, "revoke")
	return nil
}

func (f *folk) DeleteOrganization(_ context.Context, call service.Call, name string) error {
	f.did(call, "delete", name)
	return nil
}

func TestPeople(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if g := s.send("GET", "/me", "read", "").wants(t, 200, ""); !strings.Contains(string(g.body), `"id":"key_read"`) {
		t.Errorf("me is %s", g.body)
	}
	s.send("GET", "/members", "all", "").wants(t, 200, "")
	s.send("GET", "/members/"+bob, "all", "").wants(t, 200, "")
	s.send("GET", "/members/"+bob, "other", "").wants(t, 404, "not_found")
	s.send("PATCH", "/members/"+bob, "all", `{"role":"admin"}`, "X-Reason", "she leads").wants(t, 200, "")
	s.send("PATCH", "/members/"+bob, "all", `{"role":"owner"}`).wants(t, 422, "validation_failed")
	s.send("PATCH", "/members/bob", "all", `{"role":"admin"}`).wants(t, 404, "not_found")
	s.send("DELETE", "/members/"+bob, "all", "").wants(t, 204, "")
	s.send("POST", "/organization/transfer", "all", `{"user_id":"`+bob+`"}`).wants(t, 200, "")
	s.send("GET", "/invitations?status=pending", "all", "").wants(t, 200, "")
	first := s.send("POST", "/invitations", "all", `{"email":"eve@example.com","role":"viewer"}`, "Idempotency-Key", "once").wants(t, 201, "")
	again := s.send("POST", "/invitations", "all", `{"email":"eve@example.com","role":"viewer"}`, "Idempotency-Key", "once").wants(t, 201, "")
	var made struct{ ID string }
	if err := json.Unmarshal(first.body, &made); err != nil || !strings.HasPrefix(made.ID, "inv_") || string(first.body) != string(again.body) {
		t.Errorf("invited %s, and again %s", first.body, again.body)
	}
	s.send("DELETE", "/invitations/"+made.ID, "all", "").wants(t, 204, "")
	s.send("DELETE", "/organization?organization=Acme%20Inc", "all", "", "X-Reason", "moved").wants(t, 204, "")
	s.send("DELETE", "/organization", "all", "").wants(t, 422, "validation_failed")
	s.send("DELETE", "/organization?organization=Acme%20Inc", "read", "").wants(t, 403, "insufficient_scope")
	for _, path := range []string{"/members", "/members/" + bob, "/invitations"} {
		s.send("GET", path, "read", "").wants(t, 403, "insufficient_scope")
	}
	want := []string{
		"role admin 192.0.2.1 she leads", "remove 192.0.2.1 ", "transfer 192.0.2.1 ", "invite eve@example.com viewer 192.0.2.1 ", "revoke 192.0.2.1 ",
		"delete Acme Inc 192.0.2.1 moved",
	}
	if !slices.Equal(s.folk.asked, want) {
		t.Errorf("asked %q, want %q", s.folk.asked, want)
	}
}

// TestWhoChangesAccessSaysWhereTheyWereAndWhy: of every change of keys, clients, what was
// granted, and the organization itself.
func TestWhoChangesAccessSaysWhereTheyWereAndWhy(t *testing.T) {
	t.Parallel()
	s := newService(t)
	client := s.send("POST", "/oauth/clients", "all", `{"name":"Board","redirect_uris":["https://board.example/callback"]}`).object(t)["id"].(string)
	key := s.send("POST", "/keys", "all", `{"name":"CI","scopes":["tests:read"]}`).object(t)["id"].(string)
	grant := newID("grt")
	s.grants.put(s.keys["all"], grant, 1, `{"id":"`+grant+`"}`)
	for _, change := range [][3]string{
		{"POST", "/keys", `{"name":"CI","scopes":["tests:read"]}`},
		{"PATCH", "/keys/" + key, `{"name":"Nightly"}`},
		{"POST", "/keys/" + key + "/rotate", `{}`},
		{"DELETE", "/keys/" + key, ""},
		{"POST", "/oauth/clients", `{"name":"Board","redirect_uris":["https://board.example/callback"]}`},
		{"PATCH", "/oauth/clients/" + client, `{"name":"Big board"}`},
		{"POST", "/oauth/clients/" + client + "/rotate_secret", `{}`},
		{"DELETE", "/oauth/clients/" + client, ""},
		{"DELETE", "/oauth/grants/" + grant, ""},
		{"PATCH", "/organization", `{"quality_gate":null}`},
		{"PUT", "/organization/plan", `{"plan":"pro"}`},
	} {
		s.commands.calls, s.changes.calls = nil, nil
		if g := s.send(change[0], change[1], "all", change[2], "X-Reason", "it leaked"); g.StatusCode > 299 {
			t.Errorf("%s: %s %s", change, g.Status, g.body)
		}
		calls := append(s.commands.calls, s.changes.calls...)
		if len(calls) != 1 || calls[0].Meta.Address != "192.0.2.1" || calls[0].Meta.Reason != "it leaked" {
			t.Errorf("%s: %+v", change, calls)
		}
	}
	s.send("DELETE", "/keys/"+key, "all", "", "X-Reason", strings.Repeat("x", 201)).wants(t, 422, "validation_failed")
}
