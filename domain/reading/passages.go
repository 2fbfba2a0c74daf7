// Package reading is what can be read of a page, cut into passages, and how well
// a passage answers a question.
package reading

import (
	"math"
	"slices"
	"strings"
	"sync"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// Passage is one thing that is read at once.
type Passage struct {
	Text string
	// Kind is paragraph, item, row, pair, heading or control.
	Kind string
	// Path are the headings above, the nearest last; Title is the page's.
	Path  []string
	Title string
	Box   walk.Box
	// InView: its middle is in the viewport and nothing lies over it; of a row, that
	// of each of its cells.
	InView bool
	Row    int
	// Element is the index of a control, -1 for words.
	Element int
	// Links are the names of the links that stand in it.
	Links []string
}

const (
	// shownValue is how much is read of what a field holds, in bytes: an assumption.
	shownValue = 200
	// maxPassages bounds how much of a page is read.
	maxPassages = 2000
	// labelWords is how many words a label has at most, cardWords how many a card
	// that is read at once, controlWords how many a control has at least to be read
	// as content: assumptions.
	labelWords   = 6
	cardWords    = 60
	controlWords = 4
)

// imprint are the beginnings of such lines in all languages.
var imprint = sync.OnceValue(func() (out []string) {
	for _, text := range language.Texts(folders, "imprint.txt") {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				out = append(out, line)
			}
		}
	}
	return out
})

// imprinted: the line says whose the page is or how old it is.
func imprinted(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line[:min(len(line), 80)]))
	for _, start := range imprint() {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// level is a heading above what is read.
type level struct {
	text string
	n    int
}

// cutter is a page while it is cut.
type cutter struct {
	page  *walk.Page
	path  []level
	above map[string][]string // the path that ends with a heading, by its text
	cells map[int]cell        // of the tables, by the index of the text
	used  map[int]bool        // elements that stand in a row
	words map[int]int         // of each row, by its number
	named []named             // the links that may stand in a text
	out   []Passage
}

// named is a link with a name.
type named struct {
	name string
	box  walk.Box
}

// Passages cuts a page into what is read at once, in the order of its texts, then
// of its controls: cells of a row with their heads, the texts of a card, a term
// with its definition, a label with its value, a field with its state. Imprints are
// left out.
func Passages(page *walk.Page) []Passage {
	page = gathered(page)
	c := &cutter{page: page, above: map[string][]string{}, cells: tables(page), used: map[int]bool{}, words: map[int]int{}}
	for i := range page.Texts {
		c.words[page.Texts[i].Row] += len(strings.Fields(page.Texts[i].Text))
	}
	for i := range page.Elements {
		if e := &page.Elements[i]; e.Role == "link" && e.Href != "" && len(e.Name) > 2 {
			c.named = append(c.named, named{e.Name, e.Box})
		}
	}
	for i := 0; i < len(page.Texts) && len(c.out) < maxPassages; {
		t := &page.Texts[i]
		switch {
		case imprinted(t.Text):
			i++
		case t.Kind == "cell":
			i = c.row(i)
		case t.Row > 0 && c.card(i) > i+1:
			i = c.joined(i, c.card(i))
		default:
			c.text(t)
			i++
		}
	}
	c.controls()
	return c.out
}

// gathered is a page with the texts of each card one behind the other, where cards that
// stand beside each other have theirs line by line.
func gathered(page *walk.Page) *walk.Page {
	of, cells := map[int][]walk.Text{}, map[int]bool{}
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Row != 0 {
			of[t.Row] = append(of[t.Row], *t)
			cells[t.Row] = cells[t.Row] || t.Kind == "cell"
		}
	}
	out := *page
	out.Texts = make([]walk.Text, 0, len(page.Texts))
	for i := range page.Texts {
		switch t := &page.Texts[i]; {
		case t.Row == 0 || cells[t.Row]:
			out.Texts = append(out.Texts, *t)
		default:
			out.Texts = append(out.Texts, of[t.Row]...)
			of[t.Row] = nil
		}
	}
	return &out
}

