package report

import (
	"cmp"
	"slices"

	"understudy/domain/findings"
	"understudy/domain/walk"
)

// The bounds of the click maps; maxName is that of titles and names in bytes.
const (
	maxClickMaps = 3
	maxSpots     = 30
	maxName      = 80
)

// view is a page on a viewport of a width in CSS px, part what one picture shows
// of it: scrolled down so far.
type view struct {
	page  Page
	width int
}

type part struct {
	view
	scrolled int
}

// clicked is a click map while it is counted.
type clicked struct {
	part
	called           Page // of those alike the first
	shot             string
	spots            map[string]*Spot
	clicks, sessions int
}

// clicksOf counts the clicks of all sessions by page. Of each page on a viewport
// of one width the part is shown that most was clicked on.
func clicksOf(sessions []Session) []ClickMap {
	parts := map[part]*clicked{}
	var order []*clicked
	all := map[view]int{}
	for i := range sessions {
		s := &sessions[i]
		here, spots := map[*clicked]bool{}, map[*Spot]bool{}
		for _, step := range s.Steps {
			if !clicks(step) {
				continue
			}
			page := Page{Address: findings.Template(step.URL), Heading: walk.Shorten(step.Title, maxName)}
			at := part{view{page.alike(), step.ViewportWidth}, step.ScrollY}
			m := parts[at]
			if m == nil {
				m = &clicked{part: at, called: page, spots: map[string]*Spot{}}
				parts[at], order = m, append(order, m)
			}
			all[at.view]++
			m.shot = cmp.Or(m.shot, step.ScreenshotID)
			m.clicks++
			m.sessions += first(here, m)
			spot := m.spot(step.Target)
			spot.Clicks++
			if first(spots, spot) == 1 {
				spot.Sessions++
				spot.Succeeded += one(s.Findings.Succeeded)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b *clicked) int { return cmp.Compare(b.clicks, a.clicks) })
	var out []ClickMap
	told := map[view]bool{}
	for _, m := range order {
		if m.shot == "" || len(out) == maxClickMaps || first(told, m.view) == 0 {
			continue
		}
		c := m.told()
		c.Elsewhere = all[m.view] - m.clicks
		out = append(out, c)
	}
	return out
}

// first is 1 the first time that a key is met, then 0.
func first[K comparable](met map[K]bool, key K) int {
	again := met[key]
	met[key] = true
	return one(!again)
}

// clicks reports whether a step is a click on something whose place is known.
func clicks(s Step) bool {
	switch walk.ActionType(s.Action) {
	case walk.Click, walk.DoubleClick, walk.RightClick, walk.Check, walk.Select:
		return s.Target != nil && s.ViewportWidth > 0 && s.Target.Box.W > 0 && s.Target.Box.H > 0
	default:
		return false
	}
}

// spot is the one of a control, where it was clicked first.
func (m *clicked) spot(e *Element) *Spot {
	key := e.Role + "\x00" + e.Name + "\x00" + e.Selector
	if m.spots[key] == nil {
		m.spots[key] = &Spot{Role: e.Role, Name: walk.Shorten(e.Name, maxName), X: e.Box.X + e.Box.W/2, Y: e.Box.Y + e.Box.H/2}
	}
	return m.spots[key]
}

func (m *clicked) told() ClickMap {
	c := ClickMap{
		Page: m.called, ScreenshotID: m.shot, ViewportWidth: m.width, ScrollY: m.scrolled, Sessions: m.sessions, Clicks: m.clicks, Spots: []Spot{},
	}
	for _, s := range m.spots {
		c.Spots = append(c.Spots, *s)
	}
	slices.SortFunc(c.Spots, func(a, b Spot) int {
		return cmp.Or(cmp.Compare(b.Clicks, a.Clicks), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X), cmp.Compare(a.Name, b.Name))
	})
	c.Spots = c.Spots[:min(len(c.Spots), maxSpots)]
	return c
}
