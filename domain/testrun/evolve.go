package testrun

import "understudy/domain"

// Status is where a test stands.
type Status string

// The statuses of a test. A stream without events has the empty one.
const (
	Running         Status = "running"
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
)

// State is what deciding needs to know. Values are never changed in place.
type State struct {
	Status    Status
	Test      Created
	IsStarted bool
	// Finished: every session has ended and the report is awaited.
	Finished bool
	// Examining: replays may be made, and the report waits for them.
	Examining bool
	// Replays are those that were begun, in their order.
	Replays []Replay
	// Examined is what they came to, nil before and for tests without.
	Examined *CausesExamined
	Ended    int // sessions that ended, failed ones included
	Failed   int // of these, the ones without usable scores
	// Archive is where its history is kept, nil while that is the log alone.
	Archive *Archived
	// ended is a bit per session, as long as the highest one that has ended
	// needs it: what a recorded event claims allocates nothing.
	ended []uint64
}

// maxSessions bounds which sessions are told apart, a hundred times the 10,000
// that a test may ask for.
const maxSessions = 1 << 20

// sessions is how many sessions of the test can be counted.
func (s State) sessions() int { return min(s.Test.Sessions, maxSessions) }

// HasEnded reports whether the session with this index was counted.
func (s State) HasEnded(index int) bool {
	w := index / 64
	return index >= 0 && w < len(s.ended) && s.ended[w]&(1<<(index%64)) != 0
}

// Decider is the test's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Archive != nil },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Created:
		s.Status, s.Test, s.ended = Running, e, nil
	case Started:
		s.IsStarted = true
	case SessionEnded:
		if e.Index < 0 || e.Index >= s.sessions() {
			return s
		}
		ended := make([]uint64, max(len(s.ended), e.Index/64+1))
		copy(ended, s.ended)
		ended[e.Index/64] |= 1 << (e.Index % 64)
		s.ended = ended
		s.Ended++
		if !e.Usable {
			s.Failed++
		}
	case Progressed, GateJudged:
	case SessionsFinished:
		s.Finished, s.Examining = true, e.ExamineCauses
	case ReplayBegun, ReplayEnded, CausesExamined:
		s = examined(s, e)
	case Completed:
		s.Status = StatusCompleted
	case Failed:
		s.Status = StatusFailed
	case Cancelled:
		s.Status = StatusCancelled
	case Archived:
		s.Archive = &e
	}
	return s
}
