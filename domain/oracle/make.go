package oracle

import (
	"slices"
	"strings"
	"unicode"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// made: what was to be written or chosen was taken over, and stands there
// afterwards: as words where it did not, on the page of the right object, or in its
// field after coming back. What it takes the place of is gone.
func (o *Oracle) made(s *task.Subgoal, m *mark, t *turn) {
	values := keep(s.Values, func(v task.Value) bool { return !v.Old })
	if len(values) == 0 {
		if x := o.last(t.before); x != nil && s.Deed == "create" && t.sends && !o.asked(x.text) {
			m.name = x.text
		}
		values = []task.Value{{Text: m.name}}
	}
	if values[0].Text+values[0].Input == "" {
		return
	}
	if old := fold(s.Existing()); s.Deed == "rename" && old != "" && t.after.shows(old) > 0 {
		m.stood = t.after.key
	}
	o.commits(s, m, t, values)
	if m.by != nil && !m.by.accepted() && t.carried() && t.target != nil && (identity(t.target) == identity(&m.entered.field) || t.sends && commits(t.label)) {
		m.by = t // it was taken over as its field was left, or with the whole
	}
	if m.by != nil {
		o.remains(s, m, t, values)
	}
}

// asked: a subgoal says that something is to be entered.
func (o *Oracle) asked(text string) bool {
	return slices.ContainsFunc(o.goal.Subgoals, func(s task.Subgoal) bool {
		return slices.ContainsFunc(s.Values, func(v task.Value) bool { return fold(v.Text) == fold(text) })
	})
}

// commits notes the act that takes over what was entered: pressing what sends or
// saves it, or entering it where nothing does.
func (o *Oracle) commits(s *task.Subgoal, m *mark, t *turn, values []task.Value) {
	look, main := t.before, (*entry)(nil)
	atOnce := t.entered != nil && t.before.savedBy(&t.entered.field, s) == nil && t.act.Type != walk.Append
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
		here := t.before.find(&x.field) != nil && x.key == t.before.key
		if main == nil || here && (t.before.find(&main.field) == nil || main.key != t.before.key || !values[k].Choose && len(values[k].Text) > len(main.text)) {
			main = x
		}
	}
	is := t.before.find(&main.field)
	switch {
	case !t.takes(main):
		return // it was taken over before, or is not now
	case atOnce && identity(&t.entered.field) != identity(&main.field):
		return
	case t.sends && searches(&main.field):
		return
	case t.negated() != "":
		m.by = nil
		m.settle(0.1, t.negated())
		return
	}
	m.by, m.entered = t, *main
	m.misplaced = o.misplaced(s, m, t, is)
	m.lost = s.Deed == "edit" && main.loses(is) && !slices.ContainsFunc(s.Values, func(v task.Value) bool { return v.New || v.Old })
	m.over = s.Deed == "create" && slices.ContainsFunc(telling(s, values), func(v task.Value) bool { return fold(v.Text) == fold(main.text) }) && o.another(main)
	m.settle(doubtful, quote(main.text)+" was entered")
}

// another: what stood in the field was on a page before, where the field was not: it is
// called so, and is no new one.
func (o *Oracle) another(x *entry) bool {
	if picks(&x.field) || x.field.Role == "combobox" || x.added || !letters(x.old) || x.old == fold(x.text) {
		return false
	}
	for _, v := range o.first {
		if v.find(&x.field) == nil && v.shows(x.old) > 0 {
			return true
		}
	}
	return false
}

// loses: a text that stood in the field is no longer there, around and between what
// was entered. Where a look shows only its beginning, what was typed tells.
func (x *entry) loses(is *walk.Element) bool {
	const much = 3 // words that are worth keeping: an assumption
	old, now := strings.Fields(x.old), strings.Fields(fold(is.Value))
	if len(now) == 0 || is.ValueCut() {
		now = strings.Fields(fold(x.text))
	}
	if !is.Multiline && !is.Rich || len(old) < much || x.added && (is.Value == "" || is.ValueCut()) {
		return false
	}
	for _, w := range now {
		if len(old) > 0 && w == old[0] {
			old = old[1:]
		}
	}
	return len(old) > 1 || len(old) == 1 && !x.field.ValueCut()
}

