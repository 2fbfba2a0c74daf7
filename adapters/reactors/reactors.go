// Package reactors carries out what the process package says follows from an
// event. Each reactor has a checkpoint of its own and none ever waits for
// another, so that making 10,000 sessions delays neither a cancellation nor a
// delivery.
package reactors

import (
	"context"
	"errors"
	"log/slog"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/user"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/deliveries"
)

var tracer = otel.Tracer("understudy/adapters/reactors")

// Log is what reactors follow.
type Log interface {
	RunReactor(ctx context.Context, r eventstore.Reactor) error
	// Head is the position of the last event.
	Head(ctx context.Context) (uint64, error)
}

// Commands executes what follows.
type Commands interface {
	Execute(ctx context.Context, e domain.Envelope) (position uint64, err error)
	// Schedule is Execute for a new delivery. Its attempts go on with the
	// traceparent.
	Schedule(ctx context.Context, e domain.Envelope) (traceparent string, err error)
}

// Tests reads a test's stream.
type Tests interface {
	// Created is the event that made the test.
	Created(ctx context.Context, testID string) (domain.Recorded, error)
	// Test is the test as of now.
	Test(ctx context.Context, testID string) (testrun.State, error)
}

// Replays reads what is to be made again.
type Replays interface {
	// Page is the ids that a replay selects after one, oldest first.
	Page(ctx context.Context, which deliveries.Replay, after string, limit int) ([]string, error)
	// Scheduled is the event that made a delivery.
	Scheduled(ctx context.Context, deliveryID string) (delivery.Scheduled, error)
}

// Retries reads which deliveries wait for one.
type Retries interface {
	// Waiting is the ids of the deliveries to the endpoint of an event that wait
	// for a retry, after one, oldest first; none when it takes deliveries again.
	Waiting(ctx context.Context, because domain.Recorded, after string, limit int) ([]string, error)
}

// Credentials reads what people may still call with.
type Credentials interface {
	// Standing are those of a person in the event's organization, everybody's for "",
	// with the commands that end them for a reason.
	Standing(ctx context.Context, because domain.Recorded, userID, reason string) ([]process.Credential, error)
}

// Reactors holds what the reactors need.
type Reactors struct {
	Log         Log
	Commands    Commands
	Tests       Tests
	Endpoints   Endpoints
	Sender      Sender
	Replays     Replays
	Retries     Retries
	Credentials Credentials
	Links       process.Links
	Shredder    Shredder
	Checkpoints eventstore.Checkpoints
	Logger      *slog.Logger
}

// width is how many commands of one reactor are under way at once: enough to
// fill the store's group commits.
const width = 32

// All are the reactors, by the names of their checkpoints.
func (r *Reactors) All() []eventstore.Reactor { return r.since(0) }

// since are the reactors; events up to a position may have been reacted to before.
func (r *Reactors) since(position uint64) []eventstore.Reactor {
	return []eventstore.Reactor{
		{Name: "session-creation", Prefixes: []string{testrun.StreamPrefix}, React: r.createSessions},
		{Name: "session-cancellation", Prefixes: []string{testrun.StreamPrefix}, React: r.cancelSessions},
		{Name: "session-endings", Prefixes: []string{session.StreamPrefix}, ReactAll: r.countEndings},
		{Name: "fan-out", Prefixes: []string{testrun.StreamPrefix}, React: (&fanOut{Reactors: r, repeated: position}).react, Concurrency: testsAtOnce},
		{Name: "delivery-endings", Prefixes: []string{delivery.StreamPrefix}, ReactAll: (&deliveryEndings{Reactors: r}).react, MaxBatch: 4096},
		{Name: "replays", Prefixes: []string{webhook.StreamPrefix}, React: r.replay},
		{Name: "retry-skipping", Prefixes: []string{webhook.StreamPrefix}, React: r.skipRetries},
		{Name: "shredding", Prefixes: []string{account.StreamPrefix, user.StreamPrefix}, React: r.shred},
		{Name: "credential-endings", Prefixes: []string{account.StreamPrefix}, React: r.endCredentials},
		{Name: "owner-notices", Prefixes: []string{webhook.StreamPrefix}, React: r.notify},
	}
}

// Run runs every reactor until ctx ends.
func (r *Reactors) Run(ctx context.Context) error {
	head, err := r.Log.Head(ctx)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, reactor := range r.since(head) {
		reactor.Checkpoints, reactor.Logger = r.Checkpoints, r.Logger
		g.Go(func() error { return r.Log.RunReactor(ctx, reactor) })
	}
	return g.Wait()
}

// checkEvery is how many sessions are made between two looks at whether their
// test still runs.
const checkEvery = 256

