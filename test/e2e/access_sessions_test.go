package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/domain/access"
	"understudy/test/patience"
)

// session is somebody of an organization who has signed in with a browser.
type session struct {
	*visitor
	foreign bool
	role    access.Role
}

func (b session) String() string {
	if b.foreign {
		return fmt.Sprintf("browser of a foreign %s", b.role)
	}
	return fmt.Sprintf("browser of our %s", b.role)
}

const somePassword = "a password of some length"

// sessions are of people in every role that has a dashboard, and of a foreign admin.
func (s *service) sessions(t *testing.T, callers []caller, theirs string) (out []session) {
	t.Helper()
	foreign := ownerOf(callers, theirs, byKey)
	for _, role := range []access.Role{access.Viewer, access.CICD, access.Member, access.Admin} {
		v := s.invited(t, s.live(), string(role)+"@ours.example", role)
		if !role.May(access.Dashboard) {
			if _, at, _ := v.page(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr+"/account", nil)); at.Path != "/sign-in" {
				t.Errorf("%s has a dashboard", role)
			}
			continue
		}
		out = append(out, session{v, false, role})
	}
	owner := s.visitor(t)
	owner.signIn("")
	return append(out, session{owner, false, access.Owner}, session{s.invited(t, foreign, "admin@theirs.example", access.Admin), true, access.Admin})
}

// invited is somebody who has come by an invitation of an owner's and signed up.
func (s *service) invited(t *testing.T, owner client, email string, role access.Role) *visitor {
	t.Helper()
	owner.send(t, http.MethodPost, "/invitations", map[string]any{"email": email, "role": role}).wants(t, http.StatusCreated, "")
	v := s.visitor(t)
	v.email = email
	token := s.mailed(t, email).Query().Get("token")
	v.submit("http://"+s.Addr+"/invitation", url.Values{"token": {token}, "name": {"Somebody"}, "password": {somePassword}})
	return v
}

var mailedLink = regexp.MustCompile(`this mail is shown here" to=(\S+) .*link="?([^"\s]+)`)

// mailed is the address in the newest mail to somebody. Where no mail server is set, mails
// are in the log. One that was read before does not count again.
func (s *service) mailed(t *testing.T, email string, before ...*url.URL) (link *url.URL) {
	t.Helper()
	patience.Eventually(t, 30*time.Second, "a mail to "+email+" is sent", func() bool {
		for _, found := range mailedLink.FindAllStringSubmatch(s.Output(), -1) {
			if found[1] == email {
				link, _ = url.Parse(found[2])
			}
		}
		for _, known := range before {
			if link != nil && *link == *known {
				link = nil
			}
		}
		return link != nil
	})
	return link
}

// signIn signs the owner in, who then goes on to a page.
func (v *visitor) signIn(next string) (text string, at *url.URL) {
	v.t.Helper()
	raw, err := os.ReadFile(filepath.Join(v.s.Data(), "keys.json"))
	var owner struct{ Email, Password string }
	if err == nil {
		err = json.Unmarshal(raw, &owner)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	text, at, _ = v.submit("http://"+v.s.Addr+"/sign-in", url.Values{"email": {owner.Email}, "password": {owner.Password}, "next": {next}})
	return text, at
}

// cookie is what the browser is known by.
func (v *visitor) cookie() string {
	var all []string
	for _, c := range v.http.Jar.Cookies(&url.URL{Scheme: "http", Host: v.s.Addr}) {
		all = append(all, c.String())
	}
	return strings.Join(all, "; ")
}

// withSessions tries every operation with the cookie of a browser, each from an address of
// its own: the interface takes none, so that no other site can act through a browser.
func (y *tally) withSessions(s *service, calls []call, sessions []session, of things) {
	y.t.Helper()
	for i, who := range sessions {
		for j, c := range calls {
			if c.needs.Public {
				continue
			}
			path, _ := c.at(y.t, of)
			y.expects(client{s.Live()}, c.method, path, nil, http.StatusUnauthorized, "unauthenticated",
				"Authorization", "", "Cookie", who.cookie(), "X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", 100+i, j+1))
		}
	}
}

