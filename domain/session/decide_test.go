package session_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/persona"
	"understudy/domain/session"
)

var begin = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

func at(seconds int) domain.Time { return domain.At(begin.Add(time.Duration(seconds) * time.Second)) }

var queued = session.Queued{
	SessionID: "ses_1", TestID: "test_1", OrganizationID: "org_1", Environment: domain.Live, Index: 4,
	Persona:  persona.Persona{ID: "per_1", Name: "Ada", Summary: "patient", Facets: persona.Facets{Patience: 2}},
	Viewport: "desktop", Seed: 11, Model: "forager-1", At: at(0),
}

func started(attempt int) session.Started {
	return session.Started{TestID: "test_1", Attempt: attempt, Worker: "w1", At: at(attempt)}
}

func claim(attempt int) session.Start {
	return session.Start{Attempt: attempt, Worker: "w1", Now: at(attempt)}
}

func step(index int) session.Step {
	return session.Step{
		Index: index, At: at(20 + index), URL: "https://shop.example/", Thought: "There is the lamp.",
		Action: session.Action{Type: "click"}, SimulatedMS: 900, ScreenshotID: "art_1", Signals: []session.Signal{},
	}
}

// does is the command, did the facts, of one step.
func does(attempt, index int) session.RecordStep {
	return session.RecordStep{
		Attempt: attempt, Step: step(index), Now: at(20 + index),
		Screenshot: &session.ScreenshotTaken{Attempt: attempt, Step: index, Artifact: session.Artifact{ID: "art_1"}, At: at(20 + index)},
	}
}

func did(attempt, index int) events {
	return events{
		session.ScreenshotTaken{TestID: "test_1", Attempt: attempt, Step: index, Artifact: session.Artifact{ID: "art_1"}, At: at(20 + index)},
		session.Stepped{TestID: "test_1", Attempt: attempt, Step: step(index), At: at(20 + index)},
	}
}

// walked is the end of a walk as the runner tells it: it knows neither the
// test nor the index, which the stream adds.
func walked(attempt int) session.Complete {
	return session.Complete{Result: session.Completed{
		Attempt: attempt, Outcome: "succeeded", Completion: session.Completion{Status: "verified", Confidence: 0.9},
		Scores: map[string]float64{"task_completion": 1}, Steps: 2, At: at(40),
	}}
}

// completed is what the stream records of it, by the first attempt.
func completed() session.Completed {
	c := walked(1).Result
	c.TestID, c.Index = "test_1", 4
	return c
}

func failed(attempt int, code, message string, seconds int) session.Failed {
	return session.Failed{TestID: "test_1", Index: 4, Attempt: attempt, Code: code, Message: message, At: at(seconds)}
}

var cancelled = session.Cancelled{TestID: "test_1", Index: 4, At: at(50)}

const exhausted = "the session was begun three times and its browser or worker ended each time before it did"

type (
	fact   = domaintest.Case[session.Command, session.Event]
	events = []session.Event
)

func join(parts ...events) (all events) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestQueueAndClaim(t *testing.T) {
	t.Parallel()
	domaintest.Run(t, session.Decider, []fact{
		{Name: "queued", When: session.Queue{Session: queued}, Then: events{queued}},
		{Name: "queued again", Given: events{queued}, When: session.Queue{Session: queued}},
		{Name: "queued after the end", Given: events{queued, cancelled}, When: session.Queue{Session: queued}},
		{Name: "claimed", Given: events{queued}, When: claim(1), Then: events{started(1)}},
		{Name: "claimed by two workers: the second one", Given: events{queued, started(1)}, When: claim(1), Refused: domain.CodeWrongState},
		{Name: "an attempt that skips one", Given: events{queued}, When: claim(2), Refused: domain.CodeWrongState},
		{Name: "nothing to claim", When: claim(1), Refused: domain.CodeNotFound},
		{Name: "claimed after the cancellation", Given: events{queued, cancelled}, When: claim(1), Refused: domain.CodeWrongState},
		{Name: "claimed after the end", Given: events{queued, started(1), completed()}, When: claim(2), Refused: domain.CodeWrongState},
	})
}

func TestTakeover(t *testing.T) {
	t.Parallel()
	domaintest.Run(t, session.Decider, []fact{
		{Name: "the second attempt", Given: events{queued, started(1)}, When: claim(2), Then: events{started(2)}},
		{Name: "the third attempt", Given: events{queued, started(1), started(2)}, When: claim(3), Then: events{started(3)}},
		{
			Name: "there is no fourth", Given: events{queued, started(1), started(2), started(3)}, When: claim(4),
			Then: events{failed(3, session.AttemptsExhausted, exhausted, 4)},
		},
		{Name: "a step of the attempt before", Given: events{queued, started(1), started(2)}, When: does(1, 0), Refused: domain.CodeWrongState},
		{Name: "an end of the attempt before", Given: events{queued, started(1), started(2)}, When: walked(1), Refused: domain.CodeWrongState},
		{
			Name: "a failure of the attempt before", Given: events{queued, started(1), started(2)},
			When: session.Fail{Attempt: 1, Code: "browser_crashed", Now: at(9)}, Refused: domain.CodeWrongState,
		},
		{
			Name:  "the walk begins again from its first step",
			Given: join(events{queued, started(1)}, did(1, 0), did(1, 1), events{started(2)}), When: does(2, 0), Then: did(2, 0),
		},
	})
}

