package forms

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// finishing are the deeds that send what was filled in before; sending the words
// of buttons that send.
var (
	finishing = []string{"send", "save", "confirm", "done"}
	sending   = []string{"send", "save", "confirm", "continue", "done", "accept", "next", "apply", "create", "checkout", "buy", "book"}
)

// later: a later subgoal says how what is entered now is sent.
func (c *Clerk) later(s *task.Subgoal) bool {
	for i := range c.goal.Subgoals {
		if &c.goal.Subgoals[i] != s {
			continue
		}
		for _, next := range c.goal.Subgoals[i+1:] {
			if slices.Contains(finishing, next.Deed) || next.Deed == "click" || slices.Contains(plain, next.Deed) {
				return true
			}
		}
	}
	return false
}

// send is how a form is sent: by the button that belongs to it, else with Enter.
func (c *Clerk) send(l *look, e *errand, f *form) (Move, bool) {
	h, s := c.history(f.key), l.Subgoal
	if !e.touched && !h.dirty || h.sent > 0 && !h.dirty || c.later(s) {
		return c.unmoved(l, e, f, h)
	}
	if h.sent >= maxRounds {
		return Move{Stuck: c.message(l, f), Why: WhyStuck, errand: e, form: f.key, key: f.key}, true
	}
	strict := slices.Contains(switching, s.Deed) || slices.Contains(plain, s.Deed)
	button := c.button(l, f, strict)
	m := Move{Purpose: walk.Submit, Why: WhySend, errand: e, key: f.key, form: f.key, sends: true}
	if button != nil && button.Disabled {
		for _, o := range f.fields { // it does not go without the rest
			if o.e.Disabled || o.e.ReadOnly || o.holds() || lookUp(o.kind).spare || o.kind == "search" || says("optional", o.label) || o.e.Role == "checkbox" && says("offers", o.label) || c.memory(o.key).tries > 0 {
				continue
			}
			if en, ok := c.invent(l, o, c.memory(o.key)); ok {
				if m, ok := c.enter(l, e, &en); ok {
					return m, true
				}
			}
		}
		return Move{Stuck: button.Name, Why: WhyStuck, Target: button, Label: button.Name, errand: e, form: f.key, key: f.key}, true
	}
	if button != nil && (l.Seen(button) || c.memory(l.keys[button]).wants < maxWants) {
		m.Label, m.Action = button.Name, walk.Action{Type: walk.Click}
		said := language.Read(button.Name)
		m.goesOn = said.Has("continue") || said.Has("next")
		if button.InViewport && button.CoveredBy != "" && !l.Seen(button) {
			if o := l.last(c, f); o != nil && l.Seen(o.e) && c.memory(o.key).waits == 0 { // the list or calendar of a field lies over it
				c.memory(o.key).waits++
				return Move{Action: walk.Action{Type: walk.Press, Text: "Escape"}, Purpose: walk.Fill, errand: e, key: o.key, form: f.key}.on(o.e, WhyPutAway), true
			}
		}
		return m.on(button, WhySend), true
	}
	o := l.last(c, f)
	if o == nil || h.sent > 0 || o.e.Multiline || o.e.Rich || !o.takesText() || o.e.Role == "spinbutton" && f.number == 0 || strict && f.number == 0 {
		return Move{}, false
	}
	m.Action, m.Label = walk.Action{Type: walk.Press, Text: "Enter"}, o.label
	return m.on(o.e, WhyEnter), true
}

// unmoved is what remains once a form was sent: a message that refuses it all.
func (c *Clerk) unmoved(l *look, e *errand, f *form, h *history) (Move, bool) {
	if !e.sent || h.dirty || c.later(l.Subgoal) {
		return Move{}, false
	}
	if text := c.message(l, f); text != "" && h.sent > 0 {
		return Move{Stuck: text, Why: WhyStuck, errand: e, form: f.key, key: f.key}, true
	}
	return Move{}, false
}

// message is what the page says against a form, "" for nothing.
func (c *Clerk) message(l *look, f *form) string {
	for _, o := range f.fields {
		if o.e.Error != "" {
			return o.e.Error
		}
	}
	for i := range l.Page.Texts {
		if t := &l.Page.Texts[i]; t.Kind == "alert" && t.InViewport && says("refuses", t.Text) {
			return t.Text
		}
	}
	return ""
}

