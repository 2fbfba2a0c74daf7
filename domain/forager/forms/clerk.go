// Package forms is entering, choosing and sending: a clerk whom the walker asks
// for the next act that a subgoal needs on what is seen.
//
// The clerk acts on nothing that is not seen at that moment; what it needs from
// elsewhere it names (Move.Want). It enters what the task gives, each value once,
// and nothing else but what the form does not go without.
package forms

import (
	"slices"

	"understudy/domain/language"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Sight is one look, with what the walker knows of it.
type Sight struct {
	Page *walk.Page
	// Seen tells what is perceived now; without it that is what is in the viewport
	// and lies under nothing.
	Seen    func(*walk.Element) bool
	Subgoal *task.Subgoal
	// Form is how far the walker takes what can be filled in here for the way to
	// the subgoal, 0 (does not know) to 1 (opened it for this).
	Form float64
	// Resolve finds a value that the task only describes ("the value of Gender"),
	// "" for none; without it the clerk looks on the page itself.
	Resolve func(hint []language.Word) string
}

// Move is the next act. Exactly one of Action.Type, Want and Stuck is set.
type Move struct {
	Action  walk.Action
	Target  *walk.Element
	Purpose walk.Purpose
	// Value is what of the task is entered, nil for what is made up or sent.
	Value *task.Value
	// Why is the key of a thought, one of those below.
	Why string
	// Want is what is needed but not seen: it is to be brought into view.
	Want *walk.Element
	// Label is what the field is called as it was read, Error the message that is
	// answered by this move.
	Label, Error string
	// Stuck is why it does not go on: the message that stays whatever is entered,
	// or the name of the button that cannot be pressed. It is said once.
	Stuck string

	key, form, text string
	values          []int // of the subgoal that this enters
	errand          *errand
	before          map[string]bool // what stood on the page, where a list may come up
	opens           bool            // nothing is entered yet: a list or a calendar is to come up
	shorter         bool            // less is typed, so that a list comes up
	takes           bool            // the field holds more than this
	sends, goesOn   bool
	finds           bool // it is sent to find what the deed is done with
	previews        bool // it only shows what would be sent
}

// Why a move is made: the keys of its thoughts.
const (
	WhyGiven   = "enter_given"   // what the task gives goes in here
	WhyMade    = "enter_made_up" // a detail that the form does not go without
	WhyCorrect = "correct"       // what was refused is entered otherwise
	WhyAdd     = "add_text"      // what is there stays
	WhyReplace = "replace_text"
	WhyChoose  = "choose"
	WhyTick    = "tick"
	WhyUntick  = "untick"
	WhyOpen    = "open_list"
	WhyPick    = "pick_option"
	WhyAwait   = "await_list"
	WhyTurn    = "turn_calendar"
	WhyDay     = "pick_day"
	WhyAdjust  = "adjust"
	WhyFile    = "attach_file"
	WhyPutAway = "put_list_away"
	WhySend    = "send"
	WhyEnter   = "send_with_enter"
	WhyLeave   = "leave_field"
	WhyWant    = "bring_into_view"
	WhyStuck   = "stuck"
)

// The bounds of the clerk's patience: assumptions. People correct a field once or
// twice; a calendar may need forty turns, a spinner as many presses.
const (
	maxTries  = 3
	maxRounds = 3   // of sending one form
	maxActs   = 150 // for one subgoal
	maxWants  = 3   // for one element
)

// Clerk fills in the forms of one walk.
type Clerk struct {
	goal    *task.Goal
	person  *person
	fields  map[string]*memory
	forms   map[string]*history
	errands map[*task.Subgoal]*errand
	last    string // the form that was worked on last
	copied  string // what the task had copied or reckoned out
	source  string // the field that it was copied from
}

// New is a clerk for one walk. The same seed makes up the same person.
func New(goal *task.Goal, who persona.Persona, seed uint64) *Clerk {
	return &Clerk{goal: goal, person: newPerson(who, seed), fields: map[string]*memory{}, forms: map[string]*history{}, errands: map[*task.Subgoal]*errand{}}
}

// Next is the next act of entering, choosing or sending that the subgoal needs on
// what is seen; false when there is nothing to do here.
func (c *Clerk) Next(s Sight) (Move, bool) {
	if s.Page == nil || s.Subgoal == nil {
		return Move{}, false
	}
	e, l := c.errand(s.Subgoal), newLook(s)
	for _, o := range l.fields { // what stands there before anything was entered is no answer
		if mem := c.memory(o.key); !e.touched && !e.sent {
			mem.stood, o.e.Error = o.e.Error, ""
		} else if o.e.Error == mem.stood {
			o.e.Error = ""
		}
	}
	c.blame(l)
	f := l.form(e.form)
	if at := slices.IndexFunc(l.forms, (*form).complains); f == nil && e.sent && at >= 0 {
		f = l.forms[at] // what was sent comes back, at another address
		e.form = f.key
	}
	if e.stuck || e.acts >= maxActs || e.over && (!e.sent || f == nil || !c.returned(f)) {
		return Move{}, false
	}
	e.over = false
	m, ok := c.next(l, e)
	if ok {
		m, ok = c.reach(l, m)
	}
	if !ok {
		e.over = e.over || e.touched && c.Given(s.Subgoal)
		return Move{}, false
	}
	m.errand, e.stuck = e, m.Stuck != ""
	return m, true
}

func (c *Clerk) next(l *look, e *errand) (Move, bool) {
	if e.open != nil {
		if m, ok := c.pick(l, e); ok {
			return m, true
		}
	}
	plan, f := c.plan(l, e)
	for i := range plan {
		if m, ok := c.enter(l, e, &plan[i]); ok {
			return m, true
		}
	}
	if f == nil && e.sent {
		f = l.form(e.form)
	}
	if f == nil {
		return Move{}, false
	}
	return c.send(l, e, f)
}

// reach turns a move on what is not seen into the wish to see it.
func (c *Clerk) reach(l *look, m Move) (Move, bool) {
	if m.Target == nil || m.Stuck != "" || l.Seen(m.Target) {
		return m, true
	}
	return c.want(l, m, m.Target)
}

// want is the wish to see what a move needs; false when it did not help before.
func (c *Clerk) want(l *look, m Move, e *walk.Element) (Move, bool) {
	return Move{Want: e, Why: WhyWant, Label: m.Label, Purpose: walk.ReadOn, key: l.keys[e], form: m.form}, c.memory(l.keys[e]).wants < maxWants
}

// Felt takes in what came of a move.
func (c *Clerk) Felt(m Move, eff walk.Effect) {
	e := m.errand
	if e == nil {
		return
	}
	e.acts++
	mem, h := c.memory(m.key), of(c.forms, m.form)
	switch {
	case m.Stuck != "":
		return
	case m.Want != nil:
		mem.wants++
		return
	case m.Action.Type == walk.Wait && e.open != nil:
		e.open.waits++
		return
	case m.Why == WhyPutAway:
		e.open = nil
		return
	}
	c.last, e.form, e.touched = m.form, m.form, true
	if m.previews {
		h.previews++
		return
	}
	if m.sends {
		h.sent, h.dirty, h.goes, h.finds, h.back = h.sent+1, false, m.goesOn, m.finds, answered(&eff)
		e.sent, e.open = true, nil
		return
	}
	if mem.wants = 0; m.Why == WhyTurn || m.Why == WhyAdjust {
		mem.steps++
		if mem.idle++; eff.Mutated || eff.Navigated {
			mem.idle = 0
		}
	} else {
		mem.tries++
	}
	if m.shorter && e.open != nil {
		e.open.short++
	}
	if eff.Failed != "" {
		return
	}
	h.dirty = true
	mem.error, mem.sent, mem.made = m.Error, h.sent, m.Value == nil
	if m.text != "" && !m.opens {
		mem.tried = append(mem.tried, m.text)
	}
	switch {
	case m.shorter && e.open != nil:
		e.open.waits = 0
		return
	case m.before != nil:
		e.open = &opened{move: m}
	default:
		e.open = nil
	}
	if mem.opened = mem.opened || m.opens; m.opens {
		return
	}
	e.stand(m.values, m.key)
	if m.takes {
		e.took[m.key+" "+m.text] = true
	}
}

// answered: a document was sent and answered at its own address.
func answered(eff *walk.Effect) bool {
	return slices.ContainsFunc(eff.Requests, func(q walk.Request) bool {
		return q.Method == "POST" && q.Kind == "document" && (q.Status >= 200 && q.Status < 300 || q.Status >= 400 && q.Status < 500)
	})
}

// returned: what was sent of a form came back, with a message at a field or without.
func (c *Clerk) returned(f *form) bool {
	h := c.history(f)
	return f.complains() || (h.back || h.goes) && h.spent() && slices.ContainsFunc(f.fields, func(o *field) bool { return c.memory(o.key).tries > 0 && o.holds() })
}

// Given tells whether all that the subgoal gives was entered; true where it gives nothing.
func (c *Clerk) Given(s *task.Subgoal) bool {
	for i, v := range s.Values {
		if !c.errand(s).entered[i] && !v.Old {
			return false
		}
	}
	return true
}

// Sent tells whether what the subgoal gives was handed over, and not only looked for
// with it.
func (c *Clerk) Sent(s *task.Subgoal) bool {
	e := c.errands[s]
	return e != nil && e.sent && !of(c.forms, e.form).finds
}

// HandsOver says that a deed is done only when what it takes is sent, however much of it stands
// where it belongs.
func HandsOver(deed string) bool { return is("handing", deed) }

// Done tells whether everything that the subgoal gives was entered and, where there is
// something to send it with, sent.
func (c *Clerk) Done(s *task.Subgoal) bool {
	e := c.errands[s]
	return e != nil && e.touched && e.over && !e.stuck
}
