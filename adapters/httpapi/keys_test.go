package httpapi_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/apikey"
	"understudy/projections"
)

func (r reads) Key(ctx context.Context, p service.Principal, id string) (projections.Document[service.KeyDocument], error) {
	return r.made.Get(ctx, p, id)
}

func (r reads) APIKeys(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.KeyDocument], error) {
	return r.made.List(ctx, p, q)
}

// keyCommands keeps keys in memory.
type keyCommands struct{ on *served }

func (c keyCommands) put(call service.Call, revision uint64, k service.KeyDocument) projections.Document[service.KeyDocument] {
	secret := k.Key
	k.Key = ""
	raw, err := json.Marshal(k)
	if err != nil {
		panic(err)
	}
	c.on.made.put(call.Principal, k.ID, revision, string(raw))
	k.Key = secret
	raw, err = json.Marshal(k)
	if err != nil {
		panic(err)
	}
	return projections.Document[service.KeyDocument]{ID: k.ID, JSON: raw, Revision: revision}
}

func (c keyCommands) CreateKey(_ context.Context, call service.Call, id string, in service.NewKey) (projections.Document[service.KeyDocument], error) {
	c.on.commands.note(call, id)
	return c.put(call, 0, service.KeyDocument{
		ID: id, Name: in.Name, Scopes: in.Scopes, ExpiresAt: in.ExpiresAt, Environment: call.Principal.Environment, Status: "active",
		CreatedBy: "usr_1", CreatedAt: domain.At(noon), LastFour: "wxyz", Key: "svc_live_" + id,
	}), nil
}

func (c keyCommands) ChangeKey(ctx context.Context, call service.Call, id string, change apikey.Change) (projections.Document[service.KeyDocument], error) {
	c.on.commands.note(call, id)
	doc, err := c.on.made.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	if call.Seen != nil && !slices.Contains(call.Seen, doc.Revision) {
		return doc, domain.Refuse(domain.CodeChanged, "changed since")
	}
	k, err := doc.Decode()
	if err == nil && change.Name != nil {
		k.Name = *change.Name
	}
	return c.put(call, doc.Revision+1, k), err
}

func (c keyCommands) RotateKey(ctx context.Context, call service.Call, id, rotationID string, overlap time.Duration) (projections.Document[service.KeyDocument], error) {
	c.on.commands.note(call, rotationID)
	doc, err := c.on.made.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	k, err := doc.Decode()
	k.Key = "svc_live_" + rotationID
	if overlap > 0 {
		k.Status = "rotating"
	}
	return c.put(call, doc.Revision+1, k), err
}

func (c keyCommands) RevokeKey(ctx context.Context, call service.Call, id string) error {
	c.on.commands.note(call, id)
	_, err := c.on.made.Get(ctx, call.Principal, id)
	return err
}

func TestKeysOverREST(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const body = `{"name":"CI","scopes":["tests:write","reports:read"],"expires_at":"2036-01-01T00:00:00.000Z"}`
	first := s.send("POST", "/keys", "all", body, "Idempotency-Key", "k1").wants(t, 201, "")
	made := first.object(t)
	id, _ := made["id"].(string)
	if key, _ := made["key"].(string); !strings.HasPrefix(key, "svc_live_") || !strings.HasSuffix(first.Header.Get("Location"), "/keys/"+id) {
		t.Errorf("made %s", first.body)
	}
	again := s.send("POST", "/keys", "all", body, "Idempotency-Key", "k1").wants(t, 201, "")
	if string(again.body) != string(first.body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again: %s", again.body)
	}
	for _, row := range s.requests.rows {
		if strings.Contains(string(row.Response), "svc_live_") {
			t.Error("the stored answer shows the key")
		}
	}
	read := s.send("GET", "/keys/"+id, "all", "").wants(t, 200, "")
	if _, shown := read.object(t)["key"]; shown {
		t.Errorf("the key is shown again: %s", read.body)
	}
	etag := read.Header.Get("ETag")
	if s.send("GET", "/keys/"+id, "all", "", "If-None-Match", etag).StatusCode != 304 {
		t.Error("no 304")
	}
	s.send("PATCH", "/keys/"+id, "all", `{"name":"Nightly"}`, "If-Match", etag).wants(t, 200, "")
	s.send("PATCH", "/keys/"+id, "all", `{"name":"Weekly"}`, "If-Match", etag).wants(t, 412, "precondition_failed")
	s.send("PATCH", "/keys/"+id, "all", `{"name":"Weekly"}`).wants(t, 200, "")
	g := s.send("POST", "/keys/"+id+"/rotate", "all", `{"overlap_seconds":60}`).wants(t, 200, "").object(t)
	if g["status"] != "rotating" || g["key"] == nil {
		t.Errorf("rotated: %v", g)
	}
	s.send("POST", "/keys/"+id+"/rotate", "all", `{"overlap_seconds":-1}`).wants(t, 422, "validation_failed")
	s.send("POST", "/keys", "all", `{"name":"x","scopes":["everything"]}`).wants(t, 422, "validation_failed")
	s.send("GET", "/keys?status=active", "read", "").wants(t, 200, "")
	for _, key := range []string{"other", "sandbox"} {
		s.send("GET", "/keys/"+id, key, "").wants(t, 404, "not_found")
		s.send("DELETE", "/keys/"+id, key, "").wants(t, 404, "not_found")
		s.send("POST", "/keys/"+id+"/rotate", key, `{}`).wants(t, 404, "not_found")
	}
	s.send("POST", "/keys", "read", body).wants(t, 403, "insufficient_scope")
	s.send("DELETE", "/keys/"+id, "all", "").wants(t, 204, "")
}
