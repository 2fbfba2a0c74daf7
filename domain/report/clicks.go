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

// view is a page on a viewport of a width in CSS px: what one picture shows.
type view struct {
	page  Page
	width int
}

// clicked is a click map while it is counted.
type clicked struct {
	at    view
	shot  string
	spots map[string]*Spot
	// clicks are on spots, sessions those who made them.
	clicks, elsewhere, sessions int
}

// clicksOf counts the clicks of all sessions by page. Only those on a page as it
// came, not scrolled, are where its picture shows them: from the first scroll on
// the others of a visit are counted alone, and of later ones too that going back
// leads to, since browsers come back to where they were.
func clicksOf(sessions []Session) []ClickMap {
	maps := map[view]*clicked{}
	var order []*clicked
	for i := range sessions {
		s := &sessions[i]
		scrolled, here := map[view]bool{}, map[*clicked]bool{}
		spots := map[*Spot]bool{}
		var last view
		for j, step := range s.Steps {
			at := viewOf(step)
			if at != last && (j == 0 || s.Steps[j-1].Action != string(walk.Back)) {
				scrolled[at] = false
			}
			last = at
			if step.Action == string(walk.Scroll) {
				scrolled[at] = true
			}
			if !clicks(step) {
				continue
			}
			m := maps[at]
			if m == nil {
				m = &clicked{at: at, spots: map[string]*Spot{}}
				maps[at], order = m, append(order, m)
			}
			if scrolled[at] {
				m.elsewhere++
				continue
			}
			m.shot = cmp.Or(m.shot, step.ScreenshotID)
			m.clicks++
			if !here[m] {
				here[m] = true
				m.sessions++
			}
			spot := m.spot(step.Target)
			spot.Clicks++
			if !spots[spot] {
				spots[spot] = true
				spot.Sessions++
				spot.Succeeded += one(s.Findings.Succeeded)
			}
		}
	}
	order = slices.DeleteFunc(order, func(m *clicked) bool { return m.shot == "" })
	slices.SortStableFunc(order, func(a, b *clicked) int { return cmp.Compare(b.clicks, a.clicks) })
	var out []ClickMap
	for _, m := range order[:min(len(order), maxClickMaps)] {
		out = append(out, m.told())
	}
	return out
}

func viewOf(s Step) view {
	return view{Page{Address: findings.Template(s.URL), Heading: digits.ReplaceAllString(walk.Shorten(s.Title, maxName), "#")}, s.ViewportWidth}
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
		Page: m.at.page, ScreenshotID: m.shot, ViewportWidth: m.at.width, Sessions: m.sessions, Clicks: m.clicks, Elsewhere: m.elsewhere, Spots: []Spot{},
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
