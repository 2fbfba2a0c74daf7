package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/process"
	"understudy/domain/replay"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections/sessions"
	"understudy/projections/worklist"
)

// Tests reads what finding causes needs to know of a test whose sessions have ended.
type Tests interface {
	// Test is a test as of now.
	Test(ctx context.Context, testID string) (testrun.State, error)
	// Finished is the event that told its sessions' end.
	Finished(ctx context.Context, testID string) (domain.Recorded, error)
	// EachSession calls fn with every session of a test, once the read model has all that
	// is recorded of it up to position: on several goroutines and in no order.
	EachSession(ctx context.Context, testID string, position uint64, fn func(sessions.Walked) error) error
}

// Causes finds out why sessions of a test fell short: each suspected cause is taken
// away in one walk more, of one of the sessions. A replay is claimed by an event before
// it begins and never made twice: one whose end nobody has recorded is the last one.
func (r *Runner) Causes(ctx context.Context, item worklist.Item) (uint64, error) {
	finished, err := r.Tests.Finished(ctx, item.TestID)
	if err != nil {
		return 0, err
	}
	fellShort, err := r.fellShort(ctx, item.TestID, finished.Position)
	if err != nil {
		return 0, err
	}
	e := examination{r: r, item: item, finished: finished, sessions: fellShort}
	for {
		test, err := r.Tests.Test(ctx, item.TestID)
		if err != nil {
			return 0, err
		}
		trial, more := replay.Next(fellShort, test.Tried())
		if r.NoReplays || !more || !test.MayReplay() {
			return e.execute(ctx, "end", testrun.EndExamination{Suspected: replay.Suspected(fellShort), Now: r.now()})
		}
		if err := e.replay(ctx, test, trial); lost(err) {
			return 0, nil // somebody else has it, or the test is over
		} else if err != nil {
			return 0, err
		}
	}
}

// fellShort are the sessions of a test that fell short, in their order.
func (r *Runner) fellShort(ctx context.Context, testID string, position uint64) ([]findings.Session, error) {
	type ended struct {
		index int
		findings.Session
	}
	var mu sync.Mutex
	var all []ended
	err := r.Tests.EachSession(ctx, testID, position, func(w sessions.Walked) error {
		var found *session.Findings
		if err := json.Unmarshal(w.Findings, &found); err != nil {
			return fmt.Errorf("findings of session %d: %w", w.Index, err)
		}
		if s := found.Taken(); len(s.Barriers()) > 0 {
			mu.Lock()
			all = append(all, ended{w.Index, s})
			mu.Unlock()
		}
		return nil
	})
	slices.SortFunc(all, func(a, b ended) int { return a.index - b.index })
	out := make([]findings.Session, len(all))
	for i := range all {
		out[i] = all[i].Session
	}
	return out, err
}

// examination is the finding of causes for one test.
type examination struct {
	r        *Runner
	item     worklist.Item
	finished domain.Recorded
	sessions []findings.Session
}

// replay walks a session again without a cause, and records what came of it. The end of
// ctx leaves the replay without an end.
func (e *examination) replay(ctx context.Context, test testrun.State, trial replay.Trial) error {
	fell, n := e.sessions[trial.Session], len(test.Replays)+1
	again, err := e.again(ctx, fell.SessionID)
	if err != nil {
		return err
	}
	if _, err := e.execute(ctx, fmt.Sprint("begin ", n), testrun.BeginReplay{
		N: n, SessionID: fell.SessionID, Cause: trial.Cause, Now: e.r.now(),
	}); err != nil {
		return err
	}
	outcome := again.Without(ctx, trial.Cause, findings.Added(slices.Clone(fell.Sent), test.Sent()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = e.execute(ctx, fmt.Sprint("told ", n), testrun.EndReplay{N: n, Outcome: outcome, Now: e.r.now()})
	return err
}

// again is the walk of a session, to be walked once more.
func (e *examination) again(ctx context.Context, sessionID string) (replay.Again, error) {
	created, err := e.r.Facts.Created(ctx, e.item.TestID)
	if err != nil {
		return replay.Again{}, err
	}
	state, err := e.r.Facts.Session(ctx, session.Stream(sessionID))
	if err != nil {
		return replay.Again{}, err
	}
	a := attemptAt(e.r, session.Stream(sessionID), created, state.Session, state.Attempt)
	inputs, err := e.r.Facts.Inputs(ctx, a.test)
	if err != nil {
		return replay.Again{}, err
	}
	device, plan := a.errand(process.Persona(a.session), inputs)
	return replay.Again{Open: e.r.Browser.Open, Device: device, Pace: e.r.pace(), Plan: plan}, nil
}

// execute gives a command to the test. Its id follows from what is done and by whom, so
// that doing it again after a lost answer records nothing twice.
func (e *examination) execute(ctx context.Context, what string, c testrun.Command) (uint64, error) {
	return e.r.Commands.Execute(ctx, domain.Envelope{
		ID:      domain.DeriveUUID(e.finished.ID.String(), "causes", what, e.r.Name),
		Stream:  e.item.Stream,
		Command: c,
		Meta:    domain.CausedBy(e.finished, "runner"),
	})
}
