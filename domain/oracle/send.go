package oracle

import (
	"net/url"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// need is what a subgoal sends: its own values, or those of the subgoals right
// before it that only enter.
func (o *Oracle) need(i int) []task.Value {
	out := o.goal.Subgoals[i].Values
	enters := func(deed string) bool {
		return slices.Contains([]string{"type", "choose", "check", "upload", "edit", "create"}, deed)
	}
	if len(out) == 0 {
		for j := i - 1; j >= 0 && enters(o.goal.Subgoals[j].Deed); j-- {
			out = append(slices.Clone(out), o.goal.Subgoals[j].Values...)
		}
	}
	return out
}

// sent: an accepted request carries what was entered, and the page answered to it;
// or the form is gone or empty without errors, and there is a new message or another
// place. Where nothing was to be entered, the control pressed or its page must be
// called what the deed is.
func (o *Oracle) sent(i int, s *task.Subgoal, m *mark, t *turn) {
	if t.moved && !t.sends {
		m.pages = nil // it was left
	}
	if uploads := s.Deed == "upload" && t.act.Type == walk.Upload && t.reached; !t.sends && !uploads {
		return
	}
	need := o.need(i)
	held, here, stands, entered := true, false, false, ""
	for k := range need {
		x, ok := o.holds(&need[k], t.before)
		if ok && t.takes(x) {
			here, entered = true, entered+"\n"+x.field.Name
		}
		if !ok && need[k].Choose {
			_, ok = o.offered(&need[k], t.before)
		}
		f := fold(need[k].Text)
		held = held && ok
		stands = stands || len(f) > 2 && t.after.shows(f) > t.before.shows(f)
	}
	direct := does(s, t.label)
	last := len(m.pages) > 0 && commits(t.label)
	about := direct || last || o.concerns(s, t)
	if t.accepted() && t.goesOn(s) && (here || about) {
		m.pages = append(m.pages, t.context+entered)
	}
	switch {
	case len(need) > 0 && (!held || !here && !about), len(need) == 0 && !about:
		return
	case t.negated() != "":
		if m.confidence < verified || here || direct {
			m.settle(0.1, t.negated())
		}
		return
	case s.Deed == "login" && gated(t.after):
		if gated(t.before) { // from elsewhere it was only gone to
			m.settle(0.1, "the password was asked for again")
		}
		return
	}
	shown := t.gone || t.moved || len(t.messages) > 0 || stands
	confidence, told := 0.0, ""
	switch {
	case (t.carried() || last && t.accepted()) && shown:
		confidence, told = 0.95, t.proof()
	case t.carried():
		confidence, told = 0.75, t.proof()+", and the page showed nothing of it"
	case t.accepted() && shown && len(need) == 0 && o.near(s, t) && (direct || t.gone || len(t.messages) > 0):
		confidence, told = 0.88, t.proof()
	case s.Deed == "logout" && direct && gated(t.after) && !gated(t.before):
		confidence, told = 0.88, "a password is asked for again"
	case t.gone && (len(t.messages) > 0 || t.moved || stands):
		confidence, told = 0.84, "the form was sent and is gone"
	case len(need) > 0 && direct && t.told() && !o.standing(t):
		confidence, told = 0.84, "what was chosen was taken"
	case shown:
		confidence, told = doubtful, "the page changed"
	}
	if len(t.messages) > 0 {
		told += "; the page said " + quote(t.messages[0])
	}
	switch about := o.wrong(s, t, m.pages); {
	case about != "":
		confidence, told = min(confidence, 0.6), told+", but "+about
	case t.goesOn(s):
		confidence, told = min(confidence, 0.6), told+", but the form goes on"
	case o.pending(s, t):
		confidence, told = min(confidence, 0.6), told+", but it is still to be confirmed"
	case s.Deed == "addcart" && t.target != nil && !counted(s.Count, t.before, t.target.Row, t.target.Form):
		confidence, told = min(confidence, 0.7), told+", but how many is not told"
	}
	if confidence > 0 || direct && t.hit {
		m.by = t
		m.raise(confidence, told)
	}
}

// near: what the act is about is named where it was done, or nothing is said of it.
func (o *Oracle) near(s *task.Subgoal, t *turn) bool {
	it := subject(s)
	return it.empty() || it.fit(t.context) >= fits
}

// standing: something that was typed still stands in its field.
func (o *Oracle) standing(t *turn) bool {
	return slices.ContainsFunc(o.entries, func(x entry) bool {
		is := t.after.find(&x.field)
		return is != nil && walk.IsField(is) && is.Value != ""
	})
}

// concerns: what was pressed takes something over, on a page or in a form that is
// called what the deed is.
func (o *Oracle) concerns(s *task.Subgoal, t *turn) bool {
	if t.act.Type == walk.Click && (!t.target.Submit || t.target.Row > 0) && !commits(t.label) || len(o.entries) == 0 || o.seeks(t) {
		return false
	}
	return language.Read(t.before.titles(t.target) + "\n" + t.before.called(t.target) + "\n" + o.came()).Has(s.Deed)
}

// wrong says why an act was not on what the task means: none of the names that it
// gives is near or was on the pages of the form before, or it was done in the row of
// another.
func (o *Oracle) wrong(s *task.Subgoal, t *turn, pages []string) string {
	it := subject(s)
	names := thing{names: it.names, words: keep(it.words, language.Word.Named)}
	if names.fit(t.context+"\n"+strings.Join(pages, "\n")) < fits {
		return "nothing there was about what the task names"
	}
	if row := t.before.row(t.target); row != nil && row.folded != fold(t.target.Name) && len(t.before.about(&it)) > 0 && it.fit(row.text) < fits { // of a bar each is a row
		return "it was done to " + quote(row.text)
	}
	if w := o.unmentioned(s, t, pages); w != "" {
		return quote(w) + ", which the site offers, was not named on the way"
	}
	return ""
}

// unmentioned is the most telling common word of what an act is about, when a control
// of the site offered it and nothing on the pages of the form, on the page where the act
// was done or on the one that came says it: something else was taken. "" where it was
// said, or never offered.
func (o *Oracle) unmentioned(s *task.Subgoal, t *turn, pages []string) string {
	const telling = 0.9 // IDF from which a word tells one thing from its fellows (an assumption)
	var top language.Word
	for _, w := range s.Object {
		if !w.Named() && w.IDF > top.IDF {
			top = w
		}
	}
	said := func(text string) bool { return language.Best(top, language.Read(text)) >= metCommon }
	if top.IDF < telling || said(t.context+"\n"+strings.Join(pages, "\n")) || t.before.says(said) || t.after.says(said) {
		return ""
	}
	for _, v := range o.first {
		if v.any(func(e *walk.Element) bool { return said(e.Name) }) != nil {
			return top.Text
		}
	}
	return ""
}

// says: a text, a control or a value of the look is one for which said holds.
func (v *view) says(said func(string) bool) bool {
	return slices.ContainsFunc(v.page.Texts, func(x walk.Text) bool { return said(x.Text) }) ||
		v.any(func(e *walk.Element) bool { return said(e.Name + "\n" + e.Value) }) != nil
}

// pending: the page wants the deed confirmed, by its heading or by a button for it
// that was not there before.
func (o *Oracle) pending(s *task.Subgoal, t *turn) bool {
	first := o.first[t.after.key]
	return words().review.MatchString(t.after.heading) || s.Deed != "addcart" && t.after.any(func(e *walk.Element) bool {
		p := language.Read(e.Name)
		return e.Role == "button" && !e.Disabled && e.Row == 0 && (p.Has(s.Deed) || p.Has("confirm") || p.Has("checkout")) && !p.Has("accept") && !retreats(p) &&
			!o.offeredBefore(e.Name, t.after) && !t.before.names(e.Name) && (first == t.after || !first.names(e.Name))
	}) != nil
}

// offeredBefore: a control of that name stood on another place already, so that it
// begins the deed there and does not confirm this one.
func (o *Oracle) offeredBefore(name string, now *view) bool {
	for _, v := range o.first {
		if v.key != now.key && v.names(name) {
			return true
		}
	}
	return false
}

// goesOn: what was pressed continues, and the page that came continues again.
func (t *turn) goesOn(s *task.Subgoal) bool {
	return t.label.Has("continue") && !t.label.Has(s.Deed) && t.after.any(func(e *walk.Element) bool {
		return e.Submit && !e.Disabled && language.Read(e.Name).Has("continue")
	}) != nil
}

// counted: the number that is wanted stands in a field of a row or a form.
func counted(n int, v *view, row, form int) bool {
	return n <= 1 || v.any(func(e *walk.Element) bool {
		return walk.IsField(e) && slices.Equal(numbers(e.Value), []float64{float64(n)}) && (e.Form == form || row > 0 && e.Row == row)
	}) != nil
}

// gathered: the cart lists the object, in the number that is wanted.
func (o *Oracle) gathered(s *task.Subgoal, m *mark, t *turn) {
	if m.by == nil || !language.Read(t.after.heading).Has("cart") {
		return
	}
	it := subject(s)
	for _, r := range t.after.about(&it) {
		if counted(s.Count, t.after, r.n, -1) || slices.Contains(numbers(r.text), float64(s.Count)) {
			m.raise(0.92, "the cart lists "+quote(r.text))
		}
	}
}

// searched: what was to be searched for was sent, and the address, the request or
// the list that came carries it.
func (o *Oracle) searched(s *task.Subgoal, m *mark, t *turn) {
	live := t.act.Type == walk.Type && t.entered != nil && searches(t.target)
	x := o.lastOf(func(x *entry) bool { return x.key == t.before.key && walk.IsField(&x.field) && queries(s, x.text) })
	if x == nil || !t.sends && !live || t.negated() != "" || t.after.page.Status >= 400 {
		return
	}
	if t.sends && slices.ContainsFunc(t.after.page.Texts, func(x walk.Text) bool { return x.InViewport && reading.Empty(x.Text) }) {
		m.raise(0.5, quote(x.text)+" was sent, and nothing was found")
		return
	}
	for k := range s.Values[1:] { // each in its own field
		if _, ok := o.holds(&s.Values[1+k], t.before); !ok {
			return
		}
	}
	_, query, _ := strings.Cut(t.after.page.URL, "?")
	if q, err := url.QueryUnescape(query); err == nil {
		query = q
	}
	it := thing{words: language.Read(x.text).Content()}
	same := slices.EqualFunc(t.before.rows, t.after.rows, func(a, b row) bool { return a.folded == b.folded })
	switch f := fold(x.text); {
	case t.sends && (within(fold(query), f) || t.moved && within(fold(path(t.after.page.URL)), f)):
		m.raise(0.92, "the address of the results carries "+quote(x.text))
	case t.taken != nil && t.taken.Carries > 0:
		m.raise(0.9, t.taken.Method+" "+clip(t.taken.URL)+" carried "+quote(x.text))
	case !same && share(&it, t.after.rows) == 1:
		m.raise(0.85, "all that is listed carries "+quote(x.text))
	case t.sends && t.told():
		m.raise(0.84, quote(x.text)+" was sent, and the page said "+quote(t.messages[0]))
	case t.sends && t.moved:
		m.raise(0.6, quote(x.text)+" was sent, and nothing told what was searched for")
	}
}

// queries: what was typed is what the task wants searched for: that itself, or its
// words, the most telling one among them.
func queries(s *task.Subgoal, typed string) bool {
	return slices.ContainsFunc(s.Values, func(v task.Value) bool {
		var top language.Word
		want, have := language.Read(v.Text), language.Read(typed)
		for _, w := range want.Content() {
			if w.IDF >= top.IDF {
				top = w
			}
		}
		all := thing{words: have.Content()}
		return same(v, typed) || within(fold(typed), fold(v.Text)) ||
			v.Kind == "search" && !all.empty() && all.fit(v.Text) == 1 && language.Best(top, have) >= metCommon
	})
}

// downloaded: a file came, from what is about the object.
func (o *Oracle) downloaded(s *task.Subgoal, m *mark, t *turn) {
	it := subject(s)
	switch {
	case !t.effect.Download && s.Deed == "print" && t.hit && does(s, t.label):
		m.raise(0.7, quote(t.target.Name)+" was pressed; nothing shows a printer")
	case !t.effect.Download:
	case t.target == nil || it.said(t.context+"\n"+path(t.target.Href)) && o.wrong(s, t, nil) == "":
		m.raise(0.92, "a file was downloaded")
	default:
		m.raise(0.6, "a file was downloaded, from "+quote(t.target.Name))
	}
}