func TestSteps(t *testing.T) {
	t.Parallel()
	running := events{queued, started(1)}
	blind := does(1, 0)
	blind.Screenshot = nil
	domaintest.Run(t, session.Decider, []fact{
		{Name: "a step with its screenshot before it", Given: running, When: does(1, 0), Then: did(1, 0)},
		{Name: "a step without a screenshot", Given: running, When: blind, Then: did(1, 0)[1:]},
		{Name: "a step told again", Given: join(running, did(1, 0)), When: does(1, 0)},
		{Name: "the next step", Given: join(running, did(1, 0)), When: does(1, 1), Then: did(1, 1)},
		{Name: "a step that leaves one out", Given: running, When: does(1, 1), Refused: domain.CodeConflict},
		{Name: "a step before the claim", Given: events{queued}, When: does(1, 0), Refused: domain.CodeWrongState},
		{Name: "a step after the cancellation", Given: append(running[:2:2], cancelled), When: does(1, 0), Refused: domain.CodeWrongState},
		{
			Name: "a whole walk", Given: running,
			When: session.RecordWalk{Attempt: 1, Steps: []session.RecordStep{does(1, 0), does(1, 1)}, End: walked(1)},
			Then: join(did(1, 0), did(1, 1), events{completed()}),
		},
		{
			Name: "the rest of a walk", Given: join(running, did(1, 0)),
			When: session.RecordWalk{Attempt: 1, Steps: []session.RecordStep{does(1, 0), does(1, 1)}, End: walked(1)},
			Then: join(did(1, 1), events{completed()}),
		},
		{
			Name: "a whole walk told again", Given: join(running, did(1, 0), events{completed()}),
			When: session.RecordWalk{Attempt: 1, Steps: []session.RecordStep{does(1, 0)}, End: walked(1)},
		},
		{
			Name: "a whole walk of an attempt that was taken over", Given: append(running[:2:2], started(2)),
			When:    session.RecordWalk{Attempt: 1, Steps: []session.RecordStep{does(1, 0)}, End: walked(1)},
			Refused: domain.CodeWrongState,
		},
		{
			Name: "a whole walk whose end is of another attempt", Given: running,
			When:    session.RecordWalk{Attempt: 1, Steps: []session.RecordStep{does(1, 0)}, End: walked(2)},
			Refused: domain.CodeWrongState,
		},
	})
}

func TestEndings(t *testing.T) {
	t.Parallel()
	running := events{queued, started(1)}
	crash := session.Fail{Attempt: 1, Code: "browser_crashed", Message: "gone", Now: at(9)}
	crashed := failed(1, "browser_crashed", "gone", 9)
	domaintest.Run(t, session.Decider, []fact{
		{Name: "completed: the stream adds test and index", Given: running, When: walked(1), Then: events{completed()}},
		{Name: "completed again", Given: append(running[:2:2], completed()), When: walked(1)},
		{Name: "completed by another attempt", Given: append(running[:2:2], completed()), When: walked(2), Refused: domain.CodeWrongState},
		{Name: "completed before the claim", Given: events{queued}, When: walked(1), Refused: domain.CodeWrongState},
		{Name: "completed after the cancellation", Given: append(running[:2:2], cancelled), When: walked(1), Refused: domain.CodeWrongState},
		{Name: "failed", Given: running, When: crash, Then: events{crashed}},
		{Name: "failed again", Given: append(running[:2:2], crashed), When: crash},
		{Name: "failed after the end", Given: append(running[:2:2], completed()), When: crash, Refused: domain.CodeWrongState},
		{Name: "cancelled while queued", Given: events{queued}, When: session.Cancel{Session: queued, Now: at(50)}, Then: events{cancelled}},
		{Name: "cancelled while running", Given: running, When: session.Cancel{Session: queued, Now: at(50)}, Then: events{cancelled}},
		{Name: "cancelled before it was made", When: session.Cancel{Session: queued, Now: at(50)}, Then: events{queued, cancelled}},
		{Name: "cancelled again", Given: events{queued, cancelled}, When: session.Cancel{Session: queued, Now: at(60)}},
		{Name: "cancelled after the end", Given: append(running[:2:2], completed()), When: session.Cancel{Session: queued, Now: at(60)}},
		{Name: "cancelled after the failure", Given: append(running[:2:2], crashed), When: session.Cancel{Session: queued, Now: at(60)}},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, session.Decider, rapid.Custom(func(t *rapid.T) session.Command {
		attempt := rapid.IntRange(1, session.MaxAttempts+1).Draw(t, "attempt")
		index := rapid.IntRange(0, 3).Draw(t, "step")
		switch rapid.IntRange(0, 20).Draw(t, "command") {
		case 0, 1, 2:
			return session.Queue{Session: queued}
		case 3:
			return session.Cancel{Session: queued, Now: at(50)}
		case 4:
			return walked(attempt)
		case 5:
			return session.Fail{Attempt: attempt, Code: "browser_crashed", Now: at(9)}
		case 6:
			return session.RecordWalk{Attempt: attempt, Steps: []session.RecordStep{does(attempt, 0), does(attempt, 1)}, End: walked(attempt)}
		case 7, 8, 9, 10, 11, 12:
			return claim(attempt)
		}
		return does(attempt, index)
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, session.Decider, session.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, session.Catalogue)
}
