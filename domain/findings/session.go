package findings

import (
	"cmp"
	"slices"

	"understudy/domain/walk"
)

// Session is what one session contributes to the ranking.
type Session struct {
	SessionID    string
	Observations []Observation
	// Templates of the pages that it visited: what it was exposed to.
	Templates []string
	Succeeded bool
	// Outcome is that of the walk (walk.Succeeded, …), "" when the walker
	// thought that it was done and nothing confirms it.
	Outcome string
	// SimulatedMS is the whole walk's simulated time, WayMS the part of it that
	// led on.
	SimulatedMS int
	WayMS       int
	// Moves are the steps other than reading on and putting dialogs away.
	Moves int
	// Stuck: the budget of steps ran out while the walk got nowhere or was held
	// up by what stops everybody, which people would have given up on. That it was not given up on is a limit of the
	// simulation; what stopped it is the page's.
	Stuck bool
	// Misled: the walker thought that it had done the task, and nothing that the pages or
	// the network showed says so.
	Misled bool
	// Frontier is where a walk that fell short went astray: the place that the last
	// thing which was sent and taken led to, or to which promising links led on from
	// there; "" when neither is known.
	Frontier string
	// Visits are the places of the walk in order, a stay counted once.
	Visits []string
	// Way are the steps that led on, in order: what other sessions are compared with.
	Way []Passage
	// Suspects are elements of visited pages that a rule objects to. Nobody was
	// seen to be impeded by them; a suspect becomes an observation where this
	// session left the way of the successful ones, who used that very element.
	Suspects []Observation
	// Violations are what an accessibility audit found, for the appendix.
	Violations []Violation
	// Sent are the forms, and whatever else asked a server for a change, that were
	// accepted, each once: what no replay of the session may send again.
	Sent []Sent
	// Causes are what replays with a barrier taken away have shown (Barriers lists the
	// candidates). None: nothing was replayed.
	Causes []Cause
	// Sought are the task's words for what was looked for; Stops are the pages that a
	// session without success came to, in the order in which it first did.
	Sought []string
	Stops  []Stop
}

// Sent is a request that asked a server to change something, by its method and the
// template of its address.
type Sent struct {
	Method   string
	Template string
}

// Passage is a step that led on: where, and by which element.
type Passage struct {
	Place    string
	Role     string
	Name     string
	Selector string
	Step     int
	// LostMS is the simulated time without progress before it, WrongClicks how
	// many clicks in it led elsewhere.
	LostMS      int
	WrongClicks int
	// Scent is what the element seemed to promise, 0 to 1.
	Scent float64
	Field bool
	// Opens: it did not lead away but opened what the next one stands in.
	Opens bool
	// OnPage: it led to another part of its page, or opened what led there. Who
	// reads on gets there too.
	OnPage bool
}

// Cause is the result of one replay: with the barrier of this kind at this
// element taken away the session went otherwise (Proven) or just as before.
type Cause struct {
	Kind     string
	Selector string
	Template string
	Proven   bool
}

// CauseOf is an observation as what a session may have fallen short for.
func CauseOf(o *Observation) Cause {
	c := Cause{Kind: o.Kind, Template: o.Template}
	if o.Element != nil {
		c.Selector = o.Element.Selector
	}
	return c
}

// Is reports whether two causes are one, whatever came of them: identifiers that a page
// makes anew for everybody do not tell elements apart.
func (c Cause) Is(d Cause) bool {
	return c.Kind == d.Kind && c.Template == d.Template &&
		selectorID.ReplaceAllString(c.Selector, "$1*") == selectorID.ReplaceAllString(d.Selector, "$1*")
}

// is reports whether a cause speaks of an observation.
func (c Cause) is(o *Observation) bool { return c.Is(CauseOf(o)) }

// Explained is the session with what the replays of its test have shown; to one that
// did not fall short they say nothing.
func (s Session) Explained(causes []Cause) Session {
	if s.fellShort() {
		s.Causes = slices.Concat(s.Causes, causes)
	}
	return s
}