func (r *Reactors) createSessions(ctx context.Context, e domain.Recorded) (err error) {
	started, ok := e.Event.(testrun.Started)
	if !ok {
		return nil
	}
	ctx, span := reacting(ctx, "session-creation", e.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	testID := projections.StreamID(e)
	created, cast, err := r.cast(ctx, testID)
	if refusal := (*domain.Error)(nil); errors.As(err, &refusal) {
		// The personas were there when the test was created, and are not in
		// this version: waiting would hold up every test after it.
		return r.execute(ctx, process.FailTest(e, testrun.PersonasUnavailable, refusal.Message))
	}
	if err != nil {
		return err
	}
	for from := 0; from < started.SessionsTotal; from += checkEvery {
		test, err := r.Tests.Test(ctx, testID)
		if err != nil || test.Status != testrun.Running {
			return err
		}
		err = each(ctx, from, min(from+checkEvery, started.SessionsTotal), func(ctx context.Context, i int) error {
			return r.execute(ctx, cast.QueueSession(i, created, e))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Reactors) cancelSessions(ctx context.Context, e domain.Recorded) (err error) {
	cancelled, ok := e.Event.(testrun.Cancelled)
	if !ok {
		return nil
	}
	ctx, span := reacting(ctx, "session-cancellation", e.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	testID := projections.StreamID(e)
	created, cast, err := r.cast(ctx, testID)
	if err != nil {
		return err
	}
	test, err := r.Tests.Test(ctx, testID)
	if err != nil {
		return err
	}
	return each(ctx, 0, cancelled.SessionsTotal, func(ctx context.Context, i int) error {
		if test.HasEnded(i) {
			return nil
		}
		return r.execute(ctx, cast.CancelSession(i, created, e))
	})
}

func (r *Reactors) cast(ctx context.Context, testID string) (domain.Recorded, process.Cast, error) {
	created, err := r.Tests.Created(ctx, testID)
	if err != nil {
		return created, process.Cast{}, err
	}
	cast, err := process.NewCast(created.Event.(testrun.Created))
	return created, cast, err
}

func (r *Reactors) countEndings(ctx context.Context, events []domain.Recorded) error {
	commands := process.CountEndings(events)
	return each(ctx, 0, len(commands), func(ctx context.Context, i int) error {
		return r.executeAs(ctx, "session-endings", commands[i])
	})
}

// replayPage is how many deliveries of a replay are read at once.
const replayPage = 512

// replay makes again what a request selects. When it is cut off it begins
// anew: the selection is the same, and so are the ids of what is made from it.
func (r *Reactors) replay(ctx context.Context, e domain.Recorded) (err error) {
	request, ok := e.Event.(webhook.ReplayRequested)
	if !ok {
		return nil
	}
	ctx, span := reacting(ctx, "replays", e.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	which := deliveries.Replay{
		WebhookID: projections.StreamID(e), From: request.From.Time, To: request.To.Time, Which: request.Which, Position: e.Position,
	}
	for after := ""; ; {
		page, err := r.Replays.Page(ctx, which, after, replayPage)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1]
		err = each(ctx, 0, len(page), func(ctx context.Context, i int) error {
			source, err := r.Replays.Scheduled(ctx, page[i])
			if err != nil {
				return err
			}
			return r.execute(ctx, process.ReplayEach(e, source))
		})
		if err != nil {
			return err
		}
	}
}

// skipRetries skips what waits for a retry to an endpoint that takes none.
func (r *Reactors) skipRetries(ctx context.Context, e domain.Recorded) (err error) {
	reason, skip := process.SkipRetries(e)
	if !skip {
		return nil
	}
	ctx, span := reacting(ctx, "retry-skipping", e.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	for after := ""; ; {
		page, err := r.Retries.Waiting(ctx, e, after, replayPage)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1]
		err = each(ctx, 0, len(page), func(ctx context.Context, i int) error {
			return r.execute(ctx, process.SkipRetry(e, page[i], reason))
		})
		if err != nil {
			return err
		}
	}
}

// endCredentials records that keys and grants are revoked whose person is no member any
// more, or whose organization is gone: they count no longer as soon as that is known.
func (r *Reactors) endCredentials(ctx context.Context, e domain.Recorded) (err error) {
	userID, reason, ends := process.EndsCredentials(e)
	if !ends {
		return nil
	}
	ctx, span := reacting(ctx, "credential-endings", e.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	standing, err := r.Credentials.Standing(ctx, e, userID, reason)
	if err != nil {
		return err
	}
	return each(ctx, 0, len(standing), func(ctx context.Context, i int) error {
		return r.execute(ctx, process.EndCredential(e, standing[i]))
	})
}

// notify requests the notice of a warning.
func (r *Reactors) notify(ctx context.Context, e domain.Recorded) error {
	if command, ok := process.NotifyOwner(e); ok {
		return r.executeAs(ctx, "owner-notices", command)
	}
	return nil
}

// execute gives a command. A refusal is an answer too: the world has moved on
// since the event, and trying again would change nothing.
func (r *Reactors) execute(ctx context.Context, command domain.Envelope) error {
	_, err := r.Commands.Execute(ctx, command)
	if code := domain.CodeOf(err); code == domain.CodeNotFound || code == domain.CodeWrongState {
		r.Logger.Debug("command refused", "stream", command.Stream, "error", err)
		return nil
	}
	return err
}

// reacting begins the span of a reactor that does something about an event, within the
// event's trace. Events that nothing follows from have none.
func reacting(ctx context.Context, reactor string, because domain.Meta) (context.Context, trace.Span) {
	return tracer.Start(eventstore.Continue(ctx, because.Traceparent), "react "+reactor)
}

// executeAs is execute in a span of its own: what of a batch of events leads to one
// command is within the trace of that command's cause.
func (r *Reactors) executeAs(ctx context.Context, reactor string, command domain.Envelope) (err error) {
	ctx, span := reacting(ctx, reactor, command.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	return r.execute(ctx, command)
}

// each calls fn with the numbers from … to-1, width at a time.
func each(ctx context.Context, from, to int, fn func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(width)
	for i := from; i < to; i++ {
		g.Go(func() error { return eventstore.Safely(func() error { return fn(ctx, i) }) })
	}
	return g.Wait()
}
