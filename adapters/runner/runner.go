// Package runner walks sessions: it claims one by recording its start, lets
// the mind loose on a page, and records every step and the end as events. It walks
// again what fell short, to find out why.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/walk"
	"understudy/eventstore"
	"understudy/projections/worklist"
)

// Browser opens pages. Its errors are the browser's own, never the page's.
type Browser interface {
	Open(ctx context.Context, d walk.Device) (walk.Tab, error)
}

// Blobs keeps screenshots and recordings.
type Blobs interface {
	Put(ctx context.Context, data []byte, contentType string) (sha256 string, err error)
}

// Encoder makes a film of pictures, each shown from its time to the next.
type Encoder interface {
	Encode(ctx context.Context, frames []Frame, total time.Duration) (video []byte, err error)
}

// Frame is one picture of a film.
type Frame struct {
	JPEG []byte
	At   time.Duration
}

// Commands executes commands on streams.
type Commands interface {
	Execute(ctx context.Context, e domain.Envelope) (position uint64, err error)
}

// Facts reads what a session needs to know.
type Facts interface {
	// Session is the session. Others may have recorded more of it meanwhile: the
	// command that begins it is decided on what is recorded.
	Session(ctx context.Context, stream string) (session.State, error)
	// Created is the event that made a test.
	Created(ctx context.Context, testID string) (domain.Recorded, error)
	// Over reports whether a test no longer runs, with the position at which
	// the worklist will know it.
	Over(ctx context.Context, testID string) (position uint64, over bool, err error)
	// Inputs are a test's secret values by name.
	Inputs(ctx context.Context, test testrun.Created) (map[string]string, error)
}

// Target finds out whether a test's target answers.
type Target interface {
	// Probe answers with why the target cannot be tested by sessions that may also reach
	// the private origins, "" when it can.
	Probe(ctx context.Context, url string, private ...string) (reason string)
}

// Runner does the work of the kinds start, session and causes.
type Runner struct {
	Name     string // of this worker, in session.started
	Commands Commands
	Facts    Facts
	Blobs    Blobs
	Browser  Browser
	Target   Target
	Encoder  Encoder // nil: no recordings
	Brains   Brains  // nil: the embedded one alone
	Tests    Tests   // nil: no work of the kind causes comes
	// NoReplays: sessions that fell short are not walked again to find out why.
	NoReplays bool
	// Pace is how many times later than an unhurried machine the browser's is, from 1;
	// nil: it is not known to be late.
	Pace func() float64
	// Ended is told how each session ended; nil: nobody is.
	Ended  func(env domain.Environment, outcome string, took time.Duration)
	Logger *slog.Logger
	Now    func() time.Time

	sketches sketchbook
	audits   Audits
}

// maxSession bounds one attempt at a session, whatever its page does.
const maxSession = 5 * time.Minute

// maxModelSession is the same for a session that waits for a language model at
// every step.
const maxModelSession = 20 * time.Minute

// pauses are the waits before a session is begun again: a browser that was
// killed is back at once, a machine that is short of memory after a while.
var pauses = [...]time.Duration{time.Second, 8 * time.Second, 0}

