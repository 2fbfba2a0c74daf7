package forms

import (
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
)

// rest is what a form does not go without beside what the task gives. own: the
// form is the one that the subgoal is about; grey: it cannot be sent as it is, so that
// it waits for all that it does not call optional.
func (c *Clerk) rest(l *look, e *errand, f *form, plan []entry, own, grey bool) []entry {
	refused := c.returned(f) || c.history(f).sent > 0 && l.message(f) != ""
	if !own && !refused || e.over {
		return nil
	}
	var out []entry
	marked := slices.ContainsFunc(f.fields, (*field).required)
	for _, o := range f.fields {
		planned := slices.ContainsFunc(plan, func(en entry) bool {
			return en.f == o || en.f != nil && o.e.Role == "radio" && set(en.f.e) == set(o.e)
		})
		if planned || o.kind == "search" || !c.asks(l, o, marked && !refused, grey) {
			continue
		}
		if en, ok := c.invent(l, o); ok {
			out = append(out, en)
		}
	}
	return out
}

// asks: a field is to be filled in with what is made up: it is required or
// complained about, or, where no field is marked, a detail that is usual for the
// deed; and what was made up for it before.
func (c *Clerk) asks(l *look, o *field, marked, grey bool) bool {
	mem, k := c.memory(o.key), lookUp(o.kind)
	wants := func(f *field) bool { return f.required() || f.e.Error != "" }
	personal, spare := is("personal", l.Subgoal.Deed), k.spare || o.optional()
	switch {
	case o.e.Disabled || o.e.ReadOnly && !o.opens():
		return false
	case mem.made && mem.text() != "":
		return true
	case mem.tries > 0 && !c.refused(o, mem):
		return wants(o)
	case o.holds() && o.e.Error == "":
		return false
	case o.e.Role == "radio":
		chosen := slices.ContainsFunc(o.group(), func(f *field) bool { return f.e.Checked })
		return grey || !marked && !chosen || slices.ContainsFunc(o.group(), wants)
	case o.e.Error != "" && !o.required() && o.ticked():
		return false // one of them is enough, where each is not asked for by itself
	case ticks(o.e):
		return wants(o) || (grey || personal && says("declares", o.label)) && !says("offers", o.label)
	case l.Subgoal.Existing() != "" && is("altering", l.Subgoal.Deed):
		return wants(o) // the rest stays as it is
	case grey, !marked && o.native() && !says("none", o.e.Value), // "Please choose" wants an answer
		!marked && o.takesText() && personal && (k.personal || o.kind == "password" || o.kind == "message" && is("talking", l.Subgoal.Deed)):
		return wants(o) || !spare
	}
	return wants(o)
}

// invent is a made-up entry for a field, with what of the task's other values fits.
func (c *Clerk) invent(l *look, f *field) (entry, bool) {
	en := entry{f: f, e: f.e}
	switch {
	case f.e.Role == "radio":
		group, labels := f.group(), []string{}
		for _, g := range group {
			labels = append(labels, g.label)
		}
		at := c.choice(l, f, labels)
		return en, at >= 0 && group[at] == f
	case ticks(f.e):
		return en, true
	case f.native():
		at := c.choice(l, f, f.e.Options)
		if at >= 0 {
			en.texts = f.e.Options[at : at+1]
		}
		return en, at >= 0
	case f.e.Role == "slider", f.e.Role == "combobox" && !f.takesText() && !f.opens():
		return en, false
	}
	for i := range c.goal.Values {
		v := &c.goal.Values[i]
		if !v.Choose && !v.Old && f.kind != "text" && kindOfValue(l.Subgoal, v) == f.kind && (v.Text != "" || v.Input != "") {
			en = l.given(v, -1, match{f: f, e: f.e})
			en.values = nil
			return en, true
		}
	}
	if again := c.repeated(f); again != nil {
		name, secret := strings.CutPrefix(again.text(), secretMark)
		if secret {
			en.secret = name
		} else {
			en.texts = []string{name}
		}
		return en, true
	}
	en.texts = c.made(l, f)
	return en, len(en.texts) > 0
}

// repeated is what was entered into the field that this one asks for once more,
// nil when it does not.
func (c *Clerk) repeated(f *field) *memory {
	again := func(o *field) bool { return says("again", o.label+" "+o.e.Placeholder) }
	if !again(f) {
		return nil
	}
	for _, o := range f.form.fields {
		if o != f && o.kind == f.kind && c.memory(o.key).text() != "" && !again(o) {
			return c.memory(o.key)
		}
	}
	return nil
}

// solve reckons out what the subgoal looks for.
func (c *Clerk) solve(l *look, e *errand) {
	for _, t := range l.texts {
		if n, ok := reading.Solved(t.Text, texts(l.Subgoal.Object)); ok && t.InViewport {
			c.copied, e.over, e.touched = strconv.Itoa(n), true, true
			return
		}
	}
}

// copy takes in the text of the field that the subgoal copies.
func (c *Clerk) copy(l *look, e *errand) {
	s := l.Subgoal
	named, about := rolesOf(s.Widget), telling(s.Object)
	var all []*field
	for _, f := range l.fields {
		if f.takesText() && f.e.Value != "" && l.Seen(f.e) && (len(named) == 0 || slices.Contains(named, f.e.Role)) {
			all = append(all, f)
		}
	}
	n := max(1, s.Ordinal)
	if s.Ordinal < 0 {
		n = len(all)
	}
	if len(all) == 0 || len(named) == 0 && len(about) > 0 && language.Cover(about, all[0].words) == 0 {
		return // what is copied is no text
	}
	from := all[min(n, len(all))-1]
	c.copied, c.source, e.over, e.touched = from.e.Value, from.key, true, true
}
