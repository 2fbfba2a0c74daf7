package oauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"understudy/domain/access"
	"understudy/domain/oauthclient"
)

// FuzzParameters: what comes in the body of the token endpoint is read once and whole,
// or refused.
func FuzzParameters(f *testing.F) {
	f.Add("grant_type=refresh_token&refresh_token=x", false, "Basic YTpi")
	f.Add(`{"client_id":"a","client_secret":null}`, true, "")
	f.Add("a=1&a=2&%zz", false, "Bearer x")
	f.Add(`{"a":"1","a":"2"} {}`, true, "Basic =")
	f.Fuzz(func(t *testing.T, body string, asJSON bool, authorization string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth/token", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if asJSON {
			r.Header.Set("Content-Type", "application/json")
		}
		if authorization != "" {
			r.Header["Authorization"] = []string{authorization}
		}
		in, fault := bodyOf(r)
		if fault != nil {
			return
		}
		if !asJSON {
			if form, err := url.ParseQuery(body); err != nil || len(form) != len(in) {
				t.Errorf("%q was read as %q: %v", body, in, err)
			}
		}
		if id, secret, fault := credentials(r, in); fault == nil && (id == "" || authorization != "" && secret == "") {
			t.Errorf("%q and %q are the client %q", body, authorization, id)
		}
	})
}

// oneClient is all that is registered.
type oneClient struct {
	Grants
	oauthclient.State
}

func (c oneClient) OAuthClient(context.Context, string) (oauthclient.State, error) {
	return c.State, nil
}

// FuzzAuthorization: an authorization request is answered at the address that the client has
// registered, with its state and what there is to say besides, each once; it goes on to a
// person only with scopes that there are and, of a public client, a challenge.
func FuzzAuthorization(f *testing.F) {
	f.Add("client_id=c&redirect_uri=http://127.0.0.1:5/cb?a%3D1&response_type=code&scope=tests:read&state=s&code_challenge_method=S256&code_challenge="+strings.Repeat("a", 43), "code")
	f.Add("client_id=c&redirect_uri=https://board.example/cb&scope=&state=%0d%0a%26iss=x&environment=test", "a&b=c#d")
	f.Add("client_id=c&redirect_uri=https://board.example/cb&response_type=code&scope=%00\"&state=1&state=2&request=", "\xff")
	f.Add("client_id=c&redirect_uri=https://board.example/cb&response_type=code&scope=tests:read+%22%ff&environment=test&code_challenge_method=S256&code_challenge="+strings.Repeat("_", 43), "")
	f.Add("client_id=c&redirect_uri=https://board.example%2fcb&redirect_uri=https://board.example/cb", "")
	f.Add("client_id=c&redirect_uri=http://127.0.0.1:5%40evil.example/cb?a%3D1", "")
	client := oauthclient.State{Client: oauthclient.Registered{RedirectURIs: []string{"https://board.example/cb", "http://127.0.0.1/cb?a=1"}}}
	d := &door{Deps: Deps{Issuer: "https://understudy.example", Grants: oneClient{State: client}}}
	f.Fuzz(func(t *testing.T, query, code string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, authorizePath, nil)
		r.URL.RawQuery = query
		req, fault, err := d.read(r)
		if err != nil {
			return
		}
		given, answer := r.URL.Query(), url.Values{"code": {code}}
		where := d.answerAt(req, answer)
		if fault != nil {
			where = d.failAt(req, *fault)
			answer = url.Values{"error": {fault.code}, "error_description": {fault.description}}
		}
		at, err := url.Parse(where)
		if err != nil {
			t.Fatalf("%q is answered at %q: %v", query, where, err)
		}
		said := at.Query()
		answer.Set("iss", d.Issuer)
		switch at.Scheme + "://" + at.Hostname() + at.Path {
		case "https://board.example/cb":
		case "http://127.0.0.1/cb":
			answer.Set("a", "1")
		default:
			t.Errorf("%q is answered at %q", query, where)
		}
		if req.state != "" {
			answer.Set("state", given.Get("state"))
		}
		if said.Encode() != answer.Encode() || at.Fragment != "" {
			t.Errorf("%q is answered with %q, want %q", query, said, answer)
		}
		if unknown := func(scope string) bool { return !slices.Contains(access.Scopes, scope) }; fault == nil &&
			(given.Get("state") != req.state || len(req.challenge) != 43 || len(req.scopes) == 0 || slices.ContainsFunc(req.scopes, unknown)) {
			t.Errorf("%q goes on as %+v", query, req)
		}
	})
}
