package forager

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// largeSide is WCAG 2.2's enhanced target size (2.5.5) in CSS px.
const largeSide = 44

// Relieve is the page as it would be perceived without the barrier. What the
// browser has to take away is left as it is.
func (m *Mind) Relieve(page walk.Page, r walk.Relief) walk.Page {
	at := slices.IndexFunc(page.Elements, func(e walk.Element) bool { return e.Selector == r.Selector })
	if at < 0 || r.OnPage() {
		return page
	}
	page.Elements = slices.Clone(page.Elements)
	e := &page.Elements[at]
	switch r.Kind {
	case walk.See:
		e.Contrast, e.FontSize = readableText*m.t.contrast, math.Max(e.FontSize, math.Max(18, m.t.minFont))
	case walk.Named:
		e.Name, e.NameSource, e.Icon = plainly(m.subgoal()), "text", false
	case walk.Large:
		c := centre(e.Box)
		w, h := math.Max(e.Box.W, largeSide), math.Max(e.Box.H, largeSide)
		e.Box = walk.Box{X: c.x - w/2, Y: c.y - h/2, W: w, H: h}
	case walk.First:
		if h := float64(page.Viewport.Height); !e.InViewport && h > 0 {
			e.Box.Y, e.InViewport = h/3, true
		}
	case walk.Reached:
		e.MouseOnly = false
	case walk.Alone:
		page.Elements = m.alone(&page, at)
	case walk.Uncover, walk.Calm, walk.Enable: // the browser's
	}
	return page
}

// alone are the elements of a page without those that promise as much as one.
func (m *Mind) alone(page *walk.Page, at int) []walk.Element {
	here := m.about(m.subgoal(), page)
	v := &view{page: page}
	own := m.fits(v, &page.Elements[at], here)
	var kept []walk.Element
	for i := range page.Elements {
		e := &page.Elements[i]
		if i == at || walk.IsField(e) || e.Name == "" || m.fits(v, e, here) < own-rivalGap {
			kept = append(kept, *e)
		}
	}
	return kept
}

// plainly says a subgoal in the fewest words.
func plainly(s *task.Subgoal) string {
	if s.Literal != "" {
		return s.Literal
	}
	var words []string
	if s.Kind == task.Act && s.Verb != "" {
		words = append(words, s.Verb)
	}
	for _, w := range s.Wanted() {
		if !w.Part {
			words = append(words, w.Text)
		}
	}
	if len(words) == 0 {
		return s.Plain()
	}
	return strings.Join(words, " ")
}
