package forms

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/walk"
)

// secretMark begins what is remembered of a secret: its name.
const secretMark = "\x00"

// move is a move that enters something.
func (c *Clerk) move(l *look, en *entry, a walk.Action) Move {
	m := Move{Action: a, Purpose: walk.Fill, Value: en.value, values: en.values, errand: c.errand(l.Subgoal), field: en.f, key: l.keys[en.e], form: c.last}
	if en.f != nil {
		m.Label, m.Error, m.key, m.form = en.f.label, en.f.e.Error, en.f.key, en.f.form.key
	} else {
		m.Label, m.form = en.e.Name, l.around(en.e).key
	}
	return m.on(en.e, WhyGiven)
}

// on is the move aimed at an element.
func (m Move) on(e *walk.Element, why string) Move {
	m.Target, m.Action.Ref, m.Why = e, e.Ref, why
	return m
}

// stands is what of the page is there, by name, before a list comes up.
func (l *look) stands() map[string]bool {
	out := map[string]bool{}
	for i := range l.Page.Elements {
		out[l.keys[&l.Page.Elements[i]]+" "+l.Page.Elements[i].Name] = true
	}
	return out
}

// enter is the next act for one entry; false when it stands there already, or
// nothing more can be tried.
func (c *Clerk) enter(l *look, e *errand, en *entry) (Move, bool) {
	mem := c.memory(l.keys[en.e])
	if c.stands(l, e, en, mem) {
		for _, v := range en.values {
			e.entered[v], e.touched = true, true
			e.places[v] = l.keys[en.e]
		}
		return Move{}, false
	}
	f := en.f
	switch {
	case f == nil:
		m := c.move(l, en, walk.Action{Type: walk.Click})
		m.text = en.value.Text
		return m.on(en.e, WhyChoose), mem.tries == 0
	case f.takesText() && en.value != nil && en.value.Text == "" && en.secret == "": // only to go there
		return c.move(l, en, walk.Action{Type: walk.Click}).on(f.e, WhyOpen), mem.tries == 0
	case f.ticks() && (f.e.Checked || f.e.Role == "radio" && en.off):
		return c.move(l, en, walk.Action{Type: walk.Click}).on(f.e, WhyUntick), mem.tries < maxTries
	case f.ticks():
		return c.move(l, en, walk.Action{Type: walk.Check}).on(f.e, WhyTick), mem.tries < maxTries
	}
	text, refused := "", c.refused(f, mem)
	if len(en.texts) > 0 {
		text = en.texts[0]
	}
	if refused {
		at := slices.IndexFunc(en.texts, func(t string) bool { return !slices.Contains(mem.tried, t) })
		if at >= 0 {
			text = en.texts[at]
		}
		if mem.tries >= maxTries || en.secret != "" || at < 0 && c.history(f.form.key).sent > 0 {
			e.over = true
			return Move{Stuck: f.e.Error, Why: WhyStuck, Label: f.label, Error: f.e.Error, errand: e, key: f.key, form: f.form.key}, true
		}
	}
	if mem.tries >= 2*maxTries {
		return Move{}, false
	}
	m := c.move(l, en, walk.Action{Type: walk.Type, Text: text, Secret: en.secret})
	m.text = text
	if en.value == nil {
		m.Why = WhyMade
	}
	if refused {
		m.Why = WhyCorrect
	}
	switch {
	case f.e.Role == "file":
		if text == "" || en.value == nil {
			m.Action.Text = people["file"][0] + suffix(f.e.Accept)
			m.text = m.Action.Text
		}
		m.Action.Type = walk.Upload
		return m.on(f.e, WhyFile), true
	case f.native():
		best, fit := "", 0.0
		for _, t := range en.texts {
			if o, a := option(t, f.e.Options); a > fit {
				best, fit = o, a
			}
		}
		m.Action = walk.Action{Type: walk.Select, Text: best}
		m.text, m.takes = best, f.e.Role == "listbox"
		if m.takes && len(en.texts) > 0 {
			m.text = en.texts[0]
		}
		return m.on(f.e, WhyChoose), fit >= likely
	case f.e.Role == "slider" || f.e.Role == "spinbutton" && (f.e.ReadOnly || mem.tries > 0 || f.e.InputType == "" && f.e.Placeholder == "" && !f.e.Multiline):
		return c.adjust(l, en, m, text, mem)
	case en.secret != "":
		m.text, m.Action.Text = secretMark+en.secret, ""
		return m, true
	case f.kind == "date" || f.kind == "birthday":
		d, dated := parseDate(en.said(), 0, l.british)
		typed := f.takesText() && !f.e.ReadOnly
		if (mem.opened || !typed || mem.tries > 0) && dated {
			if en.value == nil && f.kind == "date" {
				d = day{}
			}
			if day, ok := c.pickDay(l, en, d); ok {
				if day.text != "" || day.values != nil {
					day.text = text
				}
				return day, true
			}
		}
		if !typed {
			m.opens = true
			return m.click(l, f.e), mem.tries < maxTries
		}
	case !f.takesText() && f.opens():
		m.opens, m.before = true, l.stands()
		return m.click(l, f.e), mem.tries < maxTries
	}
	if lone := f.e.Role == "combobox" || f.e.Popup == "listbox"; lone || f.e.Role == "textbox" && !f.e.Multiline && !f.e.Rich {
		m.before = l.stands()
	}
	switch {
	case f.kind == "tags" && same(f, f.e.Value, text): // a tag is taken with Enter
		m.Action = walk.Action{Type: walk.Press, Ref: f.e.Ref, Text: "Enter"}
		m.before, m.takes = nil, true
	case en.adds:
		m.Action.Type, m.Why = walk.Append, WhyAdd
		if f.e.Multiline || f.e.Rich {
			m.Action.Text = "\n" + text
		}
	case strings.TrimSpace(f.e.Value) != "" && m.Why == WhyGiven:
		m.Why = WhyReplace
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

// click is the move as a press that opens a list or a calendar.
func (m Move) click(l *look, e *walk.Element) Move {
	m.Action, m.before = walk.Action{Type: walk.Click}, l.stands()
	return m.on(e, WhyOpen)
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
	if f.e.Error == "" || mem.tries == 0 {
		return false
	}
	return f.e.Error != mem.error || c.history(f.form.key).sent > mem.sent
}

// stands: what is to be entered is there, as far as can be seen or remembered.
func (c *Clerk) stands(l *look, e *errand, en *entry, mem *memory) bool {
	f := en.f
	if f != nil && len(en.values) > 0 {
		if all, bound := c.bounds(l, strings.Trim(f.e.Value, " ,;")); bound && all {
			return true
		}
	}
	switch {
	case f == nil:
		return en.e.Checked || en.e.Selected || mem.tries > 0
	case f.takesText() && en.value != nil && en.value.Text == "" && en.secret == "":
		return f.e.Focused && mem.tries > 0
	case f.ticks():
		return f.e.Checked != en.off
	case c.refused(f, mem):
		return false
	case f.native() && f.e.Role == "listbox":
		return e.has(f.key, en) || slices.ContainsFunc(en.texts, func(t string) bool { return same(f, f.e.Value, t) })
	case f.native():
		return slices.ContainsFunc(en.texts, func(t string) bool {
			o, fit := option(t, f.e.Options)
			return fit >= likely && same(f, f.e.Value, o)
		}) || en.value == nil && mem.tries > 0 && f.holds()
	case en.secret != "":
		return mem.text == secretMark+en.secret && (f.e.Value != "" || c.history(f.form.key).sent > mem.sent)
	case en.adds || f.e.Rich || f.e.Multiline:
		return mem.text != "" && slices.Contains(en.texts, mem.text) || strings.Contains(squeezed(f.e.Value), squeezed(en.said())) && squeezed(en.said()) != ""
	case f.kind == "tags":
		return e.has(f.key, en)
	}
	there := f.e.Value != "" || c.history(f.form.key).sent > mem.sent
	if mem.text != "" && there && f.e.Role != "slider" && f.e.Role != "spinbutton" && slices.Contains(en.texts, mem.text) {
		return true
	}
	return slices.ContainsFunc(en.texts, func(t string) bool { return t != "" && same(f, f.e.Value, t) }) && c.repeated(f) == nil ||
		f.e.Role != "slider" && f.e.Role != "spinbutton" && mem.text != "" && mem.text == en.said()
}

// has tells whether a field that holds several things took this one.
func (e *errand) has(key string, en *entry) bool {
	return slices.ContainsFunc(en.texts, func(t string) bool { return e.took[key+" "+t] })
}

// pick goes on with a list that was opened or that came up while typing: it
// chooses what matches, waits a moment, types less, or puts it away.
func (c *Clerk) pick(l *look, e *errand) (Move, bool) {
	o := e.open
	f := l.field(o.move.key)
	if f == nil {
		e.open = nil
		return Move{}, false
	}
	if len(l.calendar()) > 0 && (f.kind == "date" || f.kind == "birthday") {
		e.open = nil // the plan goes on with it
		return Move{}, false
	}
	var best, near *walk.Element
	score, came := 0.0, 0
	for i := range l.Page.Elements {
		x := &l.Page.Elements[i]
		fresh := !o.move.before[l.keys[x]+" "+x.Name]
		listed := x.Role == "option" || x.Role == "menuitemradio" || x.Role == "treeitem" || x.Role == "menuitem"
		if walk.IsField(x) || x.Disabled || x.Name == "" || !fresh && !listed || fresh && !listed && !below(f.e.Box, x.Box) {
			continue
		}
		came++
		a := c.meets(l, o, x.Name)
		if a == 0 {
			continue
		}
		if l.Seen(x) && a > score {
			best, score = x, a
		} else if !l.Seen(x) && near == nil {
			near = x
		}
	}
	m := o.move
	m.before, m.opens, m.field, m.Action = nil, false, f, walk.Action{Type: walk.Click}
	m.Error = f.e.Error
	m.errand = e
	less := shorter(o.move.text)
	asked := o.move.opens || f.e.Role == "combobox" || f.e.Popup == "listbox" || f.e.Expanded == "true"
	switch {
	case best != nil:
		if _, bound := c.bounds(l, ""); bound { // they all say of one option how it is written
			m.values = nil
			for i := range l.Subgoal.Values {
				m.values = append(m.values, i)
			}
		}
		return m.on(best, WhyPick), true
	case near != nil && c.memory(l.keys[near]).wants < maxWants:
		return Move{Want: near, Why: WhyWant, Purpose: walk.ReadOn, Label: f.label, errand: e, key: l.keys[near], form: m.form}, true
	case asked && came == 0 && o.waits < 1 && (o.short == 0 || o.short < len(less)):
		return Move{Action: walk.Action{Type: walk.Wait}, Why: WhyAwait, Purpose: walk.Fill, Label: f.label, errand: e, key: f.key, form: m.form}, true
	case asked && f.takesText() && o.move.Value != nil && o.short < len(less):
		m.Action, m.text, m.shorter = walk.Action{Type: walk.Type, Text: less[o.short]}, "", true
		return m.on(f.e, WhyGiven), l.Seen(f.e)
	case f.e.Expanded == "true" && came > 0 && o.waits < 2:
		m.Action = walk.Action{Type: walk.Press, Text: "Escape"}
		m.values = nil
		return m.on(f.e, WhyPutAway), l.Seen(f.e)
	}
	e.open = nil
	return Move{}, false
}

// shorter are the texts that bring up a list which the whole of one does not: its
// first word and its first letters; then it is typed as it was, to stay so.
func shorter(text string) []string {
	letters := []rune(text)
	if len(letters) <= fewLetters {
		return nil
	}
	var out []string
	if words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,(", r) }); len(words) > 1 && len(words[0]) >= fewLetters {
		out = words[:1]
	}
	return append(out, string(letters[:fewLetters]), text)
}

// below: a box hangs under a field, as lists of suggestions do.
func below(field, box walk.Box) bool {
	return box.Y >= field.Y+field.H/2 && box.Y-field.Y-field.H <= 400 && box.X < field.X+field.W+20 && box.X+box.W > field.X-20
}

// meets is how far an option is what is looked for: what was typed, with what the
// task says of how it begins and ends; anything for what is made up.
func (c *Clerk) meets(l *look, o *opened, label string) float64 {
	if o.move.Value == nil {
		if says("empty", label) || says("evasive", label) {
			return 0
		}
		return max(alike(o.move.text, label), likely)
	}
	if all, bound := c.bounds(l, label); bound {
		return certain(all)
	}
	if a := alike(o.move.Value.Text, label); a >= likely {
		return a
	}
	return 0
}

// bounds tells whether the task says how an option begins, ends or what it holds,
// and whether a label does all of it.
func (c *Clerk) bounds(l *look, label string) (all, bound bool) {
	all = true
	for _, v := range l.Subgoal.Values {
		at := strings.Index(l.Subgoal.Text, v.Text)
		if at < 0 || v.Text == "" {
			continue
		}
		before, low, text := strings.TrimRight(l.Subgoal.Text[:at], "\"“‘' "), strings.ToLower(strings.TrimSpace(label)), strings.ToLower(v.Text)
		switch {
		case says("starts with", before):
			all = all && strings.HasPrefix(low, text)
		case says("ends with", before):
			all = all && strings.HasSuffix(low, text)
		case says("contains", before):
			all = all && strings.Contains(low, text)
		default:
			continue
		}
		bound = true
	}
	return all, bound
}

// adjust presses what makes a number more or less until it stands: the buttons of
// a spinner, else the arrow keys. The native slider takes its value at once.
func (c *Clerk) adjust(l *look, en *entry, m Move, text string, mem *memory) (Move, bool) {
	f := en.f
	if f.e.Role == "slider" && f.e.InputType == "range" {
		return m.on(f.e, WhyAdjust), mem.steps < maxTries
	}
	want, ok := parseNumber(text)
	if !ok || mem.steps >= maxTurns {
		return Move{}, false
	}
	now, ok := parseNumber(f.e.Value)
	if !ok {
		if now, ok = l.numberBy(f); !ok {
			now, _ = parseNumber(f.e.Min)
		}
	}
	if now == want {
		for _, v := range en.values {
			c.errand(l.Subgoal).entered[v], c.errand(l.Subgoal).touched = true, true
		}
		return Move{}, false
	}
	m.values, m.text = nil, ""
	rule, key := "more", "ArrowRight"
	if f.e.Role == "spinbutton" {
		key = "ArrowUp"
	}
	if want < now {
		rule, key = "less", "ArrowLeft"
		if f.e.Role == "spinbutton" {
			key = "ArrowDown"
		}
	}
	var best *walk.Element
	near := 60.0 // px: a spinner's buttons touch its field or nearly so
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		if e.Disabled || walk.IsField(e) || !says(rule, e.Name) && !says(rule, e.Tip) || e.Row != f.e.Row {
			continue
		}
		if d := apart(e.Box, f.e.Box); d < near {
			best, near = e, d
		}
	}
	if best != nil {
		m.Action = walk.Action{Type: walk.Click}
		return m.on(best, WhyAdjust), true
	}
	m.Action = walk.Action{Type: walk.Press, Text: key}
	return m.on(f.e, WhyAdjust), true
}

// apart is how far two boxes are from each other in px.
func apart(a, b walk.Box) float64 {
	dx := math.Max(0, math.Max(a.X-b.X-b.W, b.X-a.X-a.W))
	dy := math.Max(0, math.Max(a.Y-b.Y-b.H, b.Y-a.Y-a.H))
	return math.Hypot(dx, dy)
}

// numberBy is the number that stands by a field which shows none itself.
func (l *look) numberBy(f *field) (float64, bool) {
	best, near := 0.0, float64(above)*3
	found := false
	for i := range l.Page.Texts {
		t := &l.Page.Texts[i]
		if n, ok := parseNumber(t.Text); ok {
			if d := apart(t.Box, f.e.Box); d < near {
				best, near, found = n, d, true
			}
		}
	}
	return best, found
}
