package findings

import (
	"strconv"
	"strings"

	"understudy/domain/walk"
)

// missedMS is the simulated time that must have been lost before a nearer way
// counts as missed: one screenful read and scrolled past (an assumption).
const missedMS = 3000

// clearlyMore is how much more a label must promise to be clearly better (an
// assumption: the weight between a synonym and a stem twice over).
const clearlyMore = 0.2

// missed finds elements that were on the screen of a page on the way, led where
// the walk then went by another element further away or on another page, and
// were passed over although time was lost: what speaks against them is why.
// Whatever leads to the same address does the same, so that this needs nobody
// who succeeded by it. Of a page's short cuts the last counts: who can get to
// the goal's page from here need not go to those before it. A way back to where the walk
// had been is missed by nobody.
func (x *examined) missed() {
	said, cut := map[string]bool{}, map[string]bool{}
	for i := len(x.w.Steps) - 1; i >= 0; i-- {
		used := x.w.Steps[i].Decision.Target
		if !x.led(i) || used == nil || onPage(used.Href, &x.w.Steps[i].Page) || !x.w.Steps[i].Effect.Navigated || x.w.Steps[i].Decision.Purpose != walk.Navigate || x.returned(i) {
			continue
		}
		for j := range x.w.Steps[:i] {
			if x.w.Steps[j].Decision.Purpose == walk.Dismiss || cut[x.places[j]] || !x.onTheWay(j) {
				continue // what lay under a dialog could not be taken yet
			}
			cost := x.costOfMissing(j, i)
			if cost < missedMS || x.places[j] == x.places[i] && inView(&x.w.Steps[j].Page, used.Selector) {
				continue
			}
			x.passed(j, i, cost, said)
			x.passedClosed(j, i, cost, said)
		}
		for j := range x.w.Steps[:i] {
			cut[x.places[j]] = cut[x.places[j]] || x.leadsTo(j, i)
		}
	}
}

// leadsTo: something on the screen at look j led where step i went.
func (x *examined) leadsTo(j, i int) bool {
	r, page := &x.w.Steps[i], &x.w.Steps[j].Page
	for k := range page.Elements {
		if e := &page.Elements[k]; e.InViewport && sameAddress(e.Href, r.Decision.Target.Href, r.Effect.URL) {
			return true
		}
	}
	return false
}

// costOfMissing is the simulated time in ms between a look and the step that
// went where an element on it led: what was lost on the same page, or the whole
// way round by others.
func (x *examined) costOfMissing(j, i int) int {
	if x.places[j] == x.places[i] {
		ms, wrong := x.lostBefore(i)
		if wrong > 0 {
			ms = max(ms, missedMS)
		}
		return ms
	}
	ms := 0
	for k := j; k < i; k++ {
		if p := x.w.Steps[k].Decision.Purpose; p != walk.Fill && p != walk.Dismiss {
			ms += x.w.Steps[k].Decision.SimulatedMS
		}
	}
	return ms
}

// passed records the elements of look j that led where step i went, and the
// button of the same name that lay covered there: what had to be looked for on
// another page was here.
func (x *examined) passed(j, i, cost int, said map[string]bool) {
	r, page := &x.w.Steps[i], &x.w.Steps[j].Page
	for k := range page.Elements {
		e := &page.Elements[k]
		key := x.places[j] + "\x00" + e.Selector
		twin := x.places[i] != x.places[j] && e.CoveredBy != "" && e.Href == "" && e.Role == r.Decision.Target.Role && sameWords(e.Name, r.Decision.Target.Name)
		if said[key] || !twin && !sameAddress(e.Href, r.Decision.Target.Href, r.Effect.URL) ||
			e.Selector == r.Decision.Target.Selector && x.places[i] == x.places[j] || !twin && sameWords(e.Name, r.Decision.Target.Name) && e.Contrast >= leastLarge {
			continue
		}
		kind, detail := x.passedOver(j, e, x.promise(i, r.Decision.Target.Name))
		if !e.InViewport {
			kind, detail = x.scrolledNever(j, e, cost)
		}
		if kind == "" || kind == Covered && x.uncoveredAt(x.places[j], e.Selector) {
			continue
		}
		said[key] = true
		o := x.about(j, kind, Observed, e)
		o.Detail, o.CostMS = detail, cost
		x.add(o)
	}
}

// scrolledNever is why a fitting element that no look at its place had on the screen was
// not taken: it stood a screenful down and more, and another way took long.
func (x *examined) scrolledNever(j int, e *walk.Element, cost int) (kind, detail string) {
	page := &x.w.Steps[j].Page
	if cost < searchMS || e.Form != 0 || page.Viewport.Height <= 0 || x.promise(j, e.Name) < relevantPromise || x.everInView(x.places[j], e.Selector) {
		return "", ""
	}
	if beside(e, page) {
		return OffScreen, "people went another way"
	}
	depth := (page.ScrollY + e.Box.Y) / float64(page.Viewport.Height)
	if depth < 1 {
		return "", ""
	}
	return BelowFold, strconv.FormatFloat(depth, 'f', 1, 64) + " screens down; people went another way"
}

func inView(p *walk.Page, selector string) bool {
	e := elementBySelector(p, selector)
	return e != nil && e.InViewport
}

// sameAddress: the link leads where the walk went, fragments apart.
func sameAddress(href string, to ...string) bool {
	cut := func(s string) string {
		s, _, _ = strings.Cut(s, "#")
		return strings.TrimSuffix(s, "/")
	}
	if cut(href) == "" || strings.HasPrefix(href, "#") {
		return false
	}
	for _, t := range to {
		if t != "" && cut(t) == cut(href) {
			return true
		}
	}
	return false
}

// passedOver is why a fitting element was not taken, "" when nothing says. Words
// are to blame where those that were followed instead promised clearly more.
func (x *examined) passedOver(i int, e *walk.Element, taken float64) (kind, detail string) {
	contrast, faint := weak(e)
	switch {
	case e.CoveredBy != "" && !e.InDialog:
		return Covered, "by " + clip(e.CoveredBy, 80)
	case unnamed(e.Name):
		return UnclearLabel, "no readable name"
	case shapeOnly(e) && !x.w.Persona.Facets.ScreenReader:
		return UnclearLabel, onlyShape
	case faint && e.Contrast < leastLarge:
		return LowContrast, contrast
	case x.promise(i, e.Name) < fairPromise && x.promise(i, e.Name)+clearlyMore <= taken:
		return UnclearLabel, vague
	case faint:
		return LowContrast, contrast
	}
	return "", ""
}
