package mind

import "understudy/domain/persona"

// Senses are a simulated user without its judgement: what the persona takes in
// of a page, and how long, how surely and with what feelings it carries out what
// another brain decides. Not safe for concurrent use.
type Senses struct {
	m *Mind
	v *view
}

// NewSenses makes the senses of a persona; the arguments are those of New.
func NewSenses(p persona.Persona, goal Goal, seed uint64) *Senses {
	return &Senses{m: New(p, goal, seed, Tuning{})}
}

// Sensed is a control that the persona has noticed.
type Sensed struct {
	Element Element
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
	Texts    []Text
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
func (s *Senses) Perceive(page Page, last Effect) Perceived {
	m := s.m
	advanced := m.attend(&page, &last)
	v := m.look(&page)
	m.orient(v, &last, advanced)
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
		if p.seen && (!hidden || m.t.reader) {
			out.Controls = append(out.Controls, Sensed{Element: *p.e, Usable: p.usable, Shape: p.shape})
		}
	}
	for i := range page.Texts {
		if t := &page.Texts[i]; m.sees(t) {
			out.Texts = append(out.Texts, *t)
		}
	}
	return out
}

// Carry completes a decision about the page perceived last: its target, purpose
// and scent, the time that it takes this persona, its slips, observation and
// signals. Action, Thought and End are the brain's; the other fields of d are
// overwritten. An act on an element that the page does not have is a Wait.
func (s *Senses) Carry(d Decision) Decision {
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
		d.Action = Action{Type: Wait}
	}
	best, rivals, assessed := m.scan(v)
	m.note(v, p)
	out := Decision{Assessed: assessed, Purpose: purposeOf(d.Action, p)}
	if p != nil {
		out.Target, out.Scent = p.e, m.fullWorth(p)
	}
	switch {
	case d.End != "":
		out.Purpose = Finish
	case out.Purpose == Navigate && p != nil:
		if p != best {
			rivals = 0
		}
		out = m.click(v, p, rivals, assessed)
	case out.Purpose == ReadOn && d.Action.Text != "up":
		v.place.screens++
	case out.Purpose == OpenMenu && p != nil:
		v.place.opened[p.key] = v.place.visits
	}
	out.Action, out.Thought, out.End = d.Action, d.Thought, d.End
	out.Signals = append(out.Signals, d.Signals...)
	return m.settle(v, out)
}

// onElement reports whether an act needs an element.
func onElement(t ActionType) bool {
	switch t {
	case Click, Type, Select, Check, Hover, Upload, Drag:
		return true
	case Press, Scroll, Back, Wait, GiveUp, Done:
	}
	return false
}

// purposeOf says what kind of move an action on an element is.
func purposeOf(a Action, p *percept) Purpose {
	switch a.Type {
	case Scroll:
		return ReadOn
	case Back:
		return Return
	case Type, Select, Check, Upload:
		if p != nil && p.e.Role == "searchbox" {
			return Seek
		}
		return Fill
	case Hover:
		return OpenMenu
	case Press:
		if a.Text == "Enter" {
			return Submit
		}
		return Dismiss
	case Click, Drag:
		switch {
		case p == nil:
		case p.e.InDialog && has(p.w.concepts, "dismiss"):
			return Dismiss
		case p.e.Expanded == "false" && !isField(p.e):
			return OpenMenu
		case p.e.Submit:
			return Submit
		case isField(p.e):
			return Fill
		}
		return Navigate
	case Wait:
		return ReadOn
	case GiveUp, Done:
	}
	return Finish
}
