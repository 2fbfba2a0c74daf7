package mind

import (
	"maps"
	"math"

	"understudy/domain/persona"
)

// Mind is one simulated user at work. It is deterministic: the same facets,
// goal, seed and looks give the same decisions. Not safe for concurrent use.
type Mind struct {
	tune Tuning
	age  int // in years, the middle of the persona's age band
	t    traits
	goal Goal
	seed uint64

	dict   *dictionary
	sims   map[similarKey]float64
	places map[string]*place
	forms  map[string]*formState
	links  map[string]bool // addresses that were opened
	said   map[string]bool // wordings used
	asked  map[string]bool // places on which a click of ours opened a dialog
	trail  []string        // keys of the places to go back to
	mine   *witness

	hubs     int // places of instructions that were gone to
	steps    int
	idleMS   float64 // unproductive simulated time since the last progress
	shocks   float64 // frustration of things that went wrong, fades with progress
	followed float64 // scent of the click that led to this place
	last     Decision
	where    *place         // the place of the last look
	arrived  int            // steps since arrival at this place
	missed   int            // how often was aimed in vain in this step
	still    int            // actions in a row that changed nothing
	erred    int            // error pages of the browser's own that were met
	repeats  int            // clicks in a row on one thing that does nothing
	away     map[string]int // dismissals tried, by place
	pointer  point
	sentFor  float64 // how far the form sent last was about the goal
	dialog   bool    // a dialog was open on the last look
	underWay bool    // a form was sent for the goal and taken: the rest is a matter of going on
	pending  []Signal
	skim     float64 // ms of reading not yet charged
}

// New makes a simulated user with a goal. The seed decides what the facets
// leave open; the persona's id, name and summary decide nothing. The zero Tuning
// means DefaultTuning.
func New(p persona.Persona, goal Goal, seed uint64, tune Tuning) *Mind {
	if len(goal.Subgoals) == 0 {
		goal = ParseTask(goal.Task, goal.Inputs)
	}
	if tune == (Tuning{}) {
		tune = DefaultTuning()
	}
	m := &Mind{
		tune: tune, age: ages[p.Facets.WithDefaults().AgeIndex()], t: traitsOf(p, seed, tune), goal: goal, seed: seed,
		dict: newDictionary(), sims: map[similarKey]float64{}, places: map[string]*place{},
		forms: map[string]*formState{}, links: map[string]bool{}, said: map[string]bool{}, asked: map[string]bool{}, away: map[string]int{},
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
	before := m.at()
	advanced := m.attend(&page, &last)
	if m.mine.done() {
		return m.finishDone(&page, before)
	}
	v := m.look(&page)
	m.orient(v, &last, advanced)
	d := m.decide(v)
	return m.settle(v, d)
}

// attend begins a step: what became of the last one is felt and remembered. It
// reports whether the goal has come nearer.
func (m *Mind) attend(page *Page, last *Effect) (advanced bool) {
	m.steps++
	m.pending = nil
	m.skim = 0
	m.felt(last)
	if m.steps == 1 {
		m.goal.adapt(page)
		m.mine.remember(page)
		m.mine.lastURL = page.URL
	}
	if key := placeKey(page); !m.dialog && hasDialog(page) && m.last.Action.Type == Click && m.followed >= m.t.settle && m.last.Purpose == Navigate && m.where != nil && m.where.key == key {
		m.asked[key] = true // a dialog on another page than where was clicked comes unasked
	}
	m.dialog = hasDialog(page)
	return m.mine.observe(page, last, m.sees)
}

// felt takes in what became of the last action.
func (m *Mind) felt(last *Effect) {
	if m.steps == 1 {
		return
	}
	changed, shown := last.changed(), m.last.shown(last)
	switch {
	case shown || m.last.Purpose == Fill && last.Failed == "":
		m.still = 0 // a value that was taken need not show anywhere else
	default:
		m.still++
	}
	if m.last.Action.Type == Click && !shown {
		m.shock(0.12)
		m.pending = append(m.pending, Signal{Kind: SigDeadClick, Detail: "nothing happened"})
	}
	if changed || m.last.Action.Type != Click {
		m.repeats = 0
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
		if from != nil {
			m.links[from.url] = true // where one has been need not have been clicked to
		}
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
		m.readSection(v)
		m.readOpened(v, last)
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
	switch {
	case advanced || m.last.Action.Type == Back:
		m.underWay = false
	case m.last.Purpose == Submit && m.last.Target != nil && kindOf(m.last.Target) != fkSearch && (moved || last.Mutated) &&
		m.sentFor >= formWorth && accepted(last, v.page.URL) && !refused(v.page, m.sees):
		m.underWay = m.subgoal().Kind == Act
		m.lookAgain(v)
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
		idle := float64(m.last.SimulatedMS)
		if m.subgoal().Kind != Act {
			idle *= readingIdle
		}
		m.idleMS += idle
	}
}

// lookAgain forgets the pages beside the way: what was sent may show there now,
// as in a cart that was empty before. The way here is still known.
func (m *Mind) lookAgain(v *view) {
	way := map[string]bool{v.place.key: true, v.page.URL: true}
	for _, key := range m.trail {
		way[key] = true
		if pl := m.places[key]; pl != nil {
			way[pl.url] = true
		}
	}
	maps.DeleteFunc(m.links, func(url string, _ bool) bool { return !way[url] })
	maps.DeleteFunc(m.places, func(key string, _ *place) bool { return !way[key] })
}

// readingIdle is the share of fruitless time that tries the patience of those
// who look for an answer: they came to read. An assumption.
const readingIdle = 0.6

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
	if d, ok := m.insist(v); ok {
		return d
	}
	return m.forage(v)
}

// settle completes a decision with its time, words and signals, and remembers it.
func (m *Mind) settle(v *view, d Decision) Decision {
	d.Subgoal = m.at()
	d.WordsRead = int(m.skim * m.t.wpm / 60000)
	d.Signals = append(d.Signals, m.pending...)
	m.missed = 0
	m.land(v, &d)
	m.notice(v, &d)
	d.SimulatedMS = m.timeOf(v, &d)
	d.Frustration = round3(m.frustration())
	d.Scent = round3(d.Scent)
	d.Observation = m.observation(v)
	if d.Target != nil {
		e := *d.Target
		d.Target = &e
		if e.InViewport {
			m.pointer = centre(e.Box)
		}
	}
	m.last = d
	return d
}

func round3(v float64) float64 { return math.Round(v*1000) / 1000 }
