package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"understudy/test/harness"
)

// promise is what an endpoint is told: an event of a test.
type promise struct{ endpoint, testID, event string }

// deliveryRecord is a delivery as the service shows it.
type deliveryRecord struct {
	ID       string
	TestID   string `json:"test_id"`
	Event    string
	Status   string
	Attempts []struct {
		Attempt int
		At      time.Time
	}
	endpoint string
}

// receipts judges what the endpoints got by what the service had promised: a
// delivery of every public event of every test to each endpoint.
type receipts struct {
	deliveries, requests, retries int
	// lost were never taken by their endpoint.
	lost int
	// duplicated are attempts that came again, inFlight those of them whose
	// outcome was not recorded yet when the service was killed.
	duplicated, inFlight int
	// several send at once: one may have been paused with a request in hand that
	// another has made meanwhile.
	several  bool
	findings []string
}

func (r *receipts) find(format string, args ...any) {
	r.findings = append(r.findings, fmt.Sprintf(format, args...))
}

// judge holds the requests, in the order of their arrival, against what was
// promised and what the service recorded of each delivery.
func judge(promised map[promise]int, recorded []deliveryRecord, requests []arrival) *receipts {
	return new(receipts).judge(promised, recorded, requests)
}

func (r *receipts) judge(promised map[promise]int, recorded []deliveryRecord, requests []arrival) *receipts {
	r.requests = len(requests)
	byID := map[string][]arrival{}
	for _, q := range requests {
		byID[q.id] = append(byID[q.id], q)
	}
	taken := map[promise]int{}
	known := map[string]bool{}
	for _, d := range recorded {
		known[d.ID] = true
		if d.Status != "delivered" {
			r.find("delivery %s is %s", d.ID, d.Status)
		}
		if r.attempts(d, byID[d.ID]) {
			taken[promise{d.endpoint, d.TestID, d.Event}]++
		}
	}
	for id := range byID {
		if !known[id] {
			r.find("delivery %s was sent and is not recorded", id)
		}
	}
	for what, n := range promised {
		r.deliveries += n
		if missing := n - taken[what]; missing > 0 {
			r.lost += missing
			r.find("%d of %d deliveries of %s of %s never reached %s", missing, n, what.event, what.testID, what.endpoint)
		}
	}
	for what, n := range taken {
		if n > promised[what] {
			r.find("%d deliveries of %s of %s to %s, which happened %d times", n, what.event, what.testID, what.endpoint, promised[what])
		}
	}
	return r
}

// attempts judges the requests of one delivery and tells whether its endpoint
// has taken it.
func (r *receipts) attempts(d deliveryRecord, requests []arrival) (taken bool) {
	for i, q := range requests {
		taken = taken || q.status < 300
		if q.body != requests[0].body || q.endpoint != d.endpoint || q.event != d.Event || q.testID != d.TestID {
			r.find("delivery %s: attempt %d is another message, or to another endpoint, than the first", d.ID, q.attempt)
		}
		if q.attempt < 1 || q.attempt > len(d.Attempts) {
			r.find("delivery %s: attempt %d was made and %d are recorded", d.ID, q.attempt, len(d.Attempts))
			continue
		}
		if i == 0 {
			continue
		}
		before := requests[i-1]
		if r.several && q.attempt <= before.attempt && q.life > before.life {
			r.duplicated++
			continue
		}
		switch q.attempt {
		case before.attempt + 1:
			r.retries++
		case before.attempt:
			r.duplicated++
			// Its outcome was not recorded when it was sent again: a record
			// that was there would have an earlier time. Times are recorded
			// in milliseconds.
			if q.life > before.life && !d.Attempts[q.attempt-1].At.Add(time.Millisecond).Before(q.arrived) {
				r.inFlight++
			} else {
				r.find("delivery %s: attempt %d was made again in life %d after life %d, and recorded at %s", d.ID, q.attempt, q.life, before.life, d.Attempts[q.attempt-1].At)
			}
		default:
			r.find("delivery %s: attempt %d came after attempt %d", d.ID, q.attempt, before.attempt)
		}
	}
	return taken
}

// publicEvents are the events that endpoints are told of, by recorded type.
var publicEvents = map[string]string{
	"testrun.started.v1": "test.started", "testrun.progressed.v1": "test.progress",
	"testrun.completed.v1": "test.completed", "testrun.failed.v1": "test.failed",
}

// promises waits for a test's end and adds what everybody is to be told of it.
func promises(ctx context.Context, c harness.Client, testID string, endpoints map[string]string, promised map[promise]int) error {
	if _, err := c.Await(ctx, testID, 200*time.Millisecond, harness.Test.Ended); err != nil {
		return err
	}
	type event struct {
		Type string
		Data struct{ Passed bool }
	}
	events, err := harness.All[event](ctx, c, "/tests/"+testID+"/events?order=asc")
	if err != nil {
		return err
	}
	for _, e := range events {
		name := publicEvents[e.Type]
		switch {
		case e.Type == "testrun.gate_judged.v1" && e.Data.Passed:
			name = "quality_gate.passed"
		case e.Type == "testrun.gate_judged.v1":
			name = "quality_gate.failed"
		case name == "":
			continue
		}
		for _, path := range endpoints {
			promised[promise{path, testID, name}]++
		}
	}
	return nil
}

// settled reads the deliveries to all endpoints once none is pending, or ctx has ended.
func settled(ctx context.Context, c harness.Client, endpoints map[string]string, out io.Writer) (recorded []deliveryRecord, err error) {
	for {
		pending := 0
		recorded = recorded[:0]
		for webhookID, path := range endpoints {
			page, err := harness.All[deliveryRecord](ctx, c, "/webhooks/"+webhookID+"/deliveries")
			if err != nil {
				return nil, errors.Join(err, context.Cause(ctx))
			}
			for _, d := range page {
				d.endpoint = path
				recorded = append(recorded, d)
				if d.Status == "pending" {
					pending++
				}
			}
		}
		if pending == 0 || ctx.Err() != nil {
			return recorded, nil //nolint:nilerr // what is pending at the end is found
		}
		fmt.Fprintf(out, "%d deliveries in all, %d pending\n", len(recorded), pending)
		select {
		case <-time.After(15 * time.Second): // the rate limit is on lists too
		case <-ctx.Done():
		}
	}
}
