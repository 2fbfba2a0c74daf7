package webhooksender

import (
	"context"
	"sync"
)

// releases ends the leases of jobs whose outcome is recorded. The worklist has
// to show the record first, for which all that have ended meanwhile wait
// together: one wait and one statement for many, and no place of an attempt is
// taken by them.
type releases struct {
	// again has an item when a delivery was released that will be attempted
	// again.
	again chan struct{}

	worker *Worker
	wake   chan struct{} // an item when something waits; closed at the end
	ended  chan struct{}

	mu      sync.Mutex
	waiting []result
}

func newReleases(w *Worker) *releases {
	r := &releases{worker: w, again: make(chan struct{}, 1), wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		for range r.wake {
			r.release()
		}
		r.release()
	}()
	return r
}

// add releases a job soon.
func (r *releases) add(one result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, one)
	offer(r.wake)
}

// release releases everything that waits.
func (r *releases) release() {
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	var last uint64
	again := false
	jobs := make([]Job, len(waiting))
	for i, one := range waiting {
		jobs[i], last, again = one.job, max(last, one.position), again || one.again
	}
	r.worker.release(context.Background(), jobs, last)
	if again {
		offer(r.again)
	}
}

// close releases the rest. Nothing may be added any more.
func (r *releases) close() {
	close(r.wake)
	<-r.ended
}

func offer(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has one
	}
}
