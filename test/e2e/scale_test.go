package e2e

import (
	"net/http"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// TestCancellingTenThousandSessions runs before the tests that run side by
// side, because it measures times.
func TestCancellingTenThousandSessions(t *testing.T) {
	const total = 10_000
	second := patience.Scaled(time.Second)
	s := own(t, harness.Loopback)
	c := s.sandbox()
	hook := receive(t, c, nil)
	created := c.create(t, signUp(total))
	hook.await(t, created.ID, 3*time.Minute, "test.progress")
	for _, got := range hook.Of(created.ID) {
		if late := got.At.Sub(got.Timestamp); late > 2*second {
			t.Errorf("%s was delivered %s after it happened, while sessions were waiting", got.Event, late)
		}
	}
	if n := len(hook.Of(created.ID, "test.started")); n != 1 {
		t.Errorf("test.started was delivered %d times", n)
	}

	deleted := c.send(t, http.MethodDelete, "/tests/"+created.ID, nil).wants(t, http.StatusOK, "")
	at := time.Now()
	if deleted.Took > second {
		t.Errorf("DELETE took %s", deleted.Took)
	}
	cancelled := read[harness.Test](t, deleted)
	if cancelled.Status != "cancelled" || cancelled.SessionsCompleted < total/10 || cancelled.SessionsCompleted >= total {
		t.Errorf("the cancelled test is %s with %d sessions", cancelled.Status, cancelled.SessionsCompleted)
	}
	messages := follow(t, created.StreamURL, 0).rest(t, 3*time.Minute)
	var queued, lastWork time.Time
	for _, m := range messages {
		if m.Type == "session.queued" && m.Timestamp.Before(at) {
			queued = m.Timestamp
		}
		if m.Type == "session.started" {
			lastWork = m.Timestamp
		}
	}
	t.Logf("%d queued within %s; %d had ended after %s; DELETE took %s; the last session.started came %s, the last session.cancelled came %s later", kinds(messages)["session.queued"],
		queued.Sub(created.CreatedAt).Round(time.Millisecond), cancelled.SessionsCompleted, at.Sub(created.CreatedAt).Round(time.Millisecond),
		deleted.Took.Round(time.Millisecond), lastWork.Sub(at).Round(time.Millisecond), messages[len(messages)-1].Timestamp.Sub(at).Round(time.Millisecond))
	ended, late := map[string]string{}, map[string]int{}
	for _, m := range messages {
		switch m.Type {
		case "session.completed", "session.failed", "session.cancelled":
			if before := ended[m.SessionID]; before != "" {
				t.Errorf("session %s ended twice: %s, %s", m.SessionID, before, m.Type)
			}
			ended[m.SessionID] = m.Type
		}
		if working := m.Type == "session.started" || m.Type == "session.completed"; working && m.Timestamp.Sub(at) > second {
			late[m.Type]++
		}
	}
	if len(late) > 0 {
		t.Errorf("%s after the cancellation there came %v", second, late)
	}
	if len(ended) != total || messages[len(messages)-1].Type != "session.cancelled" {
		t.Errorf("%d sessions ended; the last message is %s", len(ended), messages[len(messages)-1].Type)
	}
	if n := kinds(messages); n["test.cancelled"] != 1 || n["test.completed"]+n["test.failed"] != 0 {
		t.Errorf("the stream told %v", n)
	}

	if later := c.test(t, created.ID); later.SessionsCompleted != cancelled.SessionsCompleted || later.Progress != cancelled.Progress {
		t.Errorf("the counters went on: %d, then %d", cancelled.SessionsCompleted, later.SessionsCompleted)
	}
	status := map[string]int{}
	for _, session := range c.sessions(t, created.ID) {
		status[session.Status]++
	}
	if status["cancelled"]+status["completed"] != total || status["cancelled"] == 0 || status["completed"] < cancelled.SessionsCompleted {
		t.Errorf("the sessions are %v", status)
	}
}
