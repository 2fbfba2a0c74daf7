package forms

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"understudy/domain/language"
	"understudy/domain/walk"
)

const (
	// maxFields bounds how many fields of a page are looked at: an assumption.
	maxFields = 400
	// beside and above are how far in px a label stands from its field at most,
	// overlap how far it may reach into it: assumptions.
	beside, above, overlap = 220, 40, 4
	// maxLabel is the length in bytes up to which a text can be a label: an assumption.
	maxLabel = 160
)

// field is something that takes a value, as it is read.
type field struct {
	e     *walk.Element
	key   string // the same on the next look
	label string
	words *language.Phrase // of the label with what stands around it
	kind  string
	form  *form
}

// form is a group of fields that are sent together. Bare inputs that stand in one
// region are one.
type form struct {
	key    string
	number int // of the page's form, 0 for bare inputs
	region int
	dialog bool
	fields []*field
	about  *language.Phrase // its heading and its buttons
}

// look is one look at a page.
type look struct {
	Sight
	elements []*walk.Element
	texts    []*walk.Text
	fields   []*field
	forms    []*form
	keys     map[*walk.Element]string
	british  func() bool   // days are written before months here, as the page says
	lang     func() string // of the page
}

func newLook(s Sight) *look {
	l := &look{Sight: s, keys: map[*walk.Element]string{}}
	l.british = sync.OnceValue(func() bool {
		return strings.EqualFold(l.Page.Lang, "en-GB") ||
			slices.ContainsFunc(l.texts, func(t *walk.Text) bool { return says("british", t.Text) }) ||
			slices.ContainsFunc(l.elements, func(e *walk.Element) bool { return says("british", e.Name) })
	})
	if s.Seen == nil {
		l.Seen = func(e *walk.Element) bool { return e.InViewport && e.CoveredBy == "" }
	}
	for i := range s.Page.Texts {
		l.texts = append(l.texts, &s.Page.Texts[i])
	}
	for i := range s.Page.Elements {
		l.elements = append(l.elements, &s.Page.Elements[i])
	}
	l.lang = sync.OnceValue(l.language)
	path, count := walk.Path(s.Page.URL), map[string]int{}
	for _, e := range l.elements {
		key := path + " " + e.Selector
		if e.Selector == "" {
			key += strings.Join([]string{e.Role, e.Name, e.Group, strconv.Itoa(e.Form)}, "/")
		}
		if count[key]++; count[key] > 1 {
			key += "#" + strconv.Itoa(count[key])
		}
		l.keys[e] = key
		if !walk.IsField(e) || len(l.fields) >= maxFields {
			continue
		}
		f := &field{e: e, key: key, label: l.labelOf(e)}
		about := f.label
		if !strings.Contains(about, e.Group) {
			about = e.Group + " " + about
		}
		f.words = language.Read(strings.Join([]string{about, e.Placeholder, strings.ReplaceAll(e.Autocomplete, "-", " "), e.Tip}, " "))
		f.kind, f.form = kindOf(e, about, l.lang()), l.formOf(e, path)
		f.form.fields = append(f.form.fields, f)
		l.fields = append(l.fields, f)
	}
	return l
}

// language is the one that the page is in.
func (l *look) language() string {
	said := strings.Builder{}
	for _, e := range l.elements {
		said.WriteString(e.Name + "\n")
	}
	for _, t := range l.texts {
		said.WriteString(t.Text + "\n")
	}
	return language.Of(said.String())
}

// dayFirst: days stand before months here, as everywhere but in America.
func (l *look) dayFirst() bool { return l.british() || l.lang() != language.English }

// formOf is the form that a field belongs to.
func (l *look) formOf(e *walk.Element, path string) *form {
	key := path + " form " + strconv.Itoa(e.Form)
	if scene, _, inside := strings.Cut(e.Selector, " > "); inside { // which one of those that take turns at this address
		key += " " + scene
	}
	if e.Form == 0 {
		key = path + " region " + strconv.Itoa(e.Region)
	}
	if e.InDialog {
		key += " dialog"
	}
	f := find(l.forms, func(o *form) bool { return o.key == key || e.Form > 0 && o.number == e.Form && o.dialog == e.InDialog })
	if f == nil {
		f = &form{key: key, number: e.Form, region: e.Region, dialog: e.InDialog}
		f.about = l.read(f)
		l.forms = append(l.forms, f)
	}
	return f
}