// base is a passage of a text, below the headings so far.
func (c *cutter) base(t *walk.Text, kind, text string) Passage {
	p := Passage{Text: text, Kind: kind, Title: c.page.Title, Box: t.Box, InView: t.InViewport && !t.Covered, Row: t.Row, Element: -1}
	if kind != "heading" && t.Region >= 0 && t.Region < len(c.page.Regions) {
		// Columns stand beside each other: the heading is that of the text's own part.
		if path := c.above[c.page.Regions[t.Region].Heading]; path != nil {
			p.Path = path
			return p
		}
	}
	for _, l := range c.path {
		p.Path = append(p.Path, l.text)
	}
	return p
}

// text reads a text that stands alone, or is the value of the label before it.
func (c *cutter) text(t *walk.Text) {
	switch {
	case t.Kind == "heading" && c.beside(t):
		head := c.out[len(c.out)-1].Text
		c.out = append(c.out, c.base(t, "pair", head+": "+t.Text))
		return
	case t.Kind == "heading":
		n := max(1, t.Level)
		for len(c.path) > 0 && c.path[len(c.path)-1].n >= n {
			c.path = c.path[:len(c.path)-1]
		}
		c.out = append(c.out, c.base(t, "heading", t.Text))
		c.path = append(c.path, level{t.Text, n})
		for _, l := range c.path {
			c.above[t.Text] = append(c.above[t.Text], l.text)
		}
		return
	case t.Head != "":
		c.out = append(c.out, c.base(t, "pair", t.Head+": "+t.Text))
		return
	}
	p := c.base(t, "paragraph", t.Text)
	for i := range c.named {
		if l := &c.named[i]; within(l.box, t.Box) && strings.Contains(t.Text, l.name) {
			p.Links = append(p.Links, l.name)
		}
	}
	if t.Kind == "item" {
		p.Kind = "item"
	}
	if n := len(c.out); n > 0 && labels(&c.out[n-1], &p) {
		label := &c.out[n-1]
		label.Text = strings.TrimRight(strings.TrimSpace(label.Text), ":") + ": " + p.Text
		label.Kind, label.InView, label.Box = "pair", p.InView && label.InView, around(label.Box, p.Box)
		return
	}
	c.out = append(c.out, p)
}

// within: the middle of the first lies in the second.
func within(a, b walk.Box) bool {
	x, y := a.X+a.W/2, a.Y+a.H/2
	return x >= b.X && x <= b.X+b.W && y >= b.Y && y <= b.Y+b.H
}

// beside: a heading stands on the line of the one before it, as what that one says.
func (c *cutter) beside(t *walk.Text) bool {
	n := len(c.out)
	if n == 0 || c.out[n-1].Kind != "heading" {
		return false
	}
	last := c.out[n-1].Box
	return math.Abs(last.Y+last.H/2-t.Box.Y-t.Box.H/2) < min(last.H, t.Box.H)/2 && t.Box.X > last.X
}

// card is where the texts end that stand in one card or item with the text at a
// place: the place behind it when they are too many words to be read at once.
func (c *cutter) card(from int) int {
	row, to := c.page.Texts[from].Row, from+1
	for c.words[row] <= cardWords && to < len(c.page.Texts) && c.page.Texts[to].Row == row && c.page.Texts[to].Kind != "cell" {
		to++
	}
	return to
}

// joined reads the texts of a card as one row, with the links that stand in it.
func (c *cutter) joined(from, to int) int {
	first := &c.page.Texts[from]
	parts := []string{}
	p := c.base(first, "row", "")
	for i := from; i < to; i++ {
		t := &c.page.Texts[i]
		said := t.Text
		if t.Head != "" {
			said = t.Head + ": " + t.Text
		}
		parts = append(parts, said)
		p.Box, p.InView = around(p.Box, t.Box), p.InView && t.InViewport && !t.Covered
	}
	p.Links = c.links(p.Row, p.Box)
	p.Text = strings.Join(append(slices.Clone(p.Links), parts...), "; ")
	c.out = append(c.out, p)
	return to
}

