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
	// fitting is how well a value must go into a field at least; worth what the
	// purpose of a form and the share of the values that it takes come to at least,
	// 0 to 2; purposeful from where on a form is for the subgoal without a value
	// that goes into it. Assumptions.
	goesIn     = 0.45
	worth      = 0.75
	purposeful = 0.7
	byItself   = 0.85 // a word is said by itself in another form at most
)

// plan is what is to be entered now, in order, and the form that it belongs to.
func (c *Clerk) plan(l *look, e *errand) ([]entry, *form) {
	s, values := l.Subgoal, c.values(l)
	for i, v := range values {
		if v.Old {
			e.entered[i] = true
		}
	}
	switch {
	case s.Deed == "copy":
		c.copy(l, e)
		return nil, nil
	case len(values) == 0 && slices.Contains(finishing, s.Deed) && c.last != "":
		f := l.form(c.last) // what was filled in before is to be sent
		if f == nil || c.history(f.key).sent > 0 && !c.history(f.key).dirty && !c.complains(f) {
			e.touched, e.over = e.touched || c.history(c.last).sent > 0, true
			return nil, nil
		}
		return c.rest(l, e, f, nil, true), f
	case slices.Contains(plain, s.Deed) || slices.Contains(switching, s.Deed) || len(values) > 0 && !slices.ContainsFunc(values, func(v task.Value) bool { return !v.Choose }):
		plan := c.assign(l, e, values, l.fields)
		var f *form
		for _, en := range plan {
			if en.f != nil {
				f = en.f.form
			}
		}
		if f == nil && e.form != "" {
			f = l.form(e.form)
		}
		if f == nil && len(plan) > 0 {
			f = l.around(plan[len(plan)-1].e)
		}
		if f != nil && e.touched && c.complains(f) {
			plan = append(plan, c.rest(l, e, f, plan, false)...)
		}
		return plan, f
	}
	f, plan := c.choose(l, e, values)
	if f == nil {
		return nil, nil
	}
	plan = append(plan, c.rest(l, e, f, plan, l.Form >= 0.5 || len(plan) > 0 || c.about(l, f) >= purposeful || e.form == f.key)...)
	order := func(en entry) int {
		return slices.IndexFunc(l.fields, func(f *field) bool { return f == en.f })
	}
	slices.SortStableFunc(plan, func(a, b entry) int { return cmp.Compare(order(a), order(b)) })
	return plan, f
}

// form finds a form of an earlier look again.
func (l *look) form(key string) *form {
	for _, f := range l.forms {
		if f.key == key {
			return f
		}
	}
	return nil
}

// around is the form that would be sent with something that is no field.
func (l *look) around(e *walk.Element) *form {
	return &form{key: walk.Path(l.Page.URL) + " around " + e.Group, number: e.Form, region: e.Region, dialog: e.InDialog, about: language.Read("")}
}

// choose is the form that the subgoal is about, with what of its values goes in.
func (c *Clerk) choose(l *look, e *errand, values []task.Value) (*form, []entry) {
	var best *form
	var entries []entry
	most, left := 0.0, 0
	for i := range values {
		if !e.entered[i] {
			left++
		}
	}
	for _, f := range l.forms {
		h, about := c.history(f.key), c.about(l, f)
		if about == 0 || h.sent > 0 && !h.dirty && !c.complains(f) {
			continue
		}
		plan := c.assign(l, e, values, f.fields)
		share, begun := 0.0, e.form == f.key && e.touched
		if left > 0 {
			for _, en := range plan {
				for _, v := range en.values {
					if !e.entered[v] {
						share += 1 / float64(left)
					}
				}
			}
		}
		onward := e.sent && c.history(e.form).goes && about >= 0.5 && f.text()
		if onward {
			about = 1
		} else if about >= 0.5 { // nothing speaks against it
			about = max(about, l.Form)
		}
		sum := about + min(1, share)
		switch {
		case begun:
			sum += 2
		case e.sent && left == 0 && !onward:
			continue
		case share == 0 && !onward && (l.Subgoal.Kind != task.Act || about < purposeful || !f.text()):
			continue
		case sum < worth:
			continue
		}
		if f.dialog {
			sum += 0.3
		}
		if sum > most {
			best, entries, most = f, plan, sum
		}
	}
	return best, entries
}

