package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// ownerOf is who owns the service's first organization.
func (s *service) ownerOf(t *testing.T) (owner reader) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err == nil {
		err = json.Unmarshal(raw, &owner)
	}
	if err != nil {
		t.Fatal(err)
	}
	owner.Name = "owner"
	return owner
}

// goesWell runs a program of test/pages as the owner, which must find nothing wrong.
func (s *service) goesWell(t *testing.T, program string, more map[string]any) {
	t.Helper()
	owner := s.ownerOf(t)
	asked := map[string]any{"email": owner.Email, "password": owner.Password, "limit": patience.Scaled(30 * time.Second).Milliseconds()}
	for name, value := range more {
		asked[name] = value
	}
	for _, f := range s.atPages(t, program, asked) {
		t.Errorf("%s at %s: %s %v", f.Who, f.URL, f.Wrong, f.More)
	}
}

// TestWithKeysAlone: the main path goes without a mouse, and the focus is always seen.
func TestWithKeysAlone(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	const repeated = "Sign up for the newsletter"
	before := s.sandbox().create(t, map[string]any{"url": "https://example.com/", "task": repeated, "sessions": 3})
	s.sandbox().completed(t, before.ID, time.Minute)
	s.goesWell(t, "keys.mjs", map[string]any{"task": repeated})
}

// TestNothingIsLost: what one person does the other sees; a lost connection, the way back and
// loading again lose nothing that is shown or typed.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	box := newInbox(t)
	first, second := c.create(t, signUp(2)), c.create(t, signUp(2))
	key := read[struct{ ID string }](t, s.live().post(t, "/keys", map[string]any{"name": "CI", "scopes": []string{"tests:read"}}, http.StatusCreated)).ID
	hook := read[struct{ ID string }](t, c.post(t, "/webhooks", map[string]any{"url": box.URL}, http.StatusCreated)).ID
	persona := read[struct{ ID string }](t, c.post(t, "/personas", map[string]any{"name": "Ada"}, http.StatusCreated)).ID
	c.completed(t, first.ID, time.Minute)
	c.completed(t, second.ID, time.Minute)
	var delivery string
	patience.Eventually(t, 30*time.Second, "something is delivered", func() bool {
		for _, d := range all[sent](t, c, "/webhooks/"+hook+"/deliveries") {
			delivery = d.ID
		}
		return delivery != ""
	})
	s.goesWell(t, "lost.mjs", map[string]any{
		"live": []string{"/tests/" + first.ID, "/tests", "/deliveries/" + delivery},
		"forms": []string{
			"/tests/new", "/keys/new", "/keys/" + key, "/webhooks/new", "/webhooks/" + hook, "/clients", "/members", "/personas/new",
			"/personas/" + persona + "/edit", "/organization", "/comparisons/new?a=" + first.ID, "/audit",
		},
	})
}
