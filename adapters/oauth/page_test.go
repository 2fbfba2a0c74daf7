package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"understudy/adapters/oauth"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
)

func TestTheConsentPageTellsWhatIsAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	evil, err := w.RegisterClient(w.ctx, w.call(), newID(), service.NewClient{
		Name: `<script>alert(1)</script>"`, Type: service.PublicClient, RedirectURIs: []string{"http://[::1]/back", "https://app.example:8443/back"},
	})
	w.must(err)
	p := newProof()
	got := w.do(http.MethodGet, w.query(p, "client_id", evil.ID, "redirect_uri", "https://app.example:8443/back", "scope", "reports:read tests:write"), "vic", "")
	for _, text := range []string{"&lt;script&gt;", "P. of usr_vic", "Acme", "Read your reports and comparisons", "app.example:8443", "more than your role permits", `method="post"`} {
		if !strings.Contains(got.body, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	for _, text := range []string{"<script", "Start and cancel tests"} {
		if strings.Contains(got.body, text) {
			t.Errorf("the page has %s", text)
		}
	}
	// The policy lets its one style through, and its form come to the client's address.
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(got.body)
	if style == nil {
		t.Fatal("no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	policy := got.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") || !strings.Contains(policy, "form-action 'self' https://app.example:8443;") {
		t.Error(policy)
	}
	for uri, form := range map[string]string{
		loopback: "form-action 'self' http://127.0.0.1;", "http://127.0.0.1:51006/callback": "form-action 'self' http://127.0.0.1:51006;", "com.example.app:/back": "form-action 'self' com.example.app:;",
	} {
		if policy := w.do(http.MethodGet, w.query(p, "redirect_uri", uri), "ada", "").Header.Get("Content-Security-Policy"); !strings.Contains(policy, form) {
			t.Errorf("%s: %s", uri, policy)
		}
	}
	if policy := w.do(http.MethodGet, w.query(p, "client_id", evil.ID, "redirect_uri", "http://[::1]:99/back"), "ada", "").Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' http:;") {
		t.Error(policy)
	}
}

func TestThePersonChoosesTheEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	allow := func(query, environment string) domain.Environment {
		p := newProof()
		form := url.Values{"visitor": {"usr_ada org_a"}, "decision": {"allow"}, "environment": {environment}}
		back := w.do(http.MethodPost, w.query(p)+query, "ada", form.Encode(), "Content-Type", "application/x-www-form-urlencoded").location(t)
		who, err := w.Authenticate(w.ctx, w.redeem(back.Get("code"), p).Access)
		w.must(err)
		return who.Environment
	}
	for _, c := range []struct {
		query, chosen string
		want          domain.Environment
	}{{"", "test", domain.Sandbox}, {"", "live", domain.Live}, {"&environment=test", "", domain.Sandbox}, {"&environment=test", "live", domain.Live}, {"", "nonsense", domain.Live}} {
		if got := allow(c.query, c.chosen); got != c.want {
			t.Errorf("%q %q: %s", c.query, c.chosen, got)
		}
	}
	page := w.do(http.MethodGet, w.query(newProof())+"&environment=test", "ada", "").body
	if !strings.Contains(page, `value="test" checked`) || strings.Contains(page, `value="live" checked`) {
		t.Error("what the client asks for is not chosen")
	}
}

// TestTokensFollowTheirPerson: who leaves the organization leaves no token behind.
func TestTokensFollowTheirPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.people["gone"] = oauth.Visitor{Principal: service.Principal{UserID: "usr_gone", OrganizationID: "org_a", Role: access.Admin}}
	p := newProof()
	code := w.consent("gone", w.query(p)).location(t).Get("code")
	w.refused(w.redeem(code, p), http.StatusBadRequest, "invalid_grant")
}