// read is what a form says it is for: the heading of its region and the buttons
// that send it.
func (l *look) read(f *form) *language.Phrase {
	about := ""
	if f.region >= 0 && f.region < len(l.Page.Regions) {
		about = l.Page.Regions[f.region].Heading
	}
	for _, e := range l.elements {
		own := f.number > 0 && e.Form == f.number && e.Submit || f.number == 0 && e.Form == 0 && e.Role == "button" && e.Region == f.region && e.InDialog == f.dialog
		if own && !walk.IsField(e) {
			about += " . " + e.Name
		}
	}
	return language.Read(about)
}

// form finds a form of an earlier look again, nil when it is gone.
func (l *look) form(key string) *form {
	return find(l.forms, func(f *form) bool { return f.key == key })
}

// field finds a field of an earlier look again, nil when it is gone.
func (l *look) field(key string) *field {
	return find(l.fields, func(f *field) bool { return f.key == key })
}

// labelOf is what a field is called: its name, or the words that stand by it,
// right of what is ticked, else left or above.
func (l *look) labelOf(e *walk.Element) string {
	if e.Name != "" {
		return e.Name
	}
	b, right := e.Box, ticks(e)
	label, _ := best(l.texts, 0, func(t *walk.Text) float64 {
		a, gap := t.Box, math.Inf(1)
		switch {
		case len(t.Text) > maxLabel || t.Kind == "alert" || t.Kind == "status" || t.Row > 0 && e.Row == 0: // or belongs to its row
		case level(a, b) && right && a.X >= b.X+b.W-overlap:
			gap = a.X - b.X - b.W
		case level(a, b) && a.X+a.W <= b.X+overlap:
			gap = b.X - a.X - a.W
		case !right && a.Y+a.H <= b.Y+overlap && b.Y-a.Y-a.H <= above && a.X < b.X+b.W && a.X+a.W > b.X-above:
			if slices.ContainsFunc(l.elements, func(o *walk.Element) bool {
				return o != e && walk.IsField(o) && level(o.Box, a) && o.Box.X >= a.X+a.W-overlap && o.Box.X-a.X-a.W <= beside
			}) {
				return 0 // it is that field's
			}
			return near(b.Y - a.Y - a.H + above/2 + overlap)
		}
		if gap > beside || l.between(a, b) {
			return 0
		}
		if right && a.X < b.X {
			gap += beside
		}
		return near(gap + overlap)
	})
	if label != nil {
		return label.Text
	}
	if o, _ := best(l.elements, 0, func(o *walk.Element) float64 { // or what reacts by itself
		gap := o.Box.X - b.X - b.W
		if !right || walk.IsField(o) || o.Name == "" || len(o.Name) > maxLabel || !level(o.Box, b) || gap < -overlap || gap > beside {
			return 0
		}
		return near(gap + overlap)
	}); o != nil {
		return o.Name
	}
	return ""
}

// between: another field stands between a text and a field on their line.
func (l *look) between(a, b walk.Box) bool {
	left, right := math.Min(a.X+a.W, b.X+b.W), math.Max(a.X, b.X)
	return slices.ContainsFunc(l.elements, func(e *walk.Element) bool {
		middle := e.Box.X + e.Box.W/2
		return e.Box != b && walk.IsField(e) && math.Abs(e.Box.Y+e.Box.H/2-b.Y-b.H/2) < b.H/2 && middle > left && middle < right
	})
}

// row are the words of the row that an element stands in, "" outside of rows.
func (l *look) row(e *walk.Element) string {
	out := ""
	for _, t := range l.texts {
		if e.Row > 0 && t.Row == e.Row {
			out += t.Text + " "
		}
	}
	for _, o := range l.elements {
		if e.Row > 0 && o != e && o.Row == e.Row && !walk.IsField(o) {
			out += o.Name + " "
		}
	}
	return out
}

