package webhooksender

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"understudy/domain"
	"understudy/eventstore"
)

const (
	// defaultConcurrency is how many attempts run at once.
	defaultConcurrency = 128
	// defaultPerEndpoint is how many of them may be to one endpoint. A
	// receiver that hangs holds no more than these.
	defaultPerEndpoint = 8
	// leaseTTL is how long a claimed delivery is this worker's: time for its
	// wait, the attempt and the recording. After a crash, it is how long the
	// delivery stays unclaimed.
	leaseTTL = time.Minute
	// pollInterval is how long the worker sleeps at most, for work whose
	// arrival nobody announced, such as the expired lease of a dead worker.
	pollInterval = time.Second
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
	// Endpoint is the id of the webhook it goes to.
	Endpoint string
	// Attempts is how many attempts the worklist knows of.
	Attempts int
	// Traceparent is that of the event that scheduled it, "" for none.
	Traceparent string
}

// Jobs is the worklist of due deliveries. Every worker has an owner name of
// its own; a claimed job is nobody else's until it is released or its lease
// ends.
type Jobs interface {
	// Claim leases due jobs to owner for ttl, at most limit of them, the
	// longest due first, and none of the endpoints in exclude. next is the time
	// of the first delivery that was not due yet, zero when there is none.
	Claim(ctx context.Context, owner string, limit int, ttl time.Duration, exclude []string) (jobs []Job, next time.Time, err error)
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
}

// Run works until ctx ends, and then at most w.Drain plus the time to record
// what has been sent. It returns ctx's error. Failures of the worklist and of
// recording are logged and tried again.
func (w *Worker) Run(ctx context.Context) error {
	sending, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	l := newLanes(orDefault(w.Concurrency, defaultConcurrency), orDefault(w.PerEndpoint, defaultPerEndpoint))
	done := make(chan result)
	released := newReleases(w)
	var running sync.WaitGroup
	wanted := time.Now() // since when there may be work to claim, zero: there is none
	var next time.Time
	start := func() {
		for job, ok := l.next(); ok; job, ok = l.next() {
			running.Go(func() {
				ended := w.attempt(sending, job)
				done <- ended
				if ended.release {
					released.add(ended)
				}
			})
		}
	}
	for ctx.Err() == nil {
		start() // what waits goes before what could be claimed
		if !wanted.IsZero() && untilClaim(l, wanted) <= 0 {
			var more bool
			if next, more = w.claim(ctx, l); !more {
				wanted = time.Time{}
			}
			start()
		}
		if w.wait(ctx, l, done, released.again, next, wanted) && wanted.IsZero() {
			wanted = time.Now()
		}
	}
	w.drain(l, done, abandon)
	running.Wait()
	released.close()
	return ctx.Err()
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
}

// claim takes over due jobs. It returns when to look again at the latest, and
// whether there may be more right now.
func (w *Worker) claim(ctx context.Context, l *lanes) (next time.Time, more bool) {
	began := time.Now()
	next = began.Add(pollInterval)
	limit := l.free()
	jobs, due, err := w.Jobs.Claim(ctx, w.Owner, limit, leaseTTL, l.busy())
	if err != nil {
		if ctx.Err() == nil {
			w.Logger.Warn("claiming deliveries failed", "error", err)
		}
		return next, false
	}
	if !due.IsZero() && due.Before(next) {
		next = due
	}
	// A job that has waited for its endpoint until here would outlive its
	// lease when begun later.
	startBy := began.Add(leaseTTL - loadTimeout - w.Sender.Timeout - recordTimeout)
	for _, job := range jobs {
		l.add(job, startBy)
	}
	return next, len(jobs) == limit
}

// untilClaim is how long to wait before claiming what has been wanted since:
// not at all with plenty of room, and without any until an attempt ends.
func untilClaim(l *lanes, since time.Time) time.Duration {
	switch {
	case l.free() == 0:
		return pollInterval
	case l.free() >= l.total/4:
		return 0
	}
	return time.Until(since.Add(gather))
}

// wait blocks until an attempt has ended, work is announced, or it is time to
// claim what is wanted, or next. It reports whether to look for work.
func (w *Worker) wait(
	ctx context.Context, l *lanes, done <-chan result, again <-chan struct{}, next, wanted time.Time,
) bool {
	pause := time.Until(next)
	switch {
	case l.free() == 0:
		pause = pollInterval // nothing to do until an attempt ends
	case !wanted.IsZero():
		pause = untilClaim(l, wanted)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	var look bool
	select {
	case <-ctx.Done():
		return false
	case <-w.Wake:
		return true
	case <-again:
		return true
	case <-timer.C:
		look = true
	case r := <-done:
		look = l.end(r.job) || !time.Now().Before(next)
	}
	// Everything that has ended by now makes room for one larger claim.
	for {
		select {
		case r := <-done:
			look = l.end(r.job) || look
		default:
			w.releaseLate(ctx, l)
			return look
		}
	}
}

// releaseLate gives back what has waited too long for its endpoint.
func (w *Worker) releaseLate(ctx context.Context, l *lanes) {
	if late := l.late(time.Now()); len(late) > 0 {
		w.release(ctx, late, 0)
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
func (w *Worker) drain(l *lanes, done <-chan result, abandon context.CancelFunc) {
	if waiting := l.late(time.Time{}); len(waiting) > 0 {
		w.release(context.Background(), waiting, 0)
	}
	timer := time.AfterFunc(w.Drain, abandon)
	defer timer.Stop()
	for l.running > 0 {
		l.end((<-done).job)
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
	if position, err = w.record(ctx, d, time.Now(), out); err != nil {
		log.Error("recording an attempt failed; the delivery will be sent again", "error", err)
		return result{job: job}
	}
	return result{job: job, release: true, position: position, again: !out.OK}
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
