// Package worker takes work off the worklist: it claims items that are due by
// short leases, does them unlocked and several at a time, and lets go of the
// lease once the worklist shows what came of it.
package worker

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"understudy/eventstore"
	"understudy/projections/worklist"
)

var tracer = otel.Tracer("understudy/adapters/worker")

// List is the worklist, narrowed to one kind of work in one environment.
type List interface {
	// Due reads items that are due and not leased.
	Due(ctx context.Context, limit int) ([]worklist.Item, error)
	// NextDue is when the next item will be due, zero for none.
	NextDue(ctx context.Context) (time.Time, error)
	// Gone reads which of these streams are off the list.
	Gone(ctx context.Context, streams []string) ([]string, error)
	// Changed is closed at the next change.
	Changed() <-chan struct{}
	// WaitFor returns when the list shows position.
	WaitFor(ctx context.Context, position uint64) error
}

// Leases are held by name for a time. To claim one's own is to renew it.
type Leases interface {
	Claim(ctx context.Context, names []string, owner string, ttl time.Duration) (held []string, err error)
	Release(ctx context.Context, names []string, owner string) error
}

// Loop is one kind of work.
type Loop struct {
	Name        string
	Owner       string // of the leases; unique in the installation
	List        List
	Leases      Leases
	Concurrency int
	// Width, unless nil, is how many of them are done at once at the moment, at least
	// one: what is under way goes on when it falls.
	Width func() int
	// More, unless nil, is how many may begin at the moment beside all that is under way.
	More func() int
	// Do does an item and answers with the position of what it recorded, 0
	// for nothing. Its ctx ends when the item is off the list or the lease is
	// lost. An error leaves the item to its next lease, after a pause.
	Do     func(ctx context.Context, item worklist.Item) (position uint64, err error)
	Logger *slog.Logger

	current  map[string]running   // what is under way, by lease
	ended    chan finished        // what was
	owed     map[string]time.Time // leases that are to be given up, and from when on
	failures map[string]int       // in a row, by lease; of those that failed last
	silent   bool                 // the database did not answer when it was asked last
}

const (
	// again is the pause before an item is tried again that failed; it doubles, up to
	// the TTL, which it has if the worker dies.
	again = time.Second
	// mostFailures bounds the memory of them.
	mostFailures = 1000
	// TTL is how long a dead worker's items stay untouched.
	TTL = 12 * time.Second
	// poll bounds how late a change is noticed that nobody signalled.
	poll = time.Second
	// unanswered is the pause before a database that did not answer is asked again.
	unanswered = 250 * time.Millisecond
	// soonest is the least time between two looks for work that falls due.
	soonest = 20 * time.Millisecond
	// watch is how often running items are compared with the list: a
	// cancellation reaches its work within this time.
	watch = 250 * time.Millisecond
	// settle bounds the wait for the list to show what was recorded.
	settle = 5 * time.Second
	// gather is how long the end of an item waits for others to be let go of
	// together.
	gather = 5 * time.Millisecond
	// drain is how long running work may still take when ctx ends.
	drain = 20 * time.Second
	// call bounds each question to the database.
	call = 5 * time.Second
)

type running struct {
	item   worklist.Item
	cancel context.CancelFunc
}

type finished struct {
	name   string
	keep   bool // the lease runs out by itself
	failed bool // it is to be tried again
}

// Run works until ctx ends, then lets running work end within the drain time
// and cancels what is left.
func (l *Loop) Run(ctx context.Context) error {
	work, cancelWork := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelWork()
	l.current, l.ended = map[string]running{}, make(chan finished)
	l.owed, l.failures = map[string]time.Time{}, map[string]int{}
	watching := time.NewTicker(watch)
	defer watching.Stop()
	renewing := time.NewTicker(TTL / 3)
	defer renewing.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	changed := l.List.Changed()
	for {
		select {
		case <-ctx.Done():
			l.drain(work, cancelWork)
			return nil
		case <-changed:
			changed = l.List.Changed()
			l.take(work, due)
		case <-due.C:
			l.take(work, due)
		case f := <-l.ended:
			l.finish(l.collect(f))
			l.take(work, due)
		case <-watching.C:
			l.cancelGone(work)
			if freed, _ := l.giveUp(); freed { // or the next tick tries again
				l.take(work, due)
			}
		case <-renewing.C:
			l.renew(work)
		}
	}
}

