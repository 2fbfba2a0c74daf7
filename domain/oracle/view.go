package oracle

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// view is one look, with what judging needs of it.
type view struct {
	page *walk.Page
	// key is the place: the address without a fragment that only scrolls.
	key string
	// heading is the main heading, dialog that of what lies over it, "" without one.
	heading  string
	dialog   string
	rows     []row
	spots    []string // what stands there that is no field's, folded
	cut      bool     // passages are made when they are first asked for
	passages []reading.Passage
}

// row is one row, item or card of a list.
type row struct {
	n, region int
	text      string // as it stands there
	folded    string
	cells     []string
}

// maxText bounds how much of one text is compared, in bytes.
const maxText = 4000

func newView(page *walk.Page) *view {
	v := &view{page: page, key: place(page.URL)}
	level := 7
	for i := range page.Texts {
		t := &page.Texts[i]
		switch {
		case t.Kind != "heading":
		case t.InDialog:
			if v.dialog == "" && t.InViewport && !t.Covered {
				v.dialog = t.Text
			}
		case max(1, t.Level) < level:
			level, v.heading = max(1, t.Level), t.Text
		}
		if !message(t) && t.Kind != "label" {
			v.spots = append(v.spots, fold(short(t.Text)))
		}
	}
	for i := range page.Elements {
		if e := &page.Elements[i]; !walk.IsField(e) {
			v.spots = append(v.spots, fold(short(e.Name)))
		}
	}
	v.list()
	return v
}

func short(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "")
}

// place is the address as a place: a fragment counts where it is a route.
func place(address string) string {
	base, fragment, _ := strings.Cut(address, "#")
	if _, route := walk.SplitRoute(address); route != "" || strings.Contains(fragment, "/") {
		return base + "#" + fragment
	}
	return base
}

// list gathers the rows; on a page that numbers none, every item and every thing
// that can be picked is one of its own.
func (v *view) list() {
	p, at := v.page, map[int]int{}
	numbered := slices.ContainsFunc(p.Texts, func(t walk.Text) bool { return t.Row > 0 }) || slices.ContainsFunc(p.Elements, func(e walk.Element) bool { return e.Row > 0 })
	add := func(n, region int, text string, alone bool) {
		text = short(text)
		f := fold(text)
		k, ok := at[n]
		switch {
		case f == "" || n == 0 && (numbered || !alone):
		case n == 0:
			v.rows = append(v.rows, row{-1 - len(v.rows), region, text, f, []string{text}})
		case !ok:
			at[n] = len(v.rows)
			v.rows = append(v.rows, row{n, region, text, f, []string{text}})
		default:
			if r := &v.rows[k]; len(r.text) < maxText && !within(r.folded, f) {
				r.text, r.folded, r.cells = r.text+" "+text, r.folded+" "+f, append(r.cells, text)
			}
		}
	}
	for i := range p.Texts {
		t := &p.Texts[i]
		add(t.Row, t.Region, t.Text, t.Kind == "item" || t.Kind == "cell")
	}
	for i := range p.Elements {
		if e := &p.Elements[i]; !walk.IsField(e) {
			add(e.Row, e.Region, e.Name, slices.Contains([]string{"link", "option", "treeitem", "row", "listitem", "gridcell"}, e.Role))
		}
	}
}

// row is that of a control, nil for none.
func (v *view) row(e *walk.Element) *row {
	if e == nil || e.Row == 0 {
		return nil
	}
	if at := slices.IndexFunc(v.rows, func(r row) bool { return r.n == e.Row }); at >= 0 {
		return &v.rows[at]
	}
	return nil
}

// rowText is what stands in the row of a control.
func (v *view) rowText(e *walk.Element) string {
	if r := v.row(e); r != nil {
		return r.text
	}
	return ""
}

// has: a cell of the row is a text, folded.
func (r *row) has(folded string) bool {
	return slices.ContainsFunc(r.cells, func(c string) bool { return fold(c) == folded })
}

// about are the rows that are about a thing.
func (v *view) about(t *thing) (out []*row) {
	for i := range v.rows {
		if !t.empty() && t.said(v.rows[i].text) {
			out = append(out, &v.rows[i])
		}
	}
	return out
}

// column are the things of a list that no rows tell: those that stand below each other
// where one of a thing does, of one kind and size. none where that does not stand.
func (v *view) column(t *thing) (its, others []row) {
	const words = 12 // that one of a list has at most: an assumption
	type line struct {
		row
		kind    string
		x, font float64
	}
	var all []line
	add := func(text, kind string, region int, x, font float64) {
		if f := fold(short(text)); f != "" && len(strings.Fields(f)) <= words {
			all = append(all, line{row{0, region, text, f, []string{text}}, kind, x, font})
		}
	}
	for i := range v.page.Texts {
		x := &v.page.Texts[i]
		if message(x) || x.InDialog {
			continue
		}
		add(x.Text, x.Kind, x.Region, x.Box.X, x.FontSize)
	}
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; !walk.IsField(e) {
			add(e.Name, e.Role, e.Region, e.Box.X, e.FontSize)
		}
	}
	at := slices.IndexFunc(all, func(l line) bool { return !t.empty() && t.said(l.text) })
	if at < 0 {
		return nil, nil
	}
	for _, l := range all {
		switch {
		case l.kind != all[at].kind || math.Abs(l.x-all[at].x) > 2 || math.Abs(l.font-all[at].font) > 0.5:
		case t.said(l.text):
			its = append(its, l.row)
		default:
			others = append(others, l.row)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return its, others
}

// shows says how often a text, folded, stands on the page as words, a long one by
// its beginning: not in a field, nor in a message about what was done.
func (v *view) shows(folded string) int {
	const least = 40 // letters that are no chance: an assumption
	n := 0
	for _, s := range v.spots {
		if within(s, folded) || len(s) >= least && strings.HasPrefix(folded, s) {
			n++
		}
	}
	return n
}

func (v *view) read() []reading.Passage {
	if !v.cut {
		v.cut, v.passages = true, reading.Passages(v.page)
	}
	return v.passages
}

// all are the controls of which something is so, in reading order.
func (v *view) all(is func(*walk.Element) bool) (out []*walk.Element) {
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; is(e) {
			out = append(out, e)
		}
	}
	return out
}

