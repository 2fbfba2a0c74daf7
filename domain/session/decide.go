package session

import "understudy/domain"

// MaxAttempts is how often a session is tried when workers or browsers die.
const MaxAttempts = 3

// AttemptsExhausted is the code of a session that failed MaxAttempts times.
const AttemptsExhausted = "attempts_exhausted"

// Status is where a session stands.
type Status string

// The statuses of a session. A stream without events has the empty one.
const (
	StatusQueued    Status = "queued"
	StatusRunning   Status = "running"
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
)

// State is what deciding needs to know.
type State struct {
	Status  Status
	Attempt int
	Steps   int
	Session Queued
}

// Decider is the session's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done: func(s State) bool {
		return s.Status == StatusCompleted || s.Status == StatusFailed || s.Status == StatusCancelled
	},
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Queued:
		s.Status, s.Session = StatusQueued, e
	case Started:
		s.Status, s.Attempt, s.Steps = StatusRunning, e.Attempt, 0
	case Stepped:
		s.Steps++
	case ScreenshotTaken:
	case Completed:
		s.Status = StatusCompleted
	case Failed:
		s.Status = StatusFailed
	case Cancelled:
		s.Status = StatusCancelled
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	switch c.(type) {
	case Queue, Cancel:
	default:
		if s.Status == "" {
			return nil, domain.Refuse(domain.CodeNotFound, "there is no such session")
		}
	}
	switch c := c.(type) {
	case Queue:
		if s.Status != "" {
			return nil, nil
		}
		return []Event{c.Session}, nil
	case Cancel:
		switch s.Status {
		case "":
			return []Event{c.Session, cancelled(c.Session, c.Now)}, nil
		case StatusQueued, StatusRunning:
			return []Event{cancelled(s.Session, c.Now)}, nil
		case StatusCompleted, StatusFailed, StatusCancelled:
		}
		return nil, nil
	case Start:
		return start(s, c)
	case RecordStep:
		return recordStep(s, c)
	case RecordWalk:
		return recordWalk(s, c)
	case Complete:
		if s.Status == StatusCompleted && s.Attempt == c.Result.Attempt {
			return nil, nil // told before
		}
		if err := running(s, c.Result.Attempt); err != nil {
			return nil, err
		}
		done := c.Result
		done.TestID, done.Index = s.Session.TestID, s.Session.Index
		return []Event{done}, nil
	case Fail:
		if s.Status == StatusFailed && s.Attempt == c.Attempt {
			return nil, nil
		}
		if err := running(s, c.Attempt); err != nil {
			return nil, err
		}
		end := failed(s, c.Attempt, c.Code, c.Message, c.Now)
		end.Usage = c.Usage
		return []Event{end}, nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// start gives the session to a worker, or fails it when the attempts are used
// up: a page that kills its browser every time must not do so for ever.
func start(s State, c Start) ([]Event, error) {
	if s.Status != StatusQueued && s.Status != StatusRunning {
		return nil, domain.Refuse(domain.CodeWrongState, "the session is %s", s.Status)
	}
	if c.Attempt != s.Attempt+1 {
		return nil, domain.Refuse(domain.CodeWrongState, "attempt %d has begun elsewhere", s.Attempt)
	}
	if c.Attempt > MaxAttempts {
		return []Event{failed(s, s.Attempt, AttemptsExhausted,
			"the session was begun three times and its browser or worker ended each time before it did", c.Now)}, nil
	}
	return []Event{Started{TestID: s.Session.TestID, Attempt: c.Attempt, Worker: c.Worker, At: c.Now}}, nil
}

func recordStep(s State, c RecordStep) ([]Event, error) {
	if err := running(s, c.Attempt); err != nil {
		return nil, err
	}
	if c.Step.Index < s.Steps {
		return nil, nil // recorded before, the answer was lost
	}
	if c.Step.Index > s.Steps {
		return nil, domain.Refuse(domain.CodeConflict, "step %d cannot follow %d steps", c.Step.Index, s.Steps)
	}
	var events []Event
	if c.Screenshot != nil {
		shot := *c.Screenshot
		shot.TestID = s.Session.TestID
		events = append(events, shot)
	}
	return append(events, Stepped{TestID: s.Session.TestID, Attempt: c.Attempt, Step: c.Step, At: c.Now}), nil
}

func recordWalk(s State, c RecordWalk) ([]Event, error) {
	if s.Status == StatusCompleted && s.Attempt == c.Attempt {
		return nil, nil // told before
	}
	var events []Event
	for _, step := range c.Steps {
		more, err := recordStep(s, step)
		if err != nil {
			return nil, err
		}
		events = append(events, more...)
		for _, e := range more {
			s = evolve(s, e)
		}
	}
	end, err := decide(s, c.End)
	if err != nil {
		return nil, err
	}
	return append(events, end...), nil
}

func running(s State, attempt int) error {
	if s.Status != StatusRunning {
		return domain.Refuse(domain.CodeWrongState, "the session is %s", s.Status)
	}
	if s.Attempt != attempt {
		return domain.Refuse(domain.CodeWrongState, "attempt %d was taken over by attempt %d", attempt, s.Attempt)
	}
	return nil
}

func failed(s State, attempt int, code, message string, now domain.Time) Failed {
	return Failed{
		TestID: s.Session.TestID, Index: s.Session.Index,
		Attempt: attempt, Code: code, Message: message, At: now,
	}
}

func cancelled(q Queued, now domain.Time) Cancelled {
	return Cancelled{TestID: q.TestID, Index: q.Index, At: now}
}