// text: something can be typed into the form.
func (f *form) text() bool { return slices.ContainsFunc(f.fields, (*field).takesText) }

// purposes are the deeds that forms are made for: one that says such a purpose is
// for no other. talking are those by which words get to somebody.
var (
	purposes = []string{"login", "signup", "subscribe", "comment", "contact", "donate", "checkout", "review", "reset", "vote", "reply", "search"}
	talking  = []string{"comment", "contact", "reply", "send", "review", "forward"}
)

// about is how far a form is for what is to be done, 0 to 1: by what its heading,
// its buttons and its fields say. 0 is for forms that are made for something else,
// half for those that say nothing.
func (c *Clerk) about(l *look, f *form) float64 {
	deed, best, other := l.Subgoal.Deed, 0.5, false
	take := func(concept string) {
		switch {
		case concept == deed || slices.Contains(talking, concept) && slices.Contains(talking, deed):
			best = 1
		case language.Leads(deed, concept) >= 0.3 && concept != "menu" && concept != "more" && concept != "login":
			best = max(best, purposeful)
		case language.Opposes(deed, concept) && slices.Contains(purposes, concept) || slices.Contains(purposes, concept):
			other = true
		}
	}
	for _, concept := range f.about.Concepts {
		if concept != "search" {
			take(concept)
		}
	}
	counts := map[string]int{}
	for _, field := range f.fields {
		for _, concept := range language.Read(field.e.Placeholder).Concepts {
			if concept == deed {
				best = 1 // "Add a task …"
			}
		}
		if field.takesText() {
			counts[field.kind]++
			counts[""]++
		}
	}
	switch {
	case counts["search"] > 0 && counts[""] == 1:
		take("search")
	case counts["password"] == 1 && counts[""] <= 2:
		take("login")
	case counts["password"] > 0:
		take("signup")
	case counts["email"] == 1 && counts[""] == 1:
		other = other || deed == "login" && f.about.Has("subscribe")
	}
	if other && best < 1 {
		if language.Cover(l.Subgoal.Wanted(), f.about) >= likely {
			return 0.5
		}
		return 0
	}
	return best
}

// match is a value with a field or element that it may go into.
type match struct {
	value int
	f     *field
	e     *walk.Element
	score float64
}

