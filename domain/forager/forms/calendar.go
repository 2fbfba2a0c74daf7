package forms

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// sheet is a month of a calendar that is open on the page.
type sheet struct {
	y, m  int // 0: the page does not say
	head  walk.Box
	cells []*walk.Element // that stand below its head
	days  [32]*walk.Element
}

// leastDays is how many numbers make a calendar; nearCalendar is how far in px
// around it the controls stand that turn it: assumptions.
const (
	leastDays    = 20
	nearCalendar = 80
	maxTurns     = 60
)

// calendar reads the months that are open on the page, nil when none is.
func (l *look) calendar() []*sheet {
	var sheets []*sheet
	named := map[[2]int]*sheet{}
	var numbers []*walk.Element
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		if walk.IsField(e) || len(e.Name) > 60 {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(e.Name)); err == nil && n >= 1 && n <= 31 {
			numbers = append(numbers, e)
		} else if d, ok := parseDate(e.Name, 0, l.british); ok && d.y > 0 {
			s := named[[2]int{d.y, d.m}]
			if s == nil {
				s = &sheet{y: d.y, m: d.m, head: e.Box}
				named[[2]int{d.y, d.m}] = s
				sheets = append(sheets, s)
			}
			s.cells = append(s.cells, e)
			s.days[d.d] = e
		}
	}
	sheets = slices.DeleteFunc(sheets, func(s *sheet) bool { return len(s.cells) < leastDays })
	if len(sheets) > 0 || len(numbers) < leastDays {
		return sheets
	}
	sheets = l.heads(numbers)
	if len(sheets) == 0 {
		sheets = []*sheet{{head: numbers[0].Box}}
	}
	for _, e := range numbers {
		var own *sheet
		near := math.Inf(1)
		for _, s := range sheets {
			far := math.Abs(e.Box.X+e.Box.W/2-s.head.X-s.head.W/2) + (e.Box.Y-s.head.Y)/2
			if s.head.Y <= e.Box.Y+e.Box.H && far < near {
				own, near = s, far
			}
		}
		if own != nil {
			own.cells = append(own.cells, e)
		}
	}
	for _, s := range sheets {
		at := 0 // the days before the first are of the month before, those after the last of the next
		for _, e := range s.cells {
			if n, _ := strconv.Atoi(strings.TrimSpace(e.Name)); n == at+1 {
				at = n
				s.days[n] = e
			}
		}
	}
	return slices.DeleteFunc(sheets, func(s *sheet) bool { return len(s.cells) < leastDays })
}

// heads are the months that are written above the days, or chosen there.
func (l *look) heads(cells []*walk.Element) []*sheet {
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, e := range cells {
		top, bottom = math.Min(top, e.Box.Y), math.Max(bottom, e.Box.Y)
	}
	var out []*sheet
	var month, year int
	var box walk.Box
	take := func(text string, b walk.Box) {
		if len(text) > 40 || b.Y < top-2*nearCalendar || b.Y > bottom {
			return
		}
		m, y := 0, 0
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if months[w] > 0 {
				m = months[w]
			} else if n, err := strconv.Atoi(w); err == nil && n > 1000 && n < 3000 {
				y = n
			}
		}
		switch {
		case m > 0 && y > 0:
			out = append(out, &sheet{y: y, m: m, head: b})
		case m > 0:
			month, box = m, b
		case y > 0:
			year = y
		}
	}
	for i := range l.Page.Texts {
		take(l.Page.Texts[i].Text, l.Page.Texts[i].Box)
	}
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		if e.Role == "combobox" || e.Role == "spinbutton" {
			take(e.Value, e.Box)
		} else {
			take(e.Name, e.Box)
		}
	}
	if len(out) == 0 && month > 0 && year > 0 {
		out = append(out, &sheet{y: year, m: month, head: box})
	}
	return out
}

// pickDay goes on in an open calendar to a day: its cell, or what turns the page
// towards it. A zero day is any that can be had.
func (c *Clerk) pickDay(l *look, en *entry, d day) (Move, bool) {
	sheets := l.calendar()
	mem := c.memory(en.f.key)
	if len(sheets) == 0 || mem.steps >= maxTurns {
		return Move{}, false
	}
	first, last := sheets[0], sheets[len(sheets)-1]
	m := c.move(l, en, walk.Action{Type: walk.Click})
	if d.m == 0 {
		for _, at := range []int{14, 15, 16, 17, 20, 21, 25, 26, 28, 8, 3} {
			if e := first.days[at]; e != nil && !e.Disabled {
				return m.on(e, WhyDay), true
			}
		}
		return Move{}, false
	}
	if d.y == 0 {
		if d.y = first.y; d.m < first.m {
			d.y++
		}
	}
	for _, s := range sheets {
		if s.m == d.m && s.y == d.y || s.m == 0 {
			if e := s.days[d.d]; e != nil && !e.Disabled {
				return m.on(e, WhyDay), true
			}
			return Move{}, false
		}
	}
	m.values, m.text = nil, ""
	ahead := 12*d.y+d.m > 12*last.y+last.m
	for _, f := range l.fields {
		if !f.native() || math.Abs(f.e.Box.Y-first.head.Y) > nearCalendar || f.e.Disabled {
			continue
		}
		for _, k := range []string{"year", "month"} {
			for _, part := range partOf(k, d.String()) {
				if o, fits := option(part, f.e.Options); fits == 1 && !same(f, f.e.Value, o) && (k == "year" || len(f.e.Options) <= 13) {
					m.Action = walk.Action{Type: walk.Select, Text: o}
					return m.on(f.e, WhyTurn), true
				}
			}
		}
	}
	concept := "previous"
	if ahead {
		concept = "next"
	}
	var best *walk.Element
	near := math.Inf(1)
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		read := language.Read(e.Name + " " + e.Tip)
		if e.Disabled || walk.IsField(e) || !read.Has(concept) {
			continue
		}
		far := math.Abs(e.Box.Y-first.head.Y) + math.Abs(e.Box.X-first.head.X)/4
		if math.Abs(e.Box.Y-first.head.Y) <= 2*nearCalendar && far < near {
			best, near = e, far
		}
	}
	if best == nil {
		return Move{}, false
	}
	return m.on(best, WhyTurn), true
}
