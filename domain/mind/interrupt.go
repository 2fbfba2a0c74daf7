package mind

import (
	"math"
	"strings"
)

// maxDismissals is how often one page's dialog is pushed away before it is
// worked around.
const maxDismissals = 3

// interruption puts away what stands in the way: a dialog that is not about
// the goal, or a banner that asks for consent.
func (m *Mind) interruption(v *view) (Decision, bool) {
	inDialog := v.dialog
	consent := m.consentText(v)
	if !inDialog && consent < 0 {
		return Decision{}, false
	}
	key := v.place.key
	if m.away[key] >= maxDismissals {
		return Decision{}, false
	}
	if inDialog && m.wanted(v) {
		return Decision{}, false
	}
	best := m.dismissal(v, inDialog, consent)
	if best == nil {
		if !inDialog || m.away[key] > 0 {
			return Decision{}, false
		}
		m.away[key]++
		return Decision{Action: Action{Type: Press, Text: "Escape"}, Purpose: Dismiss, Thought: "Something opened over the page and I see no way to close it. I press Escape.",
			Signals: []Signal{{Kind: SigInterrupted, Detail: clip(m.dialogName(v), 60)}}}, true
	}
	m.away[key]++
	if m.away[key] > 1 {
		m.shock(0.08)
	}
	d := Decision{Action: Action{Type: Click, Ref: best.e.Ref}, Target: best.e, Purpose: Dismiss, Assessed: 2}
	what := "This is in the way"
	switch {
	case consent >= 0 && (!inDialog || v.page.Texts[consent].InDialog):
		what = pickText(m.seed, "cookies", "They ask about cookies", "Cookies again", "First the cookies")
	case inDialog:
		what = "“" + clip(m.dialogName(v), 40) + "” is in the way"
	}
	d.Thought = what + ". I press “" + clip(best.label, 40) + "”."
	if best.label == "" {
		d.Thought = what + ". I press the cross in the corner."
		d.Signals = append(d.Signals, Signal{Kind: SigUnclear})
	}
	d.Signals = append(d.Signals, Signal{Kind: SigInterrupted, Detail: clip(m.dialogName(v), 60)})
	return d, true
}

// wanted: the dialog is about the goal, or we opened it ourselves.
func (m *Mind) wanted(v *view) bool {
	opened := m.last.Action.Type == Click && m.last.Purpose == Navigate && m.followed >= m.t.settle
	for _, f := range m.formsIn(v) {
		if f.dialog && !f.search && (f.about >= formWorth || m.forms[f.key] != nil && !m.forms[f.key].left) {
			return true
		}
	}
	s := m.subgoal()
	best := 0.0
	for i := range v.percepts {
		if p := &v.percepts[i]; p.e.InDialog && !isField(p.e) && v.place.tried[p.key] == 0 {
			best = math.Max(best, p.own)
		}
	}
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.InDialog && t.Kind == "heading" {
			best = math.Max(best, m.similar(s, t.Text))
		}
	}
	if m.consentText(v) >= 0 {
		return false
	}
	return best >= relevant || opened && best >= 0.35
}

func hasDialog(page *Page) bool {
	for i := range page.Elements {
		if page.Elements[i].InDialog {
			return true
		}
	}
	return false
}

// consentText is the index of a visible text about cookies, -1 for none.
func (m *Mind) consentText(v *view) int {
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if !t.InViewport || len(t.Text) > 1500 {
			continue
		}
		s := strings.ToLower(t.Text)
		if strings.Contains(s, "cookie") || strings.Contains(s, "your privacy") && t.InDialog {
			return i
		}
	}
	return -1
}

// dismissal is the control that puts it away. Cautious people reject, others
// take the quickest way.
func (m *Mind) dismissal(v *view, inDialog bool, consent int) *percept {
	var best *percept
	score := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if isField(p.e) || !p.usable || p.e.Role == "link" && p.e.Href != "" && !strings.HasSuffix(p.e.Href, "#") || v.place.tried["away|"+p.key] > 0 {
			continue
		}
		if inDialog && !p.e.InDialog {
			continue
		}
		if !inDialog && !near(v, p.e, consent) {
			continue
		}
		s := 0.0
		switch {
		case has(p.w.concepts, "reject"):
			s = 0.5 + 0.5*m.t.caution
		case has(p.w.concepts, "accept"):
			s = 0.75
			if consent < 0 {
				s = 0.4
			}
		case has(p.w.concepts, "dismiss") || p.label == "×" || p.label == "✕" || p.label == "x" || p.label == "X":
			s = 0.7
		case p.label == "" && p.e.Icon && inDialog:
			s = 0.2
		case has(p.w.concepts, "cancel") && inDialog:
			s = 0.5
		}
		if s > score {
			best, score = p, s
		}
	}
	if best != nil {
		v.place.tried["away|"+best.key]++
	}
	return best
}

// near: the control belongs to the banner with the consent text.
func near(v *view, e *Element, text int) bool {
	if text < 0 {
		return false
	}
	t := &v.page.Texts[text]
	if e.Region >= 0 && e.Region == t.Region && v.kind(e.Region) != "main" {
		return true
	}
	gap := math.Max(e.Box.Y-(t.Box.Y+t.Box.H), t.Box.Y-(e.Box.Y+e.Box.H))
	return e.InViewport && gap < 120
}

func (m *Mind) dialogName(v *view) string {
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.InDialog && (t.Kind == "heading" || !v.dialog) {
			return t.Text
		}
	}
	if i := m.consentText(v); i >= 0 {
		return v.page.Texts[i].Text
	}
	return "dialog"
}