// take claims as much due work as there is room for and begins it.
func (l *Loop) take(ctx context.Context, due *time.Timer) {
	room := l.width() - len(l.current)
	if l.More != nil {
		room = min(room, l.More())
	}
	if room <= 0 {
		due.Reset(poll) // there may be more
		return
	}
	asking, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	items, err := l.List.Due(asking, room)
	full := len(items) == room
	if err == nil && len(items) > 0 {
		items, err = l.claim(asking, items)
	}
	if err != nil {
		if !l.silent {
			l.Logger.Warn("work cannot be claimed", "work", l.Name, "error", err)
		}
		l.silent = true
		due.Reset(unanswered)
		return
	}
	l.silent = false
	for _, item := range items {
		l.begin(ctx, item)
	}
	wait := poll
	if full {
		due.Reset(wait) // there is room again when one of these ends, not sooner
		return
	}
	if next, err := l.List.NextDue(asking); err == nil && !next.IsZero() {
		// The floor keeps a database whose clock is behind from being asked
		// without a pause.
		wait = min(wait, max(time.Until(next), soonest))
	}
	due.Reset(wait)
}

func (l *Loop) width() int {
	if l.Width == nil {
		return l.Concurrency
	}
	return max(1, min(l.Width(), l.Concurrency))
}

func (l *Loop) claim(ctx context.Context, items []worklist.Item) ([]worklist.Item, error) {
	names := make([]string, len(items))
	byName := map[string]worklist.Item{}
	for i, item := range items {
		names[i] = item.LeaseName()
		byName[names[i]] = item
	}
	claimed, err := l.Leases.Claim(ctx, names, l.Owner, TTL)
	out := items[:0]
	for _, name := range claimed {
		out = append(out, byName[name])
	}
	return out, err
}

func (l *Loop) begin(ctx context.Context, item worklist.Item) {
	name := item.LeaseName()
	if _, already := l.current[name]; already {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	l.current[name] = running{item: item, cancel: cancel}
	delete(l.owed, name)
	go func() {
		position, err := l.do(ctx, item)
		cancelled := ctx.Err() != nil
		failed := err != nil && !cancelled
		cancel()
		if failed {
			l.Logger.Warn("work failed and is left to its next lease", "work", l.Name, "stream", item.Stream, "error", err)
		}
		if err == nil && position > 0 {
			// Until the list shows the outcome the item still looks undone;
			// holding the lease keeps others from doing it again.
			wait, stop := context.WithTimeout(context.WithoutCancel(ctx), settle)
			err = l.List.WaitFor(wait, position)
			stop()
		}
		l.ended <- finished{name: name, keep: err != nil && !cancelled, failed: failed}
	}()
}

// do is Do, but that a panic over one item ends neither the others nor the
// service. What it does is within the trace of the event that put the item on the list.
func (l *Loop) do(ctx context.Context, item worklist.Item) (position uint64, err error) {
	ctx, span := tracer.Start(eventstore.Continue(ctx, item.Traceparent), "work "+string(item.Kind),
		trace.WithSpanKind(trace.SpanKindConsumer))
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("understudy.test.id", item.TestID),
			attribute.String("understudy.environment", string(item.Environment)),
			attribute.Int("understudy.work.begun_before", item.Attempt),
			attribute.Float64("understudy.work.late_seconds", time.Since(item.DueAt).Seconds()),
		)
	}
	defer func() { eventstore.EndSpan(span, err) }()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return l.Do(ctx, item)
}