// misplaced: it was entered somewhere that is not about what the task says. Of a
// new thing, the place is told, and what it is about where it has no name; of one
// that is changed, the thing.
func (o *Oracle) misplaced(s *task.Subgoal, m *mark, t *turn, is *walk.Element) bool {
	x, it := &m.entered, subject(s)
	context := x.context + "\n" + t.context + "\n" + begins(&x.field)
	if replaced := func(n string) bool { // what was replaced stood in the field, with what it was said of
		return within(x.old, n) && slices.ContainsFunc(s.Values, func(v task.Value) bool { return v.Old && fold(v.Text) == n })
	}; s.Deed == "edit" && slices.ContainsFunc(it.names, replaced) {
		if it.names, context = keep(it.names, func(n string) bool { return !replaced(n) }), context+"\n"+x.old; len(it.names) == 0 && is.Row == 0 {
			return false // it was there that it is changed
		}
	}
	switch {
	case s.Deed != "create" && is.Row > 0 && o.wrong(s, &turn{before: t.before, after: t.after, target: is, context: context}, nil) != "":
		return true
	case s.Deed == "create":
		place := thing{words: s.Place}
		if place.named() { // "the collection "pupils"": its name tells it
			place.words = keep(place.words, language.Word.Named)
		}
		return place.fit(context) < fits || m.name != "" && it.fit(x.text+"\n"+t.after.heading+"\n"+x.context) < fits
	case len(it.names) == 0:
		kind := language.Read(s.Widget)
		it.words = keep(append(slices.Clone(s.Object), s.Place...), func(w language.Word) bool { return language.Best(w, kind) < metCommon && !w.Dates() })
	}
	if picks(&x.field) && !it.named() {
		return it.fit(context) < doubtful // what is open is what it is of
	}
	return it.fit(context) < fits
}

// remains looks whether what was taken over stands there.
func (o *Oracle) remains(s *task.Subgoal, m *mark, t *turn, values []task.Value) {
	later, kept, carried := t != m.by, o.kept(m, t.after, values), m.by.carried()
	proof, closed := m.by.proof(), m.by.gone || len(m.by.messages) > 0
	here := t.after.find(&m.entered.field)
	editing := here != nil && t.after.key == m.entered.key && (here.Multiline || here.Rich) && (here.ValueCut() || within(fold(here.Value), fold(m.entered.text)))
	confidence, told := 0.0, quote(m.entered.text)
	stands, named := o.shown(s, t.after, values), t.act.Type != walk.Type && o.at.query == "" && titled(t.after, values) && !titled(t.before, values)
	switch {
	case m.lost:
		m.settle(0.2, told+" was saved, but what stood there before is lost")
		return
	case m.over:
		m.settle(0.2, told+" was written over "+quote(m.entered.old)+", which there was before")
		return
	case named && (s.Deed == "rename" || s.Deed == "create"):
		confidence, told = 0.86, told+" is what the page is called now"
	case stands && carried && !editing:
		confidence, told = 0.95, told+" stands there; "+proof
	case stands && (closed || proof != "") && !editing:
		confidence, told = 0.86, told+" stands there"
	case stands && here == nil && s.Deed == "rename" && !o.remainsOld(s, values, t.after):
		confidence, told = 0.82, told+" stands where the old name did"
	case stands:
		confidence, told = 0.7, told+" stands there, but nothing took it over"
	case kept && later && t.moved:
		confidence, told = 0.9, told+" stands in its field after coming back"
	case kept && !later && carried:
		confidence, told = 0.85, told+" stands in its field; "+proof
	case kept && !later && (len(t.messages) > 0 || m.entered.field.Role == "combobox" && t.act.Type == walk.Select):
		confidence, told = 0.82, told+" stands in its field"
	case !later && t.hit && picks(t.target) && t.entered != nil && here == nil:
		confidence, told = 0.82, told+" was chosen from a menu, which closed"
	case picks(&m.entered.field) && here == nil: // the menu is closed
	case !kept && later && t.after.key == m.entered.key && (!carried || t.accepted() || t.label.Has("undo")):
		m.settle(min(m.confidence, 0.4), told+" no longer stands there")
		return
	case carried && t.affirms(subject(s)):
		confidence, told = 0.84, told+" was entered, and the page says that it was done; "+proof
	case carried && closed && slices.ContainsFunc(telling(s, values), func(val task.Value) bool { return o.listed(&val, t.after) }):
		confidence, told = 0.84, told+" was entered; "+proof
	case carried && closed:
		confidence, told = 0.75, proof+", but "+told+" was not seen since"
	case carried:
		confidence, told = 0.6, proof
	}
	switch {
	case m.misplaced && !m.by.addresses(subject(s)) && (!stands || m.stood != t.after.key || t.after.shows(fold(s.Existing())) > 0):
		confidence, told = min(confidence, 0.6), told+", but not where the task says"
	case o.remainsOld(s, values, t.after) && (!carried || !t.affirms(subject(s))):
		confidence, told = min(confidence, 0.6), told+", but what it takes the place of is still there"
		if confidence > 0 && m.confidence >= verified {
			m.settle(confidence, told)
		}
	}
	m.raise(confidence, told)
}

