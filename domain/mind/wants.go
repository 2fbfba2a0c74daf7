package mind

import (
	"regexp"
	"strings"
)

// openFields: something in the form still wants a value.
func (m *Mind) openFields(v *view, f *form, st *formState) bool {
	for _, p := range f.fields {
		if m.wants(v, f, p, st) {
			return true
		}
	}
	return false
}

// wants reports whether a field is to be filled in now.
func (m *Mind) wants(v *view, f *form, p *percept, st *formState) bool {
	e := p.e
	if e.Disabled || e.Role == "slider" {
		return false
	}
	tries := st.attempts[p.key]
	if m.complained(f, e) && e.Role != "radio" {
		atOnce := st.sent == 0 && e.Error != "" && e.Value != "" // refused before anything was sent
		return tries < maxFieldTries && (tries == 0 || atOnce || st.sent > 0 && st.errors >= tries) && (e.Role != "checkbox" && e.Role != "switch" || !e.Checked)
	}
	if repeats(e) && tries > 0 && tries < maxFieldTries && st.typed[p.key] != st.entered[kindOf(e)] {
		return true // what it repeats was changed
	}
	if tries > 0 && !cameBackEmpty(e, st, tries) {
		return false
	}
	switch e.Role {
	case "checkbox", "switch":
		return m.wantsTick(v, p)
	case "radio":
		return m.wantsRadio(v, f, p, st)
	case "file":
		return e.Value == "" && (e.Required || m.subgoal().Verb == "upload" || m.t.readShare > 0.25 && !anyRequired(f))
	}
	if tries == 0 && m.replaces(e, p.label) {
		return true
	}
	if e.Value != "" && e.Role != "combobox" {
		return false
	}
	if e.Role == "combobox" && e.Value != "" && !emptyOption(e.Value) {
		best := m.bestOption(e)
		return best != "" && best != e.Value && m.optionScent(e, best) >= relevant
	}
	if p.label == "" && e.Placeholder == "" && takesText(e) {
		return true // nothing says that it may be left empty
	}
	if e.Required || m.t.readShare > 0.25 { // thorough people fill in everything
		return kindOf(e) != fkCoupon || e.Required
	}
	return !anyRequired(f) && kindOf(e) != fkCoupon
}

// replaces: the task gives a value for this field, or wants what it holds
// changed, and it does not hold that value yet.
func (m *Mind) replaces(e *Element, label string) bool {
	if !takesText(e) || kindOf(e) == fkSearch || kindOf(e) == fkMessage {
		return false
	}
	if text, secret, ok := m.givenValue(e, kindOf(e)); ok {
		return secret != "" && e.Value == "" || secret == "" && !sameValue(e.Value, text)
	}
	return e.Value != "" && m.subgoal().Verb == "edit" && m.similar(m.subgoal(), label) >= relevant
}

// sameValue compares values however they are spaced.
func sameValue(a, b string) bool {
	plain := strings.NewReplacer(" ", "", "-", "", ",", "", ".00", "")
	return strings.EqualFold(plain.Replace(a), plain.Replace(b))
}

// wantsTick: a box has to be ticked, or is to be switched as the goal says.
func (m *Mind) wantsTick(v *view, p *percept) bool {
	e, s := p.e, m.subgoal()
	if wantsOff(s) || s.Verb == "on" {
		if m.switchFits(v, p) {
			return e.Checked == wantsOff(s)
		}
	}
	if e.Checked {
		return false
	}
	if e.Required || termsBox(p.w) || declares.MatchString(p.label) {
		return true
	}
	if s.Kind == Act && m.similar(s, p.label) >= relevant && !offers.MatchString(p.label) {
		return true
	}
	return false
}

// switchFits: the label says something of what is to be switched, and together
// with the headings above it enough.
func (m *Mind) switchFits(v *view, p *percept) bool {
	s := m.subgoal()
	if len(s.Object) == 0 || !objectSaid(s, p.w) {
		return false
	}
	heading := MainHeading(v.page)
	if r := p.e.Region; r >= 0 && r < len(v.page.Regions) {
		heading += " " + v.page.Regions[r].Heading
	}
	share, named := objectCoverage(s, m.dict.of(p.label+" "+p.e.Group+" "+p.e.Help+" "+heading))
	return share >= objectLeast && named
}

// wantsOff: the goal is to have something no longer.
func wantsOff(s *Subgoal) bool { return s.Verb == "off" || s.Verb == "unsubscribe" }

var (
	// declares are the beginnings of what has to be declared to go on.
	declares = regexp.MustCompile(`(?i)^(?:i|we) (?:confirm|declare|certify|understand|have read|agree|accept|consent)\b|\bis (?:true|correct|accurate) (?:and|to)\b`)
	// offers are boxes that ask for more than the task needs.
	offers = regexp.MustCompile(`(?i)\b(?:offers|marketing|newsletter|partners|tips|news about)\b`)
	// summary is the beginning of a complaint about the whole form.
	summary = regexp.MustCompile(`(?i)^(?:please )?(?:check|correct|fix|there (?:is|are|was|were))\b.{0,30}\b(?:answers?|errors?|problems?|fields?|details)\b`)
)

// complained: the field itself was refused. The list of all that is wrong stands
// above the first field and is about others.
func (m *Mind) complained(f *form, e *Element) bool {
	if e.Error == "" || !summary.MatchString(e.Error) {
		return e.Error != ""
	}
	for _, o := range f.fields {
		if o.e.Error != "" && !summary.MatchString(o.e.Error) {
			return false
		}
	}
	return true
}

// repeats: the field asks for what was entered before once more.
func repeats(e *Element) bool { return again.MatchString(e.Name + " " + e.Placeholder) }

var again = regexp.MustCompile(`(?i)\b(?:confirm|repeat|re-?enter|re-?type|again|once more|verify)\b`)

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

func emptyOption(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return s == "" || s == "-" || strings.HasPrefix(s, "select") || strings.HasPrefix(s, "choose") || strings.HasPrefix(s, "please") || strings.HasPrefix(s, "--") || strings.HasPrefix(s, "pick")
}
