package oracle

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// entry is something that the person typed or chose, with where.
type entry struct {
	text, secret string
	field        walk.Element
	key          string // of the place
	context      string
	old          string // what stood in the field at first, folded
	added        bool   // to what stood there
}

// is: it is that value that was entered.
func (x *entry) is(v *task.Value) bool {
	if v.Input != "" {
		return x.secret == v.Input
	}
	return x.says(v, x.text)
}

// says: a text in the field is the value; what is chosen is written as the list has it.
func (x *entry) says(v *task.Value, text string) bool {
	return same(*v, text) || len(x.field.Options) > 0 && v.Text != "" && fold(v.Text) == fold(text)
}

// last is what was entered last into a field of a place, nil for nothing.
func (o *Oracle) last(v *view) *entry {
	return o.lastOf(func(x *entry) bool { return x.key == v.key && walk.IsField(&x.field) })
}

func (o *Oracle) lastOf(is func(*entry) bool) *entry {
	for i := len(o.entries) - 1; i >= 0; i-- {
		if is(&o.entries[i]) {
			return &o.entries[i]
		}
	}
	return nil
}

// turn is one act between two looks: what it aimed at and what came of it.
type turn struct {
	before, after *view
	act           walk.Action
	target        *walk.Element // as it stood before, nil for none
	label         *language.Phrase
	reached       bool // the event is not known to have missed
	hit           bool // the event is known to have reached its target, or something came of it
	entered       *entry
	// sends: the act takes over what was entered, or asks for something.
	sends bool
	// taken is the best request of the act that its own site accepted; refused is one
	// that it did not, "" for none.
	taken    *walk.Request
	refused  string
	messages []string // newly shown, no errors
	errors   []string // newly shown
	moved    bool     // another place
	gone     bool     // what was filled in is no longer asked for, or its fields are empty
	context  string   // of the target
	effect   *walk.Effect
}

// turn reads what one act did.
func (o *Oracle) turn(after *view, did *walk.Deed) *turn {
	t := &turn{before: o.before, after: after, act: did.Action, effect: &did.Effect, label: language.Read("")}
	if t.before == nil {
		t.before = newView(&walk.Page{})
		t.act = walk.Action{}
	}
	e := &did.Effect
	t.reached = t.act.Type != "" && e.Failed == "" && e.Missed == ""
	t.hit = t.reached && (e.Arrived || e.Navigated || e.Mutated || e.NewTab || e.Download)
	if t.target = did.Target; t.target != nil {
		if same := t.before.any(func(x *walk.Element) bool { return x.Ref == t.target.Ref && x.Ref != "" }); same != nil {
			t.target = same
		}
		t.label = language.Read(t.target.Name + " " + t.target.Tip + o.option(t))
		t.context = t.before.context(t.target, o.came())
	}
	t.moved = o.before != nil && (t.before.key != after.key || after.heading != "" && t.before.heading != "" && after.heading != t.before.heading && (e.Mutated || e.Navigated))
	t.requests(e)
	o.enter(t)
	o.bring(t)
	o.news(t)
	t.sends = t.reached && t.send()
	t.gone = t.sends && o.emptied(t)
	if t.sends {
		o.keep(t)
	}
	return t
}

// option is what was taken from a list that offers deeds, by the act or by the one that it
// carries out, "" for none.
func (o *Oracle) option(t *turn) string {
	text, taken := t.act.Text, t.act.Type == walk.Select
	if x := o.last(t.before); t.act.Type == walk.Click && !walk.IsField(t.target) && x != nil && x.field.Form == t.target.Form && len(x.field.Options) > 0 && t.before.find(&x.field) != nil {
		text = x.text
	} else if !taken {
		return ""
	}
	said := language.Read(text)
	for i := range o.goal.Subgoals {
		s := &o.goal.Subgoals[i]
		if s.Kind == task.Act && (does(s, said) || taken && slices.ContainsFunc(s.Values, func(v task.Value) bool {
			return v.New && fits <= language.Cover(language.Read(v.Text).Content()[:1], said)
		})) {
			return " " + text
		}
	}
	return ""
}

