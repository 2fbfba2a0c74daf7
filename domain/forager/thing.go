package forager

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// ways are those to get at what can be done to a thing where it stands, in the order
// in which they are tried: what is seen first, then what only a mouse finds, then what
// has to be known. Those without deeds are tried for any deed that takes hold.
var ways = []struct {
	by     walk.ActionType
	menu   bool // of the thing's row, not the thing itself
	hidden bool // tried once the page was looked through
	link   bool // of what leads elsewhere, so that it would be left
	deeds  []string
}{
	{by: walk.Hover},
	{by: walk.Click, menu: true},
	{by: walk.Check, link: true, deeds: []string{"delete", "archive", "move", "copy", "mark"}},
	{by: walk.Click},
	{by: walk.Check, hidden: true},
	{by: walk.RightClick, hidden: true},
	{by: walk.DoubleClick, hidden: true, deeds: []string{"rename", "edit"}},
}

// takesHold: a deed is done to a thing, which one takes hold of first.
func takesHold(deed string) bool {
	return slices.Contains([]string{"rename", "edit", "delete", "archive", "move", "copy", "pause", "cancel", "undo", "assign", "mark", "repeat",
		"share", "star", "follow", "freeze", "unfreeze", "renew", "merge", ""}, deed)
}

// hold takes hold of the thing that the subgoal names, where nothing on the screen
// does to it what is to be done. hidden: in the ways that nothing shows, too.
func (m *Mind) hold(v *view, assessed int, hidden bool) (walk.Decision, bool) {
	s := m.subgoal()
	if s.Kind != task.Act || !takesHold(s.Deed) {
		return walk.Decision{}, false
	}
	p, place := m.itself(v)
	if place == nil {
		return walk.Decision{}, false
	}
	for _, w := range ways {
		q, key := p, string(w.by)+"|"+place.name
		mouse := w.by == walk.Hover || w.by == walk.RightClick || w.by == walk.DoubleClick
		switch {
		case w.hidden && !hidden, w.link && (p == nil || p.e.Href == ""), w.deeds != nil && !slices.Contains(w.deeds, s.Deed),
			p != nil && mouse && (m.t.keys || m.t.reader || v.touch || p.e.Href != "" || p.e.Role == "button" && w.by == walk.Hover):
			continue
		case w.menu:
			q, key = m.rowMenu(v, place), "menu|"+place.name
		case w.by == walk.Check:
			q = m.rowBox(v, place)
		}
		if q == nil || m.site.tries(m.at, v.at.key, key) > 0 {
			continue
		}
		m.site.try(m.at, v.at.key, key, 1)
		if w.by == walk.Click && !w.menu {
			m.site.try(m.at, v.at.key, p.key, 1)
		}
		if w.by == walk.Click && !w.menu && p.e.Href != "" {
			return m.use(v, p, 0, assessed), true
		}
		v.at.left = 0 // what is left here is the same thing
		if m.lastKey = q.key; w.by != walk.Hover {
			m.came = place.name
			if p != nil {
				m.came = walk.Shorten(p.e.Name+"\n"+v.beside(p.e), 300)
			}
			m.held = m.came
		}
		why := map[walk.ActionType]string{walk.Click: "open", walk.Check: "tick"}[w.by]
		if why == "" {
			why = string(w.by)
		}
		return walk.Decision{Action: walk.Action{Type: w.by, Ref: q.e.Ref}, Target: q.e, Purpose: walk.OpenMenu, Scent: itselfShare,
			Assessed: assessed, Thought: m.say(why, "name", q.e.Name)}, true
	}
	return walk.Decision{}, false
}

// uncovered: a control came up as the thing was taken hold of, so that it is for it.
func (m *Mind) uncovered(v *view, p *percept) bool {
	return m.last.Purpose == walk.OpenMenu && v.at.seen[p.key].step == m.steps && m.held != ""
}

// longName is how many bytes more than its name the words of a thing have at most,
// so that they are its own and not those of a whole page: an assumption.
const longName = 160

// spot is where a thing stands.
type spot struct {
	name, key string
	box       walk.Box
	row       int
}

