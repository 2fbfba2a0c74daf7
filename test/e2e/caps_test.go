package e2e

import (
	"net/http"
	"strings"
	"testing"

	"understudy/test/harness"
)

// TestAnOrganizationIsToldWhatIsTooMuch: an organization that has as much as it may
// have is told so, with the reason and when to come again, and nobody else notices. Each
// cap is met while the others have room.
func TestAnOrganizationIsToldWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	s := &service{harness.Prepare(t, "UNDERSTUDY_CAPS=tests=2, sessions=400, webhooks=1, personas=1, streams=1", harness.Loopback)}
	s.Begin(t)
	c := s.sandbox()
	slow := func(sessions int) map[string]any {
		body := signUp(sessions)
		body["task"] = "slow"
		return body
	}
	full := func(t *testing.T, a answer, reason string) {
		t.Helper()
		p := a.wants(t, http.StatusTooManyRequests, "too_many_at_once").problem(t)
		if !strings.Contains(p.Detail, reason) || a.Header.Get("Retry-After") == "" {
			t.Errorf("the reason is %q, to come again after %q s; it should have %q", p.Detail, a.Header.Get("Retry-After"), reason)
		}
	}
	running := c.create(t, slow(300))
	full(t, c.send(t, http.MethodPost, "/tests", slow(300)), "400 may wait at once")
	c.create(t, slow(50))
	full(t, c.send(t, http.MethodPost, "/tests", slow(1)), "2 may be open at once")

	watch := func() answer {
		return c.send(t, http.MethodGet, "/tests/"+running.ID+"/stream", nil, "Connection", "Upgrade", "Upgrade", "websocket",
			"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
	}
	stream := follow(t, running.StreamURL, 0)
	full(t, watch(), "as many streams open")

	hook := map[string]any{"url": "http://127.0.0.1:29119/"}
	ann, ben := map[string]any{"name": "Ann"}, map[string]any{"name": "Ben"}
	for _, one := range []struct {
		path        string
		first, more any
		reason      string
	}{
		{"/webhooks", hook, hook, "1 webhook endpoints"},
		{"/personas", ann, ben, "1 custom personas"},
	} {
		made := c.post(t, one.path, one.first, http.StatusCreated)
		if p := c.send(t, http.MethodPost, one.path, one.more).wants(t, http.StatusConflict, "too_many").problem(t); !strings.Contains(p.Detail, one.reason) {
			t.Errorf("the reason is %q, it should have %q", p.Detail, one.reason)
		}
		// The other environment has its own, and what is deleted makes room.
		s.live().post(t, one.path, one.first, http.StatusCreated)
		c.send(t, http.MethodDelete, one.path+"/"+read[struct{ ID string }](t, made).ID, nil).wants(t, http.StatusNoContent, "")
		c.post(t, one.path, one.more, http.StatusCreated)
	}

	c.send(t, http.MethodDelete, "/tests/"+running.ID, nil).wants(t, http.StatusOK, "")
	stream.rest(t, limitsLimit)
	c.create(t, slow(300))
}
