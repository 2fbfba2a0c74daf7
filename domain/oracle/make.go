package oracle

import (
	"slices"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// made: what was to be written or chosen was taken over, and stands there
// afterwards: as words where it did not, on the page of the right object, or in its
// field after coming back. What it takes the place of is gone.
func (o *Oracle) made(i int, s *task.Subgoal, m *mark, t *turn) {
	values := slices.DeleteFunc(slices.Clone(s.Values), func(v task.Value) bool { return v.Old })
	if len(values) == 0 && s.Deed == "create" && t.sends {
		if text := o.lastText(t.before); text != "" {
			values = []task.Value{{Text: text}}
			m.name = text
		}
	}
	if len(values) == 0 && m.name != "" {
		values = []task.Value{{Text: m.name}}
	}
	if len(values) == 0 {
		return
	}
	o.commits(i, s, m, t, values)
	if m.commit > 0 {
		o.remains(s, m, t, values)
	}
}

// commits notes the act that takes over what was entered: pressing what sends or
// saves it, or entering it where nothing does.
func (o *Oracle) commits(i int, s *task.Subgoal, m *mark, t *turn, values []task.Value) {
	look, main := t.before, (*entry)(nil)
	atOnce := t.entered != nil && t.before.savedBy(&t.entered.field) == nil && t.act.Type != walk.Append
	if atOnce {
		look = t.after
	}
	if !t.sends && !atOnce {
		return
	}
	for k := range values {
		x, ok := o.holds(&values[k], look)
		if !ok {
			return
		}
		if main == nil || values[k].Text != "" && !values[k].Choose && len(values[k].Text) > len(main.text) {
			main = x
		}
	}
	is := t.before.find(&main.field, false)
	switch {
	case is == nil || main.key != t.before.key:
		return // it was taken over before
	case atOnce && identity(&t.entered.field) != identity(&main.field):
		return
	case t.sends && t.target != nil && !walk.IsField(t.target) && (t.target.Form != is.Form || t.target.InDialog != is.InDialog):
		return
	case t.sends && searches(&main.field):
		return
	case t.negated() != "":
		m.commit = 0
		m.settle(0.1, t.negated())
		return
	}
	m.commit, m.entered, m.proof = t.n, *main, t.proof()
	m.carried = t.carried()
	m.closed = t.gone || len(t.messages) > 0
	m.misplaced = o.misplaced(s, main, t) || m.name != "" && !o.named(s, main, t)
	m.settle(doubtful, quote(main.text)+" was entered")
}

// misplaced: it was entered somewhere that is not about what the task says. Of a
// new thing, the place is told; of one that is changed, the thing.
func (o *Oracle) misplaced(s *task.Subgoal, x *entry, t *turn) bool {
	it := whereabouts(s)
	if s.Deed != "create" {
		it = subject(s)
		if s.Literal == "" && len(it.names) == 0 {
			it.words = append(slices.Clone(s.Object), s.Place...)
			if kind := language.Read(s.Widget); s.Widget != "" {
				it.words = slices.DeleteFunc(it.words, func(w language.Word) bool { return language.Best(w, kind) >= metCommon })
			}
		}
	}
	context := x.context + "\n" + t.context + "\n" + x.field.Value
	if is := t.before.find(&x.field, false); is != nil && is.Row > 0 && o.wrong(s, &turn{before: t.before, target: is, context: context}) != "" {
		return true
	}
	return !it.empty() && it.fit(context) < fits
}

// named: what was made without a name that the task gives is about its object, by
// the name that it got or the page where it was made.
func (o *Oracle) named(s *task.Subgoal, x *entry, t *turn) bool {
	it := subject(s)
	return it.empty() || it.fit(x.text+"\n"+t.after.heading+"\n"+x.context) >= fits
}

// remains looks whether what was taken over stands there.
func (o *Oracle) remains(s *task.Subgoal, m *mark, t *turn, values []task.Value) {
	stands, told := true, quote(m.entered.text)
	base := o.first[t.after.key]
	for k := range values {
		v := &values[k]
		f := fold(v.Text)
		if v.Input != "" || f == "" || v.Kind == "date" || v.Kind == "time" || v.Choose && len(values) > 1 {
			continue // told in another form, or not at all
		}
		had := 0
		if base != nil && base != t.after {
			had = base.shows(f)
		}
		if len(f) < 3 || len(numbers(v.Text)) > 0 && !letters(v.Text) {
			stands = stands && inRow(s, t.after, f)
			continue
		}
		stands = stands && t.after.shows(f) > had
	}
	editing := o.editing(m, t.after)
	confidence := 0.0
	switch {
	case m.entered.lost && s.Deed == "create":
		m.settle(0.2, told+" was saved, but what stood there before is lost")
		return
	case stands && m.carried && !editing:
		confidence, told = 0.95, told+" stands there; "+m.proof
	case stands && (m.closed || m.proof != "") && !editing:
		confidence, told = 0.86, told+" stands there"
	case stands:
		confidence, told = 0.7, told+" stands there, but nothing took it over"
	case o.kept(m, t.after, values) && t.n > m.commit && t.moved:
		confidence, told = 0.9, told+" stands in its field after coming back"
	case o.kept(m, t.after, values) && t.n == m.commit && m.carried:
		confidence, told = 0.85, told+" stands in its field; "+m.proof
	case o.kept(m, t.after, values) && t.n == m.commit && (len(t.messages) > 0 || m.entered.field.Role == "combobox" && t.act.Type == walk.Select):
		confidence, told = 0.82, told+" stands in its field"
	case t.after.key == m.entered.key && t.n > m.commit && m.confidence >= verified && (t.accepted() || t.label.Has("undo")):
		m.settle(0.4, told+" no longer stands there")
		return
	case m.carried && m.closed:
		confidence, told = 0.75, m.proof+", but "+told+" was not seen since"
	case m.carried:
		confidence, told = 0.6, m.proof
	}
	switch {
	case m.misplaced:
		confidence, told = min(confidence, 0.6), told+", but not where the task says"
	case s.Deed != "create" && o.remainsOld(s, values, t.after):
		confidence, told = min(confidence, 0.6), told+", but what it takes the place of is still there"
		if confidence > 0 && t.n >= m.commit && m.confidence >= verified {
			m.settle(confidence, told)
		}
	}
	m.raise(confidence, told)
}

// inRow: a short text or a number stands in the row of the object.
func inRow(s *task.Subgoal, v *view, folded string) bool {
	it := subject(s)
	for _, r := range v.about(&it) {
		if slices.ContainsFunc(r.cells, func(c string) bool { return fold(c) == folded }) {
			return true
		}
	}
	return false
}

// editing: the field that it was entered into is still there with it.
func (o *Oracle) editing(m *mark, v *view) bool {
	is := v.find(&m.entered.field, false)
	return is != nil && v.key == m.entered.key && walk.IsField(is) && (is.Multiline || is.Rich) && within(fold(is.Value), fold(m.entered.text))
}

// kept: the fields hold the values.
func (o *Oracle) kept(m *mark, v *view, values []task.Value) bool {
	if v.key != m.entered.key {
		return false
	}
	for k := range values {
		if !slices.ContainsFunc(v.page.Elements, func(e walk.Element) bool {
			return identity(&e) == identity(&m.entered.field) && (same(values[k], e.Value) || stateOf(&e).on && same(values[k], e.Name)) || len(values) > 1 && walk.IsField(&e) && same(values[k], e.Value)
		}) {
			return false
		}
	}
	return true
}

// remainsOld: what was to be replaced still stands where it stood.
func (o *Oracle) remainsOld(s *task.Subgoal, values []task.Value, v *view) bool {
	for i := range s.Values {
		old := fold(s.Values[i].Text)
		if !s.Values[i].Old || old == "" {
			continue
		}
		n := v.shows(old)
		for k := range values {
			if f := fold(values[k].Text); within(f, old) {
				n -= v.shows(f)
			}
		}
		if n > 0 {
			return true
		}
	}
	return false
}

// vanished: what was to go was on the list, the act for it was done, and on the
// same list it is gone while the others are there.
func (o *Oracle) vanished(s *task.Subgoal, m *mark, t *turn) {
	it := subject(s)
	if t.reached && (t.target != nil && (does(s, t.label) || t.label.Has("delete")) || t.act.Type == walk.Press && (t.act.Text == "Delete" || t.act.Text == "Backspace") || t.accepted() && t.taken.Method == "DELETE") {
		m.begun = t.n
		if why := t.negated(); why != "" {
			m.begun = 0
			m.settle(min(0.1, m.confidence), why)
		}
	}
	rows := t.after.about(&it)
	if len(rows) > 0 {
		if m.confidence >= doubtful && m.listed != nil && m.listed.key == t.after.key {
			m.settle(0.1, quote(rows[0].text)+" is still there")
		}
		m.listed, m.others, m.name = t.after, nil, rows[0].text
		for i := range t.after.rows {
			if r := &t.after.rows[i]; r.region == rows[0].region && !slices.Contains(rows, r) {
				m.others = append(m.others, r.folded)
			}
		}
		return
	}
	acted := t.act.Type == walk.Click || t.act.Type == walk.Press || t.moved
	if m.listed == nil || m.begun == 0 || m.listed.key != t.after.key || !acted || m.confidence >= verified {
		return
	}
	left := 0
	for _, f := range m.others {
		if slices.ContainsFunc(t.after.rows, func(r row) bool { return alike(r.folded, f) }) {
			left++
		}
	}
	told := quote(m.name) + " is gone from its list"
	switch why := t.negated(); {
	case why != "":
		m.settle(0.1, why)
	case left < len(m.others):
		m.raise(0.6, told+", and others too")
	case t.accepted():
		m.raise(0.93, told+"; "+t.proof())
	case len(m.others) == 0 && len(t.messages) == 0:
		m.raise(0.7, told+", which is empty")
	default:
		m.raise(0.86, told)
	}
}

// alike: a row is the one that it was, but for a cell or a count.
func alike(a, b string) bool {
	if a == b || within(a, b) || within(b, a) {
		return true
	}
	n, all := 0, 0
	for _, w := range language.Read(a).Words {
		if all++; within(b, w.Text) {
			n++
		}
	}
	return all > 0 && float64(n) >= 0.8*float64(all) // an assumption
}

// relocated: the thing stands under the place that it was to go to, and did not; or
// it left its list after that place was chosen for it, and the site took it.
func (o *Oracle) relocated(s *task.Subgoal, m *mark, t *turn) {
	it, to := o.parcel(s)
	if to.empty() || it.empty() {
		return
	}
	at := func(v *view) *row {
		for _, r := range v.about(&it) {
			if to.fit(v.section(r.region)) >= fits || to.fit(v.heading) >= fits && v.section(r.region) == "" {
				return r
			}
		}
		return nil
	}
	if o.before == nil {
		return
	}
	if r := at(t.after); r != nil {
		if was := o.first[t.after.key]; was != t.after && at(was) != nil || o.before != nil && m.begun == 0 && at(t.before) == nil && !t.hit {
			return
		}
		switch {
		case t.negated() != "":
			m.settle(0.1, t.negated())
		case m.begun > 0 || t.act.Type == walk.Drag || t.entered != nil:
			m.raise(0.9, quote(r.text)+" stands under "+quote(phraseOf(&to)))
		default:
			m.raise(0.6, quote(r.text)+" stands under "+quote(phraseOf(&to)))
		}
		return
	}
	chosen := t.reached && (t.target != nil && to.fit(t.target.Name) >= fits || t.entered != nil && to.fit(t.entered.text) >= fits || t.act.Type == walk.Drag)
	if chosen {
		m.begun = t.n
	}
	if m.confidence >= doubtful && len(t.after.about(&it)) > 0 && m.listed != nil && m.listed.key == t.after.key {
		m.settle(0.2, "it stands where it stood")
	}
	if m.begun > 0 && m.listed != nil && m.listed.key == t.after.key && len(t.after.about(&it)) == 0 {
		if t.accepted() {
			m.raise(0.84, "it left its list for "+quote(phraseOf(&to))+"; "+t.proof())
		} else {
			m.raise(0.7, "it left its list")
		}
	}
	if len(t.after.about(&it)) > 0 {
		m.listed = t.after
	}
}

// parcel is what is moved and where to.
func (o *Oracle) parcel(s *task.Subgoal) (it, to thing) {
	for _, v := range s.Values {
		if !v.Old && v.Text != "" {
			to.names = []string{fold(v.Text)}
		}
	}
	if to.empty() {
		to.words = s.Place
	}
	alone := *s
	alone.Place, alone.Values = nil, nil
	return subject(&alone), to
}

func phraseOf(t *thing) string {
	if len(t.names) > 0 {
		return t.names[0]
	}
	out := ""
	for i, w := range t.words {
		if i > 0 {
			out += " "
		}
		out += w.Text
	}
	return out
}
