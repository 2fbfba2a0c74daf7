package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

const webhookSecret = "a secret that only the two of us know"

// received is one attempt at a delivery.
type received struct {
	header http.Header
	body   []byte
	at     time.Time
	status int // what it was answered with

	Event     string
	TestID    string `json:"test_id"`
	Timestamp time.Time
	Data      json.RawMessage
}

// receiver is an endpoint on loopback, as a customer would write it. It
// verifies every signature before anything else.
type receiver struct {
	url string
	id  string
	// unsigned leaves the signatures to the test.
	unsigned bool
	// signedWith is the secret when it is another than webhookSecret.
	signedWith string

	mu       sync.Mutex
	attempts []received
	forged   int
}

// receive registers an endpoint for the events named, all when there are none.
// reply decides the answer to an attempt; nil is 204 to everything. Attempts
// are seen by reply one at a time.
func receive(t *testing.T, c client, reply func(received) int, events ...string) *receiver {
	t.Helper()
	r := &receiver{}
	r.serve(t, reply)
	body := map[string]any{"url": r.url, "secret": webhookSecret}
	if len(events) > 0 {
		body["events"] = events
	}
	r.id = read[struct{ ID string }](t, c.send(t, http.MethodPost, "/webhooks", body).wants(t, http.StatusCreated, "")).ID
	t.Cleanup(func() {
		c.send(t, http.MethodDelete, "/webhooks/"+r.id, nil).wants(t, http.StatusNoContent, "")
		if r.forged > 0 {
			t.Errorf("%d deliveries had no valid signature", r.forged)
		}
	})
	return r
}

// serve answers at an address of its own until the end of the test.
func (r *receiver) serve(t *testing.T, reply func(received) int) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		w.WriteHeader(r.take(request, reply))
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
}

func (r *receiver) take(request *http.Request, reply func(received) int) int {
	got := received{header: request.Header, at: time.Now(), status: http.StatusNoContent}
	var err error
	if got.body, err = io.ReadAll(request.Body); err != nil {
		return http.StatusBadRequest
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	secret := webhookSecret
	if r.signedWith != "" {
		secret = r.signedWith
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(got.body)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	right := r.unsigned || hmac.Equal([]byte(signature), []byte(request.Header.Get("X-Service-Signature")))
	if !right || json.Unmarshal(got.body, &got) != nil {
		r.forged++
		return http.StatusUnauthorized
	}
	if reply != nil {
		got.status = reply(got)
	}
	r.attempts = append(r.attempts, got)
	return got.status
}

// of are the attempts of a test's deliveries so far, by arrival.
func (r *receiver) of(testID string, events ...string) (out []received) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, got := range r.attempts {
		wanted := len(events) == 0
		for _, e := range events {
			wanted = wanted || e == got.Event
		}
		if got.TestID == testID && wanted {
			out = append(out, got)
		}
	}
	return out
}

// await waits for attempts at an event of a test.
func (r *receiver) await(t testing.TB, testID string, within time.Duration, events ...string) (out []received) {
	t.Helper()
	eventually(t, within, "a delivery of "+events[0], func() bool {
		out = r.of(testID, events...)
		return len(out) > 0
	})
	return out
}
