package mind

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// weakScent is the best scent below which people turn to the search box.
const weakScent = 0.3

// maxSearches is one query and one reformulation per walk and page.
const maxSearches = 2

// namesItem: the task names a thing that a search box could find.
func (m *Mind) namesItem() bool {
	s := m.subgoal()
	return s.Verb == "search" || s.Verb == "buy" && len(s.Object) >= 2 || s.Kind == Inform && len(s.names) > 0
}

// useSearch types the object's words into a search box and sends them.
func (m *Mind) useSearch(v *view, best float64, assessed int) (Decision, bool) {
	s := m.subgoal()
	if len(s.Object) == 0 && len(m.goal.Values) == 0 || best >= math.Max(weakScent, m.t.settle) && s.Verb != "search" && !m.t.searches {
		return Decision{}, false
	}
	for _, f := range m.formsIn(v) {
		if !f.search || v.dialog && !f.dialog {
			continue
		}
		st := m.forms["search"]
		if st == nil {
			st = newFormState()
			m.forms["search"] = st
		}
		for _, p := range f.fields {
			if kindOf(p.e) != fkSearch || p.e.Disabled || p.e.CoveredBy != "" && !p.e.InDialog || !p.seen && !v.place.saw(p.key) {
				continue
			}
			if m.last.Purpose == Seek && m.last.Action.Type == Type {
				d := m.sendSearch(f, p)
				d.Assessed = 1
				return d, true
			}
			if st.sent >= maxSearches || v.place.sought {
				return Decision{}, false
			}
			text, secret := m.valueFor(p.e, st.sent, false)
			if text == "" || headed(v.page, text) { // it is here already
				return Decision{}, false
			}
			st.sent++
			d := Decision{Action: Action{Type: Type, Ref: p.e.Ref, Text: text, Secret: secret}, Target: p.e, Purpose: Seek, Scent: 0.4, Assessed: assessed}
			d.Thought = "There is a search box. I look for “" + text + "”."
			if st.sent > 1 {
				d.Thought = "I try other words: “" + text + "”."
			}
			return d, true
		}
	}
	return Decision{}, false
}

// headed: the page's top heading is this text.
func headed(page *Page, text string) bool {
	return slices.ContainsFunc(page.Texts, func(t Text) bool {
		return t.Kind == "heading" && t.Level == 1 && strings.EqualFold(strings.TrimSpace(t.Text), text)
	})
}

// sendSearch submits what was typed.
func (m *Mind) sendSearch(f *form, p *percept) Decision {
	m.where.sought = true
	for _, b := range f.buttons {
		if b.usable && (b.e.Submit || has(b.w.concepts, "search")) {
			return Decision{Action: Action{Type: Click, Ref: b.e.Ref}, Target: b.e, Purpose: Submit, Scent: 0.4, Thought: "Now search."}
		}
	}
	return Decision{Action: Action{Type: Press, Ref: p.e.Ref, Text: "Enter"}, Target: p.e, Purpose: Submit, Scent: 0.4, Thought: "Now Enter."}
}

// nextPage is the promise of what leads on in a text or a list that is about the
// goal and goes on on another page: an assumption.
func (m *Mind) nextPage(v *view, p *percept) float64 {
	if v.about < objectLeast || p.e.Role != "link" && p.e.Role != "button" || !goesOnTo.MatchString(p.label) {
		return 0
	}
	return 0.65
}

var goesOnTo = regexp.MustCompile(`(?i)^(?:next page|next\b|page 2|continue reading|read on|older|load more|show more|show all)`)
