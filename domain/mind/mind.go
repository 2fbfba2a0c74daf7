package mind

import (
	"math"

	"understudy/domain/persona"
)

// Mind is one simulated user at work. It is deterministic: the same facets,
// goal, seed and looks give the same decisions. Not safe for concurrent use.
type Mind struct {
	t    traits
	goal Goal
	seed uint64
	max  int

	dict   *dictionary
	sims   map[similarKey]float64
	places map[string]*place
	forms  map[string]*formState
	links  map[string]bool // addresses that were opened
	trail  []string        // keys of the places to go back to
	mine   *witness

	steps    int
	idleMS   float64 // unproductive simulated time since the last progress
	shocks   float64 // frustration of things that went wrong, fades with progress
	followed float64 // scent of the click that led to this place
	last     Decision
	lastKey  string // element key of the last click
	where    *place // the place of the last look
	arrived  int    // steps since arrival at this place
	still    int    // actions in a row that changed nothing
	rage     int
	away     map[string]int // dismissals tried, by place
	pointer  point
	pending  []Signal
	skim     float64 // ms of reading not yet charged
}

// New makes a simulated user with a goal. The seed decides what the facets
// leave open; the persona's id, name and summary decide nothing.
func New(p persona.Persona, goal Goal, seed uint64, o Options) *Mind {
	if o.MaxSteps <= 0 {
		o.MaxSteps = DefaultMaxSteps
	}
	if len(goal.Subgoals) == 0 {
		goal = ParseTask(goal.Task, goal.Inputs)
	}
	m := &Mind{
		t: traitsOf(p, seed), goal: goal, seed: seed, max: o.MaxSteps,
		dict: newDictionary(), sims: map[similarKey]float64{}, places: map[string]*place{},
		forms: map[string]*formState{}, links: map[string]bool{}, away: map[string]int{},
	}
	m.mine = newWitness(&m.goal, m.dict.of)
	return m
}

func (m *Mind) at() int { return min(m.mine.at, len(m.goal.Subgoals)-1) }

func (m *Mind) subgoal() *Subgoal { return &m.goal.Subgoals[m.at()] }

// shock adds frustration that is worth its share of patience.
func (m *Mind) shock(size float64) { m.shocks = math.Min(1, m.shocks+size*m.t.doubt) }

// frustration is 0 when all goes well and 1 when patience has ended. Things
// that went wrong multiply the time that seems wasted.
func (m *Mind) frustration() float64 {
	return math.Min(1, m.idleMS*(1+1.5*m.shocks)*(0.7+0.3*m.t.doubt)/m.t.patienceMS+0.15*m.shocks)
}

// Step looks at the page and decides. last is the effect of the action that
// the previous Step decided on, zero for the first. It takes any page: an empty
// one, one with thousands of elements, one with nonsense in it.
func (m *Mind) Step(page Page, last Effect) Decision {
	m.steps++
	m.pending = nil
	m.skim = 0
	before := m.at()
	m.felt(&last)
	if m.steps == 1 {
		m.mine.remember(&page)
		m.mine.lastURL = page.URL
	}
	advanced := m.mine.observe(&page, &last, m.sees)
	if m.mine.done() {
		return m.finishDone(&page, before)
	}
	v := m.look(&page)
	m.orient(v, &last, advanced)
	d := m.decide(v)
	return m.settle(v, d)
}

// felt takes in what became of the last action.
func (m *Mind) felt(last *Effect) {
	if m.steps == 1 {
		return
	}
	changed := last.Navigated || last.Mutated || last.NewTab || last.Download
	switch {
	case changed || last.Scrolled:
		m.still = 0
	default:
		m.still++
	}
	if m.last.Action.Type == Click && !changed && !last.Scrolled {
		m.shock(0.12)
		m.pending = append(m.pending, Signal{Kind: SigDeadClick, Detail: "nothing happened"})
	}
	if changed || m.last.Action.Type != Click {
		m.rage = 0
	}
	if len(last.Errors) > 0 && m.last.Action.Type == Click && !changed {
		m.shock(0.1)
	}
	// Waiting is felt from 4 s on, in steps of 2 s, so that the machine's own
	// small delays do not change a walk (Nielsen 1993: attention is kept 10 s).
	if last.SettleMS >= 4000 {
		wait := float64(last.SettleMS/2000) * 2000
		m.idleMS += wait
		m.shock(math.Min(0.3, wait/40000))
	}
	m.pending = nilIfDead(m.pending, m.last)
}

