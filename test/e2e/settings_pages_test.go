package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/access"
	"understudy/domain/walk"
	"understudy/test/harness"
	"understudy/test/patience"
)

var (
	shownKey    = regexp.MustCompile(`svc_(live|test)_\w+`)
	shownSecret = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)
)

// inbox is an endpoint that answers what it is told to and keeps what it got.
type inbox struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	bodies []string
	signed []string
}

func newInbox(t *testing.T) *inbox {
	box := &inbox{status: http.StatusInternalServerError}
	box.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		box.mu.Lock()
		defer box.mu.Unlock()
		box.bodies, box.signed = append(box.bodies, string(body)), append(box.signed, r.Header.Get("X-Service-Signature"))
		w.WriteHeader(box.status)
		_, _ = io.WriteString(w, `<script>alert(1)</script>`)
	}))
	t.Cleanup(box.Close)
	return box
}

func (b *inbox) answers(status int) { b.mu.Lock(); defer b.mu.Unlock(); b.status = status }

// got are the bodies that came, with whether all were signed with a secret.
func (b *inbox) got(secret string) (bodies []string, genuine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	genuine = true
	for i, body := range b.bodies {
		m := hmac.New(sha256.New, []byte(secret))
		m.Write([]byte(body))
		genuine = genuine && b.signed[i] == "sha256="+hex.EncodeToString(m.Sum(nil))
	}
	return append([]string{}, b.bodies...), genuine
}

// finds what a page says, once it says so; what is live comes by itself.
func (p person) finds(title, what string) {
	p.t.Helper()
	patience.Eventually(p.t, 60*time.Second, p.name+" reads "+what, func() bool {
		page, err := p.b.Look(p.t.Context())
		return err == nil && strings.Contains(words(page), what)
	})
	p.sees(title)
}

// lacks fails where a page says or offers something.
func (p person) lacks(page walk.Page, what string) {
	p.t.Helper()
	for _, e := range page.Elements {
		if strings.Contains(e.Name, what) {
			p.t.Errorf("%s is offered %q at %s", p.name, e.Name, page.URL)
		}
	}
	if strings.Contains(words(page), what) {
		p.t.Errorf("%s reads %q at %s", p.name, what, page.URL)
	}
}

// may reports whether a key lets somebody in.
func (s *service) may(t *testing.T, key string) bool {
	t.Helper()
	a, err := harness.Client{Addr: s.Addr, Key: key}.Send(t.Context(), http.MethodGet, "/me", nil)
	return err == nil && a.StatusCode == http.StatusOK
}

