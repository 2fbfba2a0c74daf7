package oracle

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// need is what a subgoal sends: its own values, or those of the subgoals before it
// that only enter.
func (o *Oracle) need(i int) []task.Value {
	if values := o.goal.Subgoals[i].Values; len(values) > 0 {
		return values
	}
	var out []task.Value
	for j := i - 1; j >= 0; j-- {
		switch o.goal.Subgoals[j].Deed {
		case "type", "choose", "check", "upload", "edit", "create":
			out = append(out, o.goal.Subgoals[j].Values...)
			continue
		}
		break
	}
	return out
}

// sent: an accepted request carries what was entered, and the page answered to it;
// or the form is gone or empty without errors, and there is a new message or another
// place. Where nothing was to be entered, the control pressed or its page must be
// called what the deed is.
func (o *Oracle) sent(i int, s *task.Subgoal, m *mark, t *turn) {
	if !t.sends && !(s.Deed == "upload" && t.act.Type == walk.Upload && t.reached) {
		return
	}
	need := o.need(i)
	held, here := true, false
	for k := range need {
		x, ok := o.holds(&need[k], t.before)
		if held = held && ok; !ok {
			continue
		}
		is := t.before.find(&x.field, false)
		here = here || is != nil && x.key == t.before.key && (t.target == nil || is.Form == t.target.Form && is.InDialog == t.target.InDialog)
	}
	direct := does(s, t.label)
	about := direct || o.concerns(s, t)
	switch {
	case len(need) > 0 && (!held || !here && !about), len(need) == 0 && !about:
		return
	case t.negated() != "":
		if m.confidence < verified || here || direct {
			m.settle(0.1, t.negated())
		}
		return
	case s.Deed == "login" && gated(t.after):
		m.settle(0.1, "the password was asked for again")
		return
	}
	shown := t.gone || t.moved || len(t.messages) > 0 || o.standsNew(need, t)
	confidence, told := 0.0, ""
	switch {
	case t.carried() && shown && t.taken.Carries >= min(2, len(need)):
		confidence, told = 0.95, t.proof()
	case t.carried() && shown:
		confidence, told = 0.88, t.proof()
	case t.carried():
		confidence, told = 0.75, t.proof()+", and the page showed nothing of it"
	case t.accepted() && shown && len(need) == 0 && (direct || t.gone || len(t.messages) > 0):
		confidence, told = 0.88, t.proof()
	case s.Deed == "logout" && direct && gated(t.after) && !gated(t.before):
		confidence, told = 0.88, "a password is asked for again"
	case t.gone && (len(t.messages) > 0 || t.moved || o.standsNew(need, t)):
		confidence, told = 0.84, "the form was sent and is gone"
	case t.thanks:
		confidence, told = 0.6, "only words say so"
	case shown:
		confidence, told = doubtful, "the page changed"
	}
	if len(t.messages) > 0 {
		told += "; the page said " + quote(t.messages[0])
	}
	switch about := o.wrong(s, t); {
	case about != "":
		confidence, told = min(confidence, 0.6), told+", but "+about
	case o.pending(s, t):
		confidence, told = min(confidence, 0.6), told+", but it is still to be confirmed"
	case s.Deed == "addcart" && s.Count > 1 && !counted(s.Count, t):
		confidence, told = min(confidence, 0.7), told+", but how many is not told"
	}
	if confidence > 0 {
		m.commit = t.n
		m.raise(confidence, told)
	}
}

// concerns: what was pressed takes something over, on a page or in a form that is
// called what the deed is.
func (o *Oracle) concerns(s *task.Subgoal, t *turn) bool {
	if t.act.Type == walk.Click && !t.target.Submit && !commits(t.label) || len(o.entries) == 0 || o.seeks(t) {
		return false
	}
	context := language.Read(t.context)
	return slices.ContainsFunc(context.Concepts, func(c string) bool { return c == s.Deed })
}

// wrong says why an act was not on what the task means: none of the names that it
// gives is near, or it was done in the row of another.
func (o *Oracle) wrong(s *task.Subgoal, t *turn) string {
	it := subject(s)
	if len(it.names) == 0 {
		it.words = slices.DeleteFunc(slices.Clone(it.words), func(w language.Word) bool { return !named(w) })
	}
	if !it.empty() && it.fit(t.context) < fits {
		return "nothing there was about what the task names"
	}
	it = subject(s)
	if row := t.before.row(t.target); row != nil && !it.empty() && len(t.before.about(&it)) > 0 && it.fit(row.text) < fits {
		return "it was done to " + quote(row.text)
	}
	return ""
}

// pending: the page wants the deed confirmed, by its heading or by a button for it
// that was not there before.
func (o *Oracle) pending(s *task.Subgoal, t *turn) bool {
	if words().review.MatchString(t.after.heading) {
		return true
	}
	for i := range t.after.page.Elements {
		e := &t.after.page.Elements[i]
		if e.Role != "button" || e.Disabled || e.Row > 0 {
			continue
		}
		if p := language.Read(e.Name); (p.Has(s.Deed) || p.Has("confirm") || p.Has("checkout")) && s.Deed != "addcart" && !p.Has("accept") && !t.before.names(e.Name) && (o.first[t.after.key] == t.after || !o.first[t.after.key].names(e.Name)) {
			return true
		}
	}
	return false
}

