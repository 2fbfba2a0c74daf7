package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"understudy/domain"
)

// The attacks of RFC 9700, section 4, each against the service over HTTP.

// 4.1: an answer goes nowhere but to an address that the client has registered, and
// 4.11.2: nobody is led away by a link that names another.
func TestRedirectURIsAreExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	for _, uri := range []string{
		"https://evil.example/callback", "https://board.example/callback", "https://board.example/callback?from=understudy&x=1", "https://board.example/callback/?from=understudy",
		"https://board.example/callback/../evil?from=understudy", "https://board.example.evil.example/callback?from=understudy", "https://board.example@evil.example/callback?from=understudy",
		"http://board.example/callback?from=understudy", "https://BOARD.example/callback?from=understudy", "https://board.example:443/callback?from=understudy",
		"https://board.example/callback?from=understudy#x", "https://evil.example\\@board.example/callback?from=understudy", "//board.example/callback", "javascript:alert(1)", "https://*.example/callback",
		"https://board.example/%63allback?from=understudy", " " + board, board + " ", board + "\r\nSet-Cookie: x=y",
	} {
		for _, query := range []string{
			w.query(p, "client_id", w.web, "redirect_uri", uri),
			w.query(p, "client_id", w.web, "redirect_uri", uri, "response_type", "token"),
		} {
			for _, got := range []answer{w.do(http.MethodGet, query, "ada", ""), w.do(http.MethodGet, query, "", ""), w.consent("ada", query)} {
				if got.StatusCode != http.StatusBadRequest || got.Header.Get("Location") != "" || strings.Contains(got.body, "<form") {
					t.Errorf("%q: %d %s", uri, got.StatusCode, got.Header.Get("Location"))
				}
			}
		}
	}
	for _, query := range []string{
		w.query(p, "redirect_uri", ""), w.query(p) + "&redirect_uri=https://evil.example", w.query(p) + "&client_id=" + w.web,
		w.query(p, "client_id", newID()), w.query(p, "client_id", "../"+w.native), "/oauth/authorize?%zz",
	} {
		if got := w.do(http.MethodGet, query, "ada", ""); got.StatusCode != http.StatusBadRequest || got.Header.Get("Location") != "" {
			t.Errorf("%q: %d %s", query, got.StatusCode, got.Header.Get("Location"))
		}
	}
}

// RFC 8252, 7.3: a native app takes the port that is free; nobody else may.
func TestLoopbackPortsAreFreeForNativeApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	const chosen = "http://127.0.0.1:51004/callback"
	code := w.code(w.query(p, "redirect_uri", chosen))
	w.refused(w.redeem(code, p), http.StatusBadRequest, "invalid_grant") // sent elsewhere
	if got := w.redeem(code, p, "redirect_uri", chosen); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	if got := w.consent("ada", w.query(p, "redirect_uri", "com.example.app:/back")); !strings.HasPrefix(got.Header.Get("Location"), "com.example.app:/back?") {
		t.Errorf("%d %s", got.StatusCode, got.Header.Get("Location"))
	}
	for _, uri := range []string{"http://localhost:51004/callback", "http://127.0.0.1:51004/other", "http://127.0.0.1.evil.example/callback", "https://127.0.0.1:51004/callback"} {
		if got := w.do(http.MethodGet, w.query(p, "redirect_uri", uri), "ada", ""); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", uri, got.StatusCode)
		}
	}
}

