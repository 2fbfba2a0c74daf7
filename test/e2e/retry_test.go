package e2e

import (
	"net/http"
	"testing"
	"time"
)

// TestAFailedDeliveryIsRetriedAfterFiveSeconds runs before the tests that run
// side by side, because it measures time.
func TestAFailedDeliveryIsRetriedAfterFiveSeconds(t *testing.T) {
	c := running(t).sandbox()
	hook := receive(t, c, func(received) int { return http.StatusInternalServerError }, "test.completed")
	created := c.create(t, signUp(1))
	eventually(t, 30*time.Second, "two attempts", func() bool { return len(hook.of(created.ID)) >= 2 })
	attempts := hook.of(created.ID)
	if waited := attempts[1].at.Sub(attempts[0].at); waited < 5*time.Second || waited > 6500*time.Millisecond {
		t.Errorf("the first retry came after %s", waited)
	}
	for i, got := range attempts[:2] {
		if number := got.header.Get("X-Service-Attempt"); number != string(rune('1'+i)) {
			t.Errorf("attempt %d says it is %s", i+1, number)
		}
	}
	if string(attempts[0].body) != string(attempts[1].body) || attempts[0].header.Get("webhook-id") != attempts[1].header.Get("webhook-id") {
		t.Error("the retry is another delivery")
	}
	type delivery struct {
		ID, Status string
		Next       *time.Time `json:"next_attempt_at"`
		Attempts   []struct {
			At         time.Time
			StatusCode int `json:"status_code"`
		}
	}
	var recorded delivery
	eventually(t, 10*time.Second, "the second attempt in the delivery's record", func() bool {
		listed := all[delivery](t, c, "/webhooks/"+hook.id+"/deliveries")
		if len(listed) != 1 {
			return false
		}
		recorded = listed[0]
		return len(recorded.Attempts) == 2
	})
	if recorded.Status != "pending" || recorded.Next == nil || recorded.Attempts[1].StatusCode != 500 {
		t.Fatalf("the delivery is %+v", recorded)
	}
	if wait := recorded.Next.Sub(recorded.Attempts[1].At); wait < 29*time.Second || wait > 31*time.Second {
		t.Errorf("the second retry is due %s after the failure", wait)
	}
}

// The second retry really comes 30 seconds after the failure; the third, five
// minutes after it, is seen as the time at which it is due. Meanwhile others use
// the machine: it may be a little late, and never early.
func TestTheSecondRetryComesAfterThirtySeconds(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	hook := receive(t, c, func(received) int { return http.StatusBadGateway }, "test.started")
	created := c.create(t, signUp(1))
	eventually(t, 60*time.Second, "three attempts", func() bool { return len(hook.of(created.ID)) >= 3 })
	attempts := hook.of(created.ID)
	for i, wait := range []time.Duration{5 * time.Second, 30 * time.Second} {
		if waited := attempts[i+1].at.Sub(attempts[i].at); waited < wait || waited > wait+5*time.Second {
			t.Errorf("retry %d came after %s", i+1, waited)
		}
	}
	var due *time.Time
	var last time.Time
	eventually(t, 10*time.Second, "the third attempt in the record", func() bool {
		d := all[struct {
			Next     *time.Time `json:"next_attempt_at"`
			Attempts []struct{ At time.Time }
		}](t, c, "/webhooks/"+hook.id+"/deliveries?event=test.started&test_id="+created.ID)
		if len(d) != 1 || len(d[0].Attempts) != 3 {
			return false
		}
		due, last = d[0].Next, d[0].Attempts[2].At
		return true
	})
	if due == nil || due.Sub(last) != 5*time.Minute {
		t.Errorf("the third retry is due at %v after a failure at %v", due, last)
	}
}
