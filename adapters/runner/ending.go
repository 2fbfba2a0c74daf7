package runner

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"understudy/domain/session"
	"understudy/eventstore"
)

var tracer = otel.Tracer("understudy/adapters/runner")

// ending is how an attempt at a session has ended, as far as it is recorded.
type ending struct {
	// outcome is the walk's, "failed" when it could not be carried out and "" while it
	// has not ended.
	outcome string
	code    string // of the failure
	steps   int
	begun   bool // here
}

// recorded takes note of a command that was accepted.
func (e *ending) recorded(c session.Command) {
	completed := func(result session.Completed) { e.outcome, e.steps = result.Outcome, result.Steps }
	switch c := c.(type) {
	case session.RecordStep:
		e.steps++
	case session.RecordWalk:
		completed(c.End.Result)
	case session.Complete:
		completed(c.Result)
	case session.Fail:
		e.outcome, e.code = "failed", c.Code
	case session.Start:
		if e.begun = c.Attempt <= session.MaxAttempts; !e.begun {
			e.outcome, e.code = "failed", session.AttemptsExhausted
		}
	case session.Queue, session.Cancel: // others' commands
	}
}

// startSession begins the span of a session's walk.
func startSession(ctx context.Context, s session.Queued) (context.Context, trace.Span) {
	ctx, span := tracer.Start(ctx, "walk session")
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("understudy.session.id", s.SessionID),
			attribute.String("understudy.test.id", s.TestID),
			attribute.String("understudy.environment", string(s.Environment)),
			attribute.String("understudy.viewport", s.Viewport),
		)
	}
	return ctx, span
}

// overLimit bounds the question whether a session has ended with its test.
const overLimit = 2 * time.Second

// endSession ends the span of a session and writes its one line, unless it has not
// ended: another worker takes it over, which then writes it.
func (r *Runner) endSession(ctx context.Context, span trace.Span, a *attempt, took time.Duration, err error) {
	defer func() { eventstore.EndSpan(span, err) }()
	end, s := a.end, a.session
	if end.outcome == "" && end.begun {
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), overLimit)
		defer cancel()
		if _, over, err := r.Facts.Over(asking, s.TestID); err == nil && over {
			end.outcome = string(session.StatusCancelled)
		}
	}
	if span.IsRecording() {
		span.SetAttributes(attribute.Int("understudy.attempt", a.number), attribute.Int("understudy.session.steps", end.steps))
		if end.outcome != "" {
			span.SetAttributes(attribute.String("understudy.session.outcome", end.outcome))
		}
		if end.code != "" {
			span.SetAttributes(attribute.String("understudy.session.failure", end.code))
		}
	}
	if end.outcome == "" {
		return
	}
	if r.Ended != nil {
		r.Ended(s.Environment, end.outcome, took)
	}
	attrs := []slog.Attr{
		slog.String("session_id", s.SessionID),
		slog.String("test_id", s.TestID),
		slog.String("organization_id", a.created.Meta.OrganizationID),
		slog.String("environment", string(s.Environment)),
		slog.String("outcome", end.outcome),
		slog.Int("attempt", min(a.number, session.MaxAttempts)),
		slog.Int("steps", end.steps),
		slog.Float64("seconds", took.Seconds()),
	}
	if end.code != "" {
		attrs = append(attrs, slog.String("failure", end.code))
	}
	r.Logger.LogAttrs(ctx, slog.LevelInfo, "session", attrs...)
}
