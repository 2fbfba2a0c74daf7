// Package reading is what can be read of a page, cut into passages, and how well
// a passage answers a question.
package reading

import (
	"math"
	"regexp"
	"slices"
	"strings"

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
	// InView: its middle is in the viewport and nothing lies over it.
	InView bool
	Row    int
	// Element is the index of a control, -1 for words.
	Element int
}

const (
	// maxPassages bounds how much of a page is read.
	maxPassages = 2000
	// labelWords is how many words a label has at most: an assumption.
	labelWords = 6
	// cardWords is how many words a control has at least to be read as content.
	cardWords = 4
)

// imprint are lines that say whose a page is and when it was changed: no answers.
var imprint = regexp.MustCompile(`(?i)^\s*(?:©|\(c\)\s|copyright\b|all rights reserved|(?:page )?last (?:modified|updated|edited)\b|powered by\b)`)

// Passages cuts a page into what is read at once, in reading order: cells of a
// row with their heads, a term with its definition, a label with its value, a
// heading alone and before its text.
func Passages(page *walk.Page) []Passage {
	var out []Passage
	heads := columns(page)
	type level struct {
		text string
		n    int
	}
	var path []level
	names := func() []string {
		out := make([]string, len(path))
		for i, l := range path {
			out[i] = l.text
		}
		return out
	}
	for i := 0; i < len(page.Texts) && len(out) < maxPassages; i++ {
		t := &page.Texts[i]
		if imprint.MatchString(t.Text) {
			continue
		}
		p := Passage{Text: t.Text, Kind: "paragraph", Title: page.Title, Box: t.Box, InView: t.InViewport && !t.Covered, Row: t.Row, Element: -1}
		switch t.Kind {
		case "heading":
			for len(path) > 0 && path[len(path)-1].n >= max(1, t.Level) {
				path = path[:len(path)-1]
			}
			p.Kind, p.Path = "heading", names()
			out = append(out, p)
			path = append(path, level{t.Text, max(1, t.Level)})
			continue
		case "cell":
			p.Kind, p.Path = "row", names()
			p.Text = headed(heads, t)
			if n := len(out); n > 0 && out[n-1].Kind == "row" && sameRow(&out[n-1], t) {
				out[n-1].Text += "; " + p.Text
				out[n-1].Box = around(out[n-1].Box, t.Box)
				continue
			}
		case "item":
			p.Kind, p.Path = "item", names()
			if t.Head != "" {
				p.Kind, p.Text = "pair", t.Head+": "+t.Text
			}
		default:
			p.Path = names()
		}
		if n := len(out); n > 0 && p.Kind != "row" && labels(&out[n-1], &p) {
			out[n-1].Text += ": " + p.Text
			out[n-1].Kind, out[n-1].InView, out[n-1].Box = "pair", p.InView && out[n-1].InView, around(out[n-1].Box, p.Box)
			continue
		}
		out = append(out, p)
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		if len(out) < maxPassages && len(strings.Fields(e.Name)) >= cardWords && !walk.IsField(e) || strings.HasPrefix(e.Href, "mailto:") || strings.HasPrefix(e.Href, "tel:") {
			out = append(out, Passage{Text: e.Name, Kind: "control", Title: page.Title, Box: e.Box, InView: e.InViewport && e.CoveredBy == "", Row: e.Row, Element: i, Path: scope(page, e)})
		}
	}
	return out
}

// scope is the heading that a control stands under.
func scope(page *walk.Page, e *walk.Element) []string {
	if e.Region >= 0 && e.Region < len(page.Regions) && page.Regions[e.Region].Heading != "" {
		return []string{page.Regions[e.Region].Heading}
	}
	return nil
}

// labels: a short text with its value below it or to its right.
func labels(label, value *Passage) bool {
	if label.Kind == "row" || label.Kind == "control" || label.Kind == "pair" || label.Kind == "heading" || value.Kind == "heading" {
		return false
	}
	if len(strings.Fields(label.Text)) > labelWords || strings.ContainsAny(label.Text[max(0, len(label.Text)-1):], ".!?") || len(strings.Fields(value.Text)) > 3*labelWords {
		return false
	}
	a, b := label.Box, value.Box
	right := math.Abs(a.Y+a.H/2-b.Y-b.H/2) < math.Max(a.H, b.H)/2 && b.X >= a.X+a.W-2 && b.X-a.X-a.W < 160
	below := math.Abs(a.X-b.X) < 24 && b.Y >= a.Y+a.H-2 && b.Y-a.Y-a.H < 12 && strings.HasSuffix(strings.TrimSpace(label.Text), ":")
	return right || below
}

func sameRow(p *Passage, t *walk.Text) bool {
	if p.Row > 0 || t.Row > 0 {
		return p.Row == t.Row
	}
	return math.Abs(p.Box.Y+p.Box.H/2-t.Box.Y-t.Box.H/2) < math.Max(p.Box.H, t.Box.H)/2
}

func around(a, b walk.Box) walk.Box {
	x, y := math.Min(a.X, b.X), math.Min(a.Y, b.Y)
	return walk.Box{X: x, Y: y, W: math.Max(a.X+a.W, b.X+b.W) - x, H: math.Max(a.Y+a.H, b.Y+b.H) - y}
}

// headed is a cell with the head of its column.
func headed(heads []*walk.Text, t *walk.Text) string {
	if t.Head != "" {
		return t.Head + ": " + t.Text
	}
	for _, h := range heads {
		if h != t && h.Box.Y+h.Box.H <= t.Box.Y+1 && math.Abs(h.Box.X-t.Box.X) < 12 {
			return h.Text + ": " + t.Text
		}
	}
	return t.Text
}

// columns are the heads of a table that does not say which they are: the cells of
// its first row where all are short and hold no number.
func columns(page *walk.Page) []*walk.Text {
	var row []*walk.Text
	for i := range page.Texts {
		t := &page.Texts[i]
		if t.Kind != "cell" {
			continue
		}
		if t.Head != "" || len(row) > 0 && !sameRow(&Passage{Row: row[0].Row, Box: row[0].Box}, t) {
			break
		}
		row = append(row, t)
	}
	if len(row) < 2 || slices.ContainsFunc(row, func(t *walk.Text) bool {
		return len(strings.Fields(t.Text)) > labelWords || strings.ContainsAny(t.Text, "0123456789")
	}) {
		return nil
	}
	return row
}
