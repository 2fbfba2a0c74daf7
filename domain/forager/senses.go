package forager

import (
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Senses are a simulated user without its judgement: what the persona takes in
// of a page, and how long, how surely and with what feelings it carries out what
// another brain decides. Not safe for concurrent use.
type Senses struct {
	m *Mind
	v *view // of the last look, nil before the first
}

// NewSenses makes the senses of a persona; the arguments are those of New.
func NewSenses(p persona.Persona, goal task.Goal, seed uint64) *Senses {
	return &Senses{m: New(p, goal, seed)}
}

// Sensed is a control that the persona has noticed.
type Sensed struct {
	Element walk.Element
	// Usable: it can be acted on by this persona now.
	Usable bool
	// Shape: the persona sees a picture that not everybody knows; the name is
	// what was meant by it.
	Shape bool
}

// Perceived is what a persona takes in on one look. What is below the fold, too
// faint, too small or under something else is not among it.
type Perceived struct {
	Controls []Sensed
	Texts    []walk.Text
	// Above and Below: the page goes on there.
	Above, Below bool
	// Over describes what lies over some of the page, "" when nothing does.
	Over string
	// Heard: a screen reader tells the page, all of its controls in order.
	Heard bool
	// Frustration is the share of the persona's patience that is used up, 0 to 1.
	Frustration float64
}

// Perceive looks at a page. last is the effect of the action that was decided
// on last, zero for the first.
func (s *Senses) Perceive(page walk.Page, last walk.Effect) Perceived {
	m := s.m
	v, _ := m.attend(&page, &last)
	s.v = v
	out := Perceived{
		Above: page.ScrollY > 0, Heard: m.t.reader, Frustration: round3(m.frustration()),
		Below: page.ScrollY+float64(page.Viewport.Height) < page.Height-1,
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		hidden := p.e.CoveredBy != "" && !p.e.InDialog
		if hidden && p.e.InViewport && out.Over == "" {
			out.Over = p.e.CoveredBy
		}
		if p.seen {
			out.Controls = append(out.Controls, Sensed{Element: *p.e, Usable: p.usable, Shape: p.shape})
		}
	}
	for i := range page.Texts {
		if t := &page.Texts[i]; m.reads(t) {
			out.Texts = append(out.Texts, *t)
		}
	}
	return out
}

// Carry completes a decision about the page perceived last: its target, purpose
// and scent, the time that it takes this persona, its slips, observation and
// signals. Action, Thought and End are the brain's; the other fields of d are
// overwritten. An act on an element that the page does not have is a Wait.
func (s *Senses) Carry(d walk.Decision) walk.Decision {
	m, v := s.m, s.v
	if v == nil {
		return d // nothing has been looked at
	}
	var p *percept
	for i := range v.percepts {
		if d.Action.Ref != "" && v.percepts[i].e.Ref == d.Action.Ref {
			p = &v.percepts[i]
		}
	}
	if p == nil && (d.Action.Ref != "" || onElement(d.Action.Type)) {
		d.Action = walk.Action{Type: walk.Wait}
	}
	best, rivals, assessed := m.scan(v, false)
	m.noteMissing(v, p)
	out := walk.Decision{Assessed: assessed, Purpose: purposeOf(d.Action, p)}
	if p != nil {
		out.Target, out.Scent = p.e, p.scent
	}
	switch {
	case d.End != "":
		out.Purpose = walk.Finish
		if l, _ := m.walled(v); l != nil && l.Kind != walk.LimitLanguage && d.End != walk.EndDone && d.End != walk.EndLimit { // a model reads many
			out.Signals = []walk.Signal{told(l)}
		}
	case out.Purpose == walk.Navigate && p != nil && p.seen:
		if p != best {
			rivals = 0
		}
		out = m.use(v, p, rivals, assessed)
	case out.Purpose == walk.ReadOn && d.Action.Text != "up":
		v.at.screens++
	case out.Purpose == walk.OpenMenu && p != nil:
		v.at.opened[p.key], m.lastKey = v.at.visits, p.key
	}
	out.Action, out.Thought, out.End = d.Action, d.Thought, d.End
	out.Signals = append(out.Signals, d.Signals...)
	return m.carry(v, out)
}

// onElement reports whether an act needs an element.
func onElement(t walk.ActionType) bool {
	switch t {
	case walk.Click, walk.DoubleClick, walk.RightClick, walk.Type, walk.Append, walk.Select, walk.Check, walk.Hover, walk.Upload, walk.Drag:
		return true
	default:
		return false
	}
}

// purposeOf says what kind of move an action on an element is.
func purposeOf(a walk.Action, p *percept) walk.Purpose {
	switch a.Type {
	case walk.Scroll, walk.Wait:
		return walk.ReadOn
	case walk.Back:
		return walk.Return
	case walk.Type, walk.Append, walk.Select, walk.Check, walk.Upload:
		if p != nil && p.e.Role == "searchbox" {
			return walk.Seek
		}
		return walk.Fill
	case walk.Hover, walk.DoubleClick, walk.RightClick:
		return walk.OpenMenu
	case walk.Press:
		if a.Text == "Enter" {
			return walk.Submit
		}
		return walk.Dismiss
	case walk.Click, walk.Drag:
		switch {
		case p == nil:
		case p.e.InDialog && p.label.Has("dismiss"):
			return walk.Dismiss
		case p.e.Expanded == "false" && !walk.IsField(p.e):
			return walk.OpenMenu
		case p.e.Submit:
			return walk.Submit
		case walk.IsField(p.e):
			return walk.Fill
		}
		return walk.Navigate
	default:
		return walk.Finish
	}
}
