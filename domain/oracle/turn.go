package oracle

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
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
	at           int    // number of the look before it
	context      string
	lost         bool // what stood in the field before is not in what was typed
}

// turn is one act between two looks: what it aimed at and what came of it.
type turn struct {
	before, after *view
	n             int
	act           walk.Action
	target        *walk.Element // as it stood before, nil for none
	label         *language.Phrase
	reached       bool // the event is not known to have missed
	hit           bool // the event is known to have reached its target, or something came of it
	entered       *entry
	// sends: the act takes over what was entered, or asks for something.
	sends bool
	// taken is the best request of the act that its own site accepted, with whether
	// it changes something there; refused is one that was not, "" for none.
	taken    *walk.Request
	changes  bool
	refused  string
	messages []string // newly shown, no errors
	errors   []string // newly shown
	thanks   bool     // words of success are newly shown
	moved    bool     // another place
	gone     bool     // what was filled in is no longer asked for, or its fields are empty
	context  string   // of the target
	effect   *walk.Effect
}

// turn reads what one act did.
func (o *Oracle) turn(after *view, did *walk.Deed) *turn {
	t := &turn{before: o.before, after: after, n: o.looks, act: did.Action, effect: &did.Effect, label: language.Read("")}
	if t.before == nil {
		t.before = newView(&walk.Page{})
		t.act = walk.Action{}
	}
	e := &did.Effect
	t.reached = t.act.Type != "" && e.Failed == "" && e.Missed == ""
	t.hit = t.reached && (e.Arrived || e.Navigated || e.Mutated || e.NewTab || e.Download)
	if did.Target != nil {
		if t.target = t.before.find(did.Target, true); t.target == nil {
			t.target = did.Target
		}
		t.label = language.Read(t.target.Name + " " + t.target.Tip)
		t.context = t.before.context(t.target, o.thing, o.door)
	}
	t.moved = o.before != nil && (t.before.key != after.key || after.heading != "" && t.before.heading != "" && after.heading != t.before.heading && (e.Mutated || e.Navigated))
	t.requests(e)
	o.enter(t)
	o.news(t)
	t.sends = t.reached && t.send()
	t.gone = t.sends && o.emptied(t)
	return t
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
	return e.Submit || e.Role == "button" || e.Role == "menuitem" || e.Role == "link" && len(t.label.Concepts) > 0
}

// requests sorts out what the act asked of the page's own site. What did not begin
// with the act is background, whatever it carries.
func (t *turn) requests(e *walk.Effect) {
	best := -1
	for i := range e.Requests {
		r := &e.Requests[i]
		if !r.Caused || r.Kind != "document" && r.Kind != "xhr" && r.Kind != "fetch" || !t.own(r.URL) {
			continue
		}
		changes := r.Method != "GET" && r.Method != "HEAD" && r.Method != "OPTIONS"
		rank := 2 * r.Carries
		if changes {
			rank += 1 + 2*len(e.Requests)
		}
		switch {
		case r.Status >= 400 && (changes || r.Kind == "document" || r.Carries > 0):
			t.refused = r.Method + " " + clip(r.URL) + " was answered with " + strconv.Itoa(r.Status)
		case r.Status >= 200 && r.Status < 400 && rank > best:
			best, t.taken, t.changes = rank, r, changes
		}
	}
	if t.refused == "" && e.Navigated && (e.Status >= 400 || t.after.page.Status >= 400) {
		t.refused = "the page was answered with " + strconv.Itoa(max(e.Status, t.after.page.Status))
	}
}

// accepted: the site took a request of the act that changes something.
func (t *turn) accepted() bool { return t.taken != nil && t.changes && t.refused == "" }

// carried: that request carried what was typed or chosen.
func (t *turn) carried() bool { return t.accepted() && t.taken.Carries > 0 }

// negated: the act was refused, or what was entered was.
func (t *turn) negated() string {
	switch {
	case t.refused != "":
		return t.refused
	case len(t.errors) > 0:
		return "the page said " + quote(t.errors[0])
	}
	return ""
}

// proof names the request.
func (t *turn) proof() string {
	if !t.accepted() {
		return ""
	}
	if t.carried() {
		return t.taken.Method + " " + clip(t.taken.URL) + " took what was entered (" + strconv.Itoa(t.taken.Status) + ")"
	}
	return t.taken.Method + " " + clip(t.taken.URL) + " was accepted (" + strconv.Itoa(t.taken.Status) + ")"
}

// own: the address belongs to the site that is walked on.
func (t *turn) own(address string) bool {
	site := t.before.page.URL
	if site == "" {
		site = t.after.page.URL
	}
	return sameSite(site, address) || sameSite(t.after.page.URL, address)
}