// TestPagesOfSettings: an owner keeps keys, webhooks, the plan and the organization with the
// pages, and the others see and do what their roles let them.
func TestPagesOfSettings(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	come := people(t, s)
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	var first struct{ Email, Password string }
	if err == nil {
		err = json.Unmarshal(raw, &first)
	}
	if err != nil {
		t.Fatal(err)
	}
	owner := come("the owner", browser.Desktop)
	owner.signsIn(first.Email, first.Password, "Tests")

	owner.goes("/keys", "API keys")
	owner.clicks("New API key", "New API key")
	owner.types("Name", "CI <b>of</b> the shop")
	owner.reads(owner.clicks("Make the key", "Error: New API key"), "at least one scope") // nothing is allowed that nobody chose
	owner.does(walk.Check, "See tests", "")
	page := owner.clicks("Make the key", "CI <b>of</b> the shop")
	owner.reads(page, "shown only now")
	key := shownKey.FindString(words(page))
	if !s.may(t, key) {
		t.Errorf("the key %q that was shown does not open", key)
	}
	page = owner.clicks("Rotate the key", "CI <b>of</b> the shop")
	newer := shownKey.FindString(words(page))
	if newer == key || !s.may(t, newer) || !s.may(t, key) {
		t.Errorf("after %q, with a day more, %q was shown; they do not both open", key, newer)
	}
	owner.types("Name", "CI of the shop")
	page = owner.clicks("Save", "CI of the shop")
	owner.lacks(page, newer)
	owner.reads(page, "rotating")
	owner.does(walk.Click, "Revoke this key", "")
	owner.reads(owner.clicks("Revoke CI of the shop", "CI of the shop"), "It opens nothing any more.")
	if s.may(t, newer) || s.may(t, key) {
		t.Error("the key opens after it was revoked")
	}
	owner.reads(owner.goes("/keys?status=revoked", "API keys"), "CI of the shop")
	owner.lacks(owner.goes("/keys?status=active", "API keys"), "CI of the shop")

	box := newInbox(t)
	host := "Webhook to " + strings.TrimPrefix(box.URL, "http://")
	owner.clicks("Webhooks", "Webhooks")
	owner.clicks("New webhook", "New webhook")
	owner.types("Address", "http://169.254.169.254/latest")
	owner.does(walk.Check, "Tests of the sandbox", "")
	owner.clicks("Make the webhook", "Error: New webhook")
	owner.types("Address", box.URL)
	page = owner.clicks("Make the webhook", host)
	secret := shownSecret.FindString(words(page))
	owner.clicks("Send a test", "Delivery of ping")
	owner.finds("Delivery of ping", "Attempt 1: 500 Internal Server Error")
	owner.finds("Delivery of ping", "abandoned")
	reader := s.visitor(t)
	reader.signIn("")
	text, _, _ := reader.page(http.NewRequestWithContext(t.Context(), http.MethodGet, owner.sees("Delivery of ping").URL, nil))
	if !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;</pre>") || strings.Contains(text, "<script>alert") {
		t.Errorf("the answer is shown as\n%s", text)
	}
	if bodies, genuine := box.got(secret); len(bodies) != 1 || !genuine {
		t.Errorf("the test came as %q, signed with the secret %q: %t", bodies, secret, genuine)
	}

	box.answers(http.StatusNoContent)
	owner.clicks("All deliveries", host)
	owner.reads(owner.clicks("Pause", host), "paused")
	c := s.sandbox()
	done := c.completed(t, c.create(t, signUp(2)).ID, time.Minute)
	hook := all[hook](t, c, "/webhooks")[0].ID
	patience.Eventually(t, 30*time.Second, "what happened is skipped", func() bool {
		for _, d := range all[sent](t, c, "/webhooks/"+hook+"/deliveries") {
			if d.TestID == done.ID && d.Event == "test.completed" {
				return d.Status == "skipped"
			}
		}
		return false
	})
	owner.reads(owner.clicks("Enable", host), "of the last 72 hours did not arrive")
	owner.goes("/webhooks/"+hook+"/replay?which=all", "Send deliveries again")
	owner.reads(owner.clicks("Back to the webhook", host), "skipped")
	owner.reads(owner.clicks("Send the failed deliveries again", host), "sent again")
	patience.Eventually(t, 60*time.Second, "what was skipped comes", func() bool {
		bodies, genuine := box.got(secret)
		return genuine && strings.Contains(strings.Join(bodies, ""), `"event":"test.completed"`) &&
			len(all[sent](t, c, "/webhooks/"+hook+"/deliveries?status=delivered&event=test.completed&test_id="+done.ID)) == 1
	})
	owner.reads(owner.goes("/webhooks/"+hook+"?status=delivered&event=test.completed&test="+done.ID, host), "Attempt 1: 204")
	owner.reads(owner.clicks("test.completed", "Delivery of test.completed"), done.ID)
	owner.clicks("Send it again", "Delivery of test.completed")
	owner.finds("Delivery of test.completed", "delivered")
	owner.reads(owner.goes("/webhooks", "Webhooks"), "All events")

	// What came within a time is sent again.
	owner.goes("/webhooks/"+hook, host)
	owner.clicks("Replay a time range", "Send deliveries again")
	owner.does(walk.Select, "What", "everything, also what arrived")
	hours := func(n time.Duration) string { return time.Now().UTC().Add(n * time.Hour).Format("2006-01-02T15:04") }
	owner.types("To", hours(-1))
	owner.reads(owner.clicks("Count", "Send deliveries again"), "No delivery is like that.")
	owner.types("From", hours(-1))
	owner.types("To", hours(1))
	var again int
	for _, e := range owner.clicks("Count", "Send deliveries again").Elements {
		_, _ = fmt.Sscanf(e.Name, "Send %d deliveries again", &again) // nothing else is called so
	}
	before := len(all[sent](t, c, "/webhooks/"+hook+"/deliveries"))
	owner.reads(owner.clicks("Send ", host), fmt.Sprint(again, " deliveries are sent again."))
	patience.Eventually(t, 60*time.Second, "they come once more", func() bool {
		now := all[sent](t, c, "/webhooks/"+hook+"/deliveries")
		return again > 0 && len(now) == before+again && !slices.ContainsFunc(now, func(d sent) bool { return d.Status == "pending" })
	})

	// The endpoint moves, gets another secret, and is deleted.
	other := newInbox(t)
	other.answers(http.StatusNoContent)
	moved := "Webhook to " + strings.TrimPrefix(other.URL, "http://")
	owner.types("Address", other.URL)
	owner.does(walk.Click, "A test begins", "")
	owner.reads(owner.clicks("Save", moved), "The webhook is changed.")
	if h := get[struct {
		URL    string
		Events []string
	}](t, c, "/webhooks/"+hook); h.URL != other.URL || len(h.Events) != 5 || slices.Contains(h.Events, "test.started") {
		t.Errorf("the webhook is %+v", h)
	}
	rotated := shownSecret.FindString(words(owner.clicks("Make another secret", moved)))
	owner.reads(owner.clicks("Let the new secret alone count", moved), "The new secret alone counts now.")
	owner.clicks("Send a test", "Delivery of ping")
	owner.finds("Delivery of ping", "delivered")
	if bodies, genuine := other.got(rotated); rotated == secret || len(bodies) != 1 || !genuine {
		t.Errorf("the test came as %q, signed with the secret %q: %t", bodies, rotated, genuine)
	}
	owner.clicks("All deliveries", moved)
	owner.does(walk.Click, "Delete this webhook", "")
	owner.reads(owner.clicks("Delete the webhook", "Webhooks"), "The webhook is deleted.")
	c.send(t, http.MethodGet, "/webhooks/"+hook, nil).wants(t, http.StatusNotFound, "not_found")

	// An application is changed; what it is allowed then is taken back.
	app := read[oauthClient](t, s.live().post(t, "/oauth/clients", map[string]any{"name": "Board", "type": "public", "redirect_uris": []string{"http://127.0.0.1/"}}, http.StatusCreated))
	owner.goes("/clients/"+app.ID, "Board")
	owner.types("Name", "Big <b>board")
	owner.types("Redirect URIs", "http://board.example/back")
	owner.reads(owner.clicks("Save", "Error: Board"), "https")
	owner.types("Redirect URIs", native)
	owner.reads(owner.clicks("Save", "Big <b>board"), "The application is changed.")
	_, token := s.visitor(t).granted(app, access.TestsRead)
	allowed := s.may(t, token.AccessToken)
	owner.reads(owner.goes("/account", "Your account"), "Big <b>board")
	page = owner.clicks("Take back", "Your account")
	owner.reads(page, "That application can act for you no longer.")
	owner.lacks(page, "board")
	if !allowed || s.may(t, token.AccessToken) {
		t.Errorf("the token opens: %t, and still does after it was taken back", allowed)
	}

	page = owner.goes("/organization", "Your organization")
	owner.reads(page, "You are Owner here.")
	owner.types("What it is called", "Acme <i>& Sons</i>")
	owner.reads(owner.clicks("Rename", "Your organization"), "Acme <i>& Sons</i>")
	owner.types("The overall score", "80")
	owner.types("Trust", "90")
	owner.reads(owner.clicks("Save", "Your organization"), "The quality gate is changed.")
	gate := read[struct {
		Gate struct {
			Threshold float64
			Criteria  map[string]float64
		} `json:"quality_gate"`
	}](t, c.send(t, http.MethodGet, "/organization", nil).wants(t, http.StatusOK, "")).Gate
	if gate.Threshold != 0.8 || len(gate.Criteria) != 1 || gate.Criteria["trust"] != 0.9 {
		t.Errorf("the gate is %+v", gate)
	}
	owner.clicks("Plan and usage", "Plan and usage")
	owner.does(walk.Check, "Pro", "")
	owner.reads(owner.clicks("Change the plan", "Plan and usage"), "50,000 left")
	owner.clicks("Live: go to sandbox", "Tests")
	owner.reads(owner.goes("/usage", "Plan and usage"), "1 test asked for 2 sessions")

	for role, email := range map[access.Role]string{access.Viewer: "viewer@example.com", access.Member: "member@example.com", access.Admin: "admin@example.com"} {
		s.invited(t, s.live(), email, role)
	}
	viewer := come("the viewer", browser.Mobile)
	viewer.signsIn("viewer@example.com", somePassword, "Tests")
	page = viewer.goes("/keys", "API keys")
	viewer.reads(page, "Your role may not make any")
	viewer.lacks(page, "New API key")
	viewer.lacks(page, "Webhooks")
	page = viewer.goes("/organization", "Your organization")
	viewer.reads(page, "90 %")
	viewer.lacks(page, "Rename")
	viewer.lacks(viewer.goes("/usage", "Plan and usage"), "Change the plan")

	member := come("the member", browser.Mobile)
	member.signsIn("member@example.com", somePassword, "Tests")
	member.lacks(member.goes("/keys", "API keys"), "First live key")
	page = member.clicks("New API key", "New API key")
	member.lacks(page, "Do everything")
	member.types("Name", "Of a member")
	member.does(walk.Check, "See tests", "")
	member.reads(member.clicks("Make the key", "Of a member"), "shown only now")

	admin := come("the admin", browser.Desktop)
	admin.signsIn("admin@example.com", somePassword, "Tests")
	admin.reads(admin.goes("/keys", "API keys"), "of Somebody")
	admin.clicks("Of a member", "Of a member")
	admin.reads(admin.clicks("Rotate the key", "Of a member"), "shown only now")
	admin.goes("/keys", "API keys")
	page = admin.clicks("First live key", "First live key")
	admin.reads(page, "you may revoke it, but not rotate it")
	admin.lacks(page, "Rotate the key")
	admin.lacks(admin.goes("/usage", "Plan and usage"), "Change the plan")
}
