package main

import (
	"fmt"
	"time"
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
	findings             []string
}

func (r *receipts) find(format string, args ...any) {
	r.findings = append(r.findings, fmt.Sprintf(format, args...))
}

// judge holds the requests, in the order of their arrival, against what was
// promised and what the service recorded of each delivery.
func judge(promised map[promise]int, recorded []deliveryRecord, requests []arrival) *receipts {
	r := &receipts{requests: len(requests)}
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