// titled: the page is called what is to be there.
func titled(v *view, values []task.Value) bool {
	title := fold(v.page.Title)
	return slices.ContainsFunc(values, func(val task.Value) bool { return letters(val.Text) && within(title, fold(val.Text)) })
}

// picks: one of a menu that is in force as it is pressed (WAI-ARIA 1.2).
func picks(e *walk.Element) bool {
	return e != nil && (e.Role == "menuitemradio" || e.Role == "menuitemcheckbox")
}

// shown: all values stand on a look as words, more often than when the place was
// first seen; what is short or a number, in the row of the object.
func (o *Oracle) shown(s *task.Subgoal, v *view, values []task.Value) bool {
	base := o.first[v.key]
	for k := range values {
		val, had := &values[k], 0
		f := fold(val.Text)
		switch {
		case val.Input != "" || f == "" || val.Kind == "date" || val.Kind == "time" || val.Choose && len(values) > 1:
			continue // told in another form, or not at all
		case len(f) < 3 || len(numbers(val.Text)) > 0 && !letters(val.Text):
			it := itself(s)
			beside := func(r *row) bool {
				return slices.ContainsFunc(values, func(o task.Value) bool { return letters(o.Text) && within(r.folded, fold(o.Text)) })
			}
			is := func(r *row) bool { // as it was entered, or with more digits
				n := numbers(val.Text)
				return r.has(f) || len(n) == 1 && !letters(val.Text) && slices.Contains(numbers(r.text), n[0])
			}
			if !slices.ContainsFunc(v.rows, func(r row) bool { return is(&r) && (it.fit(r.text) >= doubtful || beside(&r)) }) {
				return false
			}
			continue
		case base != v && within(fold(v.heading), f) && !within(fold(base.heading), f):
			continue // the place is called so now, whatever else was there before
		case base != v:
			had = base.shows(f)
		}
		if v.shows(f) <= had {
			return false
		}
	}
	return true
}

// itself is the thing that is changed, and not what it was.
func itself(s *task.Subgoal) thing {
	alone := *s
	alone.Values, alone.Object = nil, keep(s.Object, func(w language.Word) bool { return !w.Dates() })
	return subject(&alone)
}

// telling are the values by which a thing is known: of a new one its name, where it has one.
func telling(s *task.Subgoal, values []task.Value) []task.Value {
	if named := keep(values, func(v task.Value) bool { return v.Kind == "name" }); s.Deed == "create" && len(named) > 0 {
		return named
	}
	return values
}

// listed: the words of a value stand together on a look, in any order, and did not when
// the place was first seen.
func (o *Oracle) listed(val *task.Value, v *view) bool {
	words := strings.Fields(fold(val.Text))
	has := func(v *view) bool {
		return v != nil && slices.ContainsFunc(v.spots, func(s string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !within(s, w) })
		})
	}
	return len(words) > 1 && letters(val.Text) && has(v) && o.first[v.key] != v && !has(o.first[v.key])
}

// kept: the fields hold the values.
func (o *Oracle) kept(m *mark, v *view, values []task.Value) bool {
	return v.key == m.entered.key && !slices.ContainsFunc(values, func(val task.Value) bool {
		return !slices.ContainsFunc(v.page.Elements, func(e walk.Element) bool {
			return identity(&e) == identity(&m.entered.field) && (same(val, e.Value) || e.ValueCut() && strings.HasPrefix(val.Text, e.Value) || stateOf(&e).on && same(val, e.Name)) || len(values) > 1 && walk.IsField(&e) && same(val, e.Value)
		})
	})
}

