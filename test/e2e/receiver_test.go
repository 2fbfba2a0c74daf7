package e2e

import (
	"net/http"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

const webhookSecret = "a secret that only the two of us know"

// receiver is a registered endpoint.
type receiver struct {
	*harness.Receiver
	id string
}

// serve receives until the end of the test; every signature must then have been
// right.
func serve(t *testing.T, secret string, reply func(harness.Received) int) *receiver {
	t.Helper()
	var answer harness.Reply
	if reply != nil {
		answer = func(got harness.Received) (int, time.Duration) { return reply(got), 0 }
	}
	r := &receiver{Receiver: harness.Receive(secret, answer)}
	t.Cleanup(func() {
		r.Close()
		if n := r.Forged(); n > 0 {
			t.Errorf("%d deliveries had no valid signature", n)
		}
	})
	return r
}

// receive registers an endpoint for the events named, all when there are none.
// reply decides the answer to an attempt; nil is 204 to everything. Attempts
// are seen by reply one at a time.
func receive(t *testing.T, c client, reply func(harness.Received) int, events ...string) *receiver {
	t.Helper()
	r := serve(t, webhookSecret, reply)
	r.register(t, c, map[string]any{"secret": webhookSecret}, events...)
	return r
}

// register makes an endpoint of the receiver until the end of the test.
func (r *receiver) register(t *testing.T, c client, body map[string]any, events ...string) hook {
	t.Helper()
	body["url"] = r.URL
	if len(events) > 0 {
		body["events"] = events
	}
	made := read[hook](t, c.post(t, "/webhooks", body, http.StatusCreated))
	r.id = made.ID
	t.Cleanup(func() { c.send(t, http.MethodDelete, "/webhooks/"+r.id, nil).wants(t, http.StatusNoContent, "") })
	return made
}

// await waits for attempts at an event of a test.
func (r *receiver) await(t testing.TB, testID string, within time.Duration, events ...string) (out []harness.Received) {
	t.Helper()
	patience.Eventually(t, within, "a delivery of "+events[0], func() bool {
		out = r.Of(testID, events...)
		return len(out) > 0
	})
	return out
}
