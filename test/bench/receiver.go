package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// receiver is a webhook endpoint on loopback that notes when it was told what.
type receiver struct {
	server *httptest.Server

	mu   sync.Mutex
	late map[string]times // by test
}

// receive registers an endpoint for the start and the progress of tests.
func receive(ctx context.Context, c client) (*receiver, error) {
	r := &receiver{late: map[string]times{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.take))
	_, err := c.send(ctx, http.MethodPost, "/v1/webhooks", map[string]any{
		"url": r.server.URL, "secret": "known to the bench alone", "events": []string{"test.started", "test.progress"},
	}, nil)
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *receiver) take(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	var told struct {
		TestID    string `json:"test_id"`
		Timestamp time.Time
	}
	if err := json.NewDecoder(request.Body).Decode(&told); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late[told.TestID] = append(r.late[told.TestID], at.Sub(told.Timestamp))
	w.WriteHeader(http.StatusNoContent)
}

// latencies are the times from a test's events to their arrival so far.
func (r *receiver) latencies(testID string) times {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.late[testID]
}

func (r *receiver) close() { r.server.Close() }
