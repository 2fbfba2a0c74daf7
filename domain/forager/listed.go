package forager

import (
	"math"
	"slices"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// listed takes the deed from a list that offers deeds ("Actions: Delete selected"),
// where it stands for what one is at, and presses what carries it out.
func (m *Mind) listed(v *view, assessed int) (walk.Decision, bool) {
	s := m.subgoal()
	if s.Kind != task.Act || s.Literal == "" && len(s.Object) == 0 {
		return walk.Decision{}, false
	}
	if m.last.Action.Type == walk.Select && m.last.Purpose == walk.Navigate {
		if p := m.carries(v, m.last.Target); p != nil {
			option := m.option
			d := m.use(v, p, 0, assessed)
			m.option = option
			return d, true
		}
	}
	name, top := fold(s.Existing()), 0.0
	var list *percept
	option := ""
	for i := range v.percepts {
		p := &v.percepts[i]
		if !p.seen || !p.usable || len(p.e.Options) < 2 || p.e.InputType != "" || v.dialog && !p.e.InDialog || name != "" && !m.belongs(v, p, name) || inQuestions(v, p) {
			continue
		}
		for _, o := range p.e.Options {
			label := m.phrase(o)
			fits := m.does(s, label) >= offers && m.orders(s, label) == 1 || s.Deed == "edit" && (m.becomes(s, label) || m.says(s, label))
			if o == p.e.Value || !fits || m.dodges(s, label) || m.site.tries(m.at, v.at.key, p.key+"|"+o) > 0 {
				continue
			}
			if c := 1 + language.Cover(s.Object, label); c > top {
				list, option, top = p, o, c
			}
		}
	}
	if list == nil {
		return walk.Decision{}, false
	}
	m.site.try(m.at, v.at.key, list.key+"|"+option, 1)
	m.option, m.lastKey = option, list.key
	return walk.Decision{Action: walk.Action{Type: walk.Select, Ref: list.e.Ref, Text: option}, Target: list.e, Purpose: walk.Navigate, Scent: offers,
		Assessed: assessed, Thought: m.say("the very thing", "name", option)}, true
}

// says: a label says what the subgoal is about, or the most of it and hardly anything else
// ("Set default options").
func (m *Mind) says(s *task.Subgoal, label *language.Phrase) bool {
	return len(s.Object) > 0 && language.Cover(s.Object, label) >= named ||
		len(label.Content()) > 1 && language.Cover(s.Object, label) >= contextLeast && language.Cover(label.Content(), &language.Phrase{Words: s.Object}) >= contextLeast
}

// inQuestions: the list is a question of a form that wants words too ("What is it about?").
func inQuestions(v *view, list *percept) bool {
	return slices.ContainsFunc(v.percepts, func(p percept) bool {
		return p.e.Form == list.e.Form && p.e.Form != 0 && p.e.Role == "textbox" && p.e.InputType != "search"
	})
}

// carries is the button that carries out what was taken from a list, the nearest of its
// form; nil for none.
func (m *Mind) carries(v *view, list *walk.Element) *percept {
	i := slices.IndexFunc(v.percepts, func(p percept) bool { return p.key == m.site.key(list) })
	if i < 0 || v.percepts[i].e.Value != m.option {
		return nil
	}
	at := centre(v.percepts[i].e.Box)
	var best *percept
	near := math.Inf(1)
	for i := range v.percepts {
		p := &v.percepts[i]
		c := centre(p.e.Box)
		if far := math.Hypot(c.x-at.x, c.y-at.y); p.known && p.usable && p.e.Form == list.Form && (p.e.Submit || p.e.Role == "button") && far < near {
			best, near = p, far
		}
	}
	return best
}
