package session

import "understudy/domain"

// Command is a wish to a session's stream.
//
//sumtype:decl
type Command interface{ sessionCommand() }

// Queue makes the session.
type Queue struct{ Session Queued }

// Start claims the session for a worker. Attempt is one more than the last
// attempt the worker knows of, so that of two workers only one gets it.
type Start struct {
	Attempt int
	Worker  string
	Now     domain.Time
}

// RecordStep adds what was just done, with the screenshot taken before it.
type RecordStep struct {
	Attempt    int
	Screenshot *ScreenshotTaken
	Step       Step
	Now        domain.Time
}

// RecordWalk adds the rest of a walk at once: its steps and its end. The
// sandbox walks in no time and needs no append a step.
type RecordWalk struct {
	Attempt int
	Steps   []RecordStep
	End     Complete
}

// Complete ends the walk.
type Complete struct{ Result Completed }

// Fail ends the session because it could not be carried out.
type Fail struct {
	Attempt int
	Code    string
	Message string
	Usage   *Usage // of a language model, nil without one
	Now     domain.Time
}

// Cancel ends the session with its test. Session is what would have been
// queued: a session that was still to be made is made and cancelled at once,
// so that every session of a cancelled test has an end.
type Cancel struct {
	Session Queued
	Now     domain.Time
}

func (Queue) sessionCommand()      {}
func (Start) sessionCommand()      {}
func (RecordStep) sessionCommand() {}
func (RecordWalk) sessionCommand() {}
func (Complete) sessionCommand()   {}
func (Fail) sessionCommand()       {}
func (Cancel) sessionCommand()     {}