// pageCall is what a page does. permission and scope are what the role needs for it, "" for
// nothing; of: it names a thing of the organization.
type pageCall struct {
	method, path string
	permission   access.Permission
	scope        string
	of           string
	form         url.Values
	// others is what the role needs to see the thing, which is somebody else's; without it
	// there is none.
	others access.Permission
}

// pageCalls change nothing where they are refused, and are tried only by those who are.
var pageCalls = []pageCall{
	{method: http.MethodGet, path: "/tests"},
	{method: http.MethodPost, path: "/tests/example", scope: access.TestsWrite},
	{method: http.MethodGet, path: "/tests/new", scope: access.TestsWrite},
	{method: http.MethodGet, path: "/tests/new?from={id}", scope: access.TestsWrite, of: "/tests"},
	{method: http.MethodPost, path: "/tests/new", scope: access.TestsWrite, form: url.Values{"url": {"https://example.com/"}, "task": {"Find the price"}}},
	{method: http.MethodPost, path: "/tests/new/address", scope: access.TestsWrite},
	{method: http.MethodPost, path: "/tests/new/task", scope: access.TestsWrite},
	{method: http.MethodPost, path: "/tests/new/cast", scope: access.TestsWrite},
	{method: http.MethodGet, path: "/account"},
	{method: http.MethodGet, path: "/account/password"},
	{method: http.MethodGet, path: "/account/factor"},
	{method: http.MethodGet, path: "/account/erase"},
	{method: http.MethodGet, path: "/members"},
	{method: http.MethodGet, path: "/organization/delete", permission: access.Billing},
	{method: http.MethodPost, path: "/organization/delete", permission: access.Billing, form: url.Values{"organization": {"My organization"}}},
	{method: http.MethodPost, path: "/members/invitations", permission: access.Team, form: url.Values{"email": {"new@example.com"}, "role": {"viewer"}}},
	{method: http.MethodPost, path: "/members/invitations/{id}/revoke", permission: access.Team, of: "/invitations"},
	{method: http.MethodPost, path: "/members/{id}/role", permission: access.Team, of: "/members", form: url.Values{"role": {"viewer"}}},
	{method: http.MethodPost, path: "/members/{id}/remove", permission: access.Team, of: "/members"},
	{method: http.MethodPost, path: "/members/{id}/owner", permission: access.Billing, of: "/members"},
	{method: http.MethodGet, path: "/log", permission: access.Team},
	{method: http.MethodGet, path: "/log/file", permission: access.Team},
	{method: http.MethodGet, path: "/clients", permission: access.Team},
	{method: http.MethodPost, path: "/clients", permission: access.Team, form: url.Values{"name": {"Mine"}, "type": {"public"}, "redirect_uris": {"https://mine.example/"}}},
	{method: http.MethodGet, path: "/clients/{id}", permission: access.Team, of: "/oauth/clients"},
	{method: http.MethodPost, path: "/clients/{id}", permission: access.Team, of: "/oauth/clients"},
	{method: http.MethodPost, path: "/clients/{id}/rotate", permission: access.Team, of: "/oauth/clients"},
	{method: http.MethodPost, path: "/clients/{id}/delete", permission: access.Team, of: "/oauth/clients"},
	{method: http.MethodPost, path: "/account/grants/{id}/revoke", of: "/oauth/grants"},
	{method: http.MethodGet, path: "/organization"},
	{method: http.MethodPost, path: "/organization", permission: access.Team, form: url.Values{"name": {"Theirs"}}},
	{method: http.MethodPost, path: "/organization/gate", permission: access.Team, form: url.Values{"threshold": {"0"}}},
	{method: http.MethodGet, path: "/usage"},
	{method: http.MethodPost, path: "/usage/plan", permission: access.Billing, form: url.Values{"plan": {"free"}}},
	{method: http.MethodGet, path: "/keys"},
	{method: http.MethodGet, path: "/keys/new", permission: access.OwnKeys},
	{method: http.MethodPost, path: "/keys", permission: access.OwnKeys, form: url.Values{"name": {"Mine"}, "scopes": {"tests:read"}, "ends": {"30"}}},
	{method: http.MethodGet, path: "/keys/{id}", of: "/keys", others: access.Team},
	{method: http.MethodPost, path: "/keys/{id}", permission: access.OwnKeys, of: "/keys", others: access.Team, form: url.Values{"name": {"Mine"}, "scopes": {"tests:read"}}},
	{method: http.MethodPost, path: "/keys/{id}/rotate", permission: access.OwnKeys, of: "/keys", others: access.Team},
	{method: http.MethodPost, path: "/keys/{id}/revoke", permission: access.OwnKeys, of: "/keys", others: access.Team},
	{method: http.MethodGet, path: "/webhooks", permission: access.Webhooks},
	{method: http.MethodGet, path: "/webhooks/new", permission: access.Webhooks},
	{method: http.MethodPost, path: "/webhooks", permission: access.Webhooks, form: url.Values{"url": {"https://mine.example/"}, "events": {"test.completed"}}},
	{method: http.MethodGet, path: "/webhooks/{id}", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}", permission: access.Webhooks, of: "/webhooks", form: url.Values{"url": {"https://mine.example/"}, "events": {"test.completed"}}},
	{method: http.MethodPost, path: "/webhooks/{id}/test", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}/pause", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}/enable", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}/rotate", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}/promote", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}/delete", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodGet, path: "/webhooks/{id}/replay", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodPost, path: "/webhooks/{id}/replay", permission: access.Webhooks, of: "/webhooks"},
	{method: http.MethodGet, path: "/deliveries/{id}", permission: access.Webhooks, of: "/deliveries"},
	{method: http.MethodPost, path: "/deliveries/{id}/replay", permission: access.Webhooks, of: "/deliveries"},
	{method: http.MethodGet, path: "/tests/{id}", of: "/tests"},
	{method: http.MethodPost, path: "/tests/{id}/cancel", scope: access.TestsWrite, of: "/tests"},
	{method: http.MethodGet, path: "/comparisons"},
	{method: http.MethodGet, path: "/comparisons/new", scope: access.TestsWrite},
	{method: http.MethodGet, path: "/comparisons/new?a={id}", scope: access.TestsWrite, of: "/tests"},
	{method: http.MethodPost, path: "/comparisons", scope: access.TestsWrite, form: url.Values{"a": {"test_0"}, "b": {"test_1"}}},
	{method: http.MethodGet, path: "/trend"},
	{method: http.MethodGet, path: "/reports/{id}", of: "/reports"},
	{method: http.MethodGet, path: "/reports/{id}?format=markdown", of: "/reports"},
	{method: http.MethodGet, path: "/sessions/{id}", of: "/sessions"},
	{method: http.MethodGet, path: "/comparisons/{id}", of: "/comparisons"},
}

