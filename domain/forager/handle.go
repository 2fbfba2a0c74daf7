package forager

import (
	"slices"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// handles are the ways to get at what can be done to a thing where it stands, in the
// order in which they are tried: pointing at it may uncover its controls, it may
// have a menu, and a double-click may open its words to be written over.
var handles = []struct {
	by    walk.ActionType
	deeds []string
}{
	{walk.Hover, []string{"rename", "edit", "delete", "archive", "move", "copy"}},
	{walk.RightClick, []string{"rename", "edit", "delete", "archive", "move", "copy"}},
	{walk.DoubleClick, []string{"rename", "edit"}},
}

// handle takes hold of the thing that the subgoal names, where nothing on the screen
// does to it what is to be done. Only a mouse can.
func (m *Mind) handle(v *view, assessed int) (walk.Decision, bool) {
	if m.t.keys || m.t.reader || v.touch || m.subgoal().Kind != task.Act {
		return walk.Decision{}, false
	}
	p := m.itself(v)
	if p == nil {
		return walk.Decision{}, false
	}
	for _, h := range handles {
		key := string(h.by) + "|" + p.key
		if !slices.Contains(h.deeds, m.subgoal().Deed) || m.site.tries(m.at, v.at.key, key) > 0 {
			continue
		}
		m.site.try(m.at, v.at.key, key, 1)
		if m.lastKey = p.key; h.by != walk.Hover {
			m.came = walk.Shorten(p.e.Name+"\n"+v.beside(p.e), 300)
		}
		return walk.Decision{Action: walk.Action{Type: h.by, Ref: p.e.Ref}, Target: p.e, Purpose: walk.OpenMenu, Scent: p.scent,
			Assessed: assessed, Thought: m.say(string(h.by), "name", p.e.Name)}, true
	}
	return walk.Decision{}, false
}

// uncovered: a control came up as the thing was taken hold of, so that it is for it.
func (m *Mind) uncovered(v *view, p *percept) bool {
	return m.last.Purpose == walk.OpenMenu && v.at.seen[p.key].step == m.steps && m.site.tries(m.at, v.at.key, string(m.last.Action.Type)+"|"+m.lastKey) > 0
}

// itself is the thing that the subgoal names, as it stands on the screen: what says
// its name and least else, and leads nowhere. nil for none.
func (m *Mind) itself(v *view) (best *percept) {
	name := fold(m.subgoal().Literal)
	for _, value := range m.subgoal().Values {
		if value.Old {
			name = fold(value.Text)
		}
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if name == "" || !p.seen || !p.usable || !p.e.InViewport || p.e.Href != "" || walk.IsField(p.e) || p.e.Role == "button" || v.dialog && !p.e.InDialog {
			continue
		}
		if within(fold(p.e.Name), name) && (best == nil || len(p.e.Name) < len(best.e.Name)) {
			best = p
		}
	}
	return best
}
