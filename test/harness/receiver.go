package harness

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Received is one attempt at a delivery, as its receiver saw it.
type Received struct {
	Path    string      `json:"-"` // of the endpoint
	Header  http.Header `json:"-"`
	Body    []byte      `json:"-"`
	At      time.Time   `json:"-"`
	ID      string      `json:"-"` // webhook-id
	Attempt int         `json:"-"`
	Status  int         `json:"-"` // what it was answered with

	Event     string
	TestID    string `json:"test_id"`
	Timestamp time.Time
	Data      json.RawMessage
}

// Receiver is a customer's endpoints on loopback. It verifies every signature
// before anything else, and keeps what has come.
type Receiver struct {
	URL    string
	path   string // all of its addresses begin with: what is sent to another that had its port before is not for it
	secret string // none: signatures are not looked at
	reply  Reply
	server *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	attempts []Received
	forged   int
	open     int // connections
}

// Reply decides what an attempt is answered, and how much later. It sees one
// attempt at a time.
type Reply func(Received) (status int, after time.Duration)

// Receive answers at an address of its own until it is closed. Attempts are to
// be signed with secret, unless it is empty. Without a reply everything gets
// 204.
func Receive(secret string, reply Reply) *Receiver {
	r := &Receiver{path: "/" + strings.ToLower(rand.Text()), secret: secret, reply: reply, closed: make(chan struct{})}
	r.server = httptest.NewUnstartedServer(r)
	r.server.Config.ConnState = r.connection
	r.server.Start()
	r.URL = r.server.URL + r.path
	return r
}

// Close ends the receiver, answers that are late included.
func (r *Receiver) Close() {
	close(r.closed)
	r.server.Close()
}

// Signature is what a body signed with a secret has as X-Service-Signature.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP takes an attempt.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	path, own := strings.CutPrefix(request.URL.Path, r.path)
	if !own {
		w.WriteHeader(http.StatusGone)
		return
	}
	got := Received{Path: path, Header: request.Header, ID: request.Header.Get("webhook-id"), At: time.Now()}
	var err error
	if got.Body, err = io.ReadAll(request.Body); err != nil {
		return // its sender died in the middle
	}
	status, after := r.take(got)
	if after > 0 {
		late := time.NewTimer(after)
		defer late.Stop()
		select {
		case <-late.C:
		case <-request.Context().Done():
		case <-r.closed:
		}
	}
	w.WriteHeader(status)
}

func (r *Receiver) take(got Received) (status int, after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	genuine := r.secret == "" || hmac.Equal([]byte(Signature(r.secret, got.Body)), []byte(got.Header.Get("X-Service-Signature")))
	var err error
	if got.Attempt, err = strconv.Atoi(got.Header.Get("X-Service-Attempt")); err != nil || !genuine || json.Unmarshal(got.Body, &got) != nil {
		r.forged++
		return http.StatusUnauthorized, 0
	}
	got.Status = http.StatusNoContent
	if r.reply != nil {
		got.Status, after = r.reply(got)
	}
	r.attempts = append(r.attempts, got)
	return got.Status, after
}

// Forged is how many requests were no deliveries of the service's.
func (r *Receiver) Forged() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.forged
}

// All are the attempts so far, by arrival.
func (r *Receiver) All() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.attempts)
}

// Of are the attempts at a test's events so far, at all of them when none is
// named.
func (r *Receiver) Of(testID string, events ...string) []Received {
	return slices.DeleteFunc(r.All(), func(got Received) bool {
		return got.TestID != testID || len(events) > 0 && !slices.Contains(events, got.Event)
	})
}

func (r *Receiver) connection(_ net.Conn, state http.ConnState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch state {
	case http.StateNew:
		r.open++
	case http.StateClosed, http.StateHijacked:
		r.open--
	case http.StateActive, http.StateIdle:
	}
}

// Quiet waits until nobody is connected: of a sender that has died, all that it
// had sent has then been taken.
func (r *Receiver) Quiet(ctx context.Context) error {
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for {
		r.mu.Lock()
		open := r.open
		r.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
