package e2e

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// A delivery that failed is the same message again after five seconds, and due
// once more thirty seconds later.
func TestAFailedDeliveryIsRetried(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	hook := receive(t, c, func(harness.Received) int { return http.StatusInternalServerError }, "test.completed")
	created := c.create(t, signUp(1))
	patience.Eventually(t, 30*time.Second, "two attempts", func() bool { return len(hook.Of(created.ID)) >= 2 })
	attempts := hook.Of(created.ID)
	if waited := attempts[1].At.Sub(attempts[0].At); waited < 5*time.Second {
		t.Errorf("the first retry came after %s", waited)
	}
	for i, got := range attempts[:2] {
		if number := got.Header.Get("X-Service-Attempt"); number != strconv.Itoa(i+1) {
			t.Errorf("attempt %d says it is %s", i+1, number)
		}
	}
	if string(attempts[0].Body) != string(attempts[1].Body) || attempts[0].ID != attempts[1].ID {
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
	patience.Eventually(t, 10*time.Second, "the second attempt in the delivery's record", func() bool {
		listed := all[delivery](t, c, "/webhooks/"+hook.id+"/deliveries?test_id="+created.ID)
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

// TestConformanceAPausedWebhookLetsNothingWait: the retry that waits is skipped at once, and
// comes by a replay after the endpoint was resumed.
func TestConformanceAPausedWebhookLetsNothingWait(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	var up atomic.Bool
	r := receive(t, c, func(harness.Received) int {
		if up.Load() {
			return http.StatusOK
		}
		return http.StatusServiceUnavailable
	}, "test.started")
	path := "/webhooks/" + r.id
	r.await(t, c.create(t, signUp(1)).ID, 30*time.Second, "test.started")
	var d sent
	patience.Eventually(t, 10*time.Second, "the retry that waits", func() bool {
		for _, d = range all[sent](t, c, path+"/deliveries") {
			return len(d.Attempts) > 0 && d.Status == "pending"
		}
		return false
	})
	if h := read[hook](t, c.post(t, path+"/pause", nil, http.StatusOK)); h.Status != "disabled" {
		t.Errorf("paused it is %+v", h)
	}
	tried := len(r.All())
	patience.Eventually(t, 10*time.Second, "the skipped retry", func() bool {
		d = get[sent](t, c, "/deliveries/"+d.ID)
		return d.Status == "skipped"
	})
	if len(d.Attempts) != tried || len(r.All()) != tried {
		t.Errorf("%d attempts, %d of them before it was paused", len(d.Attempts), tried)
	}
	up.Store(true)
	if h := read[hook](t, c.post(t, path+"/enable", nil, http.StatusOK)); h.Status != "enabled" {
		t.Errorf("resumed it is %+v", h)
	}
	again := read[sent](t, c.post(t, "/deliveries/"+d.ID+"/replay", nil, http.StatusCreated))
	patience.Eventually(t, 10*time.Second, "the replay", func() bool { return get[sent](t, c, "/deliveries/"+again.ID).Status == "delivered" })
}
