package webhooksender

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"understudy/domain"
	"understudy/eventstore"
)

const (
	// defaultConcurrency is how many attempts run at once.
	defaultConcurrency = 128
	// defaultPerEndpoint is how many of them may be to one endpoint; one whose
	// last attempt timed out has one at a time. An organization has at most half
	// of all.
	defaultPerEndpoint = 8
	// leaseTTL is how long a claimed delivery is this worker's: time for its
	// wait, the attempt and the recording. After a crash, it is how long the
	// delivery stays unclaimed.
	leaseTTL = time.Minute
	// pollInterval is how long the worker sleeps at most, for work whose
	// arrival nobody announced, such as the expired lease of a dead worker.
	pollInterval = time.Second
	// renewAfter is the age at which a lease is renewed before the attempt: a crash of
	// Postgres in the meantime may have given the delivery to another worker.
	renewAfter = time.Second
	// gather is how long a worker that is nearly full waits for more room, so
	// that one claim takes many.
	gather = 10 * time.Millisecond
	// loadTimeout and recordTimeout bound the calls before and after an
	// attempt.
	loadTimeout   = 5 * time.Second
	recordTimeout = 10 * time.Second
)

// recordPauses are the waits between the tries to record an outcome. Losing
// one means sending the delivery again.
var recordPauses = [...]time.Duration{200 * time.Millisecond, time.Second}

// ErrNothingToSend is what Load returns for a delivery that needs no attempt
// now: it has ended, or its endpoint is disabled or gone.
var ErrNothingToSend = errors.New("webhooksender: nothing to send")

// Job is a delivery that is due.
type Job struct {
	DeliveryID string
	// Endpoint is the id of the webhook it goes to, Organization that of whose it
	// is.
	Endpoint, Organization string
	// Attempts is how many attempts the worklist knows of.
	Attempts int
	// Reserved: the worklist was not asked.
	Reserved bool
	// Traceparent is that of the event that scheduled it, "" for none.
	Traceparent string

	leased time.Time
}

// Busy is who is given nothing for now: endpoints, and organizations with all
// of theirs.
type Busy struct{ Endpoints, Organizations []string }

// Jobs is the worklist of due deliveries. Every worker has an owner name of
// its own; a claimed job is nobody else's until it is released or its lease
// ends.
type Jobs interface {
	// Claim leases due jobs to owner for ttl, at most limit of them, and none of
	// the busy: organizations take turns, and within each its endpoints. next is
	// the time of the first delivery that was not due yet, zero when there is none.
	Claim(ctx context.Context, owner string, limit int, ttl time.Duration, without Busy) (jobs []Job, next time.Time, err error)
	// Lease leases those of jobs to owner for ttl that nobody else holds, whether
	// they are on the worklist yet or not.
	Lease(ctx context.Context, owner string, jobs []Job, ttl time.Duration) (leased []Job, err error)
	// Release ends owner's leases on jobs once the worklist shows position; a
	// lease that has passed to another owner is left alone.
	Release(ctx context.Context, owner string, jobs []Job, position uint64) error
}

// Delivery is what the next attempt of a delivery sends.
type Delivery struct {
	ID string
	// Message is the id by which receivers know the message again: that of the
	// delivery, or of the one that this one replays.
	Message string
	URL     string
	Event   string
	Body    []byte
	Attempt int // from 1
	Secrets Secrets
	// TestID, OrganizationID and Environment say whose it is.
	TestID, OrganizationID string
	Environment            domain.Environment
}

// Deliveries reads and writes the streams of deliveries.
type Deliveries interface {
	// Load returns what to send now, or ErrNothingToSend and the position that
	// says so.
	Load(ctx context.Context, job Job) (d Delivery, position uint64, err error)
	// Record records how the attempt of d went; at is when it ended. When the
	// worklist shows the position returned, it has the job again only when the
	// next attempt is due. Recording an attempt twice is harmless.
	Record(ctx context.Context, d Delivery, at time.Time, out Outcome) (position uint64, err error)
}

