package forager

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/forager/forms"
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
	if v.results && s.Kind != task.Act {
		return "", false // what was found has still to be opened
	}
	switch s.Kind {
	case task.Inform:
		return m.answered(v, s)
	case task.Reach:
		return m.arrived(v, s)
	default:
		return m.acted(v, s, last)
	}
}

// answered: a passage that answers the question stands before one's eyes, and is
// read.
func (m *Mind) answered(v *view, s *task.Subgoal) (string, bool) {
	for _, f := range reading.Answers(s, v.page, m.words(v), m.came) {
		said := f.Sentence
		if said == "" {
			said = f.Passage.Text
		}
		if f.Score < reading.Enough+m.t.exacting || s.Answer == language.Anything && (v.points(&f.Passage) || v.leads(said)) {
			continue
		}
		ms := m.t.readMS(strings.Count(f.Passage.Text, " ") + 1)
		if m.t.reader {
			ms *= 2 // heard to its end, when the rest is heard in half the time
		}
		m.skim += ms
		return said, true
	}
	return "", false
}

// arrived: what was looked for is what one has come to. The name by which one
// came counts, whatever the place calls itself; so does a heading in sight.
func (m *Mind) arrived(v *view, s *task.Subgoal) (string, bool) {
	wanted := s.Wanted()
	if s.Literal != "" {
		wanted = language.Read(s.Literal).Content()
	}
	came := m.last.Purpose == walk.Navigate && m.last.Action.Type == walk.Click && m.came != "" && m.still == 0
	if came && math.Max(language.Cover(wanted, m.phrase(m.came)), m.leads(v, s, m.phrase(m.came))) >= arrivedLeast && m.last.Scent >= arrivedLeast && m.content(v) && reading.Mostly(s, m.last.Target.Name) {
		return m.came, true
	}
	if came && !m.names() && m.last.Scent >= arrivedLeast && m.content(v) && slices.ContainsFunc(s.Concepts(), func(c string) bool { return m.phrase(m.came).Has(c) && m.phrase(v.title()).Has(c) }) {
		return m.came, true // the kind of page that is looked for, by the link's word and its own
	}
	best, name := 0.0, ""
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if t.Kind != "heading" || !m.reads(t) || v.dialog != t.InDialog && v.mine || v.leads(t.Text) || !reading.Mostly(s, t.Text) {
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
	if v.leads(m.nameOf(s)) {
		return "", false // what is called so is still to be opened
	}
	for _, f := range reading.Answers(s, v.page, m.words(v), m.came) {
		if f.Score >= named && !v.points(&f.Passage) && (f.Passage.Kind != "heading" || reading.Mostly(s, f.Passage.Text)) {
			return f.Passage.Text, true
		}
	}
	return "", false
}

// nameOf is the name of what is looked for, "" when it has none.
func (m *Mind) nameOf(s *task.Subgoal) string {
	if s.Literal != "" {
		return s.Literal
	}
	var name []string
	for _, w := range s.Object {
		if w.Named() {
			name = append(name, w.Text)
		}
	}
	return strings.Join(name, " ")
}

// words are the passages that tell something: not what one searched for oneself.
func (m *Mind) words(v *view) []reading.Passage {
	if m.query == "" {
		return v.passages
	}
	return slices.DeleteFunc(slices.Clone(v.passages), func(p reading.Passage) bool {
		if p.Element >= 0 && m.searches(&v.page.Elements[p.Element]) {
			return true
		}
		return len(strings.Fields(p.Text)) < 2*len(strings.Fields(m.query))+6 && strings.Contains(fold(p.Text), fold(m.query)) && m.subgoal().Answer == language.Anything
	})
}

// points: a passage is the name of something that is to be opened, or stands in
// its row.
func (v *view) points(p *reading.Passage) bool {
	return p.Element >= 0 || p.Row > 0 && v.doors[p.Row] || v.leads(p.Text)
}

// leads: a text is the name of a link or a button.
func (v *view) leads(text string) bool {
	want := fold(text)
	for i := range v.percepts {
		p := &v.percepts[i]
		if name := fold(p.e.Name); !walk.IsField(p.e) && len(name) > 2 && (name == want || len(name) > len(want) && strings.Contains(name, want) && len(want) > 3) {
			return p.e.Href == "" || cutFragment(p.e.Href) != cutFragment(v.page.URL)
		}
	}
	return false
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
	if m.watched != "" {
		if proof := m.watched; !v.stands(fold(s.Existing())) || m.waited >= watches {
			return proof, true
		}
		return "", false
	}
	_, more := m.next(v)
	complete := !more && m.clerk.Done(s) && !m.refused(v)
	if complete && forms.HandsOver(s.Deed) && !m.clerk.Sent(s) && (m.last.Purpose != walk.Fill || !taken(last)) {
		complete, m.begun = false, true // it is still to be handed over
	}
	if complete {
		sent := m.last.Purpose == walk.Submit
		switch {
		case sent && !moved(last) && !taken(last):
			return "", false
		case v.mine && !entering(s) && m.sendable(v) && (!sent || !taken(last)):
			m.begun = true // there is more to it
			return "", false
		case m.confirms(v):
			return "", false
		case m.unsaved(v):
			m.begun = true
			return "", false
		}
		return m.last.Thought, true
	}
	if m.last.Purpose != walk.Navigate && m.last.Purpose != walk.Submit || m.last.Action.Type != walk.Click && m.last.Action.Type != walk.Select || m.last.Subgoal != m.at || m.last.Target == nil {
		return "", false
	}
	label := m.phrase(m.last.Target.Name)
	if m.option != "" {
		label = m.phrase(m.option)
	}
	if last.Failed != "" || last.Missed != "" {
		return "", false
	}
	if s.Deed == "click" && m.offered || m.narrowed(v, s, label) {
		return m.last.Target.Name, true
	}
	if name := fold(s.Existing()); (s.Deed == "delete" || s.Deed == "archive") && name != "" && m.does(s, label) >= offers && m.stood == v.at.key && !v.stands(name) && !m.asksBack(v) {
		return m.last.Target.Name, true // it is gone
	}
	if name := fold(s.Existing()); (s.Deed == "delete" || s.Deed == "archive") && name != "" && m.stood != "" && m.begun && slices.ContainsFunc(sending, label.Has) &&
		m.last.Target.InDialog && (moved(last) || taken(last)) && !v.stands(name) && !v.dialog && !m.refused(v) {
		return m.last.Target.Name, true // it was confirmed, and something else is there now
	}
	finds := label.Has("search") && s.Deed != "search" // what it is done with
	doing := m.does(s, label) >= 0.7 || s.Deed == "edit" && m.becomes(s, label) || m.begun && !finds && slices.ContainsFunc(sending, label.Has)
	if !m.clerk.Given(s) && !m.becomes(s, label) || m.last.Target.Role == "link" && last.Navigated && !taken(last) && (v.asksFor() || m.made(s) || forms.HandsOver(s.Deed) || m.anew(v)) {
		m.begun = m.begun || s.Deed == "move" && m.does(s, label) >= offers && moved(last) // where to is said next
		return "", false                                                                   // it only led to where it is done
	}
	switch {
	case !doing || !moved(last) && !taken(last) || m.refused(v):
		return "", false
	case v.mine || m.asks(v) || v.overlaid(m.lastKey) || m.confirms(v) || m.asksBack(v):
		m.begun = true // there is more to it
		return "", false
	}
	if name := fold(s.Existing()); s.Deed == "delete" && name != "" && m.stood == v.at.key && v.stands(name) {
		m.watched, m.waited = m.last.Target.Name, 0 // it is still there
		return "", false
	}
	return m.last.Target.Name, true
}

// watches is how many looks people give a list to lose what was deleted: an assumption.
const watches = 2

// stands: a name, folded, is on the page, in sight or not.
func (v *view) stands(name string) bool {
	return slices.ContainsFunc(v.page.Texts, func(t walk.Text) bool { return within(fold(t.Text), name) }) ||
		slices.ContainsFunc(v.page.Elements, func(e walk.Element) bool { return within(fold(e.Name), name) || within(fold(e.Value), name) })
}

// narrowed: what was used shows only what it is called by, as the page says now.
func (m *Mind) narrowed(v *view, s *task.Subgoal, label *language.Phrase) bool {
	name := fold(label.Text)
	return s.Deed == "filter" && len(name) > 2 && language.Cover(label.Content(), &language.Phrase{Words: s.Wanted()}) >= named &&
		within(fold(m.standing(v)+"\n"+asked(v.page.URL)), name)
}

// overlaid: what was used lies under something that came up.
func (v *view) overlaid(key string) bool {
	return slices.ContainsFunc(v.percepts, func(p percept) bool { return p.key == key && p.e.CoveredBy != "" && !p.e.InDialog })
}

// asksFor: the page has a form to fill in.
func (v *view) asksFor() bool {
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; e.Submit && e.Form > 0 && !v.apart(e) {
			return true
		}
	}
	return false
}