// counted: the number stood in a field beside what was pressed.
func counted(n int, t *turn) bool {
	for i := range t.before.page.Elements {
		e := &t.before.page.Elements[i]
		if walk.IsField(e) && e.Value == strconv.Itoa(n) && t.target != nil && (e.Form == t.target.Form || e.Row > 0 && e.Row == t.target.Row) {
			return true
		}
	}
	return false
}

// standsNew: a text that was entered stands on the page now as words, and did not.
func (o *Oracle) standsNew(need []task.Value, t *turn) bool {
	for k := range need {
		if f := fold(need[k].Text); len(f) > 2 && t.after.shows(f) > t.before.shows(f) {
			return true
		}
	}
	return false
}

// gathered: the cart lists the object, in the number that is wanted.
func (o *Oracle) gathered(s *task.Subgoal, m *mark, t *turn) {
	if t.after.heading == "" || !language.Read(t.after.heading).Has("cart") || m.commit == 0 {
		return
	}
	it := subject(s)
	for _, r := range t.after.about(&it) {
		if s.Count <= 1 || slices.Contains(numbers(r.text), float64(s.Count)) || slices.ContainsFunc(t.after.page.Elements, func(e walk.Element) bool { return e.Row == r.n && e.Value == strconv.Itoa(s.Count) }) {
			m.raise(0.92, "the cart lists "+quote(r.text))
		}
	}
}

// searched: what was to be searched for was sent, and the address, the request or
// the list that came carries it.
func (o *Oracle) searched(s *task.Subgoal, m *mark, t *turn) {
	live := t.act.Type == walk.Type && t.entered != nil && searches(t.target)
	if !t.sends && !live || t.negated() != "" || t.after.page.Status >= 400 {
		return
	}
	asked := ""
	for i := len(o.entries) - 1; i >= 0 && asked == ""; i-- {
		if x := &o.entries[i]; x.key == t.before.key && walk.IsField(&x.field) && queries(s, x.text) {
			asked = x.text
		}
	}
	if asked == "" || !o.allHeld(s, t.before) {
		return
	}
	f := fold(asked)
	_, query, _ := strings.Cut(t.after.page.URL, "?")
	if q, err := url.QueryUnescape(query); err == nil {
		query = q
	}
	hits := 0
	it := thing{words: language.Read(asked).Content()}
	for i := range t.after.rows {
		if it.fit(t.after.rows[i].text) >= fits {
			hits++
		}
	}
	switch {
	case t.sends && (within(fold(query), f) || t.moved && within(fold(path(t.after.page.URL)), f)):
		m.raise(0.92, "the address of the results carries "+quote(asked))
	case t.taken != nil && t.taken.Carries > 0:
		m.raise(0.9, t.taken.Method+" "+clip(t.taken.URL)+" carried "+quote(asked))
	case hits > 0 && hits == len(t.after.rows) && !slices.Equal(texts(t.before), texts(t.after)):
		m.raise(0.85, "all that is listed carries "+quote(asked))
	case t.sends && t.moved:
		m.raise(0.6, quote(asked)+" was sent, and nothing told what was searched for")
	}
}

func texts(v *view) []string {
	out := make([]string, len(v.rows))
	for i := range v.rows {
		out[i] = v.rows[i].folded
	}
	return out
}

// queries: what was typed is what the task wants searched for: that itself, or its
// words, the most telling one among them.
func queries(s *task.Subgoal, typed string) bool {
	for _, v := range s.Values {
		if same(v, typed) || within(fold(typed), fold(v.Text)) {
			return true
		}
		var top language.Word
		want := language.Read(v.Text)
		for _, w := range want.Content() {
			if w.IDF >= top.IDF {
				top = w
			}
		}
		have := language.Read(typed)
		all := len(have.Content()) > 0
		for _, w := range have.Content() {
			all = all && language.Best(w, want) >= metCommon
		}
		if all && v.Kind == "search" && language.Best(top, have) >= metCommon {
			return true
		}
	}
	return false
}

// allHeld: of several values, all are in their fields.
func (o *Oracle) allHeld(s *task.Subgoal, v *view) bool {
	if len(s.Values) < 2 {
		return true
	}
	for k := range s.Values {
		if _, ok := o.holds(&s.Values[k], v); !ok {
			return false
		}
	}
	return true
}

// downloaded: a file came, from what is about the object.
func (o *Oracle) downloaded(s *task.Subgoal, m *mark, t *turn) {
	it := subject(s)
	switch {
	case !t.effect.Download:
		if s.Deed == "print" && t.hit && does(s, t.label) {
			m.raise(0.7, quote(t.target.Name)+" was pressed; nothing shows a printer")
		}
	case t.target == nil || it.fit(t.context+"\n"+path(t.target.Href)) >= fits && o.wrong(s, t) == "":
		m.raise(0.92, "a file was downloaded")
	default:
		m.raise(0.6, "a file was downloaded, from "+quote(t.target.Name))
	}
}