// row reads the cells of one row of a table, each with its head.
func (c *cutter) row(from int) int {
	first := &c.page.Texts[from]
	p := c.base(first, "row", "")
	here := c.cells[from]
	var parts []string
	to := from
	for ; to < len(c.page.Texts) && c.page.Texts[to].Kind == "cell" && c.cells[to].table == here.table && c.cells[to].row == here.row; to++ {
		t := &c.page.Texts[to]
		said := t.Text
		switch {
		case t.Head != "":
			said = t.Head + ": " + said
		case c.cells[to].head != "":
			said = c.cells[to].head + ": " + said
		}
		parts = append(parts, said)
		p.Box, p.InView = around(p.Box, t.Box), p.InView && t.InViewport && !t.Covered
	}
	parts = append(c.links(p.Row, p.Box), parts...)
	p.Text = strings.Join(parts, "; ")
	if here.label && len(parts) == 2 { // a label and its value
		p.Kind, p.Text = "pair", strings.TrimRight(parts[0], ":")+": "+parts[1]
	}
	c.out = append(c.out, p)
	return max(to, from+1)
}

// links are the names of the links that stand in a row, which is told by its
// number or, without one, by its height.
func (c *cutter) links(row int, box walk.Box) (out []string) {
	for i := range c.page.Elements {
		e := &c.page.Elements[i]
		middle := e.Box.Y + e.Box.H/2
		inside := row > 0 && e.Row == row || row == 0 && e.Row == 0 && middle > box.Y && middle < box.Y+box.H && e.Box.X+e.Box.W > box.X-maxColumn && e.Box.X < box.X+box.W+maxColumn
		if inside && e.Role == "link" && e.Name != "" && !c.used[i] && len(out) < labelWords {
			c.used[i] = true
			out = append(out, e.Name)
		}
	}
	return out
}

// controls reads what controls say themselves: long names, addresses to write to
// and to call, and the state of fields.
func (c *cutter) controls() {
	for i := range c.page.Elements {
		e := &c.page.Elements[i]
		text, address := e.Name, strings.HasPrefix(e.Href, "mailto:") || strings.HasPrefix(e.Href, "tel:")
		switch {
		case len(c.out) >= maxPassages:
			return
		case c.used[i]:
			continue
		case address:
			if _, to, _ := strings.Cut(e.Href, ":"); !strings.Contains(text, to) && len(to) < 80 {
				text += ": " + to
			}
		case walk.IsField(e) || e.Role == "checkbox" || e.Role == "radio" || e.Role == "switch":
			if text = state(e); text == "" {
				continue
			}
		case len(strings.Fields(text)) < controlWords:
			continue
		}
		p := Passage{Text: text, Kind: "control", Title: c.page.Title, Box: e.Box, InView: e.InViewport && e.CoveredBy == "", Row: e.Row, Element: i}
		if e.Region >= 0 && e.Region < len(c.page.Regions) && c.page.Regions[e.Region].Heading != "" {
			p.Path = []string{c.page.Regions[e.Region].Heading}
		}
		c.out = append(c.out, p)
	}
}

// state is a field's name with what it holds, "" when that says nothing or is
// nobody's to read.
func state(e *walk.Element) string {
	name := strings.TrimSpace(strings.Join([]string{e.Group, e.Name}, " "))
	switch {
	case e.InputType == "password" || name == "":
		return ""
	case e.Role == "checkbox" || e.Role == "switch" || e.Role == "radio":
		if e.Checked {
			return name + ": on"
		}
		return name + ": off"
	case e.Value != "":
		return name + ": " + walk.Shorten(e.Value, shownValue)
	}
	return ""
}