// Worker works off due deliveries. A delivery is attempted at least once: a
// worker that dies between an attempt and its record leaves it to another.
type Worker struct {
	Sender     *Sender
	Jobs       Jobs
	Deliveries Deliveries
	Logger     *slog.Logger
	// Owner names this worker in leases; unique among all processes.
	Owner string
	// Wake tells of new work. A send that nobody is waiting for may be lost;
	// make it a buffered channel of one.
	Wake <-chan struct{}
	// Attempted is told of every attempt; nil: nobody is.
	Attempted func(env domain.Environment, out Outcome)
	// Concurrency and PerEndpoint bound the attempts under way; 0 means 128
	// and 8.
	Concurrency, PerEndpoint int
	// Drain is how long attempts under way may go on once Run's context has
	// ended; 0 means abandon them at once. They are then made again later.
	Drain time.Duration

	// working is what Run works with, nil while it does not run.
	working atomic.Pointer[working]
}

// working is a worker while it runs.
type working struct {
	*Worker
	*lanes

	// sending ends when attempts are to be abandoned.
	sending  context.Context
	done     chan result // of every attempt
	released *releases
	running  sync.WaitGroup
}

// Run works until ctx ends, and then at most w.Drain plus the time to record
// what has been sent. It returns ctx's error. Failures of the worklist and of
// recording are logged and tried again.
func (w *Worker) Run(ctx context.Context) error {
	sending, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	r := &working{
		Worker: w, sending: sending, done: make(chan result), released: newReleases(w),
		lanes: newLanes(orDefault(w.Concurrency, defaultConcurrency), orDefault(w.PerEndpoint, defaultPerEndpoint)),
	}
	w.working.Store(r)
	defer w.working.Store(nil)
	wanted := time.Now() // since when there may be work to claim, zero: there is none
	var next time.Time
	for ctx.Err() == nil {
		r.start() // what waits goes before what could be claimed
		if wanted.IsZero() && r.opened() {
			wanted = time.Now()
		}
		if !wanted.IsZero() && r.untilClaim(wanted) <= 0 {
			var more bool
			if next, more = r.claim(ctx); !more {
				wanted = time.Time{}
			}
			r.start()
		}
		if r.wait(ctx, next, wanted) && wanted.IsZero() {
			wanted = time.Now()
		}
	}
	r.drain(abandon)
	r.running.Wait()
	r.released.close()
	return ctx.Err()
}

// start begins what waits and has a place.
func (r *working) start() {
	for job, ok := r.next(); ok; job, ok = r.next() {
		r.begin(job)
	}
}

// begin attempts a job that has a place.
func (r *working) begin(job Job) {
	r.running.Go(func() {
		ended := r.attempt(r.sending, job)
		r.done <- ended
		if ended.release {
			r.released.add(ended)
		}
	})
}