// 4.2: neither codes nor states leak by the Referer or a history, 4.3: tokens and
// codes are no part of addresses.
func TestNothingLeaksThroughAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	for _, got := range []answer{
		w.do(http.MethodGet, w.query(p), "ada", ""), w.do(http.MethodGet, w.query(p, "client_id", ""), "ada", ""), w.consent("ada", w.query(p)),
		w.do(http.MethodPost, "/oauth/token", "", ""),
	} {
		if got.Header.Get("Referrer-Policy") != "same-origin" || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%v", got.Header)
		}
	}
	code := w.code(w.query(p))
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {w.native}, "redirect_uri": {loopback}, "code": {code}, "code_verifier": {p.verifier}}.Encode()
	w.refused(w.post("/oauth/token?"+form, nil), http.StatusBadRequest, "invalid_request")
	w.refused(w.post("/oauth/revoke?token=x&client_id="+w.native, nil), http.StatusBadRequest, "invalid_request")
	for _, path := range []string{"/oauth/token", "/oauth/revoke"} {
		if got := w.do(http.MethodGet, path+"?"+form, "", ""); got.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d", path, got.StatusCode)
		}
	}
	// No answer of the authorization endpoint has a token (2.1.2): there is no implicit grant.
	for _, responseType := range []string{"token", "code token", "id_token", "none"} {
		if got := w.do(http.MethodGet, w.query(p, "response_type", responseType), "ada", "").location(t); got.Get("error") != "unsupported_response_type" || got.Get("state") != "xyz" {
			t.Errorf("%s: %v", responseType, got)
		}
	}
	for _, mode := range []string{"fragment", "form_post", "web_message"} {
		if got := w.do(http.MethodGet, w.query(p, "response_mode", mode), "ada", "").location(t); got.Get("error") != "invalid_request" {
			t.Errorf("%s: %v", mode, got)
		}
	}
	// 2.4: neither is there the password grant.
	for _, grantType := range []string{"password", "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"} {
		w.refused(w.post("/oauth/token", []string{"grant_type", grantType, "client_id", w.native, "username", "ada", "password", "x"}), http.StatusBadRequest, "unsupported_grant_type")
	}
}

// 4.4: a client that talks to several services can tell who has answered.
func TestMixUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	allowed := w.consent("ada", w.query(p)).location(t)
	denied := w.do(http.MethodPost, w.query(p), "ada", "decision=deny&visitor=usr_ada+org_a", "Content-Type", "application/x-www-form-urlencoded").location(t)
	failed := w.do(http.MethodGet, w.query(p, "scope", "everything"), "ada", "").location(t)
	for _, got := range []url.Values{allowed, denied, failed} {
		if got.Get("iss") != w.server.URL || len(got["iss"]) != 1 || got.Get("state") != "xyz" {
			t.Errorf("%v", got)
		}
	}
	if denied.Get("error") != "access_denied" || denied.Has("code") || failed.Get("error") != "invalid_scope" {
		t.Errorf("%v %v", denied, failed)
	}
}

// 4.5: a code that was stolen is of no use to another session or another client.
func TestCodeInjection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victim, attacker := newProof(), newProof()
	code := w.code(w.query(victim))
	w.refused(w.redeem(code, attacker), http.StatusBadRequest, "invalid_grant")
	w.refused(w.redeem(code, victim, "code_verifier", ""), http.StatusBadRequest, "invalid_grant")
	w.refused(w.redeem(code, victim, "code_verifier", victim.challenge), http.StatusBadRequest, "invalid_grant")
	w.refused(w.redeem(code, victim, "redirect_uri", "com.example.app:/back"), http.StatusBadRequest, "invalid_grant")
	w.refused(w.redeem(code, victim, "client_id", w.web, "client_secret", w.secret), http.StatusBadRequest, "invalid_grant")
	w.refused(w.redeem(code[:len(code)-1]+"?", victim), http.StatusBadRequest, "invalid_grant")
	w.refused(w.redeem("ac_made_up", victim), http.StatusBadRequest, "invalid_grant")
	if got := w.redeem(code, victim); got.status != http.StatusOK {
		t.Errorf("its own client: %+v", got)
	}
}

