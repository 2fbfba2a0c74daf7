package forms

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// sheet is a month of a calendar that is open on the page.
type sheet struct {
	y, m  int // 0: the page does not say
	head  walk.Box
	cells int // that stand below its head
	days  [32]*walk.Element
}

// leastDays is how many numbers make a calendar; nearCalendar is how far in px
// around it the controls stand that turn it; maxTurns bounds the presses; longDay
// and longHead are the lengths up to which a text is a day or a month: assumptions.
const (
	leastDays    = 20
	nearCalendar = 80
	maxTurns     = 60
	longDay      = 60
	longHead     = 40
)

// calendar reads the months that are open on the page, nil when none is: cells that
// say their date, else numbers below the names of months.
func (l *look) calendar() []*sheet {
	var sheets []*sheet
	var numbers []*walk.Element
	short := func(s *sheet) bool { return s.cells < leastDays }
	for _, e := range l.elements {
		if walk.IsField(e) || len(e.Name) > longDay {
			continue
		}
		if n := dayOf(e); n > 0 {
			numbers = append(numbers, e)
		} else if d, ok := parseDate(e.Name, l.dayFirst()); ok && d.y > 0 {
			s := find(sheets, func(s *sheet) bool { return s.y == d.y && s.m == d.m })
			if s == nil {
				s = &sheet{y: d.y, m: d.m, head: e.Box}
				sheets = append(sheets, s)
			}
			s.days[d.d] = e
			s.cells++
		}
	}
	sheets = slices.DeleteFunc(sheets, short)
	if len(sheets) > 0 || len(numbers) < leastDays {
		return sheets
	}
	if sheets = l.heads(numbers); len(sheets) == 0 {
		sheets = []*sheet{{head: numbers[0].Box}}
	}
	at := map[*sheet]int{} // the days before the first are of the month before, those after the last of the next
	for _, e := range numbers {
		own, _ := best(sheets, 0, func(s *sheet) float64 {
			if s.head.Y > e.Box.Y+e.Box.H {
				return 0
			}
			return near(math.Abs(e.Box.X+e.Box.W/2-s.head.X-s.head.W/2) + math.Abs(e.Box.Y-s.head.Y)/2)
		})
		if own == nil {
			continue
		}
		own.cells++
		if n := dayOf(e); n == at[own]+1 {
			at[own], own.days[n] = n, e
		}
	}
	return slices.DeleteFunc(sheets, short)
}

// dayOf is the day of the month that a cell shows, 0 for none.
func dayOf(e *walk.Element) int {
	if n, err := strconv.Atoi(strings.TrimSpace(e.Name)); err == nil && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

// heads are the months that are written above the days, or chosen there.
func (l *look) heads(cells []*walk.Element) []*sheet {
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, e := range cells {
		top, bottom = math.Min(top, e.Box.Y), math.Max(bottom, e.Box.Y)
	}
	var out []*sheet
	var apart sheet // month and year in texts of their own
	take := func(text string, b walk.Box) {
		if len(text) > longHead || b.Y < top-2*nearCalendar || b.Y > bottom {
			return
		}
		said := sheet{head: b}
		for _, w := range wordsOf(text) {
			if months[w] > 0 {
				said.m = months[w]
			} else if n, _ := strconv.Atoi(w); isYear(n) {
				said.y = n
			}
		}
		switch {
		case said.m > 0 && said.y > 0:
			out = append(out, &said)
		case said.m > 0:
			apart.m, apart.head = said.m, b
		case said.y > 0:
			apart.y = said.y
		}
	}
	for _, t := range l.texts {
		take(t.Text, t.Box)
	}
	for _, e := range l.elements {
		if e.Role == "combobox" || e.Role == "spinbutton" {
			take(e.Value, e.Box)
		} else {
			take(e.Name, e.Box)
		}
	}
	if len(out) == 0 && apart.m > 0 && apart.y > 0 {
		out = append(out, &apart)
	}
	return out
}

// pickDay goes on in an open calendar to a day: its cell, or what turns the page
// towards it. A zero day is any that can be had, from the middle of the month on.
func (c *Clerk) pickDay(l *look, en *entry, d day) (Move, bool) {
	sheets := l.calendar()
	if len(sheets) == 0 || c.memory(en.f.key).steps >= maxTurns {
		return Move{}, false
	}
	first, last := sheets[0], sheets[len(sheets)-1]
	m := c.move(l, en, walk.Action{Type: walk.Click})
	free := func(e *walk.Element) bool { return e != nil && !e.Disabled }
	if d.m == 0 {
		e := find(slices.Concat(first.days[14:], first.days[:14]), free)
		return m.on(e, WhyDay), e != nil
	}
	if d.y == 0 {
		if d.y = first.y; d.m < first.m {
			d.y++
		}
	}
	for _, s := range sheets {
		if s.m == d.m && s.y == d.y || s.m == 0 {
			return m.on(s.days[d.d], WhyDay), free(s.days[d.d])
		}
	}
	m.values = nil
	for _, f := range l.fields {
		if !f.native() || math.Abs(f.e.Box.Y-first.head.Y) > nearCalendar || f.e.Disabled {
			continue
		}
		parts := partOf("year", d.String())
		if len(f.e.Options) <= len(called[language.English])+1 {
			parts = append(parts, partOf("month", d.String())...)
		}
		for _, part := range parts {
			if o, fit := option(f.e.Options, part); fit == 1 && !same(f, f.e.Value, o) {
				m.Action = walk.Action{Type: walk.Select, Text: o}
				return m.on(f.e, WhyTurn), true
			}
		}
	}
	way := "previous"
	if 12*d.y+d.m > 12*last.y+last.m {
		way = "next"
	}
	turn, _ := best(l.elements, 0, func(e *walk.Element) float64 {
		down := math.Abs(e.Box.Y - first.head.Y)
		if e.Disabled || walk.IsField(e) || down > 2*nearCalendar || !language.Read(e.Name+" "+e.Tip).Has(way) {
			return 0
		}
		return near(down + math.Abs(e.Box.X-first.head.X)/4)
	})
	return m.on(turn, WhyTurn), turn != nil
}
