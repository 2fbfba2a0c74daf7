package oracle

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/language"
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
	at := slices.IndexFunc(all, func(e *walk.Element) bool { return e == t.target })
	switch n := s.Ordinal; {
	case at < 0, n > 0 && at != n-1, n < 0 && at != len(all)-1:
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

// meant are the controls that a subgoal can mean, in reading order: of the kind
// that it names where there are such, and of its name, exactly where one is.
func meant(s *task.Subgoal, v *view) []*walk.Element {
	roles := words().roles[s.Widget]
	it := thing{words: s.Object}
	if s.Literal != "" {
		it = thing{names: []string{fold(s.Literal)}}
	}
	type candidate struct {
		e    *walk.Element
		rank int // 1 a part of its name, 2 its name; 4 more for its kind
	}
	var out []candidate
	best := 0
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		c := candidate{e: e}
		switch {
		case it.empty(), len(it.names) > 0 && (fold(e.Name) == it.names[0] || e.Name == s.Literal || fold(e.Tip) == it.names[0]):
			c.rank = 2
		case it.fit(e.Name+" "+e.Tip) >= fits:
			c.rank = 1
		default:
			continue
		}
		switch {
		case slices.Contains(roles, e.Role):
			c.rank += 4
		case it.empty():
			continue
		}
		out, best = append(out, c), max(best, c.rank)
	}
	var found []*walk.Element
	for _, c := range out {
		if c.rank == best {
			found = append(found, c.e)
		}
	}
	return found
}

// enteredInto: what the task gives stood in its fields, or was chosen, when it was
// sent; where nothing is to send it with, on the last look that shows it.
func (o *Oracle) enteredInto(i int, s *task.Subgoal, m *mark, t *turn) {
	look := t.after
	if o.sentLater(i) {
		if !t.sends {
			return
		}
		look = t.before
	}
	ok, found, told := o.stands(s, look)
	switch {
	case !found:
	case ok:
		m.settle(0.9, told+" as it was asked for")
	default:
		m.settle(min(0.3, m.confidence), told+" otherwise than it was asked for")
	}
}

// sentLater: a later subgoal presses something that takes over what is entered.
func (o *Oracle) sentLater(i int) bool {
	for _, s := range o.goal.Subgoals[i+1:] {
		if s.Kind == task.Act && (s.Deed == "click" || saves(&s)) {
			return true
		}
	}
	return false
}

// stands says whether all values of a subgoal are as it wants them on a look, and
// whether the look shows any place for them.
func (o *Oracle) stands(s *task.Subgoal, v *view) (ok, found bool, told string) {
	want := s.Deed != "uncheck"
	ok = true
	var wanted []*walk.Element
	note := func(e *walk.Element, good bool) {
		found, told = true, quote(e.Name)+" stood"
		ok = ok && good
	}
	values := s.Values
	if len(values) == 0 && (s.Deed == "check" || s.Deed == "uncheck" || s.Deed == "choose") {
		for _, e := range nth(pick(meant(s, v), func(e *walk.Element) bool { return togglable(e) }), s.Ordinal) {
			note(e, stateOf(e).on == want)
			wanted = append(wanted, e)
		}
	}
	for k := range values {
		val := &values[k]
		if val.Choose || s.Deed == "uncheck" {
			e, on := offered(val, v)
			if e == nil {
				x, held := o.holds(val, v)
				if ok = ok && held; held {
					found, told = true, quote(x.text)+" stood"
				}
				continue
			}
			note(e, on == want)
			wanted = append(wanted, e)
			continue
		}
		fields := o.fieldsFor(val, v)
		good := len(fields) > 0
		for n, e := range fields {
			holds := o.value(val, e, v)
			if val.Both || n == 0 {
				good = holds
			} else {
				good = good || holds
			}
			if val.Both && !holds {
				break
			}
		}
		if len(fields) == 0 {
			ok = false
			continue
		}
		note(fields[0], good)
	}
	return ok && !o.more(wanted, v), found, told
}

func pick(all []*walk.Element, keep func(*walk.Element) bool) []*walk.Element {
	return slices.DeleteFunc(all, func(e *walk.Element) bool { return !keep(e) })
}