// NewSession reduces a walk to what the ranking needs.
func NewSession(sessionID string, w walk.Walked) Session {
	x := examine(w)
	s := Session{
		SessionID: sessionID, Observations: x.observations(), Succeeded: w.Outcome == walk.Succeeded, Outcome: w.Outcome,
		SimulatedMS: w.SimulatedMS, Stuck: x.stuck() || x.heldUp(), Misled: x.misled(), Suspects: x.suspects(), Violations: x.violations(),
	}
	if at := x.scentEnds(); s.fellShort() && at >= 0 {
		s.Frontier = x.places[at]
	}
	seen := map[string]bool{}
	add := func(url string) {
		if t := Template(url); t != "" && !seen[t] {
			seen[t] = true
			s.Templates = append(s.Templates, t)
		}
	}
	for i := range w.Steps {
		r := &w.Steps[i]
		add(r.Page.URL)
		if r.Effect.Navigated {
			add(r.Effect.URL)
		}
		if n := len(s.Visits); n == 0 || s.Visits[n-1] != x.places[i] {
			s.Visits = append(s.Visits, x.places[i])
		}
		if p := r.Decision.Purpose; p != walk.ReadOn && p != walk.Dismiss {
			s.Moves++
		}
		s.Sent = Added(s.Sent, SentBy(r))
		if x.onWay[i] {
			s.WayMS += r.Decision.SimulatedMS
			s.Way = append(s.Way, x.passage(i))
		}
	}
	if !s.Succeeded && len(w.Steps) > 0 {
		s.Sought, s.Stops = x.sought(), x.stops()
	}
	return s
}

// SentBy is what a step had its server change.
func SentBy(r *walk.StepRecord) (out []Sent) {
	for _, q := range r.Sent() {
		out = append(out, Sent{Method: q.Method, Template: Template(q.URL)})
	}
	return out
}

// Added is what was sent, with more of it; each once.
func Added(all, more []Sent) []Sent {
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func (x *examined) passage(i int) Passage {
	d := &x.w.Steps[i].Decision
	p := Passage{Place: x.places[i], Step: i, Scent: d.Scent, Field: d.Purpose == walk.Fill, Opens: d.Purpose == walk.OpenMenu}
	p.LostMS, p.WrongClicks = x.lostBefore(i)
	if e := d.Target; e != nil {
		p.Role, p.Name, p.Selector = e.Role, clip(e.Name, 80), e.Selector
		p.OnPage = onPage(x.then(i, p.Opens).Href, &x.w.Steps[i].Page)
	}
	return p
}

// then is the target of a step, or of the next one that led on at its place
// where the step only opened what that stands in.
func (x *examined) then(i int, opens bool) *walk.Element {
	for j := i + 1; opens && j < len(x.w.Steps) && x.places[j] == x.places[i]; j++ {
		if t := x.w.Steps[j].Decision.Target; x.onWay[j] && t != nil && x.w.Steps[j].Decision.Purpose != walk.OpenMenu {
			return t
		}
	}
	return x.w.Steps[i].Decision.Target
}

// Barriers are what a session that fell short may be blamed on, the most
// likely first: what a replay should take away, one after the other. A session
// that succeeded has none.
func (s Session) Barriers() []Observation {
	if !s.fellShort() {
		return nil
	}
	var out []Observation
	for _, o := range s.Observations {
		if o.Channel == Observed && weight(&o) > 0 {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b Observation) int { return compareBlame(&a, &b) })
	end := ""
	if n := len(s.Visits); n > 0 {
		end = s.Visits[n-1]
	}
	suspects := slices.Clone(s.Suspects)
	slices.SortStableFunc(suspects, func(a, b Observation) int { return -cmp.Compare(here(a.Place == end), here(b.Place == end)) })
	return append(out, suspects...)
}

func here(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// fellShort: the walk ended without the goal, and not for the budget's sake alone, where
// nobody can be simulated, or on a machine that was too late.
func (s *Session) fellShort() bool {
	return !s.Walled() && !s.hurt() && (s.Outcome == walk.Blocked || s.Outcome == walk.GaveUp || s.Stuck || s.Misled)
}