// 4.8: PKCE cannot be talked out of.
func TestPKCEDowngrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	for name, changes := range map[string][]string{
		"no challenge of a public client": {"code_challenge", "", "code_challenge_method", ""},
		"plain":                           {"code_challenge_method", "plain"},
		"plain by default":                {"code_challenge_method", ""},
		"a method without a challenge":    {"code_challenge", ""},
		"a challenge that is none":        {"code_challenge", "short"},
	} {
		for _, got := range []answer{w.do(http.MethodGet, w.query(p, changes...), "ada", ""), w.consent("ada", w.query(p, changes...))} {
			if got := got.location(t); got.Get("error") != "invalid_request" || got.Has("code") {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	// The challenge was taken out on the way: the verifier gives it away.
	stripped := w.code(w.query(p, "client_id", w.web, "redirect_uri", board, "code_challenge", "", "code_challenge_method", ""))
	fields := []string{"grant_type", "authorization_code", "redirect_uri", board, "code", stripped, "client_id", w.web, "client_secret", w.secret}
	w.refused(w.post("/oauth/token", append(fields, "code_verifier", p.verifier)), http.StatusBadRequest, "invalid_grant")
	// A confidential client that sent one must prove it.
	code := w.code(w.query(p, "client_id", w.web, "redirect_uri", board))
	fields = []string{"grant_type", "authorization_code", "redirect_uri", board, "code", code, "client_id", w.web, "client_secret", w.secret}
	w.refused(w.post("/oauth/token", fields), http.StatusBadRequest, "invalid_grant")
	if got := w.post("/oauth/token", append(fields, "code_verifier", p.verifier)); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
}

// RFC 6749, 4.1.2: a code that comes twice was stolen; what it gave ends.
func TestCodeReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	code := w.code(w.query(p))
	first := w.redeem(code, p)
	w.refused(w.redeem(code, p), http.StatusBadRequest, "invalid_grant")
	w.refused(w.refresh(first.Refresh), http.StatusBadRequest, "invalid_grant")
	w.deadToken(first.Access)
	if got := w.grants("ada"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Of two who present a code at once, one gets tokens at most, and none that last.
func TestCodeRace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	code := w.code(w.query(p))
	answers := make(chan tokens)
	for range 8 {
		go func() { answers <- w.redeem(code, p) }()
	}
	given := 0
	for range 8 {
		if got := <-answers; got.status == http.StatusOK {
			given++
			defer w.refused(w.refresh(got.Refresh), http.StatusBadRequest, "invalid_grant")
		}
	}
	if given > 1 {
		t.Errorf("%d got tokens", given)
	}
}

// 4.7: what another site sends in the person's name counts for nothing.
func TestCSRF(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	const form = "decision=allow&environment=live&visitor=usr_ada+org_a"
	send := func(body string, header ...string) answer {
		return w.do(http.MethodPost, w.query(p), "ada", body, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
	}
	for name, header := range map[string][]string{
		"another site":              {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
		"a neighbour":               {"Sec-Fetch-Site", "same-site", "Origin", "https://evil.example"},
		"an old browser":            {"Origin", "https://evil.example"},
		"a sandboxed frame":         {"Origin", "null"},
		"an origin that looks ours": {"Origin", w.server.URL + ".evil.example"},
	} {
		if got := send(form, header...); got.StatusCode != http.StatusForbidden || got.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.Header.Get("Location"))
		}
	}
	// A page that was shown to somebody else, or to the same person elsewhere, is shown anew.
	for _, visitor := range []string{"", "usr_vic+org_a", "usr_ada+org_b"} {
		if got := send("decision=allow&environment=live&visitor="+visitor, "Sec-Fetch-Site", "same-origin"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "<form") {
			t.Errorf("%q: %d", visitor, got.StatusCode)
		}
	}
	// Looking at the page allows nothing, whatever its address has.
	if got := w.do(http.MethodGet, w.query(p)+"&decision=allow", "ada", ""); got.StatusCode != http.StatusOK || len(w.grants("ada")) != 0 {
		t.Errorf("%d", got.StatusCode)
	}
	// The state comes back as it was sent, for the client to compare.
	const state = `a&b=c d#%22<>"\'ü`
	if got := w.consent("ada", w.query(p, "state", state)).location(t); got.Get("state") != state {
		t.Errorf("%q", got.Get("state"))
	}
	if got := w.do(http.MethodGet, w.query(p)+"&state=other", "ada", "").location(t); got.Get("error") != "invalid_request" || got.Has("state") {
		t.Errorf("%v", got)
	}
}

// 4.11.2: a link leads nobody on before they have signed in, whatever is wrong with
// it, and 4.11.1: signing in leads back here and nowhere else.
func TestOpenRedirector(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	for _, query := range []string{w.query(p), w.query(p, "scope", "everything"), w.query(p, "response_type", "token"), w.query(p, "code_challenge", "")} {
		for _, who := range []string{"", "nobody"} {
			got := w.do(http.MethodGet, query, who, "")
			if next := got.location(t).Get("next"); !strings.HasPrefix(got.Header.Get("Location"), "/sign-in?") || next != query {
				t.Errorf("%s: %s", query, got.Header.Get("Location"))
			}
		}
		// Nor whom the application is not for.
		if got := w.do(http.MethodGet, query, "mal", ""); got.StatusCode != http.StatusForbidden || got.Header.Get("Location") != "" {
			t.Errorf("%d %s", got.StatusCode, got.Header.Get("Location"))
		}
	}
	if got := w.do(http.MethodGet, w.query(p), "broken", ""); got.StatusCode != http.StatusInternalServerError || strings.Contains(got.body, "sessions") {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}

// 4.12: a redirect that keeps the method would hand the form on.
func TestNoRedirectKeepsTheMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	for _, got := range []answer{
		w.consent("ada", w.query(p)), w.consent("", w.query(p)), w.consent("ada", w.query(p, "scope", "")),
		w.do(http.MethodGet, w.query(p), "", ""), w.do(http.MethodGet, w.query(p, "scope", ""), "ada", ""),
	} {
		if got.StatusCode != http.StatusSeeOther {
			t.Errorf("%d", got.StatusCode)
		}
	}
}

// 4.14.2: a refresh token that comes again was stolen, and ends all.
func TestRefreshTokenReuse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.granted()
	second := w.refresh(first.Refresh)
	third := w.refresh(second.Refresh)
	if third.status != http.StatusOK {
		t.Fatalf("%+v", third)
	}
	w.refused(w.refresh(first.Refresh), http.StatusBadRequest, "invalid_grant")
	w.refused(w.refresh(third.Refresh), http.StatusBadRequest, "invalid_grant")
	for _, token := range []string{first.Access, second.Access, third.Access} {
		w.deadToken(token)
	}
}

// A refresh whose answer was lost may be tried again while its successor is unused.
func TestALostRefreshIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.granted()
	lost := w.refresh(first.Refresh)
	again := w.refresh(first.Refresh)
	if again.status != http.StatusOK || again.Refresh == lost.Refresh {
		t.Fatalf("%+v", again)
	}
	next := w.refresh(again.Refresh)
	if next.status != http.StatusOK {
		t.Fatalf("%+v", next)
	}
	w.refused(w.refresh(first.Refresh), http.StatusBadRequest, "invalid_grant") // its successor was used
}

