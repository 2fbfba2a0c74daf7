package webhooksender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/test/patience"
)

// ledger is a worklist with its deliveries in memory, under the contract of
// Jobs and Deliveries.
type ledger struct {
	mu      sync.Mutex
	entries map[string]*entry
	wake    chan struct{}
	changed chan struct{} // one item after every claim, record and release
	// failRecords is how many calls of Record still fail.
	failRecords int
	// failLeases: Lease fails.
	failLeases bool
	// loads, unless nil, is closed when Load may answer.
	loads chan struct{}
}

type entry struct {
	job      Job
	url      string
	due      time.Time
	owner    string
	until    time.Time
	ended    bool
	outcomes []Outcome
	// state is what the delivery's own rules make of the outcomes.
	state delivery.State
}

func newLedger() *ledger {
	return &ledger{entries: make(map[string]*entry), wake: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
}

// add makes n deliveries to an endpoint due now.
func (l *ledger) add(endpoint, url string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range n {
		id := fmt.Sprintf("%s-%05d", endpoint, i)
		l.entries[id] = &entry{job: Job{DeliveryID: id, Endpoint: endpoint, Organization: organizationOf(endpoint)}, url: url, due: time.Now(), state: delivery.State{Status: delivery.Pending}}
	}
	offer(l.wake)
}

// organizationOf is that of an endpoint by its name, which may begin with it.
func organizationOf(endpoint string) string {
	id, _, _ := strings.Cut(endpoint, "/")
	return id
}

func (l *ledger) Claim(_ context.Context, owner string, limit int, ttl time.Duration, without Busy) (jobs []Job, next time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	var due []*entry
	for _, e := range l.entries {
		if !e.ended && e.due.After(now) && (next.IsZero() || e.due.Before(next)) {
			next = e.due
		}
		if !e.ended && !e.due.After(now) && !e.until.After(now) &&
			!slices.Contains(without.Endpoints, e.job.Endpoint) && !slices.Contains(without.Organizations, e.job.Organization) {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(a, b *entry) int {
		return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.job.DeliveryID, b.job.DeliveryID))
	})
	taken := map[string]int{}
	turn := map[*entry]int{}
	for _, e := range due {
		turn[e] = taken[e.job.Organization]
		taken[e.job.Organization]++
	}
	slices.SortStableFunc(due, func(a, b *entry) int { return cmp.Compare(turn[a], turn[b]) })
	for _, e := range due[:min(limit, len(due))] {
		e.owner, e.until = owner, now.Add(ttl)
		jobs = append(jobs, e.job)
	}
	offer(l.changed)
	return jobs, next, nil
}

func (l *ledger) Lease(_ context.Context, owner string, jobs []Job, ttl time.Duration) (leased []Job, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failLeases {
		return nil, errors.New("Postgres is away")
	}
	for _, job := range jobs {
		e := l.entries[job.DeliveryID]
		switch {
		case e == nil:
			e = &entry{job: job, due: time.Now().Add(time.Hour)}
			l.entries[job.DeliveryID] = e
		case e.owner != owner && e.until.After(time.Now()):
			continue
		}
		e.owner, e.until = owner, time.Now().Add(ttl)
		leased = append(leased, job)
	}
	return leased, nil
}

// schedule puts a delivery on the worklist, due now.
func (l *ledger) schedule(job Job, url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[job.DeliveryID]
	if e == nil {
		e = &entry{job: job}
		l.entries[job.DeliveryID] = e
	}
	e.url, e.due, e.state = url, time.Now(), delivery.State{Status: delivery.Pending}
	offer(l.wake)
}

func (l *ledger) Release(_ context.Context, owner string, jobs []Job, _ uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, job := range jobs {
		if e := l.entries[job.DeliveryID]; e != nil && e.owner == owner {
			e.owner, e.until = "", time.Time{}
		}
	}
	offer(l.changed)
	return nil
}

// loseLeases is a crash of Postgres, which loses the last moments of leases.
func (l *ledger) loseLeases() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		e.owner, e.until = "", time.Time{}
	}
	offer(l.wake)
}

func (l *ledger) Load(_ context.Context, job Job) (Delivery, uint64, error) {
	id := job.DeliveryID
	if l.loads != nil {
		<-l.loads
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e.ended || e.url == "" {
		e.ended = true
		return Delivery{}, 0, ErrNothingToSend
	}
	return Delivery{
		ID: id, URL: e.url, Event: "test.progress", Body: []byte("{}"),
		Attempt: len(e.outcomes) + 1, Secrets: Secrets{Current: "sixteen letters!"},
	}, 0, nil
}

func (l *ledger) Record(_ context.Context, d Delivery, at time.Time, out Outcome) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failRecords > 0 {
		l.failRecords--
		return 0, errors.New("the event store is away")
	}
	e := l.entries[d.ID]
	if d.Attempt != len(e.outcomes)+1 {
		return 0, fmt.Errorf("attempt %d of %s after %d", d.Attempt, d.ID, len(e.outcomes))
	}
	e.outcomes = append(e.outcomes, out)
	events, err := delivery.Decider.Decide(e.state, delivery.RecordAttempt{Attempt: d.Attempt, Delivered: out.OK, Now: domain.At(at)})
	if err != nil {
		return 0, err
	}
	for _, event := range events {
		e.state = delivery.Decider.Evolve(e.state, event)
		if a, ok := event.(delivery.Attempted); ok && a.NextDueAt != nil {
			e.due = a.NextDueAt.Time
		}
	}
	e.ended = e.state.Status != delivery.Pending
	offer(l.changed)
	return 0, nil
}

// await blocks until the ledger satisfies cond.
func (l *ledger) await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	for {
		l.mu.Lock()
		ok := cond()
		l.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-l.changed:
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, context.Cause(ctx))
		}
	}
}

// delivered counts an endpoint's deliveries that have ended.
func (l *ledger) delivered(endpoint string) int {
	n := 0
	for _, e := range l.entries {
		if e.job.Endpoint == endpoint && e.ended {
			n++
		}
	}
	return n
}

// attempts counts those to all endpoints that have ended, but one.
func (l *ledger) attempts(but string) int {
	n := 0
	for _, e := range l.entries {
		if e.job.Endpoint != but {
			n += len(e.outcomes)
		}
	}
	return n
}

func (l *ledger) leased() int {
	n := 0
	for _, e := range l.entries {
		if e.owner != "" {
			n++
		}
	}
	return n
}
