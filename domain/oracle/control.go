package oracle

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// clicked: the event arrived at the control that the task names, of its kind, the
// one of its number in reading order.
func (o *Oracle) clicked(s *task.Subgoal, m *mark, t *turn) {
	if !t.reached || t.target == nil || t.act.Type != walk.Click && t.act.Type != walk.Check {
		return
	}
	all := meant(s, t.before)
	if s.Ordinal > 0 && (t.label.Has("next") || strings.TrimSpace(t.target.Name) == ">") {
		m.passed += len(all) // the count goes on on the next page
		return
	}
	number := s.Ordinal
	if number > 0 {
		if number -= m.passed; number < 1 {
			return
		}
	}
	sendsToo := len(all) == 0 && t.sends && len(o.entries) > 0 && slices.ContainsFunc(language.Read(s.Literal).Concepts, sending)
	if !sendsToo && !slices.Contains(nth(all, number), t.target) {
		return
	}
	told := quote(t.target.Name) + " was clicked"
	switch {
	case t.target.Disabled:
		m.raise(0.3, told+", but cannot be used")
	case t.negated() != "" && (t.target.Submit || t.refused != ""):
		m.settle(min(0.4, m.confidence), told+", but "+t.negated())
	case t.hit:
		m.raise(0.95, told)
	default:
		m.raise(0.7, told+", and nothing told that it arrived")
	}
}

// sending: a control of that concept takes over what was entered, so that another
// that does is what was meant where none is called so.
func sending(concept string) bool {
	switch concept {
	case "login", "signup", "send", "save", "confirm", "continue", "search":
		return true
	}
	return false
}

// meant are the controls that a subgoal can mean, in reading order: of the kind
// that it names where there are such, and of its name, exactly where one is.
func meant(s *task.Subgoal, v *view) []*walk.Element {
	roles := words().roles[s.Widget]
	it := thing{words: s.Object}
	if s.Literal != "" {
		it = thing{names: []string{fold(s.Literal)}}
	}
	rank := func(e *walk.Element) int { // 1 a part of its name, 2 its name; 4 more for its kind
		kind := slices.Contains(roles, e.Role)
		named := it.empty() && kind || len(it.names) > 0 && (fold(e.Name) == it.names[0] || e.Name == s.Literal || fold(e.Tip) == it.names[0] || signs(s.Literal, e))
		switch {
		case s.Widget == "result" && (e.Row == 0 || !letters(e.Name)):
			return 0 // the numbers of pages and the like
		case !named && (it.empty() || it.fit(e.Name+" "+e.Tip) < fits):
			return 0
		case named && kind:
			return 6
		case kind:
			return 5
		case named:
			return 2
		}
		return 1
	}
	if s.Literal != "" { // to the sign, where one is called so
		exact := v.all(func(e *walk.Element) bool {
			return e.Name == s.Literal && (len(roles) == 0 || slices.Contains(roles, e.Role) || e.Role == "clickable")
		})
		if len(exact) > 0 {
			return exact
		}
	}
	best := 1
	for i := range v.page.Elements {
		best = max(best, rank(&v.page.Elements[i]))
	}
	return v.all(func(e *walk.Element) bool { return rank(e) == best })
}

// signs: an icon stands for what a single letter or mark that the task names does.
func signs(mark string, e *walk.Element) bool {
	return e.Icon && len([]rune(mark)) == 1 && slices.ContainsFunc(language.Read(mark).Concepts, language.Read(e.Name).Has)
}

// nth is the one of a number, counted from the end below 0; all for 0.
func nth[T any](all []T, n int) []T {
	if n < 0 {
		n = len(all)
	}
	switch {
	case n > 0 && n <= len(all):
		return all[n-1 : n]
	case n > 0:
		return nil
	}
	return all
}

