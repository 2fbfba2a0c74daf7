package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// hookSecret signs what the trial's endpoints get.
const hookSecret = "known to the chaos alone"

// arrival is an attempt at a delivery as its receiver saw it.
type arrival struct {
	endpoint string // path of the address it was sent to
	id       string // webhook-id
	attempt  int
	body     string
	event    string
	testID   string
	arrived  time.Time
	life     int // of the service, that sent it
	status   int // answered
}

// hook is all endpoints of the trial: a server on loopback that remembers every
// request. One delivery of ten is refused at first, one of a hundred twice, and
// one of twenty answered late, by the delivery's id.
type hook struct {
	server *httptest.Server

	mu       sync.Mutex
	life     int
	open     int // connections
	requests []arrival
	ids      map[string]bool
	forged   int
}

func newHook() *hook {
	h := &hook{ids: map[string]bool{}}
	h.server = httptest.NewUnstartedServer(http.HandlerFunc(h.take))
	h.server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		h.mu.Lock()
		defer h.mu.Unlock()
		switch state {
		case http.StateNew:
			h.open++
		case http.StateClosed, http.StateHijacked:
			h.open--
		case http.StateActive, http.StateIdle:
		}
	}
	h.server.Start()
	return h
}

func (h *hook) take(w http.ResponseWriter, r *http.Request) {
	got := arrival{endpoint: r.URL.Path, id: r.Header.Get("webhook-id"), arrived: time.Now()}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // its sender died in the middle
	}
	got.body = string(body)
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(body)
	var told struct {
		Event  string
		TestID string `json:"test_id"`
	}
	got.attempt, err = strconv.Atoi(r.Header.Get("X-Service-Attempt"))
	genuine := err == nil && json.Unmarshal(body, &told) == nil &&
		hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(r.Header.Get("X-Service-Signature")))
	got.event, got.testID = told.Event, told.TestID
	var late time.Duration
	got.status, late = reply(got.id, got.attempt)
	h.mu.Lock()
	if genuine {
		got.life = h.life
		h.requests = append(h.requests, got)
		h.ids[got.id] = true
	} else {
		h.forged++
	}
	h.mu.Unlock()
	select {
	case <-time.After(late):
	case <-r.Context().Done():
	}
	w.WriteHeader(got.status)
}

// reply is how an attempt is answered, and how late.
func reply(id string, attempt int) (status int, late time.Duration) {
	f := fnv.New32a()
	_, _ = io.WriteString(f, id) // never fails
	n := f.Sum32()
	status = http.StatusNoContent
	if n%10 == 0 && attempt == 1 || n%100 == 0 && attempt == 2 {
		status = http.StatusInternalServerError
	}
	if n/100%20 == 0 {
		late = time.Duration(50+n/2000%450) * time.Millisecond
	}
	return status, late
}

// seen counts the deliveries that have been tried at least once.
func (h *hook) seen() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ids)
}

// nextLife notes that the service has died and returns when everything that
// it had sent has been taken.
func (h *hook) nextLife(ctx context.Context) error {
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for {
		h.mu.Lock()
		quiet := h.open == 0
		if quiet {
			h.life++
		}
		h.mu.Unlock()
		if quiet {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