// any is the first of them, nil for none.
func (v *view) any(is func(*walk.Element) bool) *walk.Element {
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; is(e) {
			return e
		}
	}
	return nil
}

// keep are those of which something is so.
func keep[T any](all []T, is func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !is(x) })
}

// find is the element of another look on this one, by where it stands in the page
// and what it is.
func (v *view) find(e *walk.Element) *walk.Element {
	if e == nil {
		return nil
	}
	id := identity(e)
	return v.any(func(x *walk.Element) bool { return identity(x) == id })
}

// names: a control of that name is there.
func (v *view) names(text string) bool {
	return v.any(func(e *walk.Element) bool { return e.Name == text && !walk.IsField(e) }) != nil
}

// identity tells one control of a page from the others, whatever state it is in.
func identity(e *walk.Element) string {
	if e.Selector != "" {
		return e.Role + "|" + e.Selector
	}
	return e.Role + "|" + e.Name + "|" + e.Group
}

// context is what a control is about, as words: what it is called, the row, group,
// section, dialog and page that it stands in, what is selected there, and what else
// its form holds. beyond is for what the page is about, without the control's own
// place.
func (v *view) context(e *walk.Element, beyond ...string) string {
	parts := append([]string{v.titles(e)}, beyond...)
	if e != nil {
		parts = append(parts, v.called(e), e.Tip, v.rowText(e))
	}
	for i := range v.page.Elements {
		x := &v.page.Elements[i]
		switch {
		case walk.IsField(x) && e != nil && (x.Form > 0 && x.Form == e.Form || e.InDialog && x.InDialog) && x.InputType != "password":
			parts = append(parts, begins(x))
		case x.Selected && !walk.IsField(x):
			parts = append(parts, x.Name, v.rowText(x))
		}
	}
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.InDialog && e != nil && e.InDialog {
			parts = append(parts, t.Text)
		}
	}
	return short(strings.Join(parts, "\n"))
}

// begins is the first line of a field's value: a text is about that, and what else it
// mentions is elsewhere.
func begins(e *walk.Element) string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Value), "\n")
	return line
}

// titles are what the page, and the part of it in which a control stands, are called.
func (v *view) titles(e *walk.Element) string {
	out := v.page.Title + "\n" + v.heading + "\n" + path(v.page.URL)
	if e != nil {
		out += "\n" + e.Group + "\n" + v.region(e.Region).Heading
	}
	return out
}

// called is the name of a control or, of a field without one, that of what stands
// nearest before it on its line.
func (v *view) called(e *walk.Element) string {
	name, from := e.Name, math.Inf(-1)
	if name != "" || !walk.IsField(e) {
		return name
	}
	before := func(b walk.Box, text string) {
		if level := math.Abs(b.Y+b.H/2-e.Box.Y-e.Box.H/2) <= max(b.H, e.Box.H)/2; level && text != "" && b.X < e.Box.X && b.X > from {
			name, from = text, b.X
		}
	}
	for i := range v.page.Elements {
		before(v.page.Elements[i].Box, v.page.Elements[i].Name)
	}
	for i := range v.page.Texts {
		before(v.page.Texts[i].Box, v.page.Texts[i].Text)
	}
	return short(name)
}

// region is one by its index, nothing for none.
func (v *view) region(i int) walk.Region {
	if i < 0 || i >= len(v.page.Regions) {
		return walk.Region{}
	}
	return v.page.Regions[i]
}

// path are the words of an address's path.
func path(address string) string {
	p, err := url.PathUnescape(walk.Path(address))
	if err != nil {
		return ""
	}
	return apart.Replace(p)
}

// apart takes the words of a path apart.
var apart = strings.NewReplacer("/", " ", "-", " ", "_", " ", "+", " ")

// savedBy is a control that takes over what stands in a field: one that sends its
// form, or one of that meaning beside it where fields belong to no form. nil: what
// is entered applies at once.
func (v *view) savedBy(field *walk.Element, s *task.Subgoal) *walk.Element {
	return v.any(func(e *walk.Element) bool {
		if e.Role != "button" || e.Form != field.Form || e.InDialog != field.InDialog {
			return false
		}
		label := language.Read(e.Name + " " + e.Tip)
		return e.Form > 0 && (e.Submit || does(s, label)) || commits(label)
	})
}

// commits: a control of that name takes over what was entered, whatever it is.
func commits(p *language.Phrase) bool {
	return slices.ContainsFunc([]string{"save", "send", "confirm", "done", "checkout", "accept", "continue"}, p.Has) && !retreats(p)
}

// retreats: a control of that name leaves things as they are.
func retreats(p *language.Phrase) bool {
	return (p.Has("cancel") || p.Has("dismiss") || p.Has("back") || p.Has("undo") || p.Has("preview")) && !p.Has("save")
}

// state is how a control stands: on or off, and what it holds.
type state struct {
	on    bool
	value string
}

func stateOf(e *walk.Element) state {
	return state{e.Checked || e.Selected || e.Expanded == "true", e.Value}
}