// itself is the thing that the subgoal names, as it stands on the screen: what says
// its name and least else, and where. Without a control it is its words alone; nil
// and nil for nothing.
func (m *Mind) itself(v *view) (best *percept, at *spot) {
	name := fold(m.subgoal().Existing())
	if name == "" {
		return nil, nil
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if !p.seen || !p.usable || !p.e.InViewport || walk.IsField(p.e) || p.e.Role == "dropzone" || p.card != "" || v.dialog && !p.e.InDialog || len(p.e.Name) > len(name)+longName || p.e.Href != "" && abroad(p.e.Href, v.page.URL) {
			continue
		}
		if within(fold(p.e.Name), name) && m.does(m.subgoal(), p.label) < offers && !m.besides(m.subgoal(), p.e.Name, name) && (best == nil || len(p.e.Name) < len(best.e.Name)) {
			best, at = p, &spot{p.e.Name, p.key, p.e.Box, p.e.Row}
		}
	}
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; best == nil && t.InDialog == v.dialog && m.reads(t) && fold(t.Text) == name {
			at = &spot{t.Text, "", t.Box, t.Row}
		}
	}
	return best, at
}

// rowMenu is what opens more of what can be done in a thing's row, nil for none.
func (m *Mind) rowMenu(v *view, thing *spot) *percept {
	return m.beside(v, thing, func(p *percept) bool {
		label := m.phrase(p.e.Name)
		return p.e.Role != "checkbox" && (p.e.Popup != "" || p.e.Expanded == "false" || label.Has("more") || label.Has("menu"))
	})
}

// rowBox is the box that selects a thing's row, nil for none.
func (m *Mind) rowBox(v *view, thing *spot) *percept {
	return m.beside(v, thing, func(p *percept) bool { return p.e.Role == "checkbox" && !p.e.Checked })
}

// beside is the nearest control of a kind in a thing's row or on its line, nil for none.
func (m *Mind) beside(v *view, thing *spot, is func(*percept) bool) (best *percept) {
	near := math.Inf(1)
	at := centre(thing.box)
	for i := range v.percepts {
		p := &v.percepts[i]
		c := centre(p.e.Box)
		row := thing.row > 0 && p.e.Row == thing.row
		line := math.Abs(c.y-at.y) < math.Max(thing.box.H, p.e.Box.H)/2 && (thing.row == 0 || p.e.Row == 0)
		if p.key == thing.key || !p.known || !p.usable || !row && !line || !is(p) {
			continue
		}
		if far := math.Hypot(c.x-at.x, c.y-at.y); far < near {
			best, near = p, far
		}
	}
	return best
}

// belongs: what a control does is done to the thing of a name: by its own words or
// those of its row, or because that thing was opened or selected.
func (m *Mind) belongs(v *view, p *percept, name string) bool {
	switch {
	case within(fold(v.beside(p.e)+"\n"+p.label.Text+"\n"+v.heading(p.e)), name):
		return true
	case p.label.Whole() || m.rowOf(v, p, name) || v.beneath(p.e, name):
		return false
	}
	if slices.ContainsFunc(p.label.Concepts, language.Destructive) && !v.stands(name) && m.stood != v.at.key && !m.begun {
		return false // what stands here now is something else
	}
	return within(fold(m.standing(v)), name)
}

// rowOf: a control stands in the row of another thing than the one of a name.
func (m *Mind) rowOf(v *view, p *percept, name string) bool {
	row := fold(v.rows[p.e.Row])
	if p.e.Row == 0 || within(row, name) || strings.TrimSpace(strings.ReplaceAll(row, fold(p.e.Name), "")) == "" { // a bar's
		return false
	}
	for _, words := range v.rows {
		if within(fold(words), name) && (m.held == "" || !attributes(words, name)) {
			return true
		}
	}
	return slices.ContainsFunc(v.page.Elements, func(o walk.Element) bool { // each of a list has one
		return o.Row > 0 && o.Row != p.e.Row && o.Role == p.e.Role && o.Name == p.e.Name
	})
}

// attributes: the words say what a thing of a name is called ("Title: Winter Birds").
func attributes(words, name string) bool {
	head, value, ok := strings.Cut(words, ":")
	return ok && strings.TrimSpace(head) != "" && within(fold(value), name) && !within(fold(head), name)
}

// heading is what a control stands below, "" for nothing.
func (v *view) heading(e *walk.Element) string {
	if e.Region < 0 || e.Region >= len(v.page.Regions) {
		return ""
	}
	return v.page.Regions[e.Region].Heading
}

