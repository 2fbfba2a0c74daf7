package forms

import (
	"slices"
	"strings"

	"understudy/domain/walk"
)

// fewLetters are typed to bring up a list: many lists wait for three (an assumption).
// Suggestions hang at most hangs px below a field and reach overhang px out of its
// sides: assumptions.
const (
	fewLetters      = 3
	hangs, overhang = 400, 20
)

// listed are the roles of what lists and menus hold (WAI-ARIA 1.2).
var listed = []string{"option", "menuitemradio", "treeitem", "menuitem"}

// pick goes on with a list that was opened or that came up while typing: it
// chooses what matches, waits a moment, types less, or puts it away.
func (c *Clerk) pick(l *look, e *errand) (Move, bool) {
	o := e.open
	f := l.field(o.move.key)
	if f == nil || f.dated() && len(l.calendar()) > 0 { // the plan goes on with it
		e.open = nil
		return Move{}, false
	}
	came := 0
	var fit, hidden []*walk.Element
	for _, x := range l.elements {
		fresh, listed := !o.move.before[l.keys[x]+" "+x.Name], slices.Contains(listed, x.Role)
		if walk.IsField(x) || x.Disabled || x.Name == "" || !fresh && !listed || fresh && !listed && !below(f.e.Box, x.Box) {
			continue
		}
		came++
		switch {
		case l.meets(o, x.Name) == 0:
		case l.Seen(x):
			fit = append(fit, x)
		default:
			hidden = append(hidden, x)
		}
	}
	m := o.move
	m.before, m.opens, m.Error, m.Action = nil, false, f.e.Error, walk.Action{Type: walk.Click}
	option, _ := best(fit, 0, func(x *walk.Element) float64 { return l.meets(o, x.Name) })
	asked := o.move.opens || f.e.Role == "combobox" || f.e.Popup == "listbox" || f.e.Expanded == "true"
	less := shorter(m.text)
	switch {
	case option != nil:
		if _, bound := l.bounds(""); bound { // they all say of one option how it is written
			m.values = nil
			for i := range l.Subgoal.Values {
				m.values = append(m.values, i)
			}
		}
		return m.on(option, WhyPick), true
	case len(hidden) > 0 && c.memory(l.keys[hidden[0]]).wants < maxWants:
		return c.want(l, m, hidden[0])
	case asked && came == 0 && o.waits < 1 && (o.short == 0 || o.short < len(less)):
		return Move{Action: walk.Action{Type: walk.Wait}, Why: WhyAwait, Purpose: walk.Fill, Label: f.label, key: f.key, form: m.form}, true
	case asked && f.takesText() && m.Value != nil && o.short < len(less):
		m.Action, m.text, m.shorter = walk.Action{Type: walk.Type, Text: less[o.short]}, "", true
		return m.on(f.e, WhyGiven), l.Seen(f.e)
	case f.e.Expanded == "true" && came > 0 && o.waits < 2:
		m.values = nil
		return m.press(f.e, "Escape", WhyPutAway), l.Seen(f.e)
	}
	e.open = nil
	return Move{}, false
}

// shorter are the texts that bring up a list which the whole of one does not: its
// first word and its first letters; then it is typed as it was, to stay so.
func shorter(text string) []string {
	letters := []rune(text)
	if len(letters) <= fewLetters || strings.HasPrefix(text, secretMark) {
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
	return box.Y >= field.Y+field.H/2 && box.Y-field.Y-field.H <= hangs && box.X < field.X+field.W+overhang && box.X+box.W > field.X-overhang
}

// meets is how far an option is what is looked for: what was typed, with what the
// task says of how it begins and ends; anything for what is made up.
func (l *look) meets(o *opened, label string) float64 {
	all, bound := l.bounds(label)
	switch {
	case o.move.Value == nil && (says("empty", label) || says("evasive", label)):
		return 0
	case o.move.Value == nil:
		return max(alike(o.move.text, label), likely)
	case bound:
		return certain(all)
	}
	if a := alike(o.move.Value.Text, label); a >= likely {
		return a
	}
	return 0
}

// bounds tells whether the task says how an option begins, ends or what it holds,
// and whether a label does all of it.
func (l *look) bounds(label string) (all, bound bool) {
	all, label = true, strings.ToLower(strings.TrimSpace(label))
	for _, v := range l.Subgoal.Values {
		before, _, ok := strings.Cut(l.Subgoal.Text, v.Text)
		if !ok || v.Text == "" {
			continue
		}
		before = strings.TrimRight(before, "\"“‘' ")
		for rule, does := range map[string]func(string, string) bool{"starts with": strings.HasPrefix, "ends with": strings.HasSuffix, "contains": strings.Contains} {
			if says(rule, before) {
				bound, all = true, all && does(label, strings.ToLower(v.Text))
			}
		}
	}
	return all, bound
}
