package mind

import "strings"

// passage is one section as it can be read: its heading and what stands below.
type passage struct {
	heading string
	text    strings.Builder
	blocks  int
	level   int
	// units are its blocks one by one; the cells of a row are one unit.
	units []unit
}

// unit is a block of words, or a row of a table.
type unit struct {
	text string
	row  bool
	y, h float64
}

// add takes in a block of words.
func (p *passage) add(t *Text, text string) {
	cell := t.Kind == "cell"
	if n := len(p.units); cell && n > 0 && p.units[n-1].row {
		if last := &p.units[n-1]; t.Box.Y < last.y+last.h/2 && last.y < t.Box.Y+t.Box.H/2 {
			last.text += " " + text
			return
		}
	}
	if len(p.units) < maxUnits {
		p.units = append(p.units, unit{text, cell, t.Box.Y, t.Box.H})
	}
}

// maxUnits bounds how much of a section is taken apart.
const maxUnits = 120

// short: the unit is a label rather than a sentence, such as the term before its
// definition.
func short(u unit) bool { return !u.row && len(strings.Fields(u.text)) <= labelWords }

// labelWords bounds a label: an assumption.
const labelWords = 8

// around is a unit with the labels directly before and after it; rows of a table
// speak for themselves.
func (p *passage) around(i int) string {
	text := p.units[i].text
	if p.units[i].row {
		return text
	}
	if i > 0 && short(p.units[i-1]) {
		text = p.units[i-1].text + "\n" + text
	}
	if i+1 < len(p.units) && short(p.units[i+1]) {
		text += "\n" + p.units[i+1].text
	}
	return text
}

// passages cuts the accepted texts of a page into sections: by the scopes of
// headings where the page has them, so that cards side by side stay apart, else
// by the order of the texts. With bare, the words of links are left out: they
// promise an answer that stands elsewhere.
func passages(page *Page, bare bool, sees func(*Text) bool) []*passage {
	var out []*passage
	var cur *passage
	scopes := map[int]*passage{}
	for i := range page.Texts {
		t := &page.Texts[i]
		scoped := t.Region >= 0 && t.Region < len(page.Regions)
		if t.Kind == "heading" {
			if p := scopes[t.Region]; scoped && p != nil && p.heading == "" {
				cur = p // a badge above the heading of its card
			} else {
				cur = &passage{level: t.Level}
			}
			// Text below a heading that has been scrolled past still belongs to it.
			if seen := sees(t); seen || t.Box.Y < 0 {
				cur.heading, cur.level = t.Text, t.Level
				if seen && cur.blocks == 0 {
					out = append(out, cur)
				}
			}
			scopes[t.Region] = cur
			continue
		}
		if !sees(t) {
			continue
		}
		p := cur
		if scoped {
			p = scopes[t.Region]
		}
		if p == nil {
			p = &passage{}
			scopes[t.Region] = p
			if !scoped {
				cur = p
			}
		}
		if p.blocks == 0 && !listed(out, p) {
			out = append(out, p)
		}
		p.blocks++
		text := t.Text
		if bare {
			text = withoutLinks(page, t)
		}
		p.add(t, text)
		if p.text.Len() < 1500 {
			p.text.WriteString(text)
			p.text.WriteByte('\n')
		}
	}
	return out
}

func listed(list []*passage, p *passage) bool {
	for _, o := range list {
		if o == p {
			return true
		}
	}
	return false
}

// withoutLinks cuts the names of the links that lie in a text out of it, or in
// its line where they are taller.
func withoutLinks(page *Page, t *Text) string {
	text := t.Text
	for i := range page.Elements {
		e := &page.Elements[i]
		middle := e.Box.Y + e.Box.H/2
		if e.Role != "link" || len(e.Name) < 3 || middle < t.Box.Y-2 || middle > t.Box.Y+t.Box.H+2 {
			continue
		}
		text = strings.Replace(text, e.Name, "…", 1)
	}
	return text
}