// remainsOld: what was to be replaced still stands where it stood, in words that were there
// when the place was first seen, or beside what takes its place.
func (o *Oracle) remainsOld(s *task.Subgoal, values []task.Value, v *view) bool {
	first, it := o.first[v.key], itself(s)
	return slices.ContainsFunc(s.Values, func(was task.Value) bool {
		old := fold(was.Text)
		if !was.Old || old == "" {
			return false
		}
		n := len(keep(v.spots, func(spot string) bool {
			beside := slices.ContainsFunc(values, func(val task.Value) bool { return within(spot, fold(val.Text)) })
			return within(spot, old) && (letters(old) || it.fit(spot) >= doubtful) && (beside || first == nil || first == v || slices.Contains(first.spots, spot))
		}))
		for k := range values {
			if f := fold(values[k].Text); within(f, old) {
				n -= v.shows(f)
			}
		}
		return n > 0
	})
}

// track keeps where a thing was listed last, with its fellows, and says whether it
// has left that list, and whether some of them have, too.
func (m *mark) track(it *thing, v *view) (left, others bool) {
	rows := v.about(it)
	fellows, same := m.lists[v.key]
	its, list := v.column(it)
	if len(rows) > 0 {
		its, list = []row{*rows[0]}, keep(v.rows, func(r row) bool { return r.region == rows[0].region })
	}
	if len(its) == 0 {
		m.others = fellows
		return same, same && slices.ContainsFunc(m.others, func(f string) bool {
			return v.shows(f) == 0 && !slices.ContainsFunc(v.rows, func(r row) bool { return alike(r.folded, f) })
		})
	}
	if same && m.confidence >= doubtful {
		m.settle(0.1, quote(its[0].text)+" is still there")
	}
	if m.lists == nil {
		m.lists = map[string][]string{}
	}
	m.others, m.name = nil, its[0].text
	for i := range list {
		if r := &list[i]; !it.said(r.text) && (!same || slices.Contains(fellows, r.folded)) {
			m.others = append(m.others, r.folded) // what was there from the beginning, and is no part of it
		}
	}
	if len(rows) == 0 && len(m.others) == 0 {
		m.others = fellows // what stands there now is no list
	}
	m.lists[v.key] = m.others
	return false, false
}

// vanished: what was to go was on the list, the act for it was done, and on the
// same list it is gone while the others are there.
func (o *Oracle) vanished(s *task.Subgoal, m *mark, t *turn) {
	it, why := subject(s), t.negated()
	key := t.act.Type == walk.Press && (t.act.Text == "Delete" || t.act.Text == "Backspace")
	if t.reached && (t.target != nil && does(s, t.label) || s.Deed == "delete" && (key || t.accepted() && t.taken.Method == "DELETE")) {
		m.own = o.wrong(s, t, nil) == "" && it.named() && it.fit(t.context) >= fits
		if m.begun = why == ""; !m.begun {
			m.settle(min(0.1, m.confidence), why)
		}
	}
	left, others := m.track(&it, t.after)
	// It goes by the deed or the yes to it, at once or while one waits, and not by what shows another list.
	acted := t.act.Type == walk.Wait || t.act.Type == walk.Press || t.act.Type == walk.Click && (t.target == nil || does(s, t.label) || commits(t.label) || t.accepted()) || t.act.Type != walk.Click && t.moved
	told := quote(m.name) + " is gone from its list"
	switch {
	case m.begun && m.own && !left && t.accepted() && (t.moved || t.effect.Navigated) && why == "" && m.confidence < verified && !slices.ContainsFunc(it.names, func(n string) bool { return t.after.shows(n) > 0 }):
		m.raise(0.82, "it was done where it was about "+quote(it.String())+", which the page that came does not have; "+t.proof())
	case !left || !m.begun || !acted || m.confidence >= verified:
	case why != "":
		m.settle(0.1, why)
	case others && m.own && t.accepted() && t.tells(s):
		m.raise(0.85, told+", as the page says; "+t.proof())
	case others:
		m.raise(0.6, told+", and others too")
	case t.accepted():
		m.raise(0.93, told+"; "+t.proof())
	case len(m.others) == 0 && len(t.messages) == 0 && !o.narrowed(&it, t):
		m.raise(0.7, told+", which is empty")
	default:
		m.raise(0.86, told)
	}
}

