package main

import (
	"context"
	"hash/fnv"
	"io"
	"net/http"
	"sync"
	"time"

	"understudy/test/harness"
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

// hook is all endpoints of the trial. One delivery of ten is refused at first,
// one of a hundred twice, and one of twenty answered late, by the delivery's id.
type hook struct {
	*harness.Receiver

	mu       sync.Mutex
	lives    int
	requests []arrival
	ids      map[string]bool
}

func newHook() *hook {
	h := &hook{ids: map[string]bool{}}
	h.Receiver = harness.Receive(hookSecret, h.take)
	return h
}

func (h *hook) take(got harness.Received) (status int, late time.Duration) {
	status, late = reply(got.ID, got.Attempt)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ids[got.ID] = true
	h.requests = append(h.requests, arrival{
		endpoint: got.Path, id: got.ID, attempt: got.Attempt, body: string(got.Body), event: got.Event, testID: got.TestID,
		arrived: got.At, life: h.lives, status: status,
	})
	return status, late
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

// nextLife notes that the service has died, once everything that it had sent
// has been taken.
func (h *hook) nextLife(ctx context.Context) error {
	if err := h.Quiet(ctx); err != nil {
		return err
	}
	h.life()
	return nil
}

// life begins another life of the service, or of a part of it.
func (h *hook) life() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lives++
}
