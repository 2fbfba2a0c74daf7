package forms

import (
	"slices"
	"strings"

	"understudy/domain/walk"
)

// secretMark begins what is remembered of a secret: its name.
const secretMark = "\x00"

// move is a move that enters something.
func (c *Clerk) move(l *look, en *entry, a walk.Action) Move {
	m := Move{Action: a, Purpose: walk.Fill, Value: en.value, values: en.values, key: l.keys[en.e], Label: en.e.Name}
	if en.f != nil {
		m.Label, m.Error, m.form = en.f.label, en.f.e.Error, en.f.form.key
	} else {
		m.form = l.around(en.e).key
	}
	return m.on(en.e, WhyGiven)
}

// on is the move aimed at an element.
func (m Move) on(e *walk.Element, why string) Move {
	if m.Target, m.Why = e, why; e != nil {
		m.Action.Ref = e.Ref
	}
	return m
}

// press is the move as the press of a key in a field.
func (m Move) press(e *walk.Element, key, why string) Move {
	m.Action = walk.Action{Type: walk.Press, Text: key}
	return m.on(e, why)
}

// stuck is that it does not go on.
func stuck(f *form, text string) Move {
	return Move{Stuck: text, Why: WhyStuck, key: f.key, form: f.key}
}

// opening is the move as a press that opens a list or a calendar.
func (m Move) opening(l *look) Move {
	m.Action, m.before, m.opens = walk.Action{Type: walk.Click}, l.stands(), true
	return m.on(m.Target, WhyOpen)
}

// stands is what of the page is there, by name, before a list comes up.
func (l *look) stands() map[string]bool {
	out := map[string]bool{}
	for _, e := range l.elements {
		out[l.keys[e]+" "+e.Name] = true
	}
	return out
}

// enter is the next act for one entry; false when it stands there already, or
// nothing more can be tried.
func (c *Clerk) enter(l *look, e *errand, en *entry) (Move, bool) {
	mem, f := c.memory(l.keys[en.e]), en.f
	if c.stands(l, e, en, mem) {
		e.touched = e.touched || len(en.values) > 0
		e.stand(en.values, l.keys[en.e])
		return Move{}, false
	}
	m := c.move(l, en, walk.Action{Type: walk.Click})
	switch {
	case f == nil:
		m.text = en.value.Text
		return m.on(en.e, WhyChoose), mem.tries == 0
	case en.empty(): // only to go there
		return m.on(f.e, WhyOpen), mem.tries == 0
	case ticks(f.e) && (f.e.Checked || f.e.Role == "radio" && en.off):
		return m.on(f.e, WhyUntick), mem.tries < maxTries
	case ticks(f.e):
		m.Action.Type = walk.Check
		return m.on(f.e, WhyTick), mem.tries < maxTries
	}
	m.Action.Type = walk.Type
	switch {
	case en.value == nil:
		m.Why = WhyMade
	case strings.TrimSpace(f.e.Value) != "":
		m.Why = WhyReplace
	}
	if len(en.texts) > 0 {
		m.text = en.texts[0]
	}
	if c.refused(f, mem) {
		at := slices.IndexFunc(en.texts, func(t string) bool { return !slices.Contains(mem.tried, t) })
		if mem.tries >= maxTries || en.secret != "" || at < 0 && c.history(f.form).sent > 0 {
			e.over = true
			out := stuck(f.form, f.e.Error)
			out.Label, out.Error = f.label, f.e.Error
			return out, true
		}
		if m.Why = WhyCorrect; at >= 0 {
			m.text = en.texts[at]
		}
	}
	if mem.tries >= 2*maxTries {
		return Move{}, false
	}
	m.Action.Text, m.Action.Secret = m.text, en.secret
	return c.fill(l, en, m, mem)
}

