package webhooksender

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// reserveTimeout bounds the wait for the leases of what is reserved.
const reserveTimeout = time.Second

// Reserved is places of a worker, with the leases, for deliveries that are about
// to be scheduled. It is safe for concurrent use.
type Reserved struct {
	at      *working
	startBy time.Time

	mu   sync.Mutex
	jobs map[string]Job // that have not begun, by delivery
}

// Reserve takes places for those of jobs that the worker can begin at once, and
// leases them before anybody can find them on the worklist. The others are left to
// it: all of them while the worker does not run, or has not yet taken up what has
// been due for longer. The caller begins what has been scheduled, once, and ends
// what it was given.
func (w *Worker) Reserve(ctx context.Context, jobs []Job) *Reserved {
	began := time.Now()
	reserved := &Reserved{at: w.working.Load(), startBy: w.startBy(began), jobs: make(map[string]Job)}
	if reserved.at == nil {
		return reserved
	}
	jobs = reserved.at.reserve(jobs)
	if len(jobs) == 0 {
		return reserved
	}
	leasing, cancel := context.WithTimeout(ctx, reserveTimeout)
	defer cancel()
	leased, err := w.Jobs.Lease(leasing, w.Owner, jobs, leaseTTL)
	if err != nil {
		w.Logger.Warn("leasing deliveries failed; they are left to the worklist", "error", err)
	}
	for _, job := range leased {
		job.leased = began
		reserved.jobs[job.DeliveryID] = job
	}
	reserved.at.giveBack(slices.DeleteFunc(jobs, func(job Job) bool {
		_, ok := reserved.jobs[job.DeliveryID]
		return ok
	}))
	return reserved
}

// Begin begins the first attempt of a delivery that has been scheduled, by the event
// with this traceparent, if it was reserved, its lease lasts long enough and the worker
// goes on.
func (r *Reserved) Begin(deliveryID, traceparent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	job, ok := r.jobs[deliveryID]
	if !ok || time.Now().After(r.startBy) || !r.at.use() {
		return
	}
	delete(r.jobs, deliveryID)
	job.Traceparent, job.Reserved = traceparent, true
	r.at.begin(job)
}

// End leaves what has not begun to the worklist.
func (r *Reserved) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at.giveBack(slices.Collect(maps.Values(r.jobs)))
	clear(r.jobs)
}

// giveBack gives back the places of jobs that do not begin, with their leases.
func (r *working) giveBack(jobs []Job) {
	if len(jobs) == 0 {
		return
	}
	r.release(context.Background(), jobs, 0)
	for _, job := range jobs {
		r.unreserve(job)
	}
	offer(r.released.again)
}
