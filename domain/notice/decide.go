package notice

import "understudy/domain"

// Command is a wish to a notice's stream.
//
//sumtype:decl
type Command interface{ noticeCommand() }

// Request makes the notice, due at once.
type Request struct{ Notice Requested }

// RecordAttempt tells how a try went. Attempt counts from 1; Channel is how the
// owner was told, "" when that failed.
type RecordAttempt struct {
	Attempt int
	Channel Channel
	Error   string
	Now     domain.Time
}

func (Request) noticeCommand()       {}
func (RecordAttempt) noticeCommand() {}

// State is what deciding, and whoever tells the owner, need to know.
type State struct {
	Notice   Requested
	Attempts int
	Ended    bool
}

// Decider is the notice's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Ended },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Requested:
		s.Notice = e
	case Attempted:
		s.Attempts = e.Attempt
	case Told, Abandoned:
		s.Ended = true
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	switch c := c.(type) {
	case Request:
		if s.Notice.NoticeID != "" || s.Ended {
			return nil, nil
		}
		return []Event{c.Notice}, nil
	case RecordAttempt:
		if s.Notice.NoticeID == "" || s.Ended || c.Attempt <= s.Attempts {
			return nil, nil // told before, or too late to matter
		}
		return recordAttempt(s, c)
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func recordAttempt(s State, c RecordAttempt) ([]Event, error) {
	switch {
	case c.Attempt != s.Attempts+1:
		return nil, domain.Refuse(domain.CodeConflict, "try %d cannot follow try %d", c.Attempt, s.Attempts)
	case c.Channel != "":
		return []Event{Told{Channel: c.Channel, At: c.Now}}, nil
	case c.Attempt > len(Backoff):
		return []Event{
			Attempted{Attempt: c.Attempt, Error: c.Error, At: c.Now}, Abandoned{Attempts: c.Attempt, At: c.Now},
		}, nil
	}
	due := domain.At(c.Now.Add(Backoff[c.Attempt-1]))
	return []Event{Attempted{Attempt: c.Attempt, Error: c.Error, At: c.Now, NextDueAt: &due}}, nil
}
