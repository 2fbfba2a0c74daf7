package main

import (
	"strings"
	"testing"
	"time"
)

// delivered is what is right: two deliveries, one of which was refused once and
// made again after a kill, before its outcome was recorded.
func delivered() (map[promise]int, []deliveryRecord, []arrival) {
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	record := func(id string, attempts ...int) deliveryRecord {
		d := deliveryRecord{ID: id, TestID: "t", Event: "test.progress", Status: "delivered", endpoint: "/e"}
		for i, seconds := range attempts {
			d.Attempts = append(d.Attempts, struct {
				Attempt int
				At      time.Time
			}{i + 1, at(seconds)})
		}
		return d
	}
	request := func(id string, attempt, seconds, life, status int) arrival {
		return arrival{endpoint: "/e", id: id, attempt: attempt, body: id, event: "test.progress", testID: "t", arrived: at(seconds), life: life, status: status}
	}
	return map[promise]int{{"/e", "t", "test.progress"}: 2},
		[]deliveryRecord{record("one", 10), record("two", 10, 30)},
		[]arrival{
			request("one", 1, 10, 0, 204), request("two", 1, 10, 0, 500),
			request("two", 2, 20, 0, 204), request("two", 2, 30, 1, 204),
		}
}

func TestGoodReceiptsAreBelieved(t *testing.T) {
	t.Parallel()
	r := judge(delivered())
	if len(r.findings) > 0 || r.deliveries != 2 || r.requests != 4 || r.retries != 1 || r.lost != 0 || r.duplicated != 1 || r.inFlight != 1 {
		t.Errorf("%+v", r)
	}
}

func TestBrokenReceiptsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		breaks func(promised map[promise]int, recorded []deliveryRecord, requests []arrival) ([]deliveryRecord, []arrival)
		found  string
		lost   int
	}{
		"one was never sent": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				return d, q[1:]
			}, "1 of 2 deliveries of test.progress of t never reached /e", 1,
		},
		"one was never made": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				return d[1:], q[1:]
			}, "1 of 2 deliveries", 1,
		},
		"one was only refused": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				q[0].status = 500
				return d, q
			}, "1 of 2 deliveries", 1,
		},
		"one is still pending": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				d[0].Status = "pending"
				return d, q
			}, "delivery one is pending", 0,
		},
		"an event is told twice, as two deliveries": {
			func(p map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				p[promise{"/e", "t", "test.progress"}] = 1
				return d, q
			}, "which happened 1 times", 0,
		},
		"a duplicate without a kill": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				q[3].life = 0
				return d, q
			}, "made again in life 0 after life 0", 0,
		},
		"a duplicate of what was recorded": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				d[1].Attempts[1].At = q[2].arrived
				return d, q
			}, "made again in life 1", 0,
		},
		"another body": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				q[3].body += " "
				return d, q
			}, "another message", 0,
		},
		"another endpoint": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				q[0].endpoint = "/f"
				return d, q
			}, "another endpoint", 0,
		},
		"an attempt after the last": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				again := q[0]
				again.attempt, again.life = 2, 1
				return d, append(q, again)
			}, "attempt 2 was made and 1 are recorded", 0,
		},
		"an id that nobody knows": {
			func(_ map[promise]int, d []deliveryRecord, q []arrival) ([]deliveryRecord, []arrival) {
				stranger := q[0]
				stranger.id = "three"
				return d, append(q, stranger)
			}, "delivery three was sent and is not recorded", 0,
		},
	} {
		promised, recorded, requests := delivered()
		recorded, requests = c.breaks(promised, recorded, requests)
		r := judge(promised, recorded, requests)
		if r.lost != c.lost || !strings.Contains(strings.Join(r.findings, "\n"), c.found) {
			t.Errorf("%s: %d lost, want %d; found %q, want %q", name, r.lost, c.lost, r.findings, c.found)
		}
	}
}