// 4.14: refresh tokens belong to their client, and so does revoking.
func TestAnotherClientsTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own := w.granted()
	asWeb := []string{"client_id", w.web, "client_secret", w.secret}
	w.refused(w.post("/oauth/token", append(asWeb, "grant_type", "refresh_token", "refresh_token", own.Refresh)), http.StatusBadRequest, "invalid_grant")
	for _, token := range []string{own.Refresh, own.Access, "rt_made_up", "at_made_up", "nonsense"} {
		if got := w.post("/oauth/revoke", append(asWeb, "token", token)); got.status != http.StatusOK {
			t.Errorf("%+v", got)
		}
	}
	if got := w.refresh(own.Refresh); got.status != http.StatusOK {
		t.Errorf("another client has ended it: %+v", got)
	}
	// An access token is no refresh token, and a code neither.
	for _, token := range []string{own.Access, "rt_" + strings.TrimPrefix(own.Access, "at_"), "rt_" + strings.Repeat("x", 1000)} {
		w.refused(w.refresh(token), http.StatusBadRequest, "invalid_grant")
	}
}

// 2.5 and 4.15: nobody passes for a client that has a secret.
func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	code := w.code(w.query(p, "client_id", w.web, "redirect_uri", board))
	fields := []string{"grant_type", "authorization_code", "redirect_uri", board, "code", code, "code_verifier", p.verifier}
	for name, c := range map[string]struct {
		more, header []string
		status       int
		code         string
	}{
		"no secret":                     {[]string{"client_id", w.web}, nil, 401, "invalid_client"},
		"an empty secret":               {[]string{"client_id", w.web, "client_secret", ""}, nil, 401, "invalid_client"},
		"a wrong secret":                {[]string{"client_id", w.web, "client_secret", w.secret[1:]}, nil, 401, "invalid_client"},
		"a wrong secret in the header":  {nil, []string{"Authorization", basic(w.web, "x")}, 401, "invalid_client"},
		"no client":                     {nil, nil, 401, "invalid_client"},
		"an unknown client":             {[]string{"client_id", newID()}, nil, 401, "invalid_client"},
		"a public client with a secret": {[]string{"client_id", w.native, "client_secret", w.secret}, nil, 401, "invalid_client"},
		"a public one in the header":    {nil, []string{"Authorization", basic(w.native, "")}, 401, "invalid_client"},
		"two ways at once":              {[]string{"client_secret", w.secret}, []string{"Authorization", basic(w.web, w.secret)}, 400, "invalid_request"},
		"two clients at once":           {[]string{"client_id", w.native}, []string{"Authorization", basic(w.web, w.secret)}, 400, "invalid_request"},
		"a bearer token":                {[]string{"client_id", w.web}, []string{"Authorization", "Bearer x"}, 401, "invalid_client"},
		"an assertion":                  {[]string{"client_id", w.web, "client_assertion", "x"}, nil, 401, "invalid_client"},
		"a parameter twice":             {[]string{"client_id", w.web, "client_id", w.web}, nil, 400, "invalid_request"},
	} {
		got := w.post("/oauth/token", append(fields[:len(fields):len(fields)], c.more...), c.header...)
		if got.status != c.status || got.Error != c.code {
			t.Errorf("%s: %d %q", name, got.status, got.Error)
		}
		if told := got.header.Get("WWW-Authenticate"); c.status == 401 && len(c.header) > 0 && !strings.HasPrefix(told, "Basic ") {
			t.Errorf("%s: WWW-Authenticate %q", name, told)
		}
	}
	w.refused(w.post("/oauth/revoke", []string{"token", "x", "client_id", w.web}), http.StatusUnauthorized, "invalid_client")
	if got := w.post("/oauth/token", append(fields, "client_id", w.web, "client_secret", w.secret)); got.status != http.StatusOK {
		t.Errorf("the code was lost to the attempts: %+v", got)
	}
}