// enteredInto: what the task gives stood in its fields, or was chosen, when it was
// sent; where nothing is to send it with, on the last look that shows it.
func (o *Oracle) enteredInto(i int, s *task.Subgoal, m *mark, t *turn) {
	look := t.after
	if slices.ContainsFunc(o.goal.Subgoals[i+1:], func(s task.Subgoal) bool { return s.Kind == task.Act && (s.Deed == "click" || saves(&s)) }) {
		if !t.sends {
			return
		}
		look = t.before
	}
	if len(s.Values) == 0 && (s.Deed == "type" || s.Deed == "solve" || s.Deed == "copy") {
		o.readOff(i, s, m, t, look)
		return
	}
	ok, told := o.stands(s, look)
	switch {
	case told == "":
	case ok:
		m.settle(0.9, told+" as it was asked for")
	default:
		m.settle(min(0.3, m.confidence), told+" otherwise than it was asked for")
	}
}

// readOff: where the task gives no value, what was entered is one of the page: it
// stands beside the name that the task says, or in another field for a copy. Where
// there is nothing to enter at all, the field itself is wanted.
func (o *Oracle) readOff(i int, s *task.Subgoal, m *mark, t *turn, look *view) {
	copied := s.Deed == "copy" || i > 0 && o.goal.Subgoals[i-1].Deed == "copy"
	if len(s.Object) == 0 && !copied {
		o.clicked(s, m, t)
		return
	}
	x := o.last(look)
	if x == nil {
		return
	}
	if n, ok := solution(s, &o.goal.Subgoals[max(0, i-1)], look); ok {
		if f := strconv.Itoa(n); strings.TrimSpace(x.text) == f {
			m.settle(0.88, quote(f)+" was entered, which solves what the page asks")
		} else {
			m.settle(0.2, quote(x.text)+" was entered, which does not solve what the page asks")
		}
		return
	}
	it, f := subject(s), fold(x.text)
	about := func(p reading.Passage) bool { return within(fold(p.Text), f) && it.fit(p.Text) >= fits }
	source := func(e walk.Element) bool { return fold(e.Value) == f && identity(&e) != identity(&x.field) }
	switch {
	case s.Widget == "form" && look.underNames():
		m.settle(0.85, "every field holds what the page has under its name")
	case copied && slices.ContainsFunc(look.page.Elements, source), it.named() && slices.ContainsFunc(look.read(), about):
		m.settle(0.85, quote(x.text)+" was entered, as the page has it")
	default:
		m.settle(doubtful, quote(x.text)+" was entered; nothing tells whether it is right")
	}
}

// solution is what solves the equation of a look that the subgoal or the one before it
// is about.
func solution(s, before *task.Subgoal, look *view) (int, bool) {
	if s.Deed != "solve" {
		s = before
	}
	if s.Deed != "solve" || len(s.Object) != 1 {
		return 0, false
	}
	for i := range look.page.Texts {
		if n, ok := reading.Solved(look.page.Texts[i].Text, s.Object[0].Text); ok {
			return n, true
		}
	}
	return 0, false
}

// underNames: each field that takes text holds what a passage of the page has together
// with the field's name.
func (v *view) underNames() bool {
	fields := v.all(func(e *walk.Element) bool { return walk.IsField(e) && !togglable(e) })
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(e *walk.Element) bool {
		name, value := language.Read(v.label(e)).Content(), fold(e.Value)
		return len(name) == 0 || value == "" || !slices.ContainsFunc(v.read(), func(p reading.Passage) bool {
			return p.Element < 0 && within(fold(p.Text), value) && language.Cover(name, language.Read(p.Text)) == 1
		})
	})
}

// label is what a field is called: its name, else the words nearest on its line before it.
func (v *view) label(e *walk.Element) string {
	label, gap := e.Name, math.Inf(1)
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		middle := e.Box.Y + e.Box.H/2
		if far := e.Box.X - t.Box.X; e.Name == "" && far > 0 && far < gap && t.Box.Y <= middle && middle <= t.Box.Y+t.Box.H {
			label, gap = t.Text, far
		}
	}
	return label
}

