package forms

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

const (
	// maxFields bounds how many fields of a page are looked at.
	maxFields = 400
	// beside and above are how far in px a label stands from its field at most:
	// assumptions.
	beside, above = 220, 40
	// maxLabel is the length in bytes up to which a text can be a label.
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
	fields  []*field
	forms   []*form
	keys    map[*walk.Element]string
	british bool
}

func newLook(s Sight) *look {
	l := &look{Sight: s, keys: map[*walk.Element]string{}}
	if s.Seen == nil {
		l.Seen = func(e *walk.Element) bool { return e.InViewport && e.CoveredBy == "" }
	}
	path, count := walk.Path(s.Page.URL), map[string]int{}
	l.british = strings.EqualFold(s.Page.Lang, "en-GB")
	for i := range s.Page.Texts {
		l.british = l.british || says("british", s.Page.Texts[i].Text)
	}
	forms := map[string]*form{}
	for i := range s.Page.Elements {
		e := &s.Page.Elements[i]
		key := path + " " + e.Selector
		if e.Selector == "" {
			key = path + " " + strings.Join([]string{e.Role, e.Name, e.Group, strconv.Itoa(e.Form)}, "/")
		}
		if count[key]++; count[key] > 1 {
			key += "#" + strconv.Itoa(count[key])
		}
		l.keys[e] = key
		l.british = l.british || says("british", e.Name)
		if !walk.IsField(e) || len(l.fields) >= maxFields {
			continue
		}
		f := &field{e: e, key: key, label: l.labelOf(e)}
		about := f.label
		if e.Group != "" && !strings.Contains(about, e.Group) {
			about = e.Group + " " + about
		}
		f.words = language.Read(strings.Join([]string{about, e.Placeholder, strings.ReplaceAll(e.Autocomplete, "-", " "), e.Tip}, " "))
		f.kind = kindOf(e, about)
		id := "form " + strconv.Itoa(e.Form)
		if e.Form == 0 {
			id = "region " + strconv.Itoa(e.Region)
		}
		if e.InDialog {
			id += " dialog"
		}
		if forms[id] == nil {
			forms[id] = &form{key: path + " " + id, number: e.Form, region: e.Region, dialog: e.InDialog}
			l.forms = append(l.forms, forms[id])
		}
		f.form = forms[id]
		f.form.fields = append(f.form.fields, f)
		l.fields = append(l.fields, f)
	}
	for _, f := range l.forms {
		l.read(f)
	}
	return l
}

// read takes in what a form says it is for: the heading of its region and the
// buttons that send it.
func (l *look) read(f *form) {
	about := ""
	if f.region >= 0 && f.region < len(l.Page.Regions) {
		about = l.Page.Regions[f.region].Heading
	}
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		own := f.number > 0 && e.Form == f.number && e.Submit || f.number == 0 && e.Form == 0 && e.Role == "button" && e.Region == f.region && e.InDialog == f.dialog
		if own && !walk.IsField(e) {
			about += " . " + e.Name
		}
	}
	f.about = language.Read(about)
}

// labelOf is what a field is called: its name, or the words that stand by it,
// right of what is ticked, else left or above.
func (l *look) labelOf(e *walk.Element) string {
	if e.Name != "" {
		return e.Name
	}
	ticked := e.Role == "checkbox" || e.Role == "radio" || e.Role == "switch"
	label, nearest := "", math.Inf(1)
	for i := range l.Page.Texts {
		t := &l.Page.Texts[i]
		if len(t.Text) > maxLabel || t.Kind == "alert" || t.Kind == "status" {
			continue
		}
		gap := math.Inf(1)
		a, b := t.Box, e.Box
		level := math.Abs(a.Y+a.H/2-b.Y-b.H/2) <= math.Max(a.H, b.H)/2+2
		switch {
		case level && ticked && a.X >= b.X+b.W-4 && a.X-b.X-b.W <= beside:
			gap = a.X - b.X - b.W
		case level && a.X+a.W <= b.X+4 && b.X-a.X-a.W <= beside:
			gap = b.X - a.X - a.W
			if ticked {
				gap += beside
			}
		case !ticked && a.Y+a.H <= b.Y+4 && b.Y-a.Y-a.H <= above && a.X < b.X+b.W && a.X+a.W > b.X-above:
			gap = b.Y - a.Y - a.H + above/2
		}
		if gap < nearest && !l.between(a, b) {
			label, nearest = t.Text, gap
		}
	}
	return label
}

// between: another field stands between a text and a field on their line.
func (l *look) between(a, b walk.Box) bool {
	left, right := math.Min(a.X+a.W, b.X+b.W), math.Max(a.X, b.X)
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		if e.Box != b && walk.IsField(e) && math.Abs(e.Box.Y+e.Box.H/2-b.Y-b.H/2) < b.H/2 && e.Box.X+e.Box.W/2 > left && e.Box.X+e.Box.W/2 < right {
			return true
		}
	}
	return false
}

// row are the words of the row that an element stands in, "" outside of rows.
func (l *look) row(e *walk.Element) string {
	if e.Row == 0 {
		return ""
	}
	var out []string
	for i := range l.Page.Texts {
		if t := &l.Page.Texts[i]; t.Row == e.Row {
			out = append(out, t.Text)
		}
	}
	for i := range l.Page.Elements {
		if o := &l.Page.Elements[i]; o != e && o.Row == e.Row && !walk.IsField(o) {
			out = append(out, o.Name)
		}
	}
	return strings.Join(out, " ")
}

// field finds a field of an earlier look again, nil when it is gone.
func (l *look) field(key string) *field {
	for _, f := range l.fields {
		if f.key == key {
			return f
		}
	}
	return nil
}

// required: the form does not go without it, as far as it says.
func (f *field) required() bool {
	return f.e.Required || strings.HasSuffix(strings.TrimSpace(f.label), "*") || says("required", f.label+" "+f.e.Help)
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
func (f *field) ticks() bool {
	return f.e.Role == "checkbox" || f.e.Role == "radio" || f.e.Role == "switch"
}

// native: a list of the browser, whose options are known without opening it.
func (f *field) native() bool { return len(f.e.Options) > 0 && f.e.InputType == "" }

// holds: something is entered, chosen or ticked.
func (f *field) holds() bool {
	switch {
	case f.e.Role == "radio":
		return slices.ContainsFunc(f.group(), func(o *field) bool { return o.e.Checked })
	case f.ticks():
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

// set tells the groups of radio buttons apart: by their question, else by the part
// of the selector that all of a group share.
func set(e *walk.Element) string {
	if at := strings.Index(e.Selector, "[value="); at > 0 {
		return e.Selector[:at]
	}
	return e.Group
}
