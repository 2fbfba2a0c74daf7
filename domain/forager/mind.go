package forager

import (
	"math"
	"slices"

	"understudy/domain/forager/forms"
	"understudy/domain/language"
	"understudy/domain/persona"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Mind is one simulated user at work. It is deterministic: the same facets,
// goal, seed and looks give the same decisions. Not safe for concurrent use.
type Mind struct {
	goal  task.Goal
	seed  uint64
	age   int // in years, the middle of the persona's age band
	t     traits
	clerk *forms.Clerk
	site  site

	hinted  map[string]bool // roles of what the task says to look into
	phrases map[string]*language.Phrase
	offers  map[offering]offer
	keeps   map[keeping]float64
	tells   map[string]bool // texts that one was told, and others
	said    map[string]int  // how often: wordings, and what was made of them
	cut     struct {        // the passages of the page looked at last
		page     *walk.Page
		passages []reading.Passage
	}

	at       int // the subgoal that is pursued
	steps    int
	last     walk.Decision
	lastKey  string       // of the control used last
	move     *forms.Move  // the clerk's last move, nil when the last decision was none
	where    *place       // of the last look
	came     string       // what was opened or selected last, by its name and row
	stood    string       // the place on which the thing of the subgoal stood on the last look, "" for none
	held     string       // the words of the thing that was opened or selected for the subgoal, until one leaves it
	opened   string       // the place on which an act of one's own opened a layer
	begun    bool         // the deed was begun: what is open now belongs to it
	watched  string       // what was pressed to do away with the thing, until that is seen to be gone
	partial  string       // the place on which a part was taken over that is still to be saved with the whole
	onward   bool         // what was sent last said that it goes on
	sentFrom string       // the place from which it was sent
	blank    int          // looks that waited for anything to use
	waited   int          // looks in a row that waited for something
	still    int          // acts in a row that changed nothing
	turned   boxes        // what was scrolled last
	repeats  int          // uses in a row of one thing that does nothing
	erred    int          // error pages that were met
	headed   string       // key of a control off the screen that is being gone to
	headedTo walk.Purpose // what for
	query    string       // what was searched for last
	askedBy  string       // the part of an address that a search put it into, "" for none seen
	wanted   string       // key of a control that one looks for, knowing that it must be here
	slipped  bool         // something else was used than was meant
	thwarted bool         // the last act did not get through to what it was meant for
	offered  bool         // what was used last is what the task says to use
	option   string       // what was taken last from a list of deeds, "" when something else was used since
	passed   int          // of those that are counted, how many stood on the pages before
	explored int          // places looked into without a promise
	barrier  *walk.Limit  // where what the subgoal needs seems to be
	pointer  point

	idleMS  float64 // unproductive simulated time since the last progress
	shocks  float64 // frustration of things that went wrong, fades with progress
	skim    float64 // ms of reading not yet charged
	lookMS  float64 // ms of the last step that went into looking at what was new
	looked  int     // controls that are new on this look
	missed  int     // how often was aimed in vain in this step
	pending []walk.Signal
}

// ages are the middles of the age bands, in years.
var ages = [...]int{21, 29, 39, 49, 59, 69, 79}

// New makes a simulated user with a goal. The seed decides what the facets leave
// open; the persona's id, name and summary decide nothing.
func New(p persona.Persona, goal task.Goal, seed uint64) *Mind {
	if len(goal.Subgoals) == 0 {
		goal = task.Parse(goal.Task, goal.Inputs)
	}
	goal.Subgoals = slices.Clone(goal.Subgoals)
	if goal.Language == "" {
		goal.Language = language.English
	}
	m := &Mind{
		goal: goal, seed: seed, age: ages[p.Facets.WithDefaults().AgeIndex()], t: traitsOf(p, seed),
		site: newSite(), phrases: map[string]*language.Phrase{}, offers: map[offering]offer{}, keeps: map[keeping]float64{}, tells: map[string]bool{}, said: map[string]int{},
	}
	m.hinted = map[string]bool{}
	for _, w := range language.Read(goal.Task).Words {
		m.hinted[w.Lemma] = true // "switch between the tabs": the tabs are where to look
	}
	m.clerk = forms.New(&m.goal, p, seed)
	return m
}

func (m *Mind) subgoal() *task.Subgoal { return &m.goal.Subgoals[min(m.at, len(m.goal.Subgoals)-1)] }

func (m *Mind) done() bool { return m.at >= len(m.goal.Subgoals) }

// shock adds frustration that is worth its share of patience.
func (m *Mind) shock(size float64) { m.shocks = math.Min(1, m.shocks+size*m.t.doubt) }

// frustration is 0 when all goes well and 1 when patience has ended. Things that
// went wrong multiply the time that seems wasted.
func (m *Mind) frustration() float64 {
	return math.Min(1, m.idleMS*(1+1.5*m.shocks)*(0.7+0.3*m.t.doubt)/m.t.patienceMS+0.15*m.shocks)
}

// Step looks at the page and decides. last is the effect of the action that the
// previous Step decided on, zero for the first. It takes any page: an empty one,
// one with thousands of elements, one with nonsense in it.
func (m *Mind) Step(page walk.Page, last walk.Effect) walk.Decision {
	v, why := m.attend(&page, &last)
	if m.done() {
		return m.carry(v, m.finish(why))
	}
	return m.carry(v, m.decide(v))
}

// attend takes in what the last act brought and where one is now, and goes on to
// the subgoal that is wanted here; why is by what the one before was reached, ""
// when none was.
func (m *Mind) attend(page *walk.Page, last *walk.Effect) (v *view, why string) {
	if m.steps++; m.steps == 1 {
		m.goal.Within(page.Title)
	}
	m.pending, m.skim, m.looked = nil, 0, 0
	m.felt(last)
	v = m.look(page)
	v.shut = m.shutOut(v, last)
	promised, begun := v.at.promised, m.begun
	m.orient(v, last)
	advanced := false
	for !m.done() {
		proof, ok := m.reached(v, last)
		if !ok {
			break
		}
		why, advanced = proof, true
		m.advance()
		if !m.done() {
			v = m.look(page)
		}
	}
	if !advanced && m.subgoal().Kind == task.Act && (m.begun != begun || v.at.promised != promised && v.asksFor()) {
		v = m.look(page) // knowing what is begun, one looks at it with other eyes
	}
	if m.stood = ""; !m.done() && m.subgoal().Existing() != "" && v.stands(fold(m.subgoal().Existing())) {
		m.stood = v.at.key
	}
	if m.progress(v, last, advanced) {
		m.idleMS, m.shocks = 0, m.shocks*0.4
	}
	return v, why
}

// advance goes on to the next subgoal.
func (m *Mind) advance() {
	m.at++
	for _, pl := range m.site.places {
		pl.left = 0 // nothing was looked for there yet
	}
	m.onward, m.sentFrom, m.held, m.partial, m.watched = false, "", "", "", ""
	m.begun, m.waited, m.still, m.headed, m.query, m.explored, m.passed, m.barrier = false, 0, 0, "", "", 0, 0, nil
}