func nth(all []*walk.Element, n int) []*walk.Element {
	switch {
	case n > 0 && n <= len(all):
		return all[n-1 : n]
	case n < 0 && len(all) > 0:
		return all[len(all)-1:]
	case n != 0:
		return nil
	}
	return all
}

func togglable(e *walk.Element) bool {
	return slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "tab"}, e.Role)
}

// offered is what stands for a value that is chosen, and whether it is.
func offered(val *task.Value, v *view) (*walk.Element, bool) {
	var list *walk.Element
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		if togglable(e) && same(*val, e.Name) {
			return e, stateOf(e).on
		}
		if len(e.Options) == 0 {
			continue
		}
		if same(*val, e.Value) || within(fold(e.Value), fold(val.Text)) {
			return e, true
		}
		if list == nil && slices.ContainsFunc(e.Options, func(x string) bool { return same(*val, x) }) {
			list = e
		}
	}
	return list, false
}

// more: something else is chosen beside what was wanted, in the same group, that
// was not at first.
func (o *Oracle) more(wanted []*walk.Element, v *view) bool {
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		for _, w := range wanted {
			if e.Role == w.Role && e.Group == w.Group && e.Form == w.Form && togglable(e) && stateOf(e).on && !slices.Contains(wanted, e) && !o.states[v.key+identity(e)].on {
				return true
			}
		}
	}
	return false
}

// fieldsFor are the fields that a value can belong in: the one of its number, those
// that its hint names, else all that take text.
func (o *Oracle) fieldsFor(val *task.Value, v *view) []*walk.Element {
	var texts, hinted, secret []*walk.Element
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		if !walk.IsField(e) || togglable(e) || e.Role == "button" {
			continue
		}
		texts = append(texts, e)
		if e.InputType == "password" {
			secret = append(secret, e)
		}
		if len(val.Hint) > 0 && language.Cover(val.Hint, language.Read(e.Name+" "+e.Placeholder+" "+e.Group+" "+e.InputType)) >= fits {
			hinted = append(hinted, e)
		}
	}
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
	for i := len(o.entries) - 1; i >= 0; i-- {
		if x := &o.entries[i]; x.key == v.key && identity(&x.field) == identity(e) {
			return val.Input != "" && x.secret == val.Input || same(*val, x.text)
		}
	}
	return false
}

// set: a control about the object stands as it is wanted, did not before, and where
// something saves it, was saved.
func (o *Oracle) set(s *task.Subgoal, m *mark, t *turn) {
	o.flip(s, m, t)
	if len(s.Values) > 0 || !switches(s) {
		return
	}
	want := s.Deed != "off" && s.Deed != "uncheck" && s.Deed != "collapse" && s.Deed != "unsubscribe" && s.Deed != "pause"
	if e, on := o.setting(s, t.before); e != nil && t.sends && on == want && o.changed(e, t.before) {
		by := t.before.savedBy(e)
		switch {
		case by == nil || t.target == nil || t.target != by && !commits(t.label):
		case t.negated() != "":
			m.commit = 0
			m.settle(0.2, t.negated())
		default:
			m.commit = t.n
			if t.accepted() || len(t.messages) > 0 || t.gone || t.moved {
				m.settle(0.9, quote(e.Name)+" stands as it was asked for and was saved")
			} else {
				m.settle(0.6, quote(e.Name)+" was to be saved, and nothing showed that it was")
			}
			return
		}
	}
	e, on := o.setting(s, t.after)
	if e == nil {
		return
	}
	told := quote(e.Name) + " stands as it was asked for"
	saver := t.after.savedBy(e)
	switch {
	case on != want:
		if m.commit = 0; m.confidence > 0 {
			m.settle(0.1, quote(e.Name)+" does not stand as it was asked for")
		}
	case !o.changed(e, t.after):
		m.raise(0.6, quote(e.Name)+" stood so from the beginning")
	case saver == nil && t.accepted():
		m.raise(0.92, told+"; "+t.proof())
	case saver == nil:
		m.raise(0.85, told)
	case m.commit == 0 && t.moved && t.before.find(e, false) == nil:
		m.raise(0.9, told+" after coming back")
	case m.commit == 0:
		m.raise(0.5, quote(e.Name)+" was switched, but not saved")
	case t.moved:
		m.raise(0.95, told+" after coming back")
	}
}