// nilIfDead drops signals of acts that end nowhere by intent.
func nilIfDead(s []Signal, last Decision) []Signal {
	if last.Purpose == Dismiss {
		return nil
	}
	return s
}

// orient updates where we are and whether that is progress.
func (m *Mind) orient(v *view, last *Effect, advanced bool) {
	from := m.where
	moved := from != nil && v.place != from
	if from == nil || moved {
		v.place.visits++
		m.arrived = 0
		if moved && m.last.Action.Type != Back && (last.Navigated || last.Mutated) && !last.NewTab {
			m.trail = append(m.trail, from.key)
		}
		if last.NewTab {
			m.trail = nil // a new tab has nothing behind it
		}
		if m.last.Action.Type == Back && len(m.trail) > 0 {
			m.trail = m.trail[:len(m.trail)-1]
		}
		m.charge(v)
	} else {
		m.arrived++
		if last.Scrolled {
			m.charge(v)
		}
	}
	m.where = v.place
	if v.place.screens == 0 {
		v.place.screens = 1
	}
	progress := advanced
	switch {
	case moved && v.place.visits == 1 && v.best >= 0.35 && v.page.Status < 400 && m.last.Action.Type != Back:
		progress = true
	case m.last.Purpose == Fill && (last.Mutated || last.Failed == "") && m.last.Target != nil && m.last.Target.Error == "":
		progress = true
	case m.last.Purpose == Submit && (moved || last.Mutated) && !refused(v.page, m.sees):
		progress = true
	case last.Scrolled && v.best >= m.t.settle && v.best > v.place.before+0.1:
		progress = true
	case m.last.Purpose == OpenMenu && last.Mutated:
		progress = v.best >= m.t.settle
	}
	if m.last.Purpose == Submit && refused(v.page, m.sees) {
		m.shock(0.12)
		for _, st := range m.forms {
			if st.sent > st.errors {
				st.errors = st.sent
			}
		}
	}
	if progress {
		m.idleMS, m.shocks = 0, m.shocks*0.4
	} else {
		m.idleMS += float64(m.last.SimulatedMS)
	}
}

// screenShare is the attention that screenfuls get, relative to the first:
// 57, 17, 7, 5, 3 and 2 % of the viewing time (NN/g 2018), raised to a floor
// because a seeker scrolls to find and not to pass the time.
var screenShare = [...]float64{1, 0.4, 0.3, 0.2, 0.15}

// charge adds the reading of what is new on the screen: at first sight the
// persona's share of the words, less on later screenfuls, at most 25 s.
func (m *Mind) charge(v *view) {
	n := float64(v.words) * m.t.readShare * screenShare[min(len(screenShare)-1, max(0, v.place.screens-1))]
	if v.place.visits > 1 && m.arrived == 0 {
		n *= 0.2 // known already
	}
	m.skim = math.Min(25000, m.t.readMS(int(n)))
	if m.t.contrast > 1.5 || m.t.minFont < 9 && m.t.minFont > 0 {
		m.skim *= 1.2 // enlarged or faint text is read in pieces
	}
}

// decide picks the next move in the order in which people attend: what is
// broken, what is in the way, what was begun, what smells of the goal.
func (m *Mind) decide(v *view) Decision {
	if d, ok := m.broken(v); ok {
		return d
	}
	if m.frustration() >= 1 {
		return m.quit(v, EndGaveUp, m.whyGiveUp(v))
	}
	if d, ok := m.interruption(v); ok {
		return d
	}
	if f := m.pickForm(v); f != nil {
		if d, ok := m.workForm(v, f); ok {
			return d
		}
	}
	return m.forage(v)
}

