package mind

import (
	"math"
	"strings"
)

// workForm takes the next act in a form; ok is false when nothing is left.
func (m *Mind) workForm(v *view, f *form) (Decision, bool) {
	st := m.forms[f.key]
	if st == nil {
		st = &formState{attempts: map[string]int{}}
		m.forms[f.key] = st
	}
	for _, p := range f.fields {
		if m.wants(f, p, st) {
			if d, ok := m.fill(v, f, st, p); ok {
				return d, true
			}
			st.attempts[p.key]++
		}
	}
	if st.sent >= maxSends {
		st.left = true
		return Decision{}, false
	}
	return m.send(f, st)
}

// fill enters one value.
func (m *Mind) fill(v *view, f *form, st *formState, p *percept) (Decision, bool) {
	e := p.e
	d := Decision{Target: e, Purpose: Fill, Scent: math.Min(1, f.about), Assessed: 1}
	attempt := st.attempts[p.key]
	label := fieldName(p)
	switch {
	case e.Role == "radio":
		d.Action = Action{Type: Check, Ref: e.Ref}
		d.Thought = m.choiceThought(f, p, label)
	case e.Role == "checkbox" || e.Role == "switch":
		d.Action = Action{Type: Check, Ref: e.Ref}
		d.Thought = pickText(m.seed, p.key, "I tick "+label+".", "This one has to be ticked: "+label+".")
	case len(e.Options) > 0:
		o := m.bestOption(e)
		if o == "" {
			return d, false
		}
		d.Action = Action{Type: Select, Ref: e.Ref, Text: o}
		d.Thought = "For " + label + " I choose “" + clip(o, 60) + "”."
	default:
		text, secret := m.valueFor(m.asRead(v, p), attempt)
		if text == "" && secret == "" {
			return d, false
		}
		d.Action = Action{Type: Type, Ref: e.Ref, Text: text, Secret: secret}
		d.Thought = m.fillThought(p, label, secret)
	}
	if e.Error != "" {
		d.Signals = append(d.Signals, Signal{Kind: SigFieldError, Detail: clip(e.Error, 120)})
		d.Thought = "It says “" + clip(e.Error, 100) + "”. " + d.Thought
	}
	if p.label == "" || e.NameSource == "placeholder" {
		d.Signals = append(d.Signals, Signal{Kind: SigUnlabelled})
	}
	st.attempts[p.key]++
	st.dirty = true
	if attempt > 0 {
		m.shock(0.1)
	}
	return d, true
}

// asRead is a field with what the persona takes for its label: where the page
// names none, the words that stand by it, for those who can see them, and what
// an error says of it, for all.
func (m *Mind) asRead(v *view, p *percept) *Element {
	if p.label != "" || p.e.Placeholder != "" {
		return p.e
	}
	e := *p.e
	if !m.t.reader {
		e.Name = v.textAbove(p.e)
	}
	e.Name = strings.TrimSpace(e.Name + " " + e.Error)
	return &e
}

func fieldName(p *percept) string {
	if p.label != "" {
		return "“" + clip(p.label, 60) + "”"
	}
	if p.e.Placeholder != "" {
		return "“" + clip(p.e.Placeholder, 60) + "”"
	}
	return "a field without a label"
}

// send submits a form by its most fitting button, or with Enter when it has none.
func (m *Mind) send(f *form, st *formState) (Decision, bool) {
	var best *percept
	score := math.Inf(-1)
	for _, b := range f.buttons {
		if dodges(m.subgoal(), b.w) || has(b.w.concepts, "dismiss") || b.e.CoveredBy != "" && !b.e.InDialog {
			continue
		}
		s := b.own
		if b.e.Submit {
			s += 0.6
		}
		if has(b.w.concepts, "send") || has(b.w.concepts, "continue") || has(b.w.concepts, "save") {
			s += 0.3
		}
		if has(b.w.concepts, "password") || b.label == "" {
			s -= 0.5 // "show password" and nameless icons are not how one sends
		}
		if s > score {
			best, score = b, s
		}
	}
	d := Decision{Purpose: Submit, Scent: math.Min(1, f.about), Assessed: len(f.buttons)}
	switch {
	case best == nil:
		if len(f.fields) == 0 || st.sent > 0 {
			return d, false
		}
		last := f.fields[len(f.fields)-1].e
		d.Target, d.Action = last, Action{Type: Press, Ref: last.Ref, Text: "Enter"}
		d.Thought = "There is no button, so I press Enter."
	case best.e.Disabled:
		d.Signals = append(d.Signals, Signal{Kind: SigDisabled, Selector: best.e.Selector, Detail: clip(best.label, 60)})
		m.shock(0.25)
		st.left = true
		d.Target, d.Purpose = best.e, Submit
		d.Action = Action{Type: Wait}
		d.Thought = "I have filled everything in, but “" + clip(best.label, 60) + "” stays grey and nothing says why."
	default:
		d.Target, d.Action = best.e, Action{Type: Click, Ref: best.e.Ref}
		d.Thought = m.sendThought(f, best)
		if best.label == "" {
			d.Thought = "That is everything. The button has no name, I press it."
		}
	}
	st.sent++
	st.dirty = false
	m.sentFor = math.Max(f.about, d.Scent)
	return d, true
}
