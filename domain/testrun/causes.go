package testrun

import (
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/replay"
)

// What a test may ask for: whether walks that fell short are repeated to find out why.
const (
	// Safe replays each suspected cause once and sends nothing again that was accepted.
	Safe = "safe"
	Off  = "off"
)

// replayed: walks of the test can be repeated, and may be. The sandbox has no page that
// could be at fault; what a language model decides walks no path twice, and each walk is
// paid for.
func (c *Created) replayed() bool {
	return c.Environment == domain.Live && c.Replays != Off && !strings.Contains(c.Model, "/")
}

// Replay is one walk that was repeated without a suspected cause.
type Replay struct {
	SessionID string
	Cause     findings.Cause
	// Result is "" until it is recorded. Sent is what the replay had servers change.
	Result replay.Result
	Sent   []findings.Sent
}

// MayReplay reports whether another replay may be begun. None follows one whose end is
// not known: neither is what it sent.
func (s State) MayReplay() bool {
	n := len(s.Replays)
	return s.Status == Running && s.Examining && n < replay.Most &&
		(n == 0 || s.Replays[n-1].Result != "" && s.Replays[n-1].Result != replay.CutShort)
}

// Tried are the causes of all replays, proven or not.
func (s State) Tried() []findings.Cause {
	out := make([]findings.Cause, len(s.Replays))
	for i, r := range s.Replays {
		out[i] = r.Cause
		out[i].Proven = r.Result == replay.Proven
	}
	return out
}

// Causes are what replays have shown, one way or the other.
func (s State) Causes() (out []findings.Cause) {
	for i, c := range s.Tried() {
		if r := s.Replays[i].Result; r == replay.Proven || r == replay.Unchanged {
			out = append(out, c)
		}
	}
	return out
}

// Sent is what replays have had servers change.
func (s State) Sent() (out []findings.Sent) {
	for _, r := range s.Replays {
		out = findings.Added(out, r.Sent)
	}
	return out
}

func beginReplay(s State, c BeginReplay) ([]Event, error) {
	if !s.MayReplay() || c.N != len(s.Replays)+1 {
		return nil, domain.Refuse(domain.CodeWrongState, "replay %d is not to be begun", c.N)
	}
	return []Event{ReplayBegun{
		N: c.N, SessionID: c.SessionID, Kind: c.Cause.Kind, Selector: c.Cause.Selector, Template: c.Cause.Template, At: c.Now,
	}}, nil
}

func endReplay(s State, c EndReplay) ([]Event, error) {
	if s.Status != Running || !s.Examining || c.N != len(s.Replays) {
		return nil, domain.Refuse(domain.CodeWrongState, "replay %d is not under way", c.N)
	}
	if s.Replays[c.N-1].Result != "" {
		return nil, nil // told before
	}
	ended := ReplayEnded{N: c.N, Result: string(c.Outcome.Result), At: c.Now}
	for _, sent := range c.Outcome.Sent {
		ended.Sent = append(ended.Sent, Sent(sent))
	}
	return []Event{ended}, nil
}

// endExamination sums up. A replay without an end was cut short by the end of whoever
// made it.
func endExamination(s State, c EndExamination) ([]Event, error) {
	if s.Status != Running || !s.Examining {
		return nil, nil
	}
	e := CausesExamined{Suspected: max(c.Suspected, len(s.Replays)), Made: len(s.Replays), At: c.Now}
	for _, r := range s.Replays {
		switch r.Result {
		case replay.Proven:
			e.Proven++
		case replay.Withheld:
			e.Withheld++
		case replay.CutShort, "":
			e.CutShort++
		case replay.Unchanged:
		}
	}
	return []Event{e}, nil
}

// examined is the state after an event of the examination.
func examined(s State, e Event) State {
	switch e := e.(type) {
	case ReplayBegun:
		s.Replays = append(slices.Clip(s.Replays), Replay{
			SessionID: e.SessionID, Cause: findings.Cause{Kind: e.Kind, Selector: e.Selector, Template: e.Template},
		})
	case ReplayEnded:
		if e.N < 1 || e.N > len(s.Replays) {
			return s
		}
		s.Replays = slices.Clone(s.Replays)
		r := &s.Replays[e.N-1]
		r.Result = replay.Result(e.Result)
		for _, sent := range e.Sent {
			r.Sent = append(r.Sent, findings.Sent(sent))
		}
	case CausesExamined:
		s.Examining, s.Examined = false, &e
	default:
	}
	return s
}