// switches: the deed leaves a control in another state.
func switches(s *task.Subgoal) bool {
	return slices.Contains([]string{"on", "off", "follow", "like", "star", "done", "expand", "collapse", "play", "pause", "subscribe", "unsubscribe", "edit", "check", "uncheck"}, s.Deed)
}

// setting is the control of a look that is most about the object, and whether it
// says so: ticked, or with the value that the object names.
func (o *Oracle) setting(s *task.Subgoal, v *view) (*walk.Element, bool) {
	it := subject(s)
	if it.empty() {
		return nil, false
	}
	var best *walk.Element
	on, top := false, 0.0
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		own, around := e.Name+" "+e.Tip, e.Group+" "+v.section(e.Region)
		if r := v.row(e.Row); r != nil {
			around += " " + r.text
		}
		fit, is := 0.0, false
		switch {
		case len(e.Options) > 0:
			for _, x := range e.Options[:min(len(e.Options), 100)] {
				if f := it.fit(own + " " + x); f > fit {
					fit, is = f, fold(x) == fold(e.Value)
				}
			}
			if it.fit(own) >= fit {
				continue // the object is what the list is called, not what it holds
			}
		case slices.Contains([]string{"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"}, e.Role), e.Expanded != "" && (s.Deed == "expand" || s.Deed == "collapse"):
			fit, is = it.fit(own+" "+around), stateOf(e).on
			fit = math.Min(fit, 0.5*fit+0.5*math.Max(it.fit(own), 0.5)) // its own name counts more than what it stands in
		default:
			continue
		}
		if fit > top && fit >= fits {
			best, on, top = e, is, fit
		}
	}
	return best, on
}

func (o *Oracle) changed(e *walk.Element, v *view) bool {
	was, known := o.states[v.key+identity(e)]
	return known && was != stateOf(e)
}

// flip is a control that was turned over by being pressed.
type flip struct {
	was walk.Element
	key string
}

// flip: the control that does the deed, on the right object, was pressed and is
// another one there now, the one that takes it back or the same one pressed in.
func (o *Oracle) flip(s *task.Subgoal, m *mark, t *turn) {
	if f := m.flipped; f != nil && f.key == t.after.key {
		if is := t.after.find(&f.was, false); is != nil && is.Name == f.was.Name && stateOf(is).on == stateOf(&f.was).on {
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
	it := subject(s)
	is := t.after.find(e, false)
	if is == nil || it.fit(t.context) < fits || e.Row > 0 && it.fit(rowText(t.before, e)) < fits {
		return
	}
	now := language.Read(is.Name + " " + is.Tip)
	turned := slices.ContainsFunc(now.Concepts, func(c string) bool { return language.Opposes(s.Deed, c) })
	for _, w := range now.Content() {
		for _, x := range t.label.Content() {
			turned = turned || w.Text != x.Text && (language.Match(w, x) >= metCommon || strings.HasSuffix(w.Text, x.Text))
		}
	}
	if stateOf(is).on != stateOf(e).on && is.Name == e.Name || turned && is.Name != e.Name {
		m.flipped = &flip{*e, t.after.key}
		if m.raise(0.85, quote(e.Name)+" is now "+quote(is.Name)); t.accepted() {
			m.raise(0.92, quote(e.Name)+" is now "+quote(is.Name)+"; "+t.proof())
		}
	}
}

func rowText(v *view, e *walk.Element) string {
	if r := v.row(e.Row); r != nil {
		return r.text
	}
	return ""
}

// does: a label says the deed of a subgoal, by its concept or its verb.
func does(s *task.Subgoal, label *language.Phrase) bool {
	if s.Deed != "" && label.Has(s.Deed) {
		return true
	}
	verb := language.Read(s.Verb).Content()
	return len(verb) > 0 && language.Best(verb[0], label) >= inflexion
}

// inflexion is the strength of a match of two forms of one word (package language).
const inflexion = 0.9
