package oauth_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/test/patience"
)

func TestCodeRefreshAndRevocation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.granted()
	if first.Type != "Bearer" || first.ExpiresIn != 3600 || first.Scope != "tests:read reports:read" {
		t.Errorf("%+v", first)
	}
	if !strings.HasPrefix(first.Access, "at_") || !strings.HasPrefix(first.Refresh, "rt_") {
		t.Errorf("%+v", first)
	}
	if got := first.header; got.Get("Cache-Control") != "no-store" || got.Get("Pragma") != "no-cache" {
		t.Errorf("tokens may be stored: %v", got)
	}
	who, err := w.Authenticate(w.ctx, first.Access)
	w.must(err)
	if who.UserID != "usr_ada" || who.OrganizationID != "org_a" || who.Environment != domain.Live || strings.Join(who.Scopes, " ") != first.Scope || who.Actor != "usr_ada" || who.RateLimit != 1000 {
		t.Errorf("%+v", who)
	}
	patience.Eventually(t, limit, "a token that was used is remembered", func() bool {
		_, err := w.Authenticate(w.ctx, first.Access)
		return err == nil && w.Knows(first.Access)
	})
	listed := w.grants("ada")
	if len(listed) != 1 || listed[0].Client.Name != "Native" || strings.Join(listed[0].Scopes, " ") != "tests:read reports:read" {
		t.Fatalf("%+v", listed)
	}
	if got := w.grants("vic"); len(got) != 0 {
		t.Errorf("somebody else's grants: %+v", got)
	}
	second := w.refresh(first.Refresh)
	if second.status != http.StatusOK || second.Refresh == first.Refresh || second.Access == first.Access {
		t.Errorf("%+v", second)
	}
	fewer := w.refresh(second.Refresh, "scope", "tests:read")
	if fewer.Scope != "tests:read" {
		t.Errorf("%+v", fewer)
	}
	w.refused(w.refresh(fewer.Refresh, "scope", "admin"), http.StatusBadRequest, "invalid_scope")
	if got := w.post("/oauth/revoke", []string{"token", second.Access, "client_id", w.native}); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	w.refused(w.refresh(fewer.Refresh), http.StatusBadRequest, "invalid_grant")
	for _, token := range []string{first.Access, second.Access, fewer.Access} {
		w.deadToken(token)
	}
	if got := w.grants("ada"); len(got) != 0 {
		t.Errorf("a grant that was revoked is listed: %+v", got)
	}
}

func (w *world) grants(who string) (all []service.GrantDocument) {
	w.t.Helper()
	page, err := w.Grants(w.ctx, w.people[who].Principal, service.Query{Limit: 100})
	w.must(err)
	for _, item := range page.Items {
		doc, err := item.Decode()
		w.must(err)
		all = append(all, doc)
	}
	return all
}

// TestJSON: the token endpoint takes the bodies of the specification.
func TestJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	send := func(path string, in map[string]string) (status int, out tokens) {
		body, err := json.Marshal(in)
		w.must(err)
		got := w.do(http.MethodPost, path, "", string(body), "Content-Type", "application/json")
		if got.body != "" {
			w.must(json.Unmarshal([]byte(got.body), &out))
		}
		return got.StatusCode, out
	}
	status, first := send("/oauth/token", map[string]string{
		"grant_type": "authorization_code", "code": w.code(w.query(p)), "redirect_uri": loopback, "code_verifier": p.verifier, "client_id": w.native,
	})
	if status != http.StatusOK || first.Access == "" || first.Refresh == "" || first.ExpiresIn != 3600 {
		t.Fatalf("%d %+v", status, first)
	}
	status, second := send("/oauth/token", map[string]string{"grant_type": "refresh_token", "refresh_token": first.Refresh, "client_id": w.native})
	if status != http.StatusOK || second.Access == "" {
		t.Fatalf("%d %+v", status, second)
	}
	if status, _ := send("/oauth/revoke", map[string]string{"token": second.Refresh, "client_id": w.native}); status != http.StatusOK {
		t.Error(status)
	}
	for _, body := range []string{`[]`, `{"grant_type":1}`, `{"grant_type":"refresh_token"`, `{} {}`, `{"client_id":"a","client_id":"b"}`, ``} {
		got := w.do(http.MethodPost, "/oauth/token", "", body, "Content-Type", "application/json")
		if got.StatusCode != http.StatusBadRequest || !strings.Contains(got.body, "invalid_request") {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
		}
	}
}

// TestTheMetadataIsTrue: RFC 8414, and each endpoint that it names is there.
func TestTheMetadataIsTrue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.do(http.MethodGet, "/.well-known/oauth-authorization-server", "", "")
	var meta map[string]any
	w.must(json.Unmarshal([]byte(got.body), &meta))
	if meta["issuer"] != w.server.URL || meta["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("%v", meta)
	}
	for name, method := range map[string]string{"authorization_endpoint": http.MethodGet, "token_endpoint": http.MethodPost, "revocation_endpoint": http.MethodPost} {
		path, ours := strings.CutPrefix(meta[name].(string), w.server.URL)
		if got := w.do(method, path, "", ""); !ours || got.StatusCode != http.StatusBadRequest && got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
}

func TestAConfidentialClientAuthenticates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	query := w.query(proof{}, "client_id", w.web, "redirect_uri", board, "code_challenge", "", "code_challenge_method", "")
	code := func() string { return w.code(query) }
	base := []string{"grant_type", "authorization_code", "redirect_uri", board}
	got := w.post("/oauth/token", append(base, "code", code(), "client_id", w.web, "client_secret", w.secret))
	if got.status != http.StatusOK {
		t.Fatalf("client_secret_post: %+v", got)
	}
	got = w.post("/oauth/token", append(base, "code", code()), "Authorization", basic(w.web, w.secret))
	if got.status != http.StatusOK {
		t.Fatalf("client_secret_basic: %+v", got)
	}
	if got := w.post("/oauth/revoke", []string{"token", got.Refresh}, "Authorization", basic(w.web, w.secret)); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	// A new secret counts at once, the one before for the overlap: here none.
	doc, err := w.RotateClientSecret(w.ctx, w.call(), w.web, 0)
	w.must(err)
	shown, err := doc.Decode()
	w.must(err)
	w.refused(w.post("/oauth/token", append(base, "code", code()), "Authorization", basic(w.web, w.secret)), http.StatusUnauthorized, "invalid_client")
	if got := w.post("/oauth/token", append(base, "code", code()), "Authorization", basic(w.web, shown.ClientSecret)); got.status != http.StatusOK {
		t.Errorf("the new secret: %+v", got)
	}
	// Nothing counts of a client that was deleted.
	w.must(w.DeleteClient(w.ctx, w.call(), w.web))
	w.refused(w.post("/oauth/token", append(base, "code", "ac_x"), "Authorization", basic(w.web, shown.ClientSecret)), http.StatusUnauthorized, "invalid_client")
	if got := w.grants("ada"); len(got) != 0 {
		t.Errorf("grants of a client that was deleted: %+v", got)
	}
}

func basic(id, secret string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(id, secret)
	return r.Header.Get("Authorization")
}