// stands says whether all values of a subgoal are as it wants them on a look, and
// what of them the look shows, "" for nothing.
func (o *Oracle) stands(s *task.Subgoal, v *view) (ok bool, told string) {
	want := s.Deed != "uncheck"
	ok = true
	var wanted []*walk.Element
	note := func(name string, good bool) {
		told, ok = quote(name)+" stood", ok && good
	}
	if len(s.Values) == 0 {
		for _, e := range nth(keep(meant(s, v), togglable), s.Ordinal) {
			note(e.Name, stateOf(e).on == want)
			wanted = append(wanted, e)
		}
	}
	for k := range s.Values {
		val := &s.Values[k]
		holds := func(e *walk.Element) bool { return o.value(val, e, v) }
		fields := o.fieldsFor(val, v)
		x, held := o.holds(val, v)
		switch e, on := o.offered(val, v); {
		case (val.Choose || !want) && e != nil:
			note(e.Name, on == want)
			wanted = append(wanted, e)
		case (val.Choose || !want) && held:
			note(x.text, true)
		case val.Choose || !want || len(fields) == 0:
			ok = false
		case val.Both:
			note(fields[0].Name, !slices.ContainsFunc(fields, func(e *walk.Element) bool { return !holds(e) }))
		default:
			note(fields[0].Name, slices.ContainsFunc(fields, holds))
		}
	}
	return ok && !o.more(s, wanted, v), told
}

// ticked: a control is on or off by itself; togglable: or is one of what is offered.
func ticked(e *walk.Element) bool {
	return slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}, e.Role)
}
func togglable(e *walk.Element) bool { return ticked(e) || e.Role == "option" || e.Role == "tab" }

// offered is what stands for a value that is chosen, and whether it is.
func (o *Oracle) offered(val *task.Value, v *view) (*walk.Element, bool) {
	e := v.any(func(e *walk.Element) bool {
		lists := len(e.Options) > 0
		return togglable(e) && same(*val, e.Name) || lists && within(fold(e.Value), fold(val.Text)) || !togglable(e) && same(*val, e.Value) && (lists || walk.IsField(e) && o.changed(e, v))
	})
	if e != nil {
		return e, !togglable(e) || stateOf(e).on
	}
	number := v.any(func(e *walk.Element) bool { // of the things in its row
		return e.Row > 0 && walk.IsField(e) && len(numbers(e.Value)) == 1 && o.changed(e, v) && within(fold(v.rowText(e)), fold(val.Text))
	})
	if number != nil {
		return number, numbers(number.Value)[0] > 0
	}
	return v.any(func(e *walk.Element) bool {
		return slices.ContainsFunc(e.Options, func(x string) bool { return same(*val, x) })
	}), false
}

// more: something else is chosen beside what was wanted, in the same group, that
// was not at first.
func (o *Oracle) more(s *task.Subgoal, wanted []*walk.Element, v *view) bool {
	return v.any(func(e *walk.Element) bool {
		return togglable(e) && stateOf(e).on && !slices.Contains(wanted, e) && !slices.ContainsFunc(s.Values, func(v task.Value) bool { return same(v, e.Name) }) && !o.states[v.key+identity(e)].on &&
			slices.ContainsFunc(wanted, func(w *walk.Element) bool { return e.Role == w.Role && e.Group == w.Group && e.Form == w.Form })
	}) != nil
}

// fieldsFor are the fields that a value can belong in: the one of its number, those
// that its hint names, else all that take text.
func (o *Oracle) fieldsFor(val *task.Value, v *view) []*walk.Element {
	texts := v.all(func(e *walk.Element) bool { return walk.IsField(e) && !togglable(e) })
	secret := keep(texts, func(e *walk.Element) bool { return e.InputType == "password" })
	hinted := keep(texts, func(e *walk.Element) bool {
		return len(val.Hint) > 0 && language.Cover(val.Hint, language.Read(e.Name+" "+e.Placeholder+" "+e.Group+" "+e.InputType)) >= fits
	})
	switch {
	case val.Ordinal != 0:
		return nth(texts, val.Ordinal)
	case val.Kind == "password" && len(secret) > 0:
		return secret
	case len(hinted) > 0 && !val.Both:
		return hinted
	}
	return texts
}

// value: a field holds a value; what it hides is what was typed there last.
func (o *Oracle) value(val *task.Value, e *walk.Element, v *view) bool {
	if e.InputType != "password" && val.Input == "" {
		return same(*val, e.Value)
	}
	x := o.lastOf(func(x *entry) bool { return x.key == v.key && identity(&x.field) == identity(e) })
	return x != nil && x.is(val)
}