// Start finds out whether a test's target answers and starts or fails it.
func (r *Runner) Start(ctx context.Context, item worklist.Item) (uint64, error) {
	created, err := r.Facts.Created(ctx, item.TestID)
	if err != nil {
		return 0, err
	}
	test := created.Event.(testrun.Created)
	var command testrun.Command = testrun.Start{Now: r.now()}
	if test.Environment == domain.Live {
		if reason := r.Target.Probe(ctx, test.URL, test.PrivateOrigins...); reason != "" {
			command = testrun.Fail{Code: testrun.TargetUnreachable, Message: reason, Now: r.now()}
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return r.Commands.Execute(ctx, domain.Envelope{
		ID:      domain.DeriveUUID(created.ID.String(), item.Stream, "start"),
		Stream:  item.Stream,
		Command: command,
		Meta:    domain.CausedBy(created, "runner"),
	})
}

// Session walks a session to its end. Browsers that die cost an attempt each.
func (r *Runner) Session(ctx context.Context, item worklist.Item) (position uint64, err error) {
	// The worklist may be behind a cancellation. Nobody begins to walk then;
	// the lease is held until the list knows.
	if position, over, err := r.Facts.Over(ctx, item.TestID); err != nil || over {
		return position, err
	}
	state, err := r.Facts.Session(ctx, item.Stream)
	if err != nil {
		return 0, err
	}
	created, err := r.Facts.Created(ctx, item.TestID)
	if err != nil {
		return 0, err
	}
	ctx, span := startSession(ctx, state.Session)
	var a *attempt
	began := r.Now()
	defer func() { r.endSession(ctx, span, a, r.Now().Sub(began), err) }()
	var spent *session.Usage
	again := false
	for attempt := item.Attempt + 1; ; attempt++ {
		a = attemptAt(r, item.Stream, created, state.Session, attempt)
		a.spent, a.again = spent, again
		position, err := a.execute(ctx, "start", session.Start{Attempt: attempt, Worker: r.Name, Now: r.now()})
		if lost(err) || err == nil && attempt > session.MaxAttempts {
			return position, nil // somebody else has it, or it has failed now
		}
		if err != nil {
			return 0, err
		}
		position, err = a.walk(ctx)
		spent = a.spent
		again = again || errors.Is(err, errLate)
		var interrupted *walk.Interrupted
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case errors.As(err, &interrupted):
			r.Logger.Warn("session is begun again", "session", state.Session.SessionID, "attempt", attempt, "error", err)
			if err := pause(ctx, pauses[min(attempt, len(pauses))-1]); err != nil {
				return 0, err
			}
		case lost(err):
			return 0, nil
		default:
			return position, err
		}
	}
}

// errLate is why a walk is begun again that a late machine has hurt.
var errLate = errors.New("the machine was too late to tell what an act had come to")

// lost says that the session is no longer ours to walk.
func lost(err error) bool {
	code := domain.CodeOf(err)
	return code == domain.CodeWrongState || code == domain.CodeNotFound || code == domain.CodeConflict
}

func (r *Runner) now() domain.Time { return domain.At(r.Now()) }

// attempt is one try at a session.
type attempt struct {
	r       *Runner
	stream  string
	created domain.Recorded
	test    testrun.Created
	session session.Queued
	number  int
	spent   *session.Usage // on a language model, by this and earlier attempts here
	again   bool           // for the sake of a late machine
	end     ending
}

func attemptAt(r *Runner, stream string, created domain.Recorded, q session.Queued, number int) *attempt {
	return &attempt{
		r: r, stream: stream, created: created, test: created.Event.(testrun.Created), session: q, number: number,
	}
}

// outlasted is for how long a walk waits where it is for an event store that is away. A
// session that is begun again does again what it has done, and may be so three times only.
const outlasted = 30 * time.Second

// execute gives a command of this attempt. Its id follows from what is done,
// so that doing it again after a lost answer records nothing twice.
func (a *attempt) execute(ctx context.Context, what string, c session.Command) (uint64, error) {
	envelope := domain.Envelope{
		ID:      domain.DeriveUUID(a.session.SessionID, strconv.Itoa(a.number), what, a.r.Name),
		Stream:  a.stream,
		Command: c,
		Meta:    domain.CausedBy(a.created, "runner"),
	}
	waiting, cancel := context.WithTimeout(ctx, outlasted)
	defer cancel()
	for {
		position, err := a.r.Commands.Execute(ctx, envelope)
		if err == nil {
			a.end.recorded(c)
		}
		if !errors.Is(err, eventstore.ErrUnavailable) || pause(waiting, time.Second) != nil {
			return position, err
		}
	}
}

// artifact stores bytes and names them.
func (a *attempt) artifact(ctx context.Context, what string, data []byte, contentType string) (session.Artifact, error) {
	sha, err := a.r.Blobs.Put(ctx, data, contentType)
	if err != nil {
		return session.Artifact{}, fmt.Errorf("store %s: %w", what, err)
	}
	return session.Artifact{
		ID: artifactID(a, what), SHA256: sha, Bytes: int64(len(data)), ContentType: contentType,
	}, nil
}

func artifactID(a *attempt, what string) string {
	return domain.DeriveID(domain.PrefixArtifact, a.created.Time, a.session.SessionID, strconv.Itoa(a.number), what)
}