// pages tries what the pages do with browsers of people who may not: in another role, of
// another organization, and with none.
func (y *tally) pages(sessions []session, of things) {
	y.t.Helper()
	nobody := session{visitor: sessions[0].s.visitor(y.t), role: "nobody"}
	for _, c := range pageCalls {
		path := strings.Replace(c.path, "{id}", of[c.of], 1)
		status, at := nobody.does(c.method, path, c.form)
		y.checked.Add(1)
		if status != http.StatusOK || at.Path != "/sign-in" {
			y.t.Errorf("%s: %s %s is %d at %s, want the page to sign in", nobody, c.method, path, status, at)
		}
		for _, who := range sessions {
			want := http.StatusOK
			switch {
			case c.permission != "" && !who.role.May(c.permission), c.scope != "" && !access.Allows(who.role.Scopes(), c.scope):
				want = http.StatusForbidden
			case c.of == "/oauth/grants", c.of != "" && who.foreign, c.others != "" && !who.role.May(c.others): // what is there is nobody's here
				want = http.StatusNotFound
			case c.method != http.MethodGet:
				continue // it would be done
			}
			status, _ := who.does(c.method, path, c.form)
			y.checked.Add(1)
			if status != want {
				y.t.Errorf("%s: %s %s is %d, want %d", who, c.method, path, status, want)
			}
		}
	}
}

// pageRequests counts requests of pages, each of which comes from an address of its own.
var pageRequests atomic.Int64

// does makes a request of a page's and tells how it ends, and where.
func (v *visitor) does(method, path string, form url.Values) (status int, at *url.URL) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, "http://"+v.s.Addr+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	n := pageRequests.Add(1)
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.1.%d.%d", n/250, 1+n%250))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	res, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		v.t.Error(err)
	}
	return res.StatusCode, res.Request.URL
}
