package mind

import "strings"

// openFields: something in the form still wants a value.
func (m *Mind) openFields(f *form, st *formState) bool {
	for _, p := range f.fields {
		if m.wants(f, p, st) {
			return true
		}
	}
	return false
}

// wants reports whether a field is to be filled in now.
func (m *Mind) wants(f *form, p *percept, st *formState) bool {
	e := p.e
	if e.Disabled || e.Role == "file" || e.Role == "slider" {
		return false
	}
	tries := st.attempts[p.key]
	if e.Error != "" {
		return tries < maxFieldTries && (tries == 0 || st.sent > 0 && st.errors >= tries)
	}
	if tries > 0 && !cameBackEmpty(e, st, tries) {
		return false
	}
	switch e.Role {
	case "checkbox", "switch":
		return !e.Checked && (e.Required || termsBox(p.w) || m.similar(m.subgoal(), p.label) >= relevant)
	case "radio":
		return m.wantsRadio(f, p, st)
	}
	if e.Value != "" && e.Role != "combobox" {
		return false
	}
	if e.Role == "combobox" && e.Value != "" && !emptyOption(e.Value) && !e.Required {
		return m.bestOption(e) != e.Value && m.optionScent(m.bestOption(e)) >= relevant
	}
	if p.label == "" && e.Placeholder == "" && takesText(e) {
		return true // nothing says that it may be left empty
	}
	if e.Required || m.t.readShare > 0.25 { // thorough people fill in everything
		return kindOf(e) != fkCoupon || e.Required
	}
	return !anyRequired(f) && kindOf(e) != fkCoupon
}

// cameBackEmpty: the form was sent and handed back without what had been
// entered, as passwords and ticks often are.
func cameBackEmpty(e *Element, st *formState, tries int) bool {
	if tries >= maxFieldTries || st.sent < tries || st.errors == 0 {
		return false
	}
	switch e.Role {
	case "checkbox", "switch":
		return !e.Checked
	case "radio":
		return false
	}
	return e.Value == "" && e.Required
}

func anyRequired(f *form) bool {
	for _, p := range f.fields {
		if p.e.Required {
			return true
		}
	}
	return false
}

// termsBox: a box that must be ticked to go on, though it may not say so.
func termsBox(w *words) bool {
	return has(w.concepts, "terms") || has(w.concepts, "privacy") || has(w.concepts, "accept")
}

// wantsRadio picks one of a group of radios: what the goal names, else the first.
func (m *Mind) wantsRadio(f *form, p *percept, st *formState) bool {
	var best *percept
	for _, o := range f.fields {
		if o.e.Role != "radio" {
			continue
		}
		if o.e.Checked || st.attempts[o.key] > 0 {
			if o.own < relevant && p.own >= relevant && p.own > o.own && !p.e.Checked && st.attempts[p.key] == 0 {
				continue
			}
			return false
		}
		if best == nil || o.own > best.own {
			best = o
		}
	}
	return best == p
}

func emptyOption(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return s == "" || s == "-" || strings.HasPrefix(s, "select") || strings.HasPrefix(s, "choose") || strings.HasPrefix(s, "please") || strings.HasPrefix(s, "--") || strings.HasPrefix(s, "pick")
}

// bestOption of a select: what the goal or a given value names, else the first real one.
func (m *Mind) bestOption(e *Element) string {
	best, scent := "", -1.0
	for _, o := range e.Options {
		if emptyOption(o) {
			continue
		}
		if s := m.optionScent(o); s > scent {
			best, scent = o, s
		}
	}
	return best
}

func (m *Mind) optionScent(o string) float64 {
	s := m.similar(m.subgoal(), o)
	for _, v := range m.goal.Values {
		if v.Text != "" && strings.EqualFold(strings.TrimSpace(v.Text), strings.TrimSpace(o)) {
			s = 1
		}
	}
	return s
}