// broken handles pages that are errors.
func (m *Mind) broken(v *view) (Decision, bool) {
	if v.page.Status < 400 {
		return Decision{}, false
	}
	m.pending = append(m.pending, Signal{Kind: SigBrokenPage, Detail: statusText(v.page.Status)})
	m.shock(0.2)
	if len(m.trail) > 0 {
		return Decision{Action: Action{Type: Back}, Purpose: Return,
			Thought: "This is an error page (" + statusText(v.page.Status) + "). I go back."}, true
	}
	if v.best >= m.t.settle {
		return Decision{}, false
	}
	return m.quit(v, EndBlocked, "The page shows an error ("+statusText(v.page.Status)+") and there is nowhere to go from here."), true
}

// quit ends the walk without the goal.
func (m *Mind) quit(_ *view, end, thought string) Decision {
	return Decision{Action: Action{Type: GiveUp}, End: end, Purpose: Finish, Thought: thought}
}

// settle completes a decision with its time, words and signals, and remembers it.
func (m *Mind) settle(v *view, d Decision) Decision {
	d.Subgoal = m.at()
	d.WordsRead = int(m.skim * m.t.wpm / 60000)
	d.Signals = append(d.Signals, m.pending...)
	m.notice(v, &d)
	d.SimulatedMS = m.timeOf(v, &d)
	d.Frustration = round3(m.frustration())
	d.Scent = round3(d.Scent)
	d.Observation = m.observation(v)
	if d.Target != nil {
		e := *d.Target
		d.Target = &e
		m.lastKey = elementKey(&e)
		if e.InViewport {
			m.pointer = centre(e.Box)
		}
	} else {
		m.lastKey = ""
	}
	m.last = d
	return d
}

// timeOf models how long a step takes a person.
func (m *Mind) timeOf(v *view, d *Decision) int {
	ms := m.skim + float64(d.Assessed)*opAssess*m.t.slow
	if m.t.reader {
		// A screen reader says one label after the other.
		ms = m.skim*0.5 + float64(d.Assessed)*m.t.readMS(4)
	}
	if d.Rivals > 0 {
		ms += m.t.choiceMS(d.Rivals + 1)
	}
	switch d.Action.Type {
	case Click, Check:
		ms += opMental*m.t.slow + m.reachMS(v, d)
	case Type:
		n := len(d.Action.Text)
		if d.Action.Secret != "" {
			n = 12 // the length of a secret is not for the mind to know
		}
		ms += opMental*m.t.slow + m.reachMS(v, d) + m.t.typeMS(n)
	case Select:
		ms += opMental*m.t.slow + 2*m.reachMS(v, d) + m.t.choiceMS(len(d.Target.Options))
	case Press, Back:
		ms += opMental*m.t.slow + opHome + m.t.keyMS
	case Scroll:
		ms += opHome + 2*opPress
	case Wait:
		ms += 2000
	}
	return int(math.Min(ms, 120000))
}

// reachMS is the time to get to an element: by pointer with Fitts' law, or with
// the Tab key past what stands before it.
func (m *Mind) reachMS(v *view, d *Decision) float64 {
	if d.Target == nil {
		return 0
	}
	if m.t.keys {
		n := 1
		for i := range v.percepts {
			if v.percepts[i].e.Ref == d.Target.Ref {
				n = i + 1
				break
			}
		}
		if d.Purpose == Fill {
			n = 1 // from field to field it is one press
		}
		return math.Min(20, float64(n)) * tabMS * m.t.slow
	}
	ms := m.t.pointMS(m.pointer, d.Target.Box, v.touch) + 2*opPress*m.t.slow
	if !d.Target.InViewport {
		ms += (opHome + 2*opPress) * math.Min(5, math.Abs(d.Target.Box.Y)/math.Max(200, float64(v.page.Viewport.Height)))
	}
	if m.slips(v, d.Target) {
		ms += opPoint*m.t.slow + opMental
	}
	return ms
}

// slips reports whether the first try lands beside the target: the endpoint's
// error is normal with the persona's deviation, a finger adding 4 px (about the
// 1.5 mm of a finger's touch [textbook]).
func (m *Mind) slips(v *view, e *Element) bool {
	sigma := m.t.sigma
	if v.touch {
		sigma += 4
	}
	half := math.Min(e.Box.W, e.Box.H) / 2
	miss := 1 - math.Erf(half/(sigma*math.Sqrt2))
	return uniform(m.seed, "slip", elementKey(e)) < miss
}

func round3(v float64) float64 { return math.Round(v*1000) / 1000 }
