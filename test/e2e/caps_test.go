package e2e

import (
	"net/http"
	"testing"

	"understudy/test/harness"
)

// TestAnOrganizationIsToldWhatIsTooMuch: an organization that has as much as it may
// have is told so, with the reason and when to come again, and nobody else notices.
func TestAnOrganizationIsToldWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	s := &service{harness.Prepare(t, "UNDERSTUDY_CAPS=tests=2, sessions=400, webhooks=1, personas=1, streams=1", harness.Loopback)}
	s.Begin(t)
	c := s.sandbox()
	slow := signUp(400)
	slow["task"] = "slow"
	running := c.create(t, slow)
	c.send(t, http.MethodPost, "/tests", signUp(1)).wants(t, http.StatusTooManyRequests, "too_many_at_once")

	stream := follow(t, running.StreamURL, 0)
	c.send(t, http.MethodGet, "/tests/"+running.ID+"/stream", nil, "Connection", "Upgrade", "Upgrade", "websocket",
		"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==").wants(t, http.StatusTooManyRequests, "too_many_at_once")

	hook := map[string]any{"url": "http://127.0.0.1:29119/"}
	c.post(t, "/webhooks", hook, http.StatusCreated)
	c.send(t, http.MethodPost, "/webhooks", hook).wants(t, http.StatusConflict, "too_many")
	c.post(t, "/personas", map[string]any{"name": "Ann"}, http.StatusCreated)
	c.send(t, http.MethodPost, "/personas", map[string]any{"name": "Ben"}).wants(t, http.StatusConflict, "too_many")
	// The other environment has its own.
	s.live().post(t, "/webhooks", hook, http.StatusCreated)

	c.send(t, http.MethodDelete, "/tests/"+running.ID, nil).wants(t, http.StatusOK, "")
	stream.rest(t, limitsLimit)
	c.create(t, signUp(1))
}