// beneath: a control stands below another heading than the one of a name, where both
// are of one level.
func (v *view) beneath(e *walk.Element, name string) bool {
	own, its := 0, 0
	for i := range v.page.Texts {
		switch t := &v.page.Texts[i]; {
		case t.Kind != "heading":
		case within(fold(t.Text), name):
			its = t.Level
		case strings.EqualFold(t.Text, v.heading(e)):
			own = t.Level
		}
	}
	return own > 0 && own == its
}

// becomes: a control offers what something is to be changed to ("Switch to dark mode").
func (m *Mind) becomes(s *task.Subgoal, label *language.Phrase) bool {
	return slices.ContainsFunc(s.Values, func(v task.Value) bool {
		value := m.phrase(v.Text)
		words := slices.DeleteFunc(slices.Clone(value.Content()), func(w language.Word) bool { // what it stays goes without saying
			return language.Best(w, &language.Phrase{Words: s.Object}) >= named
		})
		least := contextLeast
		if !v.Choose && v.Text != strings.ToLower(v.Text) {
			least = named // a name is another one with another word in it
		}
		alike := len(words) > 0 && (language.Cover(words, label) >= least || slices.ContainsFunc(value.Concepts, label.Has))
		if name := fold(s.Existing()); name != "" && within(fold(label.Text), name) {
			return false // it is the thing itself
		}
		return v.New && v.Kind == "" && alike && language.Cover(words[:1], label) >= named
	})
}

// besides: a label tells the name of the thing, of which something else is to be changed.
func (m *Mind) besides(s *task.Subgoal, label, name string) bool {
	return s.Deed == "edit" && attributes(label, name) && slices.ContainsFunc(s.Values, func(v task.Value) bool { return v.New && len(v.Hint) > 0 }) && !m.part(s, m.phrase(label))
}

// part: a label is called as what of the thing is to be changed ("Tags: nature").
func (m *Mind) part(s *task.Subgoal, label *language.Phrase) bool {
	head, _, _ := strings.Cut(label.Text, ":")
	said := m.phrase(head).Content()
	return len(said) > 0 && slices.ContainsFunc(s.Values, func(v task.Value) bool {
		return v.New && len(v.Hint) > 0 && language.Cover(said, &language.Phrase{Words: v.Hint}) >= named
	})
}

// kindOf: a label says what the thing is one of, as the place does where all of its
// kind are.
func (m *Mind) kindOf(s *task.Subgoal, label *language.Phrase) bool {
	return slices.ContainsFunc(append(s.Object[:len(s.Object):len(s.Object)], s.Place...), func(w language.Word) bool { return language.Best(w, label) >= named })
}

// orders is 1 for a label that begins with the deed as an order does ("Delete the list"), and 0
// for one that only speaks of it ("Deleted items", "Recent changes").
func (m *Mind) orders(s *task.Subgoal, label *language.Phrase) float64 {
	said := label.Content()
	if len(said) == 0 {
		return 1
	}
	first := m.phrase(said[0].Text)
	if m.deed(s, first) > 0 {
		return unit(said[0].Lemma == strings.ToLower(said[0].Text))
	}
	_, rest, _ := strings.Cut(label.Text, said[0].Text)
	return unit(len(said) == 1 || m.deed(s, m.phrase(rest)) != m.deed(s, label))
}

// speaks: a label has the deed in another form than that of an order, as what is told of it
// has ("Recent changes").
func (m *Mind) speaks(s *task.Subgoal, label *language.Phrase) bool {
	return m.orders(s, label) == 0 && slices.ContainsFunc(label.Content(), func(w language.Word) bool {
		return w.Lemma != strings.ToLower(w.Text) && m.deed(s, m.phrase(w.Text)) > 0
	})
}

// unsaid are the words of a label that say nothing of the deed or the way to it, nor of what
// it is done to.
func (m *Mind) unsaid(s *task.Subgoal, label *language.Phrase) []language.Word {
	return slices.DeleteFunc(slices.Clone(label.Content()), func(w language.Word) bool {
		said := m.phrase(w.Text)
		return w.Generic() || m.does(s, said) > 0 || m.deed(s, said) > 0 && !said.Has("more") && !said.Has("menu")
	})
}

// otherwise: a label does something that was not asked for.
func (m *Mind) otherwise(s *task.Subgoal, label *language.Phrase) bool {
	asked := m.phrase(s.Text)
	return slices.ContainsFunc(label.Concepts, func(c string) bool { return !asked.Has(c) && slices.Contains(doing, c) })
}
