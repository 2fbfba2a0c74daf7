package forms

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// later: a later subgoal says how what is entered now is sent.
func (c *Clerk) later(s *task.Subgoal) bool {
	if is("purposes", s.Deed) {
		return false // it is done by itself
	}
	found := false
	for i := range c.goal.Subgoals {
		next := &c.goal.Subgoals[i]
		if found && (finishes(next) || next.Deed == "click" || is("plain", next.Deed)) {
			return true
		}
		found = found || next == s
	}
	return false
}

// finishes: the subgoal takes over what the one before entered, and nothing else.
func finishes(s *task.Subgoal) bool { return is("finishing", s.Deed) && s.Literal == "" }

// send is how a form is sent: by the button that belongs to it, else with Enter.
// Once it was sent, a message that refuses it all may remain.
func (c *Clerk) send(l *look, e *errand, f *form) (Move, bool) {
	h, s := c.history(f), l.Subgoal
	switch {
	case c.later(s):
		return Move{}, false
	case h.spent():
		text := l.message(f)
		return stuck(f, text), e.sent && text != ""
	case !e.touched && !h.dirty:
		return Move{}, false
	case h.sent+h.previews >= maxRounds:
		return stuck(f, l.message(f)), true
	}
	strict := switches(s) || is("plain", s.Deed)
	button, last := c.button(l, f, strict), c.typedLast(f)
	m := Move{Purpose: walk.Submit, Why: WhySend, key: f.key, form: f.key, sends: true}
	switch {
	case button != nil && button.Disabled:
		return c.enable(l, e, f, button)
	case button != nil && (l.Seen(button) || c.memory(l.keys[button]).wants < maxWants):
		said := language.Read(button.Name)
		m.previews = said.Has("preview")
		m.Label, m.Action, m.goesOn = button.Name, walk.Action{Type: walk.Click}, said.Has("continue") || said.Has("next")
		m.finds = said.Has("search") && !said.Has(s.Deed)
		if last != nil && button.InViewport && button.CoveredBy != "" && !l.Seen(button) && l.Seen(last.e) && c.memory(last.key).waits == 0 {
			c.memory(last.key).waits++ // the list or calendar of a field lies over it
			return Move{Purpose: walk.Fill, key: last.key, form: f.key}.press(last.e, "Escape", WhyPutAway), true
		}
		return m.on(button, WhySend), true
	case last != nil && f.number == 0 && last.e.Role == "spinbutton" && h.sent == 0 && l.Seen(last.e) && c.memory(last.key).steps == 0 && c.memory(last.key).waits == 0:
		c.memory(last.key).waits++ // a bare number counts once it is left
		return Move{Purpose: walk.Fill, key: last.key, form: f.key}.press(last.e, "Tab", WhyLeave), true
	case last == nil || h.sent > 0 || last.long() || f.number == 0 && (strict || last.e.Role == "spinbutton"): // a bare number counts as it stands
		return Move{}, false
	}
	m.Label = last.label
	return m.press(last.e, "Enter", WhyEnter), true
}

// enable fills in what a button may wait for that cannot be pressed.
func (c *Clerk) enable(l *look, e *errand, f *form, button *walk.Element) (Move, bool) {
	for _, en := range c.rest(l, e, f, nil, true, true) {
		if m, ok := c.enter(l, e, &en); ok && c.memory(m.key).tries == 0 {
			return m, true
		}
	}
	m := stuck(f, button.Name)
	m.Target, m.Label = button, button.Name
	return m, true
}

// message is what the page says against a form, "" for nothing.
func (l *look) message(f *form) string {
	for _, o := range f.fields {
		if o.e.Error != "" {
			return o.e.Error
		}
	}
	for _, t := range l.texts {
		if t.Kind == "alert" && t.InViewport && says("refuses", t.Text) {
			return t.Text
		}
	}
	return ""
}

// typedLast is the text field of a form that was worked on last, in the order of
// the page; nil when there is none.
func (c *Clerk) typedLast(f *form) *field {
	var out *field
	for _, o := range f.fields {
		if o.takesText() && c.memory(o.key).tries > 0 {
			out = o
		}
	}
	return out
}

// The structure of a page tells most of what sends a form, a button's words and
// its place below the last field less: assumptions, as are the distances in px, by
// which a button may stand higher than that field's end and beyond which its place
// says nothing.
const (
	leastButton = 1
	ownSubmit   = 3
	inForm      = 1.2
	inRegion    = 1
	elsewhere   = 0.3
	saysDeed    = 1.5
	higher      = 60
	fewWords    = 3 // in which a button says what it does
	farButton   = 600
)