func orDefault(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// result is a job that has been attempted.
type result struct {
	job Job
	// release reports that the lease is to end once the worklist shows position;
	// else it runs out, which is the pause before the next try.
	release  bool
	position uint64
	// again reports that the delivery will be due again, perhaps before the
	// worker would next look.
	again bool
	// attempted reports that the receiver was tried, timedOut that it gave no
	// answer in time.
	attempted, timedOut bool
}

// claim takes over due jobs. It returns when to look again at the latest, and
// whether there may be more right now.
func (r *working) claim(ctx context.Context) (next time.Time, more bool) {
	began := time.Now()
	next = began.Add(pollInterval)
	limit := r.free()
	jobs, due, err := r.Jobs.Claim(ctx, r.Owner, limit, leaseTTL, r.leaveOut())
	if err != nil {
		if ctx.Err() == nil {
			r.Logger.Warn("claiming deliveries failed", "error", err)
		}
		return next, false
	}
	if !due.IsZero() && due.Before(next) {
		next = due
	}
	for _, job := range jobs {
		job.leased = began
		r.add(job, r.startBy(began))
	}
	more = len(jobs) == limit
	r.claimed(more)
	return next, more
}

// startBy is the latest at which the attempt of a job leased at a time may begin:
// later, it would outlive its lease.
func (w *Worker) startBy(leased time.Time) time.Time {
	return leased.Add(leaseTTL - loadTimeout - w.Sender.Timeout - recordTimeout)
}

// untilClaim is how long to wait before claiming what has been wanted since:
// not at all with plenty of room, and without any until an attempt ends.
func (r *working) untilClaim(since time.Time) time.Duration {
	switch free := r.free(); {
	case free <= 0:
		return pollInterval
	case free >= r.total/4:
		return 0
	}
	return time.Until(since.Add(gather))
}

// wait blocks until an attempt has ended, work is announced, or it is time to
// claim what is wanted, or next. It reports whether to look for work.
func (r *working) wait(ctx context.Context, next, wanted time.Time) bool {
	pause := time.Until(next)
	switch {
	case r.free() == 0:
		pause = pollInterval // nothing to do until an attempt ends
	case !wanted.IsZero():
		pause = r.untilClaim(wanted)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	var look bool
	select {
	case <-ctx.Done():
		return false
	case <-r.Wake:
		return true
	case <-r.released.again:
		return true
	case <-timer.C:
		look = true
	case ended := <-r.done:
		r.end(ended)
		look = !time.Now().Before(next)
	}
	// Everything that has ended by now makes room for one larger claim.
	for {
		select {
		case ended := <-r.done:
			r.end(ended)
		default:
			r.releaseLate(ctx)
			return look
		}
	}
}

// releaseLate gives back what has waited too long for its endpoint.
func (r *working) releaseLate(ctx context.Context) {
	if late := r.late(time.Now()); len(late) > 0 {
		r.release(ctx, late, 0)
	}
}

func (w *Worker) release(ctx context.Context, jobs []Job, position uint64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := w.Jobs.Release(ctx, w.Owner, jobs, position); err != nil {
		w.Logger.Warn("releasing deliveries failed; their leases will end", "jobs", len(jobs), "error", err)
	}
}

// drain gives back what has not begun and waits for what has, until w.Drain
// is over; then the rest is abandoned, which ends it soon.
func (r *working) drain(abandon context.CancelFunc) {
	r.close()
	if waiting := r.late(time.Time{}); len(waiting) > 0 {
		r.release(context.Background(), waiting, 0)
	}
	timer := time.AfterFunc(r.Drain, abandon)
	defer timer.Stop()
	for r.underWay() > 0 {
		r.end(<-r.done)
	}
}

// attempt makes one attempt of a delivery and records it. What fails here, or
// is abandoned, stays on the worklist.
func (w *Worker) attempt(ctx context.Context, job Job) result {
	log := w.Logger.With("delivery", job.DeliveryID, "webhook", job.Endpoint)
	ctx = eventstore.Continue(ctx, job.Traceparent)
	loading, cancel := context.WithTimeout(ctx, loadTimeout)
	d, position, err := w.Deliveries.Load(loading, job)
	cancel()
	switch {
	case errors.Is(err, ErrNothingToSend), ctx.Err() != nil:
		return result{job: job, release: true, position: position}
	case err != nil:
		log.Warn("loading a delivery failed", "error", err)
		return result{job: job}
	case time.Since(job.leased) > renewAfter && w.lost(ctx, job):
		return result{job: job}
	}
	ctx, span := startAttempt(ctx, job, d)
	out := w.Sender.Send(ctx, Request{
		URL: d.URL, Body: d.Body, Secrets: d.Secrets, Event: d.Event,
		DeliveryID: d.ID, MessageID: d.Message, Attempt: d.Attempt, At: time.Now(),
	})
	endAttempt(span, out)
	if ctx.Err() != nil && out.StatusCode == 0 {
		// Abandoned: says nothing about the receiver.
		return result{job: job, release: true, again: true}
	}
	w.attempted(ctx, job, d, out)
	ended := result{job: job, attempted: true, timedOut: out.Error == ClassTimeout}
	if ended.position, err = w.record(ctx, d, time.Now(), out); err != nil {
		log.Error("recording an attempt failed; the delivery will be sent again", "error", err)
		return ended
	}
	ended.release, ended.again = true, !out.OK
	return ended
}

// lost renews the lease on a job and reports whether somebody else has it.
func (w *Worker) lost(ctx context.Context, job Job) bool {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	held, err := w.Jobs.Lease(ctx, w.Owner, []Job{job}, leaseTTL)
	return err == nil && len(held) == 0 // without an answer it is as it was
}

// record tries to record an outcome a few times, shutdown or not.
func (w *Worker) record(ctx context.Context, d Delivery, at time.Time, out Outcome) (uint64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	for try := 0; ; try++ {
		position, err := w.Deliveries.Record(ctx, d, at, out)
		if err == nil || try == len(recordPauses) {
			return position, err
		}
		select {
		case <-ctx.Done():
			return 0, err
		case <-time.After(recordPauses[try]):
		}
	}
}