// 4.16: no page is framed, and none runs a script.
func TestClickjacking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, got := range []answer{w.do(http.MethodGet, w.query(newProof()), "ada", ""), w.do(http.MethodGet, "/oauth/authorize", "", "")} {
		policy := got.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action "} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s lacks %s", policy, part)
			}
		}
		if got.Header.Get("X-Frame-Options") != "DENY" || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
			t.Errorf("%v", got.Header)
		}
	}
}

// 4.17: pages of other origins may ask for tokens, and for nothing else.
func TestOriginsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	origin := []string{"Origin", "https://spa.example"}
	asked := w.do(http.MethodOptions, "/oauth/token", "", "", append(origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")...)
	if asked.StatusCode != http.StatusNoContent || asked.Header.Get("Access-Control-Allow-Origin") != "*" || asked.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%d %v", asked.StatusCode, asked.Header)
	}
	if got := w.post("/oauth/token", []string{"client_id", w.native}, origin...); got.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v", got.header)
	}
	for method, path := range map[string]string{http.MethodGet: w.query(newProof()), http.MethodOptions: w.query(newProof()), http.MethodPost: "/oauth/revoke"} {
		if got := w.do(method, path, "ada", "", origin...); got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: %v", method, path, got.Header)
		}
	}
}

// 2.3: a client gets no more than it needs, and never more than the person may.
func TestPrivileges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProof()
	got := w.consent("vic", w.query(p, "scope", "tests:read tests:write admin"))
	if out := w.redeem(got.location(t).Get("code"), p); out.Scope != "tests:read" {
		t.Errorf("a viewer has given away %q", out.Scope)
	}
	if got := w.do(http.MethodGet, w.query(p, "scope", "admin"), "vic", "").location(t); got.Get("error") != "access_denied" {
		t.Errorf("%v", got)
	}
	if got := w.do(http.MethodGet, w.query(p, "scope", ""), "ada", "").location(t); got.Get("error") != "invalid_scope" {
		t.Errorf("%v", got)
	}
	// What one person has allowed is not another's to take back.
	if out := w.grants("vic"); len(out) != 1 {
		t.Fatalf("%+v", out)
	} else if err := w.RevokeGrant(w.ctx, w.call(), out[0].ID); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("%v", err)
	}
}

// deadToken checks that an access token no longer counts.
func (w *world) deadToken(token string) {
	w.t.Helper()
	if _, err := w.Authenticate(w.ctx, token); err == nil || w.Knows(token) {
		w.t.Error("an access token still counts")
	}
}