// button is what sends a form: by structure, then by nearness below or to the
// right, then by its words. strict: it must be the form's own or say that it sends.
func (c *Clerk) button(l *look, f *form, strict bool) *walk.Element {
	var edge walk.Box // the lower left corner of the last field
	for _, o := range f.fields {
		if b := o.e.Box; b.Y+b.H >= edge.Y {
			edge = walk.Box{X: b.X, Y: b.Y + b.H}
		}
	}
	found, _ := best(l.elements, leastButton, func(e *walk.Element) float64 {
		said := language.Read(e.Name + " " + e.Tip)
		deed, sends := said.Has(l.Subgoal.Deed), slices.ContainsFunc(deeds["sending"], said.Has)
		own := f.number > 0 && e.Form == f.number
		sends = sends || said.Has("search") && e.Form == f.number && e.Region == f.region && !strict // of what there is
		structure := own && e.Submit
		if said.Has("create") && !structure && is("altering", l.Subgoal.Deed) {
			return 0 // it makes another
		}
		switch {
		case walk.IsField(e) || e.InDialog != f.dialog || e.Popup != "" || e.Expanded != "" || e.Role == "tab" || e.Role == "option",
			e.Form > 0 && !own && (f.number > 0 || slices.ContainsFunc(l.forms, func(o *form) bool { return o.number == e.Form && o.typed() > 0 })),
			e.Role == "link" && (!deed || f.number > 0),
			!e.Submit && e.Role != "button" && e.Role != "clickable" && e.Role != "link",
			strict && !structure && !sends,
			!structure && c.ofAnother(f, e),
			e.Form == 0 && f.number == 0 && f.region < 0 && math.Abs(e.Box.Y-edge.Y) > farButton, // nothing says that they belong together
			e.Role == "clickable" && e.Row > 0 && !slices.ContainsFunc(f.fields, func(o *field) bool { return o.e.Row == e.Row }),
			l.unwanted(said):
			return 0
		}
		score := elsewhere
		switch {
		case structure:
			score = ownSubmit
		case own:
			score = inForm
		case e.Form == 0 && f.number == 0 && e.Region == f.region:
			score = inRegion
		}
		if down := e.Box.Y + e.Box.H - edge.Y; down > -higher && f.fields != nil {
			far := math.Hypot(math.Max(0, down), (e.Box.X-edge.X)/2)
			score += math.Max(0, 1-far/farButton)
		}
		plainly := math.Min(1, fewWords/math.Max(1, float64(len(said.Content()))))
		if l.other(said) {
			plainly /= 2
		}
		switch {
		case deed:
			score += saysDeed * plainly
		case sends:
			score += plainly
		case strings.TrimSpace(e.Name) == "" || len(said.Concepts) > 0 && !structure:
			score--
		}
		if e.Role == "link" {
			score--
		}
		if said.Has("preview") { // where there is nothing else
			score = math.Min(score, leastButton+elsewhere)
		}
		if !structure && !sends && !deed && (e.Role == "clickable" || f.number == 0 && score < saysDeed || l.apart(said)) {
			return 0
		}
		return score
	})
	return found
}

// apart: a button does something of its own, which does not lead to the deed.
func (l *look) apart(said *language.Phrase) bool {
	return len(said.Concepts) > 0 && !slices.ContainsFunc(said.Concepts, func(concept string) bool { return language.Leads(l.Subgoal.Deed, concept) > 0 })
}

// other: a button that says the deed says of something else that it is done to.
func (l *look) other(said *language.Phrase) bool {
	wanted := &language.Phrase{Words: l.Subgoal.Wanted()}
	return slices.ContainsFunc(said.Content(), func(w language.Word) bool {
		return len(language.Read(w.Text).Concepts) == 0 && language.Best(w, wanted) < byItself
	})
}

// ofAnother: a button stands right behind a field in which nothing was entered, on a
// line of its own in the form, as what belongs to that field alone does.
func (c *Clerk) ofAnother(f *form, e *walk.Element) bool {
	before, here := (*field)(nil), 0
	for _, o := range f.fields {
		b := o.e.Box
		if !level(b, e.Box) {
			continue
		}
		if c.memory(o.key).tries > 0 {
			return false
		}
		if here++; b.X+b.W <= e.Box.X && e.Box.X-b.X-b.W <= beside {
			before = o
		}
	}
	return before != nil && here < len(f.fields)
}

// unwanted: a button that leaves, undoes or destroys, unless that is the task.
func (l *look) unwanted(said *language.Phrase) bool {
	deed := l.Subgoal.Deed
	return slices.ContainsFunc(said.Concepts, func(concept string) bool {
		return concept != deed && (language.Destructive(concept) || !said.Has(deed) && (is("leaving", concept) || language.Opposes(deed, concept)))
	})
}