// send: the act is one that can take over what was entered.
func (t *turn) send() bool {
	e := t.target
	switch {
	case t.act.Type == walk.Press:
		return strings.EqualFold(t.act.Text, "Enter")
	case t.act.Type != walk.Click || e == nil || walk.IsField(e) || retreats(t.label):
		return false
	}
	return e.Submit || e.Role == "button" || e.Role == "menuitem" || e.Role == "clickable" && commits(t.label) || e.Role == "link" && len(t.label.Concepts) > 0
}

// requests sorts out what the act asked of the page's own site. What did not begin
// with the act is background, whatever it carries.
func (t *turn) requests(e *walk.Effect) {
	rank := func(r *walk.Request) int { // first those that change something, then by what they carry
		if changes(r) {
			return 1 + 2*(r.Carries+len(e.Requests))
		}
		return 2 * r.Carries
	}
	for i := range e.Requests {
		r := &e.Requests[i]
		switch {
		case !r.Caused || r.Kind != "document" && r.Kind != "xhr" && r.Kind != "fetch" || !t.own(r.URL):
		case r.Status >= 400 && (changes(r) || r.Kind == "document" || r.Carries > 0):
			t.refused = fmt.Sprintf("%s %s was answered with %d", r.Method, clip(r.URL), r.Status)
		case r.Status >= 200 && r.Status < 400 && (t.taken == nil || rank(r) > rank(t.taken)):
			t.taken = r
		}
	}
	if t.refused == "" && e.Navigated && (e.Status >= 400 || t.after.page.Status >= 400) {
		t.refused = fmt.Sprintf("the page was answered with %d", max(e.Status, t.after.page.Status))
	}
}

// changes: the request asks its site to change something.
func changes(r *walk.Request) bool {
	return r.Method != "GET" && r.Method != "HEAD" && r.Method != "OPTIONS"
}

// accepted: the site took a request of the act that changes something.
func (t *turn) accepted() bool { return t.taken != nil && changes(t.taken) && t.refused == "" }

// goes: the act led along a link to another page, and asked the site to change nothing.
func (t *turn) goes() bool {
	return t.moved && t.target != nil && t.target.Role == "link" && !t.accepted()
}

// carried: that request carried what was typed or chosen.
func (t *turn) carried() bool { return t.accepted() && t.taken.Carries > 0 }

// negated: the act was refused, or what was entered was; "" when it was not.
func (t *turn) negated() string {
	if t.refused == "" && len(t.errors) > 0 {
		return "the page said " + quote(t.errors[0])
	}
	return t.refused
}

// takes: what was pressed belongs to the form or dialog in which something stands
// that was entered.
func (t *turn) takes(x *entry) bool {
	is := t.before.find(&x.field)
	return is != nil && x.key == t.before.key && (t.target == nil || is.InDialog == t.target.InDialog && (is.Form == t.target.Form || (is.InDialog || t.carried()) && commits(t.label)))
}

// proof names the request, "" for none.
func (t *turn) proof() string {
	if !t.accepted() {
		return ""
	}
	did := " was accepted"
	if t.carried() {
		did = " took what was entered"
	}
	return fmt.Sprintf("%s %s%s (%d)", t.taken.Method, clip(t.taken.URL), did, t.taken.Status)
}

// addresses: the request that was accepted has the thing's name in its address.
func (t *turn) addresses(it thing) bool {
	if !t.accepted() || len(it.names) == 0 {
		return false
	}
	address, err := url.PathUnescape(t.taken.URL)
	return err == nil && !slices.ContainsFunc(it.names, func(n string) bool { return !within(fold(address), n) })
}

// own: the address belongs to the site that is walked on, one host or hosts of one
// domain.
func (t *turn) own(address string) bool {
	domain := func(address string) string {
		host, _, _ := strings.Cut(walk.Host(address), ":")
		labels := strings.Split(host, ".")
		last, n := labels[len(labels)-1], 2
		if len(labels) > 2 && len(last) == 2 && len(labels[len(labels)-2]) <= 3 {
			n = 3 // co.uk and the like
		}
		if strings.Trim(last, "0123456789") == "" {
			return host // a number
		}
		return strings.Join(labels[max(0, len(labels)-n):], ".")
	}
	site := domain(address)
	return site != "" && (site == domain(t.before.page.URL) || site == domain(t.after.page.URL))
}