// collect adds to the first end those that have come with it. Of a loop that is full
// it waits a moment for a quarter, so that leases of many short items are not given up
// and claimed one by one.
func (l *Loop) collect(first finished) []finished {
	out := []finished{first}
	var late <-chan time.Time
	if len(l.current) >= l.Concurrency {
		late = time.After(gather)
	}
	for {
		select {
		case f := <-l.ended:
			out = append(out, f)
			continue
		default:
		}
		if late == nil || 4*len(out) >= l.Concurrency {
			return out
		}
		select {
		case f := <-l.ended:
			out = append(out, f)
		case <-late:
			late = nil
		}
	}
}

// finish lets go of what has ended: of what failed when its pause is over.
func (l *Loop) finish(done []finished) {
	for _, f := range done {
		delete(l.current, f.name)
		switch {
		case f.failed:
			pause := min(again<<l.failures[f.name], TTL)
			if len(l.failures) == mostFailures {
				clear(l.failures) // of items that others have done since
			}
			if pause < TTL {
				l.failures[f.name]++
			}
			l.owed[f.name] = time.Now().Add(pause)
			continue
		case !f.keep:
			l.owed[f.name] = time.Now()
		}
		delete(l.failures, f.name)
	}
	if _, err := l.giveUp(); err != nil {
		l.Logger.Warn("leases cannot be given up yet", "work", l.Name, "error", err)
	}
}

// giveUp releases the leases whose time has come. Those that the database does not
// answer for are released when it does, so that their items need not wait for their end.
func (l *Loop) giveUp() (freed bool, err error) {
	var names []string
	for name, at := range l.owed {
		if !at.After(time.Now()) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), call)
	defer cancel()
	if err := l.Leases.Release(ctx, names, l.Owner); err != nil {
		return false, err
	}
	for _, name := range names {
		delete(l.owed, name)
	}
	return true, nil
}

// cancelGone ends work whose item is off the list: its test was cancelled, or
// somebody else has done it.
func (l *Loop) cancelGone(ctx context.Context) {
	if len(l.current) == 0 {
		return
	}
	byStream := map[string]running{}
	streams := make([]string, 0, len(l.current))
	for _, r := range l.current {
		byStream[r.item.Stream] = r
		streams = append(streams, r.item.Stream)
	}
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	gone, err := l.List.Gone(ctx, streams)
	if err != nil {
		return // the next tick asks again
	}
	for _, stream := range gone {
		byStream[stream].cancel()
	}
}

// renew keeps the leases of what is under way and of what is in its pause after a
// failure, those too that the database has forgotten and nobody has taken. Work whose
// lease somebody else has is cancelled.
func (l *Loop) renew(ctx context.Context) {
	names := slices.Collect(maps.Keys(l.current))
	for name, at := range l.owed {
		if at.After(time.Now()) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	held, err := l.Leases.Claim(ctx, names, l.Owner, TTL)
	if err != nil {
		l.Logger.Warn("leases could not be renewed", "work", l.Name, "error", err)
		return
	}
	for name, r := range l.current {
		if !slices.Contains(held, name) {
			r.cancel()
		}
	}
}

// drain waits for running work, then cancels it, and releases every lease so
// that the work goes on elsewhere at once.
func (l *Loop) drain(work context.Context, cancelWork context.CancelFunc) {
	late := time.After(drain)
	watching := time.NewTicker(watch)
	defer watching.Stop()
	renewing := time.NewTicker(TTL / 3)
	defer renewing.Stop()
	for name := range l.owed {
		l.owed[name] = time.Now()
	}
	l.finish(nil)
	for len(l.current) > 0 {
		select {
		case f := <-l.ended:
			f.keep, f.failed = false, false
			l.finish([]finished{f})
		case <-watching.C:
			l.cancelGone(work)
			_, _ = l.giveUp()
		case <-renewing.C:
			l.renew(work)
		case <-late:
			cancelWork()
			late = nil
		}
	}
}