// fill is the move as the field takes its value: a file, an option, a number that is
// turned to, a day, or a text.
func (c *Clerk) fill(l *look, en *entry, m Move, mem *memory) (Move, bool) {
	f := en.f
	switch {
	case f.e.Role == "file":
		if m.text == "" || en.value == nil {
			m.text = people["file"][0] + suffix(f.e.Accept)
		}
		m.Action = walk.Action{Type: walk.Upload, Text: m.text}
		return m.on(f.e, WhyFile), true
	case f.native():
		o, fit := option(f.e.Options, en.texts...)
		m.Action = walk.Action{Type: walk.Select, Text: o}
		if m.takes = f.e.Role == "listbox"; !m.takes {
			m.text = o
		}
		return m.on(f.e, WhyChoose), fit >= likely
	case f.turns() && (f.e.Role == "slider" || l.toTurn(f, m.text) || f.e.ReadOnly || mem.tries > 0 || f.e.InputType == "" && f.e.Placeholder == "" && !f.e.Multiline):
		return c.adjust(l, en, m, mem)
	case en.secret != "":
		m.text, m.Action.Text = secretMark+en.secret, ""
		return m, true
	case f.dated() && (mem.opened || mem.tries > 0 || !f.takesText() || f.e.ReadOnly):
		if d, ok := parseDate(en.said(), l.dayFirst()); ok {
			if en.value == nil && f.kind == "date" {
				d = day{}
			}
			if day, ok := c.pickDay(l, en, d); ok {
				if day.Why == WhyDay {
					day.text = m.text
				}
				return day, true
			}
		}
	}
	if f.dated() && (f.e.ReadOnly || !f.takesText()) || !f.takesText() && f.opens() {
		return m.opening(l), mem.tries < maxTries
	}
	if f.e.Role == "combobox" || f.e.Popup == "listbox" || f.e.Role == "textbox" && !f.long() {
		m.before = l.stands()
	}
	switch {
	case f.kind == "tags" && same(f, f.e.Value, m.text): // a tag is taken with Enter
		why := m.Why
		m.before, m.takes = nil, true
		return m.press(f.e, "Enter", why), true
	case en.adds:
		m.Action.Type, m.Action.Text = walk.Append, "\n"+m.text
		return m.on(f.e, WhyAdd), true
	}
	return m, true
}

// said is what the entry is as the task says it, or the first form of it.
func (en *entry) said() string {
	if en.value != nil && en.value.Text != "" {
		return en.value.Text
	}
	if len(en.texts) > 0 {
		return en.texts[0]
	}
	return ""
}

// empty: the task says where to go, and nothing to enter there.
func (en *entry) empty() bool {
	return en.f.takesText() && en.value != nil && en.value.Text == "" && en.secret == ""
}

func suffix(accept string) string {
	for _, a := range strings.FieldsFunc(accept, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch {
		case strings.HasPrefix(a, "."):
			return a
		case strings.HasPrefix(a, "image/"):
			return ".png"
		}
	}
	return ".pdf"
}

// refused: what was entered last was not taken: a message came after it, or was
// there again once the form had been sent.
func (c *Clerk) refused(f *field, mem *memory) bool {
	return f.e.Error != "" && mem.tries > 0 && (f.e.Error != mem.error || c.history(f.form).sent > mem.sent)
}

// stands: what is to be entered is there, as far as can be seen or remembered.
func (c *Clerk) stands(l *look, e *errand, en *entry, mem *memory) bool {
	f := en.f
	if f == nil {
		return en.e.Checked || en.e.Selected || mem.tries > 0
	}
	if all, bound := l.bounds(strings.Trim(f.e.Value, " ,;")); bound && all && len(en.values) > 0 {
		return true
	}
	shows := slices.ContainsFunc(en.texts, func(t string) bool { return t != "" && same(f, f.e.Value, t) })
	took := slices.ContainsFunc(en.texts, func(t string) bool { return e.took[f.key+" "+t] })
	there := f.e.Value != "" || c.history(f.form).sent > mem.sent
	last := mem.text()
	entered := last != "" && slices.Contains(en.texts, last)
	switch {
	case en.empty():
		return f.e.Focused && mem.tries > 0
	case ticks(f.e):
		return f.e.Checked != en.off
	case c.refused(f, mem):
		return false
	case f.e.Role == "file":
		return f.e.Value != "" && mem.tries > 0
	case f.native() && f.e.Role == "listbox":
		return took || shows
	case f.native():
		o, fit := option(f.e.Options, en.texts...)
		return fit >= likely && same(f, f.e.Value, o) || en.value == nil && mem.tries > 0 && f.holds()
	case en.secret != "":
		return last == secretMark+en.secret && there
	case en.adds || f.long():
		said := squeezed(en.said())
		return entered || said != "" && strings.Contains(squeezed(f.e.Value), said)
	case f.kind == "tags":
		return took
	case shows && c.repeated(f) == nil:
		return true
	}
	lost := f.takesText() && !f.opens() && !there && mem.tries < maxTries // or never taken
	return !f.turns() && !lost && last != "" && (entered && there || last == en.said())
}
