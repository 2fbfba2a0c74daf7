package forms

import (
	"cmp"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// entry is one thing that is to be entered.
type entry struct {
	f      *field
	e      *walk.Element // what is chosen or ticked
	value  *task.Value   // nil: made up
	values []int
	texts  []string // the forms in which it may be written, the likeliest first
	secret string
	off    bool // to be switched off
	adds   bool // what is there stays
}

const (
	// goesIn is how well a value must go into a field at least, surely how well it
	// does that the task or an earlier look put there; promising is from where on
	// what the walker opened is for the subgoal; a word is said by itself in another
	// form from byItself on; a heading has shortHeading words at most: assumptions.
	goesIn       = 0.45
	surely       = 2
	promising    = 0.5
	byItself     = 0.85
	shortHeading = 4
)

// plan is what is to be entered now, in order, and the form that it belongs to.
func (c *Clerk) plan(l *look, e *errand) ([]entry, *form) {
	s, values := l.Subgoal, c.values(l)
	chosen := len(values) > 0
	for i, v := range values {
		chosen = chosen && v.Choose
		if v.Old {
			e.entered[i] = true
		}
	}
	switch {
	case s.Deed == "copy":
		c.copy(l, e)
		return nil, nil
	case s.Deed == "solve" && len(values) == 0:
		c.solve(l, e)
		return nil, nil
	case len(values) == 0 && finishes(s) && c.last != "":
		f := l.form(c.last) // what was filled in before is to be sent
		if f == nil || c.history(f).spent() && !c.returned(f) {
			e.touched, e.over = e.touched || of(c.forms, c.last).sent > 0, true
			return nil, nil
		}
		return c.rest(l, e, f, nil, true, false), f
	case chosen || is("plain", s.Deed) && s.Widget != "form" || switches(s):
		return c.literally(l, e, values)
	}
	f, plan := c.choose(l, e, values)
	if f == nil {
		return nil, nil
	}
	own := l.Form >= promising || len(plan) > 0 || e.form == f.key || l.about(f) >= purposeful
	plan = append(plan, c.rest(l, e, f, plan, own, false)...)
	slices.SortStableFunc(plan, func(a, b entry) int {
		return cmp.Compare(slices.Index(l.fields, a.f), slices.Index(l.fields, b.f))
	})
	return plan, f
}

// literally is the plan of what is done to the letter, whatever a form is for.
func (c *Clerk) literally(l *look, e *errand, values []task.Value) ([]entry, *form) {
	fields := slices.DeleteFunc(slices.Clone(l.fields), func(o *field) bool { return l.otherwise(o.form) })
	plan, f := c.assign(l, e, values, fields), l.form(e.form)
	for _, en := range plan {
		if en.f != nil {
			f = en.f.form
		}
	}
	if f == nil && len(plan) > 0 {
		f = l.around(plan[len(plan)-1].e)
	}
	if f != nil && e.touched {
		plan = append(plan, c.rest(l, e, f, plan, false, false)...)
	}
	return plan, f
}

// switches: the deed turns something on or off; a thing that is done is ticked.
func switches(s *task.Subgoal) bool {
	return is("switching", s.Deed) || s.Deed == "done" && s.Literal != ""
}

// match is a value with a field or element that it may go into.
type match struct {
	value int
	f     *field
	e     *walk.Element
	score float64
}

// many: the field holds more than one value.
func (f *field) many() bool { return f.kind == "tags" || f.native() && f.e.Role == "listbox" }

// assign gives each value its place among some fields, the best matches first.
func (c *Clerk) assign(l *look, e *errand, values []task.Value, fields []*field) []entry {
	var all []match
	for i := range values {
		v := &values[i]
		if v.Old || v.Text == "" && v.Input == "" && v.Ordinal == 0 {
			continue
		}
		sure := len(all)
		for _, f := range c.places(l, e, i, v, fields) {
			all = append(all, match{i, f, f.e, surely})
		}
		if v.Ordinal != 0 || v.Both || len(all) > sure || e.entered[i] && e.places[i] != "" {
			continue
		}
		for _, f := range fields {
			if score := l.score(v, f); score >= goesIn && (f.key != c.source || v.Text != c.copied) {
				all = append(all, match{i, f, f.e, score})
			}
		}
		if v.Choose {
			if o, score := l.choices(v); o != nil {
				all = append(all, match{i, nil, o, score})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	taken, placed := map[*walk.Element]bool{}, map[int][]match{}
	for _, m := range all {
		if m.score == surely || len(placed[m.value]) == 0 && (!taken[m.e] || m.f != nil && m.f.many()) {
			placed[m.value] = append(placed[m.value], m)
			taken[m.e] = true
		}
	}
	var out []entry
	for i := range values {
		for _, m := range placed[i] {
			if by := l.enabler(m.f); by != nil { // what is grey is switched on first
				out = append(out, entry{f: by, e: by.e, value: &values[i]})
				continue
			}
			out = append(out, l.given(&values[i], i, m))
		}
	}
	at := slices.IndexFunc(out, func(en entry) bool { return en.f != nil && en.f.kind == "search" })
	for i, v := range values { // one box takes all that is searched for
		if at >= 0 && l.Subgoal.Deed == "search" && len(placed[i]) == 0 && v.Text != "" && !v.Old && !e.entered[i] {
			out[at].texts = []string{out[at].texts[0] + " " + v.Text}
			out[at].values = append(out[at].values, i)
		}
	}
	return out
}

// enabler is what switches a grey field on: the box that is not ticked before it on
// its line. nil for none.
func (l *look) enabler(f *field) *field {
	if f == nil || !f.e.Disabled {
		return nil
	}
	found, _ := best(f.form.fields, 0, func(o *field) float64 {
		if !ticks(o.e) || o.e.Role == "radio" || o.e.Checked || o.e.Disabled || !level(o.e.Box, f.e.Box) || o.e.Box.X > f.e.Box.X {
			return 0
		}
		return near(f.e.Box.X - o.e.Box.X)
	})
	return found
}

// places are the fields of a value that need not be looked for: the one by its
// number, all that take it, those that ask for its parts, or the one that took it.
func (c *Clerk) places(l *look, e *errand, i int, v *task.Value, fields []*field) []*field {
	k := kindOfValue(l.Subgoal, v)
	var out []*field
	switch {
	case v.Ordinal != 0:
		return l.nth(v.Ordinal, rolesOf(l.Subgoal.Widget), v.Choose)
	case v.Both:
		for _, f := range fields {
			if f.takesText() && (l.score(v, f) >= goesIn || k != "password" && f.kind != "search") {
				out = append(out, f)
			}
		}
		return out
	}
	for _, f := range fields {
		if slices.Contains(parts[k], f.kind) && len(partOf(f.kind, v.Text)) > 0 {
			out = append(out, f)
		}
	}
	if len(out) > 1 {
		return out
	}
	if f := l.field(e.places[i]); f != nil && slices.Contains(fields, f) {
		return []*field{f}
	}
	return nil
}

// nth is the field of some roles that the page has as its n-th, the last for -1.
func (l *look) nth(n int, roles []string, choose bool) []*field {
	var all []*field
	for _, f := range l.fields {
		if slices.Contains(roles, f.e.Role) || len(roles) == 0 && f.takesText() != choose {
			all = append(all, f)
		}
	}
	if n < 0 {
		n = len(all) + 1 + n
	}
	if n < 1 || n > len(all) {
		return nil
	}
	return all[n-1 : n]
}

// given is a value in the forms that its field may want.
func (l *look) given(v *task.Value, i int, m match) entry {
	f, s := m.f, l.Subgoal
	en := entry{f: f, e: m.e, value: v, values: []int{i}, secret: v.Input, texts: []string{v.Text}, off: s.Deed == "off" || s.Deed == "uncheck"}
	if f == nil || v.Input != "" {
		return en
	}
	split := partOf(f.kind, v.Text)
	d, dated := parseDate(v.Text, l.dayFirst())
	t, timed := parseClock(v.Text)
	_, isNumber := parseNumber(v.Text)
	digits := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(v.Text)
	switch {
	case v.Kind == "search" && f.form.typed() > 1 && l.unsaid(v.Text) != "":
		en.texts = []string{l.unsaid(v.Text)}
	case len(split) > 0:
		en.texts = split
	case f.dated() && dated:
		en.texts = dateForms(f, d, v.Text, l)
	case f.kind == "time" && timed:
		en.texts = clockForms(f, t, v.Text)
	case f.measured(v.Text) != "":
		en.texts = []string{f.measured(v.Text)}
	case isNumber && (f.kind == "number" || fits["number"][f.kind] > fits["number"]["text"]):
		en.texts = []string{bare(v.Text), v.Text}
	case digits != v.Text && strings.Trim(digits, "+0123456789") == "":
		en.texts = append(en.texts, digits)
	}
	for _, old := range s.Values {
		if at := f.at(old.Text); old.Old && old.Text != "" && at >= 0 && len(f.e.Value) >= at+len(old.Text) {
			en.texts = []string{f.e.Value[:at] + v.Text + f.e.Value[at+len(old.Text):]}
		}
	}
	en.adds = is("adding", s.Deed) && !v.New && f.long() && strings.TrimSpace(f.e.Value) != ""
	return en
}

// measured is the number of an amount whose unit is chosen beside it, "" for none.
func (f *field) measured(text string) string {
	number, unit, ok := strings.Cut(text, " ")
	if _, is := parseNumber(number); !ok || !is || !f.takesText() {
		return ""
	}
	for _, o := range f.form.fields {
		if _, fit := option(o.e.Options, unit); fit >= clearly {
			return number
		}
	}
	return ""
}

// unsaid is a text without the words for what all are that are searched for here,
// as the page calls its search ("Film search").
func (l *look) unsaid(text string) string {
	about := ""
	for _, t := range l.texts {
		if len(strings.Fields(t.Text)) <= shortHeading && language.Read(t.Text).Has("search") {
			about += " " + t.Text
		}
	}
	said, out := language.Read(about), []string{}
	for _, w := range language.Read(text).Words {
		if w.Function || language.Best(w, said) < byItself {
			out = append(out, w.Text)
		}
	}
	return strings.Join(out, " ")
}
