package httpapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
)

func (r reads) Client(ctx context.Context, p service.Principal, id string) (projections.Document[service.ClientDocument], error) {
	return r.clients.Get(ctx, p, id)
}

func (r reads) Clients(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.ClientDocument], error) {
	return r.clients.List(ctx, p, q)
}

func (r reads) Grants(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.GrantDocument], error) {
	return r.grants.List(ctx, p, q)
}

// oauthCommands keeps clients in memory.
type oauthCommands struct{ on *served }

func (c oauthCommands) put(call service.Call, revision uint64, d service.ClientDocument) projections.Document[service.ClientDocument] {
	shown, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	d.ClientSecret = ""
	stored, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	c.on.clients.put(call.Principal, d.ID, revision, string(stored))
	return projections.Document[service.ClientDocument]{ID: d.ID, JSON: shown, Revision: revision}
}

func (c oauthCommands) RegisterClient(_ context.Context, call service.Call, id string, in service.NewClient) (projections.Document[service.ClientDocument], error) {
	c.on.commands.note(call, id)
	d := service.ClientDocument{ID: id, Name: in.Name, RedirectURIs: in.RedirectURIs, Type: in.Type, CreatedAt: domain.At(noon), CreatedBy: "usr_1"}
	if in.Type == service.ConfidentialClient {
		d.ClientSecret, d.Secret = "ocs_first", &service.ClientSecretState{LastFour: "irst"}
	}
	return c.put(call, 0, d), nil
}

func (c oauthCommands) ChangeClient(ctx context.Context, call service.Call, id string, name *string, redirectURIs []string) (projections.Document[service.ClientDocument], error) {
	c.on.commands.note(call, id)
	doc, err := c.on.clients.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	d, err := doc.Decode()
	if name != nil {
		d.Name = *name
	}
	if redirectURIs != nil {
		d.RedirectURIs = redirectURIs
	}
	return c.put(call, doc.Revision+1, d), err
}

func (c oauthCommands) RotateClientSecret(ctx context.Context, call service.Call, id string, overlap time.Duration) (projections.Document[service.ClientDocument], error) {
	c.on.commands.note(call, id)
	doc, err := c.on.clients.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	d, err := doc.Decode()
	until := domain.At(noon.Add(overlap))
	d.ClientSecret, d.Secret = "ocs_second", &service.ClientSecretState{LastFour: "cond", PreviousUntil: &until}
	return c.put(call, doc.Revision+1, d), err
}

func (c oauthCommands) DeleteClient(ctx context.Context, call service.Call, id string) error {
	c.on.commands.note(call, id)
	_, err := c.on.clients.Get(ctx, call.Principal, id)
	return err
}

func (c oauthCommands) RevokeGrant(ctx context.Context, call service.Call, id string) error {
	c.on.commands.note(call, id)
	_, err := c.on.grants.Get(ctx, call.Principal, id)
	return err
}

func TestOAuthClientsOverREST(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const body = `{"name":"Board","redirect_uris":["https://board.example/callback"]}`
	first := s.send("POST", "/oauth/clients", "all", body, "Idempotency-Key", "k1").wants(t, 201, "")
	made := first.object(t)
	id, _ := made["id"].(string)
	if made["client_secret"] != "ocs_first" || made["type"] != "confidential" || !strings.HasSuffix(first.Header.Get("Location"), "/oauth/clients/"+id) {
		t.Errorf("made %s", first.body)
	}
	if again := s.send("POST", "/oauth/clients", "all", body, "Idempotency-Key", "k1").wants(t, 201, ""); string(again.body) != string(first.body) {
		t.Errorf("again: %s", again.body)
	}
	for _, row := range s.requests.rows {
		if strings.Contains(string(row.Response), "ocs_") {
			t.Error("the stored answer shows the secret")
		}
	}
	public := s.send("POST", "/oauth/clients", "all", `{"name":"App","type":"public","redirect_uris":["http://127.0.0.1/cb"]}`).wants(t, 201, "").object(t)
	if _, has := public["client_secret"]; has || public["secret"] != nil {
		t.Errorf("a public client has a secret: %v", public)
	}
	read := s.send("GET", "/oauth/clients/"+id, "all", "").wants(t, 200, "")
	if strings.Contains(string(read.body), "ocs_") {
		t.Errorf("the secret is shown again: %s", read.body)
	}
	if s.send("GET", "/oauth/clients/"+id, "all", "", "If-None-Match", read.Header.Get("ETag")).StatusCode != 304 {
		t.Error("no 304")
	}
	if g := s.send("PATCH", "/oauth/clients/"+id, "all", `{"name":"Big board"}`).wants(t, 200, "").object(t); g["name"] != "Big board" || len(g["redirect_uris"].([]any)) != 1 {
		t.Errorf("%v", g)
	}
	if g := s.send("POST", "/oauth/clients/"+id+"/rotate_secret", "all", `{"overlap_seconds":60}`).wants(t, 200, "").object(t); g["client_secret"] != "ocs_second" {
		t.Errorf("%v", g)
	}
	if g := s.send("GET", "/oauth/clients", "all", "").wants(t, 200, ""); !strings.Contains(string(g.body), id) {
		t.Errorf("%s", g.body)
	}
	for _, wrong := range []string{`{"name":"x"}`, `{"name":"x","redirect_uris":[]}`, `{"name":"x","redirect_uris":["https://a.example"],"type":"secret"}`, `{"name":"x","redirect_uris":["https://a.example"],"secret":"s"}`} {
		s.send("POST", "/oauth/clients", "all", wrong).wants(t, 422, "validation_failed")
	}
	for path, method := range map[string]string{"/oauth/clients": "GET", "/oauth/clients/" + id: "DELETE"} {
		s.send(method, path, "read", "").wants(t, 403, "insufficient_scope")
	}
	for _, method := range []string{"GET", "DELETE"} {
		s.send(method, "/oauth/clients/"+id, "other", "").wants(t, 404, "not_found")
		s.send(method, "/oauth/clients/nonsense", "all", "").wants(t, 404, "not_found")
	}
	s.send("DELETE", "/oauth/clients/"+id, "all", "").wants(t, 204, "")
}

func TestOAuthGrantsOverREST(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := newID("grt")
	s.grants.put(s.keys["all"], id, 1, `{"id":"`+id+`","client":{"id":"oac_1","name":"Board"},"scopes":["tests:read"],"environment":"live","created_at":"2026-11-21T12:00:00.000Z","refreshed_at":null,"expires_at":"2027-02-19T12:00:00.000Z"}`)
	if g := s.send("GET", "/oauth/grants", "all", "").wants(t, 200, ""); !strings.Contains(string(g.body), id) {
		t.Errorf("%s", g.body)
	}
	s.send("DELETE", "/oauth/grants/"+id, "read", "").wants(t, 403, "insufficient_scope")
	s.send("DELETE", "/oauth/grants/"+id, "other", "").wants(t, 404, "not_found")
	s.send("DELETE", "/oauth/grants/"+id, "all", "").wants(t, 204, "")
}