// apart: a control belongs to the site's bars or its search.
func (v *view) apart(e *walk.Element) bool {
	kind := v.kind(e)
	return kind == "search" || kind == "navigation" || kind == "banner"
}

// sendable: what is open has a button that takes over what stands in it. Without
// one, it counts as it stands.
func (m *Mind) sendable(v *view) bool {
	return slices.ContainsFunc(v.percepts, func(p percept) bool {
		if !p.seen || !p.usable || !p.e.InDialog || walk.IsField(p.e) || p.e.Role == "tab" {
			return false
		}
		own := p.e.Submit && m.last.Target != nil && p.e.Form == m.last.Target.Form
		marks := p.label.Has("done") && len(p.label.Content()) > 1 // something as done
		return own || p.label.Has(m.subgoal().Deed) || !marks && slices.ContainsFunc(sending, p.label.Has)
	})
}

// confirms: the page wants a word more before it does what was sent, on the screen
// or further down, whether or not that can be given.
func (m *Mind) confirms(v *view) bool {
	return m.sentFrom != "" && slices.ContainsFunc(v.percepts, func(p percept) bool {
		return (p.seen || !p.usable || !p.e.InViewport) && (p.e.Submit || p.e.Role == "button") && m.furthers(v, &p)
	})
}

// unsaved: what was taken over with an OK is a part of what the page saves as a whole, by a
// button of its own, which was not pressed since.
func (m *Mind) unsaved(v *view) bool {
	saves := slices.ContainsFunc(v.percepts, func(p percept) bool {
		return p.e.Role == "button" && p.label.Has("save") && len(m.unsaid(m.subgoal(), p.label)) <= 1 && !m.site.bars[p.key] && !v.apart(p.e)
	})
	if e := m.last.Target; e != nil && m.last.Action.Type == walk.Click {
		switch label := m.phrase(e.Name); {
		case label.Has("save"):
			m.partial = ""
		case label.Has("accept") && saves && !v.dialog:
			m.partial = v.at.key
		}
	}
	return saves && m.partial == v.at.key
}