// assign gives each value its place among some fields, the best matches first.
func (c *Clerk) assign(l *look, e *errand, values []task.Value, fields []*field) []entry {
	var all []match
	taken, placed := map[*walk.Element]bool{}, map[int][]match{}
	put := func(m match) {
		placed[m.value] = append(placed[m.value], m)
		taken[m.e] = true
	}
	for i := range values {
		v := &values[i]
		if v.Old || v.Text == "" && v.Input == "" && v.Ordinal == 0 {
			continue
		}
		if v.Ordinal != 0 {
			if f := l.nth(v.Ordinal, rolesOf(l.Subgoal.Widget), v.Choose); f != nil {
				put(match{i, f, f.e, 2})
			}
			continue
		}
		if v.Both {
			for _, f := range fields {
				if f.takesText() && (c.score(l, v, f) >= goesIn || kindOfValue(l.Subgoal, v) != "password" && f.kind != "search") {
					put(match{i, f, f.e, 2})
				}
			}
			continue
		}
		if k := kindOfValue(l.Subgoal, v); len(parts[k]) > 0 {
			var split []match
			for _, f := range fields {
				if slices.Contains(parts[k], f.kind) && len(partOf(f.kind, v.Text)) > 0 {
					split = append(split, match{i, f, f.e, 2})
				}
			}
			if len(split) > 1 {
				for _, m := range split {
					put(m)
				}
				continue
			}
		}
		if key := e.places[i]; key != "" { // where it went, it stays
			if f := l.field(key); f != nil && slices.Contains(fields, f) {
				put(match{i, f, f.e, 2})
				continue
			}
			if e.entered[i] {
				continue
			}
		}
		for _, f := range fields {
			if f.key == c.source && v.Text == c.copied {
				continue
			}
			if score := c.score(l, v, f); score >= goesIn {
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
	for _, m := range all {
		many := m.f != nil && (m.f.kind == "tags" || m.f.native() && m.f.e.Role == "listbox")
		if len(placed[m.value]) == 0 && (!taken[m.e] || many) {
			put(m)
		}
	}
	var out []entry
	search := -1
	for i := range values {
		for _, m := range placed[i] {
			if m.f != nil && m.f.kind == "search" {
				search = len(out)
			}
			out = append(out, c.given(l, &values[i], i, m))
		}
	}
	for i := range values { // one box takes all that is searched for
		if search >= 0 && len(placed[i]) == 0 && values[i].Text != "" && !values[i].Old && !e.entered[i] && l.Subgoal.Deed == "search" {
			out[search].texts = []string{out[search].texts[0] + " " + values[i].Text}
			out[search].values = append(out[search].values, i)
		}
	}
	return out
}

// nth is the field of some roles that the page has as its n-th, the last for -1.
func (l *look) nth(n int, roles []string, choose bool) *field {
	var of []*field
	for _, f := range l.fields {
		if slices.Contains(roles, f.e.Role) || len(roles) == 0 && f.takesText() != choose {
			of = append(of, f)
		}
	}
	if n < 0 {
		n = len(of) + 1 + n
	}
	if n < 1 || n > len(of) {
		return nil
	}
	return of[n-1]
}

// given is a value in the forms that its field may want.
func (c *Clerk) given(l *look, v *task.Value, i int, m match) entry {
	en := entry{f: m.f, e: m.e, value: v, values: []int{i}, secret: v.Input, texts: []string{v.Text}}
	s := l.Subgoal
	en.off = s.Deed == "off" || s.Deed == "uncheck"
	if m.f == nil || v.Input != "" {
		return en
	}
	f := m.f
	if v.Kind == "search" && f.form != nil && len(slices.DeleteFunc(slices.Clone(f.form.fields), func(o *field) bool { return !o.takesText() })) > 1 {
		if text := l.unsaid(v.Text); text != "" {
			en.texts = []string{text}
			return en
		}
	}
	if forms := partOf(f.kind, v.Text); len(forms) > 0 {
		en.texts = forms
		return en
	}
	switch f.kind {
	case "date", "birthday":
		if d, ok := parseDate(v.Text, 0, l.british); ok {
			en.texts = dateForms(f, d, v.Text, l.british)
		}
	case "time":
		if t, ok := parseClock(v.Text); ok {
			en.texts = clockForms(f, t, v.Text)
		}
	case "number", "amount", "quantity", "age":
		if _, ok := parseNumber(v.Text); ok {
			en.texts = []string{strings.Trim(strings.ReplaceAll(v.Text, ",", ""), "$€£ %"), v.Text}
		}
	default:
		if plain := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(v.Text); plain != v.Text && strings.Trim(plain, "+0123456789") == "" {
			en.texts = append(en.texts, plain)
		}
	}
	for _, old := range s.Values {
		if at := strings.Index(strings.ToLower(f.e.Value), strings.ToLower(old.Text)); old.Old && old.Text != "" && at >= 0 && len(f.e.Value) < maxValue && len(f.e.Value) >= at+len(old.Text) {
			en.texts = []string{f.e.Value[:at] + v.Text + f.e.Value[at+len(old.Text):]}
		}
	}
	en.adds = slices.Contains(adding, s.Deed) && !v.New && (f.e.Rich || f.e.Multiline) && strings.TrimSpace(f.e.Value) != ""
	return en
}

// unsaid is a text without the words for what all are that are searched for here,
// as the page calls its search ("Film search").
func (l *look) unsaid(text string) string {
	about := ""
	for i := range l.Page.Texts {
		if t := &l.Page.Texts[i]; len(strings.Fields(t.Text)) <= 4 && language.Read(t.Text).Has("search") {
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

// rest is what a form does not go without beside what the task gives. own: the
// form is the one that the subgoal is about.
func (c *Clerk) rest(l *look, e *errand, f *form, plan []entry, own bool) []entry {
	var out []entry
	refused := c.complains(f)
	if !own && !refused {
		return nil
	}
	marked := slices.ContainsFunc(f.fields, (*field).required)
	for _, o := range f.fields {
		mem := c.memory(o.key)
		if slices.ContainsFunc(plan, func(en entry) bool { return en.f == o || en.f != nil && o.e.Role == "radio" && set(en.f.e) == set(o.e) }) || o.e.Disabled || o.e.ReadOnly && !o.opens() {
			continue
		}
		mine := mem.made && mem.text != ""
		asks := o.required() || o.e.Error != ""
		k := lookUp(o.kind)
		switch {
		case o.kind == "search":
			continue
		case mine, mem.tries > 0 && !c.refused(o, mem):
		case o.holds() && o.e.Error == "":
			continue
		case o.e.Role == "radio":
			asks = slices.ContainsFunc(o.group(), func(g *field) bool { return g.required() || g.e.Error != "" })
		case o.e.Role == "checkbox" || o.e.Role == "switch":
			asks = asks || personal(l.Subgoal.Deed) && says("declares", o.label) && !says("offers", o.label)
		case !asks && !marked && o.takesText() && personal(l.Subgoal.Deed):
			asks = (k.personal || o.kind == "password" || o.kind == "message") && !k.spare && !says("optional", o.label+" "+o.e.Placeholder+" "+o.e.Help)
		}
		if !asks && !mine || e.over {
			continue
		}
		if en, ok := c.invent(l, o, mem); ok {
			out = append(out, en)
		}
	}
	return out
}

// personal deeds are done by somebody who says who they are, whether or not the
// form marks what it needs.
func personal(deed string) bool {
	switch deed {
	case "signup", "contact", "book", "apply", "buy", "checkout", "subscribe", "donate", "trial", "login", "reset":
		return true
	}
	return false
}

// invent is a made-up entry for a field, with what of the task's other values fits.
func (c *Clerk) invent(l *look, f *field, mem *memory) (entry, bool) {
	en := entry{f: f, e: f.e}
	switch {
	case f.e.Role == "radio":
		group := f.group()
		labels := make([]string, len(group))
		for i, g := range group {
			labels[i] = g.label
		}
		at := c.choice(f, labels)
		if at < 0 || group[at] != f {
			return en, false
		}
	case f.ticks():
	case f.native():
		at := c.choice(f, f.e.Options)
		if at < 0 {
			return en, false
		}
		en.texts = []string{f.e.Options[at]}
	case f.e.Role == "slider", f.e.Role == "combobox" && !f.takesText() && !f.opens():
		return en, false
	default:
		for i := range c.goal.Values {
			if v := &c.goal.Values[i]; !v.Choose && !v.Old && f.kind != "text" && kindOfValue(l.Subgoal, v) == f.kind && (v.Text != "" || v.Input != "") {
				return c.given(l, v, -1, match{f: f, e: f.e}).unnumbered(), true
			}
		}
		if again := c.repeated(f); again != nil {
			en.texts, en.secret = []string{again.text}, ""
			if name, ok := strings.CutPrefix(again.text, secretMark); ok {
				en.texts, en.secret = nil, name
			}
			return en, true
		}
		for attempt := range maxTries + 1 {
			if text := c.made(l, f, attempt); text != "" && !slices.Contains(en.texts, text) {
				en.texts = append(en.texts, text)
			}
		}
		return en, len(en.texts) > 0
	}
	return en, true
}

func (en entry) unnumbered() entry {
	en.values = nil
	return en
}

// repeated is what was entered into the field that this one asks for once more,
// nil when it does not.
func (c *Clerk) repeated(f *field) *memory {
	if !says("again", f.label+" "+f.e.Placeholder) {
		return nil
	}
	for _, o := range f.form.fields {
		if o != f && o.kind == f.kind && c.memory(o.key).text != "" && !says("again", o.label+" "+o.e.Placeholder) {
			return c.memory(o.key)
		}
	}
	return nil
}

// complains: the form says that something is wrong with what was entered, or
// cannot be sent as it is.
func (c *Clerk) complains(f *form) bool {
	return slices.ContainsFunc(f.fields, func(o *field) bool { return o.e.Error != "" })
}
