package mind

import (
	"regexp"
	"strconv"
	"strings"
)

// question is what a group of choices asks.
func (m *Mind) question(v *view, p *percept) string {
	if p.e.Group != "" {
		return p.e.Group
	}
	return v.textAbove(p.e)
}

// groupKey tells the groups of radio buttons of one form apart: by the question,
// else by the part of the selector that all of a group share.
func groupKey(e *Element) string {
	if e.Group != "" {
		return e.Group
	}
	if cut := strings.Index(e.Selector, "[value="); cut > 0 {
		return e.Selector[:cut]
	}
	return ""
}

// wantsRadio picks one of each group of radios: what the task names, what is true
// of the persona, what lets one go on, else the first.
func (m *Mind) wantsRadio(v *view, f *form, p *percept, st *formState) bool {
	var best, checked *percept
	score, key := -1.0, groupKey(p.e)
	for _, o := range f.fields {
		if o.e.Role != "radio" || o.e.Disabled || groupKey(o.e) != key {
			continue
		}
		if st.attempts[o.key] > 0 && st.sent < st.attempts[o.key] {
			return false // chosen already
		}
		if o.e.Checked {
			checked = o
		}
		if s := m.choiceFit(v, o) - 0.4*float64(st.attempts[o.key]); s > score {
			best, score = o, s
		}
	}
	switch {
	case checked == nil:
		return best == p
	case m.choiceFit(v, checked) >= relevant || st.attempts[checked.key] > 0:
		return p.e.Error != "" && best == p && !p.e.Checked
	}
	return best == p && p != checked && (score >= relevant || m.names(p.label) && !m.names(checked.label))
}

// names: the label says a telling word of what the task is about.
func (m *Mind) names(label string) bool { return objectSaid(m.subgoal(), m.dict.of(label)) }

var (
	// awkward are questions to which most people answer no.
	awkward = regexp.MustCompile(`(?i)\b(?:convict\w*|disab\w*|allerg\w*|blue badge|refused|bankrupt\w*|criminal|previously|already|another|extra|insurance|newsletter|marketing|offers|different|pregnan\w*|medical|exempt\w*|discount|voucher|student|arrears|owe|business|company car|someone else|behalf|lost|stolen)\b`)
	// evasive are answers that lead nowhere.
	evasive  = regexp.MustCompile(`(?i)^(?:other|none\b|no,|prefer not|(?:i )?do(?:n't| not) know|not sure|another|something else|somebody else)`)
	ageRange = regexp.MustCompile(`\b(\d{1,3})\s*(?:-|–|to)\s*(\d{1,3})\b`)
	ageOver  = regexp.MustCompile(`(?i)\b(\d{1,3})\s*(?:\+|or (?:over|older|above))|\bover (\d{1,3})\b`)
)

// choiceFit is how fitting one choice is, 0 to 1.
func (m *Mind) choiceFit(v *view, p *percept) float64 {
	label := strings.ToLower(strings.TrimSpace(p.label))
	question := m.question(v, p)
	if f := m.optionFit(question, p.label); f >= relevant {
		return f
	}
	switch {
	case label == "yes" || strings.HasPrefix(label, "yes,"):
		if p.own >= relevant || !awkward.MatchString(question) {
			return 0.5
		}
		return 0.1
	case label == "no" || strings.HasPrefix(label, "no,"):
		if awkward.MatchString(question) {
			return 0.5
		}
		return 0.1
	case evasive.MatchString(label):
		return 0.02
	}
	if about := strings.ToLower(question + " " + label); has(tokens(about), "age") || strings.Contains(about, "how old") || strings.Contains(about, "year") {
		if at := ageRange.FindStringSubmatch(label); at != nil {
			low, _ := strconv.Atoi(at[1])
			high, _ := strconv.Atoi(at[2])
			if m.age >= low && m.age <= high {
				return 0.7
			}
			return 0.05
		}
		if at := ageOver.FindStringSubmatch(label); at != nil {
			if low, _ := strconv.Atoi(at[1] + at[2]); m.age >= low {
				return 0.65
			}
			return 0.05
		}
	}
	if m.slotLike(label) {
		return m.slotFit(label, v)
	}
	return min(0.59, max(0.2, p.own))
}

// bestOption of a select: what the goal or a given value names, else the first real one.
func (m *Mind) bestOption(e *Element) string {
	best, scent := "", -1.0
	for _, o := range e.Options {
		if emptyOption(o) {
			continue
		}
		if s := m.optionScent(e, o); s > scent {
			best, scent = o, s
		}
	}
	return best
}

// optionScent is how fitting an option of a select is.
func (m *Mind) optionScent(e *Element, o string) float64 {
	switch kindOf(e) {
	case fkDay, fkMonth, fkYear:
		for i, want := range m.datePartOf(e, kindOf(e)) {
			if strings.EqualFold(want, strings.TrimSpace(o)) || kindOf(e) == fkMonth && len(o) >= 3 && strings.HasPrefix(strings.ToLower(want), strings.ToLower(o)) {
				return 1 - 0.05*float64(i)
			}
		}
		return 0
	case fkNumber:
		for _, v := range m.goal.Values {
			if v.Kind == ValueQuantity && len(tokens(o)) > 0 && tokens(o)[0] == v.Text {
				return 1
			}
		}
	default: // the label tells more than the kind
	}
	if f := m.optionFit(e.Name+" "+e.Group, o); f > 0 {
		return f
	}
	if m.slotLike(strings.ToLower(o)) {
		return m.slotFit(strings.ToLower(o), nil)
	}
	if evasive.MatchString(strings.TrimSpace(o)) {
		return 0
	}
	return 0.05
}

// optionFit is how far a choice is what the task names, 0 to 1; field is what
// the choice is about, so that "from savings" is not taken for where money goes.
func (m *Mind) optionFit(field, option string) float64 {
	label, about := tokens(option), tokens(field)
	best := 0.0
	for _, v := range m.goal.Values {
		if v.Text == "" || v.Input != "" {
			continue
		}
		var fits bool
		switch v.Kind {
		case ValueFrom:
			fits = has(about, "from")
		case ValueRecipient:
			fits = !has(about, "from")
		case ValueTo:
			fits = !has(about, "from")
		default:
			fits = true
		}
		if !fits {
			continue
		}
		if strings.EqualFold(strings.TrimSpace(v.Text), strings.TrimSpace(option)) {
			best = 1
			continue
		}
		want, met := tokens(v.Text), 0
		for _, t := range want {
			if !stopwords[t] && has(label, t) {
				met++
			}
		}
		if len(want) > 0 && met == len(want) {
			best = max(best, 0.95)
		}
	}
	if best == 0 && (has(about, "from") || has(about, "to")) && m.subgoal().Verb == "transfer" {
		for _, v := range m.goal.Values {
			if (v.Kind == ValueFrom || v.Kind == ValueTo) && strings.Contains(strings.ToLower(option), strings.ToLower(v.Text)) {
				return 0 // named, but for the other side
			}
		}
	}
	return max(best, m.similar(m.subgoal(), option))
}