// anew: the page offers once more what was used to come here.
func (m *Mind) anew(v *view) bool {
	return slices.ContainsFunc(v.percepts, func(p percept) bool {
		return p.known && p.usable && p.key != m.lastKey && p.own >= offers && !m.site.bars[p.key] && m.does(m.subgoal(), p.label) >= offers
	})
}

// asksBack: what came up now wants to know whether one is sure.
func (m *Mind) asksBack(v *view) bool {
	fresh := func(concepts ...string) bool {
		return slices.ContainsFunc(v.percepts, func(p percept) bool {
			return p.usable && v.at.seen[p.key].step == m.steps && !walk.IsField(p.e) && slices.ContainsFunc(concepts, p.label.Has)
		})
	}
	return fresh("confirm", "accept", m.subgoal().Deed) && fresh("cancel", "reject", "dismiss", "back")
}

// furthers: a control goes on with what was sent from another page. Who went on to
// this one expects any that sends.
func (m *Mind) furthers(v *view, p *percept) bool {
	if m.sentFrom == v.at.key || p.e.Form == 0 || v.apart(p.e) || m.site.bars[p.key] {
		return false
	}
	sends := m.deed(m.subgoal(), p.label) >= offers || slices.ContainsFunc(sending, p.label.Has)
	return p.label.Has("confirm") || p.label.Has("continue") || m.onward && sends
}

// entering: the deed is done when the values stand where they belong.
func entering(s *task.Subgoal) bool {
	switch s.Deed {
	case "type", "choose", "check", "uncheck", "copy":
		return true
	}
	return false
}

// asks: what is open now has fields that the deed needs, so that it goes on.
func (m *Mind) asks(v *view) bool {
	_, more := m.next(v)
	return more
}

// refused: the page shows that a value was not taken, or still wants a proof of being
// human.
func (m *Mind) refused(v *view) bool {
	if m.unproved(v) != nil {
		return true
	}
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; e.Error != "" && e.InViewport {
			return true
		}
	}
	return false
}

// taken: the server accepted what was sent.
func taken(e *walk.Effect) bool { return e.Taken() }