// switches are the deeds that leave a control in another state, releases those of
// them that turn it off.
var (
	switches = append([]string{"on", "follow", "like", "star", "done", "expand", "play", "subscribe", "edit", "check"}, releases...)
	releases = []string{"off", "uncheck", "collapse", "unsubscribe", "pause"}
)

// set: a control about the object stands as it is wanted, did not before, and where
// something saves it, was saved.
func (o *Oracle) set(s *task.Subgoal, m *mark, t *turn) {
	o.flip(s, m, t)
	o.reports(s, m, t)
	o.done(s, m, t)
	if len(s.Values) > 0 || !slices.Contains(switches, s.Deed) {
		return
	}
	want := !slices.Contains(releases, s.Deed)
	was, wasOn := o.setting(s, t.before)
	e, on := o.setting(s, t.after)
	by := (*walk.Element)(nil)
	if was != nil && wasOn == want && o.changed(was, t.before) {
		by = t.before.savedBy(was, s)
	}
	saved := by != nil && t.sends && t.target != nil && (t.target == by || commits(t.label))
	if saved || e != nil && t.target != nil && identity(e) == identity(t.target) {
		m.denied = t.negated()
	}
	is, name := e, ""
	if saved {
		is = was
	}
	if is != nil {
		name = quote(is.Name)
	}
	asked := name + " stands as it was asked for"
	switch {
	case m.denied != "":
		m.by = nil
		m.settle(0.1, m.denied)
	case saved && (t.accepted() || len(t.messages) > 0 || t.gone || t.moved):
		m.by = t
		m.settle(0.9, asked+" and was saved")
	case saved:
		m.by = t
		m.settle(0.6, name+" was to be saved, and nothing showed that it was")
	case is == nil:
	case on != want:
		if m.by = nil; m.confidence > 0 {
			m.settle(0.1, name+" does not stand as it was asked for")
		}
	case !o.changed(is, t.after) && (t.target == nil || identity(t.target) != identity(is) || stateOf(t.target) == stateOf(is)):
		m.raise(0.6, name+" stood so from the beginning")
	case t.after.savedBy(is, s) == nil && t.accepted():
		m.raise(0.92, asked+"; "+t.proof())
	case t.after.savedBy(is, s) == nil:
		m.raise(0.85, asked)
	case t.moved && (m.by != nil || t.before.find(is) == nil):
		m.raise(0.9, asked+" after coming back")
	case m.by == nil:
		m.raise(0.5, name+" was switched, but not saved")
	}
}

// done: what does the deed was pressed where it is about the thing by its name, and the site
// took the change that it asked for.
func (o *Oracle) done(s *task.Subgoal, m *mark, t *turn) {
	it := subject(s)
	if t.act.Type != walk.Click || !t.reached || t.target == nil || walk.IsField(t.target) || len(s.Values) > 0 || !slices.Contains(switches, s.Deed) || !does(s, t.label) || takesBack(s, t.label) {
		return
	}
	if t.accepted() && t.negated() == "" && it.named() && it.fit(t.context) >= fits && !o.pending(s, t) && o.wrong(s, t, nil) == "" {
		m.raise(0.82, quote(t.target.Name)+" was pressed where it was about "+quote(it.String())+"; "+t.proof())
	}
}

// setting is the control of a look that is most about the object, and whether it
// says so: ticked, or with the value that the object names.
func (o *Oracle) setting(s *task.Subgoal, v *view) (best *walk.Element, on bool) {
	it := subject(s)
	top := 0.0
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		own := e.Name + " " + e.Tip
		fit, is := 0.0, stateOf(e).on
		switch {
		case it.empty():
		case len(e.Options) > 0:
			name := it.fit(own)
			for _, x := range e.Options[:min(len(e.Options), 100)] {
				// Above what the list is called itself: what it holds.
				if f := it.fit(own + " " + x); f > max(fit, name) {
					fit, is = f, fold(x) == fold(e.Value)
				}
			}
		case ticked(e), e.Expanded != "" && (s.Deed == "expand" || s.Deed == "collapse"):
			// Its own name counts more than what it stands in.
			fit = it.fit(own + " " + e.Group + " " + v.region(e.Region).Heading + " " + v.rowText(e) + " " + v.heading)
			fit = min(fit, (fit+max(it.fit(own), 0.5))/2)
		}
		if fit > top && fit >= fits {
			best, on, top = e, is, fit
		}
	}
	return best, on
}