// news are the messages and the errors that were not shown before. Texts of no
// such kind count where they are short, on the same place, no part of a list or of
// a dialog that has just opened, and not what was entered itself.
func (o *Oracle) news(t *turn) {
	if t.act.Type == "" {
		return
	}
	before, dialog := map[string]bool{}, false
	for i := range t.before.page.Texts {
		before[t.before.page.Texts[i].Text] = true
		dialog = dialog || t.before.page.Texts[i].InDialog
	}
	add := func(text string, told bool) {
		text = strings.TrimSpace(short(text))
		if words().error.MatchString(text) {
			t.errors = append(t.errors, text)
		} else if told || words().success.MatchString(text) {
			t.messages = append(t.messages, text)
		}
	}
	for i := range t.after.page.Texts {
		x := &t.after.page.Texts[i]
		part := x.Row > 0 || x.Kind == "item" || x.Kind == "cell" || x.InDialog && !dialog || t.moved && x.Kind != "heading"
		typed := func(e entry) bool { return within(fold(x.Text), fold(e.text)) }
		if !before[x.Text] && (message(x) || len(strings.Fields(x.Text)) <= reportWords && !part && !slices.ContainsFunc(o.entries, typed)) {
			add(x.Text, message(x))
		}
	}
	for _, d := range t.effect.Dialogs {
		if text, ok := strings.CutPrefix(d, "alert:"); ok {
			add(text, true)
		}
	}
	for i := range t.after.page.Elements {
		x := &t.after.page.Elements[i]
		if x.Error == "" {
			continue
		}
		was := t.before.find(x)
		if was == nil && t.goes() {
			continue // it stood there before anything was entered
		}
		if o.original[t.after.key+identity(x)] != x.Error && (was == nil || was.Error != x.Error || t.act.Type == walk.Click || t.act.Type == walk.Press) {
			t.errors = append(t.errors, x.Error)
		}
	}
}

// told: the page said in a message of its own that it was done.
func (t *turn) told() bool { return slices.ContainsFunc(t.messages, words().success.MatchString) }

// message: the text is one about what was done.
func message(x *walk.Text) bool { return x.Kind == "alert" || x.Kind == "status" }

// maxEntries bounds what is remembered of one walk's entering.
const maxEntries = 200

// enter notes what the act typed or chose. One field holds one entry, but what
// was added to it.
func (o *Oracle) enter(t *turn) {
	e := t.target
	if !t.reached || e == nil || len(o.entries) >= maxEntries {
		return
	}
	text := t.act.Text
	switch t.act.Type {
	case walk.Type, walk.Append, walk.Select, walk.Upload:
	case walk.Check, walk.Click: // one of what is offered
		if text = t.taking(); text != "" {
			break
		}
		if text = e.Name; t.act.Type == walk.Click && !slices.Contains([]string{"option", "menuitemradio", "menuitem", "radio", "checkbox", "menuitemcheckbox", "treeitem", "gridcell"}, e.Role) {
			return
		}
	default:
		return
	}
	const more = "more than one " // is not what was asked for
	if taken := t.taking(); taken != "" && text == taken {
		for i := range o.entries {
			if x := &o.entries[i]; x.key == t.before.key && (x.text == taken || x.text == more+taken) {
				x.text, text = more+taken, more+taken
			}
		}
	}
	n := entry{text: text, secret: t.act.Secret, field: *e, key: t.before.key, old: fold(e.Value), context: t.context, added: t.act.Type == walk.Append}
	o.entries = slices.DeleteFunc(o.entries, func(x entry) bool {
		if identity(&x.field) != identity(e) || x.key != n.key || t.act.Type == walk.Click || t.act.Type == walk.Check {
			return false
		}
		n.old = x.old
		return t.act.Type != walk.Append
	})
	o.entries = append(o.entries, n)
	t.entered = &o.entries[len(o.entries)-1]
}

// keep notes what stood in fields when they were sent without having been typed there,
// as a calendar puts it.
func (o *Oracle) keep(t *turn) {
	for i := range t.before.page.Elements {
		e := &t.before.page.Elements[i]
		known := func(x entry) bool { return identity(&x.field) == identity(e) && x.key == t.before.key }
		if !walk.IsField(e) || ticked(e) || e.Value == "" || e.InputType == "password" || len(o.entries) >= maxEntries || !o.changed(e, t.before) || slices.ContainsFunc(o.entries, known) {
			continue
		}
		o.entries = slices.Insert(o.entries, 0, entry{text: e.Value, field: *e, key: t.before.key, context: t.before.context(e, o.came())})
	}
}