// sameSite: two addresses have one host, or hosts of one domain.
func sameSite(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	if errX != nil || errY != nil {
		return false
	}
	if x.Hostname() == y.Hostname() || y.Hostname() == "" {
		return true
	}
	_, one := netip.ParseAddr(x.Hostname())
	_, other := netip.ParseAddr(y.Hostname())
	if one == nil || other == nil { // addresses have no domain
		return false
	}
	domain := func(host string) string {
		l := strings.Split(host, ".")
		n := 2
		if len(l) > 2 && len(l[len(l)-1]) == 2 && len(l[len(l)-2]) <= 3 {
			n = 3 // co.uk and the like
		}
		return strings.Join(l[max(0, len(l)-n):], ".")
	}
	return domain(x.Hostname()) == domain(y.Hostname())
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
		switch {
		case words().error.MatchString(text):
			t.errors = append(t.errors, text)
		case words().success.MatchString(text):
			t.thanks = true
			t.messages = append(t.messages, text)
		case told:
			t.messages = append(t.messages, text)
		}
	}
	const sentence = 25 // words of a message at most: an assumption
	for i := range t.after.page.Texts {
		x := &t.after.page.Texts[i]
		told := x.Kind == "alert" || x.Kind == "status"
		switch {
		case before[x.Text]:
		case told:
			add(short(x.Text), true)
		case len(strings.Fields(x.Text)) > sentence, x.Row > 0, x.Kind == "item", x.Kind == "cell", x.InDialog && !dialog, t.moved && x.Kind != "heading":
		case !slices.ContainsFunc(o.entries, func(e entry) bool { return within(fold(x.Text), fold(e.text)) }):
			add(x.Text, false)
		}
	}
	for _, d := range t.effect.Dialogs {
		if text, ok := strings.CutPrefix(d, "alert:"); ok {
			add(strings.TrimSpace(short(text)), true)
		}
	}
	for i := range t.after.page.Elements {
		x := &t.after.page.Elements[i]
		if x.Error == "" {
			continue
		}
		if was := t.before.find(x, false); was == nil || was.Error != x.Error || t.act.Type == walk.Click || t.act.Type == walk.Press {
			t.errors = append(t.errors, x.Error)
		}
	}
}

// maxEntries bounds what is remembered of one walk's entering.
const maxEntries = 200

// enter notes what the act typed or chose. One field holds one entry, but what
// was added to it.
func (o *Oracle) enter(t *turn) {
	e := t.target
	if !t.reached || e == nil || len(o.entries) >= maxEntries {
		return
	}
	var text string
	switch t.act.Type {
	case walk.Type, walk.Append, walk.Select, walk.Upload:
		text = t.act.Text
	case walk.Check:
		text = e.Name
	case walk.Click: // one of what is offered
		if !slices.Contains([]string{"option", "menuitemradio", "menuitem", "radio", "checkbox", "menuitemcheckbox", "treeitem", "gridcell"}, e.Role) {
			return
		}
		text = e.Name
	default:
		return
	}
	n := entry{text: text, secret: t.act.Secret, field: *e, key: t.before.key, at: t.n, context: t.context}
	old := fold(e.Value)
	const much = 3 // words that are worth keeping: an assumption
	n.lost = t.act.Type == walk.Type && (e.Multiline || e.Rich) && len(strings.Fields(old)) >= much && !within(fold(text), old)
	o.entries = slices.DeleteFunc(o.entries, func(x entry) bool {
		if identity(&x.field) != identity(e) || x.key != n.key || t.act.Type == walk.Click || t.act.Type == walk.Check {
			return false
		}
		n.lost = n.lost || x.lost
		return t.act.Type != walk.Append
	})
	o.entries = append(o.entries, n)
	t.entered = &o.entries[len(o.entries)-1]
}

// emptied: fields that held what was entered are gone, or empty again.
func (o *Oracle) emptied(t *turn) bool {
	had := 0
	for i := range o.entries {
		x := &o.entries[i]
		was := t.before.find(&x.field, false)
		if was == nil || !walk.IsField(was) || x.key != t.before.key {
			continue
		}
		if t.target != nil && walk.IsField(t.target) && was.Form == 0 && identity(was) != identity(t.target) {
			continue // Enter in one field sends no other that belongs to no form
		}
		is := t.after.find(&x.field, false)
		if is != nil && (is.Value != "" || is.InputType == "password") && !(t.moved && t.after.key != t.before.key && is.Name != was.Name) {
			return false
		}
		had++
	}
	return had > 0
}

// holds: a value stands in its field on a look. What the page does not show, a
// password or a field of a page before, is as it was entered last.
func (o *Oracle) holds(v *task.Value, look *view) (*entry, bool) {
	for i := len(o.entries) - 1; i >= 0; i-- {
		x := &o.entries[i]
		long := (x.field.Multiline || x.field.Rich) && within(fold(x.text), fold(v.Text))
		if v.Input != "" && x.secret != v.Input || v.Input == "" && !same(*v, x.text) && !long {
			continue
		}
		is := look.find(&x.field, false)
		switch {
		case is == nil || x.key != look.key || is.InputType == "password" || is.InputType == "file" || v.Input != "":
			return x, true
		case slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}, is.Role):
			if stateOf(is).on {
				return x, true
			}
		case same(*v, is.Value) || (long || x.field.Value != "") && within(fold(is.Value), fold(v.Text)):
			return x, true
		case !walk.IsField(is) || is.Rich && is.Value == "":
			return x, true
		}
	}
	for i := range look.page.Elements {
		e := &look.page.Elements[i]
		if walk.IsField(e) && e.InputType != "search" && same(*v, e.Value) && len(v.Hint) > 0 && language.Cover(v.Hint, language.Read(e.Name+" "+e.Group)) >= fits {
			return &entry{text: e.Value, field: *e, key: look.key, context: look.context(e)}, true
		}
	}
	return nil, false
}