// narrowed: the list was searched for the thing, so that nothing else was on it, and
// stays as it is searched.
func (o *Oracle) narrowed(it *thing, t *turn) bool {
	return slices.ContainsFunc(o.entries, func(x entry) bool {
		is := t.after.find(&x.field)
		return is != nil && searches(is) && fold(is.Value) == fold(x.text) && x.key == t.before.key && it.said(x.text)
	})
}

// alike: a row is the one that it was, but for a cell or its figures, or what stands
// behind the words that it begins with.
func alike(a, b string) bool {
	const most, few, lead = 0.8, 3, 2 // of its words, how many tell a row, and how many it is called by: assumptions
	if x, y := strings.Fields(a), strings.Fields(b); len(x) > lead && len(y) > lead && slices.Equal(x[:lead], y[:lead]) {
		return true
	}
	if x, y := wordsOf(a), wordsOf(b); strings.Count(x, " ") >= few-1 && strings.Count(y, " ") >= few-1 {
		a, b = x, y
	}
	return within(a, b) || within(b, a) || language.Cover(language.Read(a).Words, language.Read(b)) >= most
}

// wordsOf is a text without its figures.
func wordsOf(s string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(s), func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }), " ")
}

// relocated: the thing stands under the place that it was to go to, or says it in
// its row, and did not; or it left its list after that place was chosen for it, and
// the site took it.
func (o *Oracle) relocated(s *task.Subgoal, m *mark, t *turn) {
	to := thing{words: s.Place}
	for _, v := range s.Values {
		if !v.Old && v.Text != "" {
			to = thing{names: []string{fold(v.Text)}}
		}
	}
	// What is moved is told by itself, or else by its place, which is not where to.
	alone, kind, where := *s, language.Read(s.Widget), language.Read(to.String())
	told := func(w language.Word) bool { return language.Best(w, kind) < metCommon }
	alone.Values, alone.Place = nil, keep(s.Place, func(w language.Word) bool { return len(to.names) > 0 && language.Best(w, where) < metName })
	if s.Literal != "" || slices.ContainsFunc(s.Object, told) {
		alone.Place = nil
	}
	it := subject(&alone)
	if to.empty() || it.empty() {
		return
	}
	at := func(v *view) bool {
		return slices.ContainsFunc(v.about(&it), func(r *row) bool {
			section := v.region(r.region).Heading
			return to.said(section) || section == "" && to.said(v.heading) || r.has(to.String())
		})
	}
	did := t.reached && (t.act.Type == walk.Drag || t.target != nil && to.said(t.target.Name) || t.entered != nil && to.said(t.entered.text))
	first, there, why := o.first[t.after.key], at(t.after), t.negated()
	stands := quote(it.String()) + " stands under " + quote(to.String())
	left := false
	m.begun = m.begun || did
	if !there {
		left, _ = m.track(&it, t.after)
	}
	switch {
	case why != "" && did:
		m.begun = false
		m.settle(0.1, why)
	case t.sends && t.carried() && it.named() && it.fit(t.context) >= fits && slices.ContainsFunc(s.Values, func(v task.Value) bool {
		x, ok := o.holds(&v, t.before)
		return !v.Old && ok && t.takes(x)
	}):
		m.raise(0.86, quote(to.String())+" was chosen for it; "+t.proof())
	case did && t.accepted() && t.moved && it.named() && it.fit(t.context) >= fits && !slices.ContainsFunc(it.names, func(n string) bool { return t.after.shows(n) > 0 }):
		m.raise(0.82, quote(to.String())+" was chosen on the page of "+quote(it.String())+", which the page that came does not have; "+t.proof())
	case there && first != t.after && at(first): // from the beginning
	case there && m.begun:
		m.raise(0.9, stands)
	case there && t.hit:
		m.raise(0.6, stands)
	case left && m.begun && t.accepted():
		m.raise(0.84, "it left its list for "+quote(to.String())+"; "+t.proof())
	case left && m.begun:
		m.raise(0.7, "it left its list")
	}
}
