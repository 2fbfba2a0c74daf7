// Package oracle decides whether a walk reached what its task wanted, from what the
// browser saw: the pages, the acts and the network. Nothing of the walker's opinion
// enters.
//
// Evidence is provenance before words. The oracle keeps what was typed and chosen,
// and where; which request of an act carried it and was accepted; how controls and
// lists stood before and after; which passages stood uncovered while the walker
// stopped. Words of success prove nothing alone; a refused request, a new error, the
// wrong object or a state that was not saved negates.
package oracle

import (
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// The borders of a verdict: from verified on a subgoal is reached, from doubtful on
// there are signs of it that count as neither.
const (
	verified = 0.8
	doubtful = 0.5
)

// Oracle watches one walk. It is not safe for concurrent use.
type Oracle struct {
	goal    task.Goal
	given   conditions
	marks   []mark
	opened  *view            // the first look
	before  *view            // the last look, nil before the first
	first   map[string]*view // of each place
	entries []entry
	// at is how the place was come to, arrivals how each was, for whoever comes back.
	at       arrival
	arrivals map[string]arrival
	states   map[string]state  // of controls, as each was first seen
	original map[string]string // messages at fields that stood there before anything was sent
	dwelt    map[string]int    // ms for which passages stood there, by place and text
}

// arrival is how a place was come to: thing is the name of what was opened last, door
// of the control used since; both say what a page is about that does not say so
// itself. query is what was searched for, when the page shows the results.
type arrival struct{ thing, door, query string }

// mark is what is known of one subgoal.
type mark struct {
	confidence float64
	evidence   string
	context    string // what the page of that evidence is about
	// pages are what those of a form of several were about that were sent until now.
	pages []string
	// Of acts that enter something: the act that took it over, how and where.
	by        *turn
	entered   entry
	misplaced bool
	lost      bool   // what stood there before is not there now
	over      bool   // it was written over what something else is called
	stood     string // the place on which what is given another name stood last
	denied    string // why the control's last change was not taken
	// Of acts on one of a list: its fellows on each place where it was seen, by the
	// place, whether the act was begun, and whether the right one was picked (0 not
	// said, 1, -1).
	lists   map[string][]string
	others  []string // on the place where it is looked for now
	name    string
	begun   bool
	own     bool // it was begun where that was about the thing
	passed  int  // of those that are counted, how many stood on the pages before
	picked  int
	flipped *turn // that pressed a control which was turned over by it
}

// raise takes better evidence in.
func (m *mark) raise(confidence float64, evidence string) {
	if confidence > m.confidence {
		m.settle(confidence, evidence)
	}
}

// settle takes evidence in that replaces what was known.
func (m *mark) settle(confidence float64, evidence string) {
	m.confidence, m.evidence = confidence, evidence
}

// New starts watching a walk. Conditions that are given override the task's words.
func New(goal task.Goal, given walk.Conditions) *Oracle {
	if len(goal.Subgoals) == 0 {
		goal.Subgoals = []task.Subgoal{{Kind: task.Reach}}
	}
	goal.Subgoals = slices.Clone(goal.Subgoals)
	for i := 1; i < len(goal.Subgoals); i++ {
		inherit(&goal.Subgoals[i], &goal.Subgoals[i-1])
	}
	return &Oracle{
		goal: goal, given: newConditions(given), marks: make([]mark, len(goal.Subgoals)), first: map[string]*view{},
		arrivals: map[string]arrival{}, states: map[string]state{}, original: map[string]string{}, dwelt: map[string]int{},
	}
}

// inherit gives an act what the subgoal before it found ("find the mail and click
// the icon to delete it"), or entered ("copy the text and paste it").
func inherit(s, before *task.Subgoal) {
	control := s.Widget == "icon" || s.Widget == "button"
	switch {
	case s.Kind != task.Act || s.Deed == "click":
	case before.Kind == task.Reach && len(s.Object)+len(s.Place) == 0 && (s.Literal == "" || control):
		s.Object, s.Place, s.Literal, s.Widget = before.Object, before.Place, before.Literal, before.Widget
	case before.Deed == "copy" || before.Deed == "solve":
		s.Values = slices.DeleteFunc(slices.Clone(s.Values), func(v task.Value) bool {
			return !slices.ContainsFunc(language.Read(v.Text).Words, func(w language.Word) bool { return !w.Function })
		})
	}
}

// maxStates bounds how many controls are remembered.
const maxStates = 20_000

// Observe takes one look and what was done before it. The last look is followed by
// one more call with itself and a deed that ends the walk (Done or GiveUp), whose
// DwellMS is the time for which it was looked at.
func (o *Oracle) Observe(page walk.Page, did walk.Deed) {
	after := newView(&page)
	if o.before == nil {
		o.goal.Within(page.Title)
	}
	o.given.observe(&page, &did.Effect)
	if o.before != nil {
		o.dwell(did.DwellMS)
	}
	if did.Action.Type == walk.Done || did.Action.Type == walk.GiveUp {
		return
	}
	t := o.turn(after, &did)
	if o.before == nil {
		o.opened = after
	} else {
		o.follow(t)
	}
	if o.first[after.key] == nil {
		o.first[after.key] = after
	}
	for i := range page.Elements {
		id := after.key + identity(&page.Elements[i])
		if _, known := o.states[id]; !known && (!t.sends || t.goes()) && len(o.states) < maxStates {
			o.original[id] = page.Elements[i].Error
		}
		if _, known := o.states[id]; !known && len(o.states) < maxStates {
			o.states[id] = stateOf(&page.Elements[i])
		}
	}
	for i := range o.goal.Subgoals {
		s, m := &o.goal.Subgoals[i], &o.marks[i]
		before := m.confidence
		o.pick(s, m, t)
		switch s.Kind {
		case task.Inform: // what is read shows when it was stayed at
		case task.Reach:
			o.arrive(s, m, t)
		case task.Act:
			o.act(i, s, m, t)
		}
		if m.confidence > before {
			m.context = t.context + "\n" + t.after.context(nil, o.came())
		}
	}
	o.before = after
}

// act judges by what deeds of that kind leave behind.
func (o *Oracle) act(i int, s *task.Subgoal, m *mark, t *turn) {
	switch s.Deed {
	case "click", "switch":
		o.clicked(s, m, t)
	case "choose", "check", "uncheck", "type", "solve", "copy":
		o.enteredInto(i, s, m, t)
	case "search":
		o.searched(s, m, t)
	case "download", "print":
		o.downloaded(s, m, t)
	case "filter", "sort":
		o.arranged(s, m, t)
	case "delete", "archive", "done":
		o.vanished(s, m, t)
		if s.Deed != "delete" {
			o.set(s, m, t)
		}
	case "move":
		o.relocated(s, m, t)
	case "create", "edit", "rename":
		o.made(s, m, t)
		if s.Deed == "edit" {
			o.set(s, m, t)
		}
		if s.Deed == "create" && len(o.need(i)) == 0 { // nothing was given by which it could be seen to be there
			o.sent(i, s, m, t)
			if it := subject(s); t.act.Type == walk.Click && t.hit && t.target != nil && does(s, t.label) && it.fit(t.target.Name) >= fits && t.negated() == "" {
				m.raise(0.7, quote(t.target.Name)+" was pressed, and something came of it")
			}
		}
	default:
		if !slices.Contains(switches, s.Deed) || s.Deed == "subscribe" || s.Deed == "unsubscribe" {
			o.sent(i, s, m, t)
		}
		switch s.Deed {
		case "addcart":
			o.gathered(s, m, t)
		case "cancel":
			o.vanished(s, m, t)
		}
		o.set(s, m, t)
	}
}

// follow keeps what was opened, by its name, for the pages that do not say it.
func (o *Oracle) follow(t *turn) {
	e, row := t.target, t.before.rowText(t.target)
	switch {
	case t.act.Type == walk.Back:
		o.at = o.arrivals[t.after.key]
		return
	case t.sends && o.seeks(t):
		if o.at = (arrival{}); o.last(t.before) != nil {
			o.at.query = o.last(t.before).text
		}
	case t.act.Type == walk.Type && t.reached && searches(e):
		o.at.query = t.act.Text // results that come while one types
	case t.act.Type == walk.Click && t.reached && e != nil && (t.effect.Navigated || t.effect.Mutated || t.moved) && !walk.IsField(e):
		kind := t.before.region(e.Region).Kind
		switch {
		case e.Role == "tab": // a part of what was opened
			o.at.door = short(o.at.door + " " + e.Name)
		case row != "" || e.Role == "link" && len(t.label.Concepts) == 0:
			o.at.thing, o.at.door = e.Name+" "+row, ""
		case kind == "navigation" || kind == "banner":
			o.at.thing, o.at.door = "", e.Name
		default:
			o.at.door = e.Name
		}
		// More of the same results, or away from them.
		_, asked, _ := strings.Cut(t.after.page.URL, "?")
		more := !letters(e.Name) || t.label.Has("next") || t.label.Has("previous") || walk.Path(t.before.page.URL) == walk.Path(t.after.page.URL) && within(fold(asked), fold(o.at.query))
		if !more && (row != "" || e.Role == "link" || t.before.key != t.after.key) {
			o.at.query = ""
		}
	}
	o.arrivals[t.after.key] = arrival{o.came(), "", o.at.query}
}

// came is the name of what led to this page.
func (o *Oracle) came() string { return strings.TrimSpace(o.at.thing + " " + o.at.door) }

// searches: a field takes what is searched for.
func searches(e *walk.Element) bool {
	return e != nil && walk.IsField(e) && (e.Role == "searchbox" || e.InputType == "search" || language.Read(e.Name+" "+e.Placeholder+" "+e.Tip).Has("search"))
}

// seeks: the act sends a search.
func (o *Oracle) seeks(t *turn) bool {
	x := o.last(t.before)
	if t.act.Type == walk.Press && t.target != nil {
		return searches(t.target)
	}
	return x != nil && (t.act.Type == walk.Press && searches(&x.field) || t.act.Type != walk.Press && t.label.Has("search"))
}

// Verdict is what is known so far. A subgoal that a later act presupposes is
// reached with it.
func (o *Oracle) Verdict() walk.Completion {
	c := walk.Completion{Status: walk.NotReached, SubgoalsTotal: len(o.marks), Confidence: 1}
	var told []string
	weakest := ""
	for i := range o.marks {
		confidence, evidence := o.presupposed(i)
		if confidence >= verified {
			c.SubgoalsDone++
			if evidence != "" && !slices.Contains(told, evidence) {
				told = append(told, evidence)
			}
		}
		if confidence < c.Confidence || i == 0 {
			c.Confidence, weakest = confidence, evidence
		}
	}
	if len(o.given) > 0 {
		return o.given.verdict(c)
	}
	switch {
	case c.Confidence >= verified:
		c.Status, c.Evidence = walk.Verified, sentence(strings.Join(told, "; "))
	case c.Confidence >= doubtful:
		c.Status, c.Evidence = walk.Unverified, sentence(weakest)
	case weakest != "":
		c.Evidence = sentence("not reached: " + weakest)
	default:
		c.Evidence = "Nothing that the pages or the network showed said that the task was done."
	}
	return c
}

// known is what is known of a subgoal by itself. Which one of several it was to be,
// by its number or by what it has most of, must have been seen to.
func (o *Oracle) known(i int) (float64, string) {
	s, m := &o.goal.Subgoals[i], &o.marks[i]
	if s.Order != "" && m.picked != 1 || s.Ordinal != 0 && m.picked < 0 {
		return min(m.confidence, 0.7), m.evidence
	}
	return m.confidence, m.evidence
}

// presupposed is what is known of a subgoal, by itself or by a later act that could
// not have been done without it: a place that the act was done in, or the saving of
// what stands saved.
func (o *Oracle) presupposed(i int) (float64, string) {
	const implied = 0.7 // done somewhere that does not say what it is
	s := &o.goal.Subgoals[i]
	confidence, evidence := o.known(i)
	if i > 0 && saves(s) && len(s.Values) == 0 && o.marks[i-1].by != nil {
		if before, _ := o.known(i - 1); before > confidence {
			return before, ""
		}
	}
	starts := s.Deed == "create" && len(s.Values) == 0 && confidence >= doubtful
	if confidence >= verified || s.Kind != task.Reach && !starts || s.Order != "" || s.Ordinal != 0 {
		return confidence, evidence
	}
	it := subject(s)
	for j := i + 1; j < len(o.marks); j++ {
		switch later, _ := o.known(j); {
		case o.goal.Subgoals[j].Kind != task.Act || later < verified:
		case confidence >= doubtful || it.fit(o.marks[j].context) >= doubtful:
			return max(verified, 0.95*later), evidence
		case confidence < implied:
			return implied, "it was done, but nothing said that it was the right place"
		}
	}
	return confidence, evidence
}

// saves: the subgoal takes over what the one before entered.
func saves(s *task.Subgoal) bool {
	return s.Literal == "" && slices.Contains([]string{"save", "send", "confirm", "done"}, s.Deed)
}