// blame lets a message that stands at no field of a form that was sent be that of the
// field it names.
func (c *Clerk) blame(l *look) {
	for _, f := range l.forms {
		text := l.message(f)
		if text == "" || f.complains() || c.history(f).sent == 0 {
			continue
		}
		said := language.Read(text)
		if o, _ := best(f.fields, likely, func(o *field) float64 { return language.Cover(language.Read(o.label).Content(), said) }); o != nil {
			o.e.Error = text
		}
	}
}

// complains: the form says that something is wrong with what was entered.
func (f *form) complains() bool {
	return slices.ContainsFunc(f.fields, func(o *field) bool { return o.e.Error != "" })
}

// required: the form does not go without it, as far as it says.
func (f *field) required() bool {
	return f.e.Required || strings.HasSuffix(strings.TrimSpace(f.label), "*") || says("required", f.label+" "+f.e.Help)
}

// optional: it says that the form goes without it.
func (f *field) optional() bool {
	return says("optional", f.label+" "+f.e.Placeholder+" "+f.e.Help)
}

// takesText: something can be typed here.
func (f *field) takesText() bool {
	switch f.e.Role {
	case "textbox", "searchbox", "spinbutton":
		return true
	case "combobox":
		return !f.native() && (f.e.InputType != "" || f.e.Placeholder != "") && !f.e.ReadOnly
	}
	return false
}

// ticks: it is on or off.
func ticks(e *walk.Element) bool {
	return e.Role == "checkbox" || e.Role == "radio" || e.Role == "switch"
}

// turns: it is made more or less.
func (f *field) turns() bool { return f.e.Role == "slider" || f.e.Role == "spinbutton" }

// native: a list of the browser, whose options are known without opening it.
func (f *field) native() bool { return len(f.e.Options) > 0 && f.e.InputType == "" }

// long: it takes several lines. Words that are written over where they stand, in a
// box of one line, do not.
func (f *field) long() bool {
	const lines = 2 // font sizes from which a box has room for more than one: an assumption
	over := f.e.Rich && f.e.Focused && f.form.number == 0 && f.e.Box.H < lines*f.e.FontSize
	return (f.e.Multiline || f.e.Rich) && !over
}

// dated: it takes a day.
func (f *field) dated() bool { return f.kind == "date" || f.kind == "birthday" }

// popups are what an element may say that it opens (WAI-ARIA 1.2, aria-haspopup).
var popups = []string{"listbox", "tree", "grid", "dialog", "menu", "true"}

// opens: a press shows what it can hold, in a list or a calendar.
func (f *field) opens() bool {
	return slices.Contains(popups, f.e.Popup) || f.e.Role == "combobox" && !f.native() || f.e.ReadOnly && (f.dated() || f.kind == "time") || f.e.Expanded != ""
}

// holds: something is entered, chosen or ticked.
func (f *field) holds() bool {
	switch {
	case f.e.Role == "radio":
		return slices.ContainsFunc(f.group(), func(o *field) bool { return o.e.Checked })
	case ticks(f.e):
		return f.e.Checked
	case f.native():
		return !says("empty", f.e.Value)
	}
	return strings.TrimSpace(f.e.Value) != ""
}

// group are the radio buttons that answer one question with this one.
func (f *field) group() []*field {
	var out []*field
	for _, o := range f.form.fields {
		if o.e.Role == "radio" && set(o.e) == set(f.e) {
			out = append(out, o)
		}
	}
	return out
}

// ticked: another box that answers the same question is ticked.
func (f *field) ticked() bool {
	return ticks(f.e) && f.e.Group != "" && slices.ContainsFunc(f.form.fields, func(o *field) bool {
		return o != f && ticks(o.e) && o.e.Role != "radio" && o.e.Group == f.e.Group && o.e.Checked
	})
}

// set tells the groups of radio buttons apart: by their question, else by the part
// of the selector that all of a group share.
func set(e *walk.Element) string {
	if at := strings.Index(e.Selector, "[value="); at > 0 {
		return e.Selector[:at]
	}
	return e.Group
}
