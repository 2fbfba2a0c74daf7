// Package comparer compares tests that have ended.
package comparer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/encoding/json"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections/sessions"
	"understudy/projections/worklist"
)

// Reads reads what comparisons are made of.
type Reads interface {
	// EachSession calls fn with every session of a test, once the read model
	// has all that is recorded of it up to position: on several goroutines and
	// in no order.
	EachSession(ctx context.Context, testID string, position uint64, fn func(sessions.Walked) error) error
}

// Commands executes commands on streams.
type Commands interface {
	Execute(ctx context.Context, e domain.Envelope) (position uint64, err error)
}

// Comparer compares.
type Comparer struct {
	Reads    Reads
	Commands Commands
	// Comparison is the event that began a comparison.
	Comparison func(ctx context.Context, stream string) (domain.Recorded, error)
	// Test is a test as of now, with the position of its latest event.
	Test func(ctx context.Context, testID string) (testrun.State, uint64, error)
	Now  func() time.Time
}

// Compare records what two tests that have ended come to. A test that has no
// result, and tests without a usable session, end the comparison as failed.
func (c *Comparer) Compare(ctx context.Context, item worklist.Item) (uint64, error) {
	began, err := c.Comparison(ctx, item.Stream)
	if err != nil {
		return 0, err
	}
	created, ok := began.Event.(comparison.Created)
	if !ok {
		return 0, fmt.Errorf("stream %s begins with %s", item.Stream, began.Event.EventType())
	}
	var tests [2]comparison.Test
	for i, side := range []comparison.Side{created.A, created.B} {
		state, position, err := c.Test(ctx, side.TestID)
		if err != nil {
			return 0, err
		}
		if code, why := hindrance([]string{"A", "B"}[i], state); code != "" {
			return c.execute(ctx, began, "fail", comparison.Fail{Code: code, Message: why, Now: domain.At(c.Now())})
		}
		if tests[i], err = c.load(ctx, state, position); err != nil {
			return 0, err
		}
		tests[i].Criteria = created.Criteria
	}
	result, err := comparison.Build(tests[0], tests[1])
	var refused *domain.Error
	switch {
	case errors.As(err, &refused):
		return c.execute(ctx, began, "fail", comparison.Fail{Code: comparison.NothingToCompare, Message: refused.Message, Now: domain.At(c.Now())})
	case err != nil:
		return 0, err
	}
	position, err := c.execute(ctx, began, "complete", comparison.Complete{Result: result, Now: domain.At(c.Now())})
	if errors.Is(err, eventstore.ErrTooLarge) {
		return c.execute(ctx, began, "fail", comparison.Fail{Code: comparison.NothingToCompare, Message: "the result is too large to be recorded", Now: domain.At(c.Now())})
	}
	return position, err
}

func (c *Comparer) execute(ctx context.Context, began domain.Recorded, name string, command comparison.Command) (uint64, error) {
	return c.Commands.Execute(ctx, domain.Envelope{
		ID: domain.DeriveUUID(began.ID.String(), name), Stream: began.Stream, Command: command,
		Meta: domain.CausedBy(began, "comparer"),
	})
}

// hindrance says why a test cannot be compared, "" when it can.
func hindrance(side string, s testrun.State) (code, why string) {
	switch s.Status {
	case testrun.StatusFailed:
		return comparison.TestFailed, fmt.Sprintf("test %s (%s) failed; its failure says why", side, s.Test.TestID)
	case testrun.StatusCancelled:
		return comparison.TestCancelled, fmt.Sprintf("test %s (%s) was cancelled", side, s.Test.TestID)
	case testrun.StatusCompleted, testrun.Running: // nobody compares before the end
	}
	return "", ""
}

func (c *Comparer) load(ctx context.Context, state testrun.State, position uint64) (comparison.Test, error) {
	t, causes := state.Test, state.Causes()
	test := process.Compared(t)
	test.Sessions = make([]comparison.Session, t.Sessions)
	err := c.Reads.EachSession(ctx, t.TestID, position, func(w sessions.Walked) error {
		if w.Index < 0 || w.Index >= len(test.Sessions) {
			return fmt.Errorf("session %d of a test of %d", w.Index, len(test.Sessions))
		}
		s, err := sessionOf(w)
		s.Findings = s.Findings.Explained(causes)
		test.Sessions[w.Index] = s
		return err
	})
	return test, err
}

func sessionOf(w sessions.Walked) (s comparison.Session, err error) {
	var d sessions.Document
	if err := json.Unmarshal(w.Doc, &d); err != nil {
		return s, fmt.Errorf("session %d: %w", w.Index, err)
	}
	var found *session.Findings
	if d.Status == session.StatusCompleted {
		if err := json.Unmarshal(w.Findings, &found); err != nil {
			return s, fmt.Errorf("findings of session %s: %w", d.ID, err)
		}
	}
	taken := found.Taken()
	return comparison.Session{
		ID: d.ID, Index: d.Index, Who: whoIs(d), Usable: d.Status == session.StatusCompleted, Succeeded: taken.Succeeded,
		Seconds: d.SimulatedSeconds, Scores: d.Scores, Findings: taken,
	}, nil
}

// whoIs tells people apart by what they behave by: their facets, not their names,
// the screen and the seed.
func whoIs(d sessions.Document) string {
	return fmt.Sprintf("%+v %s %d", d.Persona.Facets(), d.Viewport, d.Seed)
}
