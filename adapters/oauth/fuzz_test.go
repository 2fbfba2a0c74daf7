package oauth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
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