// taking is what a control takes one of that says only so, by the words on its line;
// "" for another control.
func (t *turn) taking() string {
	e := t.target
	if t.act.Type != walk.Click || walk.IsField(e) || strings.TrimSpace(e.Name) != "+" && !slices.ContainsFunc([]string{"create", "addcart"}, t.label.Has) {
		return ""
	}
	middle, closest, text := e.Box.Y+e.Box.H/2, math.Inf(1), ""
	for i := range t.before.page.Texts {
		x := &t.before.page.Texts[i]
		if gap := math.Abs(e.Box.X - x.Box.X); x.Box.Y <= middle && middle <= x.Box.Y+x.Box.H && gap < closest && letters(x.Text) {
			closest, text = gap, x.Text
		}
	}
	return text
}

// bring takes what was entered along to a place where its field stands again with
// it, as in a form that comes back to be looked over.
func (o *Oracle) bring(t *turn) {
	if t.before.key == t.after.key || t.act.Type != walk.Click && t.act.Type != walk.Press {
		return
	}
	for i := range o.entries {
		x := &o.entries[i]
		if x.key != t.before.key || x.secret != "" || searches(&x.field) {
			continue
		}
		if is := t.after.find(&x.field); is != nil && is.Name == x.field.Name && fold(is.Value) == fold(x.text) {
			x.key = t.after.key
		}
	}
}

// emptied: fields that held what was entered are gone, or empty again.
func (o *Oracle) emptied(t *turn) bool {
	had := 0
	for i := range o.entries {
		x := &o.entries[i]
		was := t.before.find(&x.field)
		if was == nil || !walk.IsField(was) || x.key != t.before.key {
			continue
		}
		if t.target != nil && walk.IsField(t.target) && was.Form == 0 && identity(was) != identity(t.target) {
			continue // Enter in one field sends no other that belongs to no form
		}
		another := t.moved && t.after.key != t.before.key
		if is := t.after.find(&x.field); is != nil && (is.Value != "" || is.InputType == "password") && (!another || is.Name == was.Name) {
			return false
		}
		had++
	}
	return had > 0
}

// holds: a value stands in its field on a look. What the page does not show, a
// password or a field of a page before, is as it was entered last, in a field that
// is there before what is not.
func (o *Oracle) holds(v *task.Value, look *view) (*entry, bool) {
	var past *entry
	for i := len(o.entries) - 1; i >= 0; i-- {
		x := &o.entries[i]
		long := (x.field.Multiline || x.field.Rich || ticked(&x.field)) && within(fold(x.text), fold(v.Text))
		if !x.is(v) && (v.Input != "" || !long) {
			continue
		}
		is := look.find(&x.field)
		switch {
		case is == nil && past == nil:
			past = x
		case is == nil:
		case x.key != look.key || is.InputType == "password" || is.InputType == "file" || v.Input != "":
			return x, true
		case ticked(is):
			if stateOf(is).on {
				return x, true
			}
		case x.says(v, is.Value) || is.ValueCut() || (long || x.field.Value != "") && within(fold(is.Value), fold(v.Text)):
			return x, true
		case !walk.IsField(is) || is.Rich && is.Value == "":
			return x, true
		}
	}
	if past != nil {
		return past, true
	}
	if e := look.any(func(e *walk.Element) bool {
		return walk.IsField(e) && e.InputType != "search" && same(*v, e.Value) && len(v.Hint) > 0 && language.Cover(v.Hint, language.Read(e.Name+" "+e.Group)) >= fits
	}); e != nil {
		return &entry{text: e.Value, field: *e, key: look.key, context: look.context(e)}, true
	}
	return o.parts(v)
}

// parts: the words of a value were entered one by one into fields beside each other,
// as a name is into two and a day into three.
func (o *Oracle) parts(v *task.Value) (*entry, bool) {
	words := strings.Fields(fold(v.Text))
	var last *entry
	for _, w := range words {
		n := numbers(w)
		at := slices.IndexFunc(o.entries, func(x entry) bool {
			return fold(x.text) == w || v.Kind == "date" && len(n) == 1 && slices.Equal(n, numbers(x.text))
		})
		if at < 0 || last != nil && (o.entries[at].key != last.key || o.entries[at].field.Form != last.field.Form) {
			return nil, false
		}
		last = &o.entries[at]
	}
	return last, len(words) > 1
}
