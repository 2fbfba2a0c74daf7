package forager

import (
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// reached reports whether the subgoal at hand is reached as far as this persona
// saw, and by what. It is the walker's own opinion.
func (m *Mind) reached(v *view, last *walk.Effect) (proof string, ok bool) {
	if v.page.Status >= 400 {
		return "", false
	}
	s := m.subgoal()
	switch s.Kind {
	case task.Inform:
		return m.answered(v, s)
	case task.Reach:
		return m.arrived(v, s)
	}
	return m.acted(v, s, last)
}

// answered: a passage that answers the question stands before one's eyes, and is
// read.
func (m *Mind) answered(v *view, s *task.Subgoal) (string, bool) {
	found := reading.Answers(s, v.page, v.passages, m.came)
	if len(found) == 0 || found[0].Score < reading.Enough+m.t.exacting {
		return "", false
	}
	said := found[0].Sentence
	if said == "" {
		said = found[0].Passage.Text
	}
	m.skim += m.t.readMS(strings.Count(found[0].Passage.Text, " ") + 1)
	return said, true
}

// arrived: what was looked for is what one has come to. The name by which one
// came counts, whatever the place calls itself; so does a heading in sight.
func (m *Mind) arrived(v *view, s *task.Subgoal) (string, bool) {
	wanted := s.Wanted()
	if s.Literal != "" {
		wanted = language.Read(s.Literal).Content()
	}
	came := m.last.Purpose == walk.Navigate && m.last.Action.Type == walk.Click && m.came != "" && m.still == 0
	if came && language.Cover(wanted, m.phrase(m.came)) >= arrivedLeast && m.last.Scent >= arrivedLeast && m.content(v) {
		return m.came, true
	}
	best, name := 0.0, ""
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if t.Kind != "heading" || !m.reads(t) || v.dialog != t.InDialog && v.mine {
			continue
		}
		words := m.phrase(t.Text)
		if c := language.Cover(wanted, words) * (0.5 + 0.5*m.precision(s, wanted, words)); c > best {
			best, name = c, t.Text
		}
	}
	if best >= named || best >= 0.8 && v.about >= contextLeast {
		return name, true
	}
	if found := reading.Answers(s, v.page, v.passages, m.came); len(found) > 0 && found[0].Score >= named {
		return found[0].Passage.Text, true
	}
	return "", false
}

// content: there is something to read or to look at that the site's bars do not hold.
func (m *Mind) content(v *view) bool {
	n := 0
	for i := range v.passages {
		if p := &v.passages[i]; p.Kind != "control" && !m.site.bars["text|"+p.Text] {
			n++
		}
	}
	for i := range v.percepts {
		if p := &v.percepts[i]; p.seen && !m.site.bars[p.key] {
			n++
		}
	}
	return n >= 2
}

// acted: the deed was done with a control that offers it or with a form, the page
// took it, and nothing of it is left open.
func (m *Mind) acted(v *view, s *task.Subgoal, last *walk.Effect) (string, bool) {
	if m.move != nil && m.clerk.Done(s) && !m.refused(v) {
		if m.last.Purpose != walk.Submit || moved(last) || taken(last) {
			if !v.mine && !m.asks(v) {
				return m.last.Thought, true
			}
			m.begun = true
		}
		return "", false
	}
	if m.last.Purpose != walk.Navigate && m.last.Purpose != walk.Submit || m.last.Action.Type != walk.Click || m.last.Subgoal != m.at || m.last.Target == nil {
		return "", false
	}
	label := m.phrase(m.last.Target.Name)
	direct := s.Literal != "" && m.literal(s, &percept{e: m.last.Target, label: label}) >= named
	if direct && last.Failed == "" {
		return m.last.Target.Name, true
	}
	doing := m.deed(s, label) >= 0.7 || m.begun
	switch {
	case !doing || !moved(last) && !taken(last) || m.refused(v):
		return "", false
	case v.mine || m.asks(v):
		m.begun = true // there is more to it
		return "", false
	}
	return m.last.Target.Name, true
}

// asks: what is open now has fields that the deed needs, so that it goes on.
func (m *Mind) asks(v *view) bool {
	_, more := m.clerk.Next(m.sight(v))
	return more
}

// refused: the page shows that a value was not taken.
func (m *Mind) refused(v *view) bool {
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; e.Error != "" && e.InViewport {
			return true
		}
	}
	return false
}

// taken: the server accepted what was sent.
func taken(e *walk.Effect) bool { return e.Taken() }