// last is the text field of a form that was worked on last, in the order of the
// page; nil when there is none.
func (l *look) last(c *Clerk, f *form) *field {
	var out *field
	for _, o := range f.fields {
		if mem := c.fields[o.key]; o.takesText() && mem != nil && mem.tries > 0 {
			out = o
		}
	}
	return out
}

// button is what sends a form: by structure, then by nearness below or to the
// right, then by its words. strict: it must be the form's own or say that it sends.
func (c *Clerk) button(l *look, f *form, strict bool) *walk.Element {
	var edge walk.Box
	for _, o := range f.fields {
		if b := o.e.Box; b.Y+b.H >= edge.Y {
			edge = walk.Box{X: b.X, Y: b.Y + b.H, W: b.W}
		}
	}
	var best *walk.Element
	most := 1.0
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		if walk.IsField(e) || e.InDialog != f.dialog || e.Popup != "" || e.Expanded != "" || e.Role == "tab" || e.Role == "option" || e.Form > 0 && f.number > 0 && e.Form != f.number {
			continue
		}
		said := language.Read(e.Name + " " + e.Tip)
		deed := said.Has(l.Subgoal.Deed) && l.Subgoal.Deed != ""
		if e.Role == "link" && !deed || !e.Submit && e.Role != "button" && e.Role != "clickable" && e.Role != "link" || c.unwanted(l, said) {
			continue
		}
		score, structure := 0.0, false
		switch {
		case f.number > 0 && e.Form == f.number && e.Submit:
			score, structure = 3, true
		case f.number > 0 && e.Form == f.number:
			score = 1.2
		case e.Form == 0 && f.number == 0 && e.Region == f.region:
			score = 1
		default:
			score = 0.3
		}
		down, right := e.Box.Y-edge.Y+e.Box.H, e.Box.X-edge.X
		if far := math.Hypot(math.Max(0, down), right/2); down > -edge.H-60 && f.fields != nil {
			score += math.Max(0, 1-far/600)
		}
		sends := slices.ContainsFunc(sending, said.Has)
		switch {
		case deed:
			score += 1.5
		case sends:
			score++
		case strings.TrimSpace(e.Name) == "":
			score--
		case len(said.Concepts) > 0 && !structure:
			score--
		}
		if e.Role == "link" {
			score--
		}
		if strict && !structure && !sends || !structure && !sends && !deed && f.number == 0 && score < 1.5 {
			continue
		}
		if score > most {
			best, most = e, score
		}
	}
	return best
}

// unwanted: a button that leaves, undoes or destroys, unless that is the task.
func (c *Clerk) unwanted(l *look, said *language.Phrase) bool {
	for _, concept := range said.Concepts {
		if concept == l.Subgoal.Deed {
			return false
		}
	}
	for _, concept := range said.Concepts {
		switch concept {
		case "cancel", "dismiss", "back", "previous", "reset", "undo", "reject", "upload":
			return true
		}
		if language.Destructive(concept) || language.Opposes(l.Subgoal.Deed, concept) {
			return true
		}
	}
	return false
}

// all: every value of the subgoal is entered.
func (c *Clerk) all(e *errand, s *task.Subgoal) bool {
	for i, v := range s.Values {
		if !e.entered[i] && !v.Old {
			return false
		}
	}
	return true
}

// copy takes in the text of the field that the subgoal copies.
func (c *Clerk) copy(l *look, e *errand) {
	s := l.Subgoal
	roles, n := rolesOf(s.Widget), s.Ordinal
	if n == 0 {
		n = 1
	}
	var of []*field
	for _, f := range l.fields {
		if f.takesText() && f.e.Value != "" && l.Seen(f.e) && (len(roles) == 0 || slices.Contains(roles, f.e.Role)) {
			of = append(of, f)
		}
	}
	if len(of) == 0 || len(rolesOf(s.Widget)) == 0 && language.Cover(telling(s.Object), of[0].words) == 0 && len(telling(s.Object)) > 0 {
		return // what is copied is no text
	}
	if n < 0 {
		n = len(of)
	}
	from := of[min(n, len(of))-1]
	c.copied, c.source, e.over, e.touched = from.e.Value, from.key, true, true
}