// changed: a control stands otherwise than when it was first seen.
func (o *Oracle) changed(e *walk.Element, v *view) bool {
	was, known := o.states[v.key+identity(e)]
	return known && was != stateOf(e)
}

// flip: the control that does the deed, on the right object, was pressed and is
// another one there now, the one that takes it back or the same one pressed in.
func (o *Oracle) flip(s *task.Subgoal, m *mark, t *turn) {
	if f := m.flipped; f != nil && f.after.key == t.after.key {
		if is := t.after.find(f.target); is != nil && is.Name == f.target.Name && stateOf(is).on == stateOf(f.target).on {
			m.flipped = nil
			m.settle(0.2, quote(is.Name)+" can be pressed as before")
			return
		}
	}
	e := t.target
	if t.act.Type != walk.Click || !t.reached || e == nil || walk.IsField(e) || !does(s, t.label) {
		return
	}
	if why := t.negated(); why != "" {
		m.settle(min(0.2, m.confidence), why)
		return
	}
	it, is := subject(s), t.after.find(e)
	// What plays need not be called anything where it is the only thing that does.
	alone := (s.Deed == "play" || s.Deed == "pause") && !it.named() && len(t.before.all(func(x *walk.Element) bool { return !walk.IsField(x) && does(s, language.Read(x.Name+" "+x.Tip)) })) == 1
	if (is == nil || is.Name == e.Name && stateOf(is) == stateOf(e)) && slices.Contains(switches, s.Deed) { // it may have given way to the one that takes it back
		if x := t.after.any(func(x *walk.Element) bool {
			return t.before.find(x) == nil && (alone || x.Region == e.Region) && !walk.IsField(x) && takesBack(s, language.Read(x.Name+" "+x.Tip))
		}); x != nil {
			is = x
		}
	}
	row := t.before.rowText(e)
	if is == nil || it.fit(t.context) < fits && !alone || e.Row > 0 && fold(row) != fold(e.Name) && it.fit(row) < fits {
		return
	}
	now := language.Read(is.Name + " " + is.Tip)
	turned := takesBack(s, now)
	for _, v := range s.Values { // it offered what was wanted, and offers something else now
		words := language.Read(v.Text).Content()
		turned = turned || v.New && len(words) > 0 && language.Best(words[0], t.label) >= metName && language.Best(words[0], now) < metName && language.Cover(now.Content(), t.label) >= doubtful
	}
	for _, w := range now.Content() {
		for _, x := range t.label.Content() {
			turned = turned || w.Text != x.Text && (language.Match(w, x) >= metCommon || strings.HasSuffix(strings.ToLower(w.Text), strings.ToLower(x.Text)))
		}
	}
	page := e.Role == "link" && t.moved // which is marked as that of the page that it led to
	if same := is.Name == e.Name; same && !page && (e.Expanded == "" || s.Deed == "expand" || s.Deed == "collapse") && stateOf(is).on != stateOf(e).on || !same && turned {
		m.flipped = t
		if m.raise(0.85, quote(e.Name)+" is now "+quote(is.Name)); t.accepted() {
			m.raise(0.92, quote(e.Name)+" is now "+quote(is.Name)+"; "+t.proof())
		}
	}
}

// takesBack: a label says what undoes the deed of a subgoal.
func takesBack(s *task.Subgoal, label *language.Phrase) bool {
	return slices.ContainsFunc(label.Concepts, func(c string) bool { return language.Opposes(s.Deed, c) })
}

// does: a label says the deed of a subgoal, by its concept or its verb.
func does(s *task.Subgoal, label *language.Phrase) bool {
	if s.Deed != "" && label.Has(s.Deed) {
		return true
	}
	const inflexion = 0.9 // two forms of one word (package language)
	verb := language.Read(s.Verb).Content()
	return len(verb) > 0 && language.Best(verb[0], label) >= inflexion
}
