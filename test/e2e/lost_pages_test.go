package e2e

import (
	"net/http"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// TestNothingIsLost: what one person does the other sees; a lost connection, the way back and
// loading again lose nothing that is shown or typed.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	box := newInbox(t)
	box.answers(http.StatusNoContent)
	first, second := c.create(t, signUp(2)), c.create(t, signUp(2))
	key := read[struct{ ID string }](t, s.live().post(t, "/keys", map[string]any{"name": "CI", "scopes": []string{"tests:read"}}, http.StatusCreated)).ID
	hook := read[struct{ ID string }](t, c.post(t, "/webhooks", map[string]any{"url": box.URL}, http.StatusCreated)).ID
	app := read[struct{ ID string }](t, c.post(t, "/oauth/clients", map[string]any{"name": "Board", "redirect_uris": []string{"https://board.example/back"}}, http.StatusCreated)).ID
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
			"/tests/new", "/keys/new", "/keys/" + key, "/webhooks/new", "/webhooks/" + hook, "/clients", "/clients/" + app, "/members", "/personas/new",
			"/personas/" + persona + "/edit", "/organization", "/comparisons/new?a=" + first.ID, "/audit",
		},
	})
}
