package findings

import (
	"strings"

	"understudy/domain/mind"
)

// missedMS is the simulated time that must have been lost before a nearer way
// counts as missed: one screenful read and scrolled past (an assumption).
const missedMS = 3000

// missed finds elements that were on the screen, led where the walk then went by
// another element further away, and were passed over although time was lost:
// what speaks against them is why. Whatever leads to the same address does the
// same, so that this needs nobody who succeeded by it.
func (x *examined) missed() {
	said := map[string]bool{}
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		used := r.Decision.Target
		if !x.onWay[i] || used == nil || !r.Effect.Navigated || r.Decision.Purpose != mind.Navigate {
			continue
		}
		ms, wrong := x.lostBefore(i)
		if ms < missedMS && wrong == 0 {
			continue
		}
		for j := range x.w.Steps[:i] {
			page := &x.w.Steps[j].Page
			if x.places[j] != x.places[i] || inView(page, used.Selector) {
				continue
			}
			for k := range page.Elements {
				e := &page.Elements[k]
				if !e.InViewport || e.Selector == used.Selector || !sameAddress(e.Href, used.Href, r.Effect.URL) || said[x.places[i]+e.Selector] {
					continue
				}
				kind, detail := x.passedOver(j, e)
				if kind == "" {
					continue
				}
				said[x.places[i]+e.Selector] = true
				o := x.about(j, kind, Observed, e)
				o.Detail, o.CostMS = detail, ms
				x.add(o)
			}
		}
	}
}

func inView(p *mind.Page, selector string) bool {
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

// passedOver is why a fitting element was not taken, "" when nothing says.
func (x *examined) passedOver(i int, e *mind.Element) (kind, detail string) {
	contrast, faint := weak(e)
	switch {
	case e.CoveredBy != "" && !e.InDialog:
		return Covered, "by " + clip(e.CoveredBy, 80)
	case strings.TrimSpace(e.Name) == "":
		return UnclearLabel, "no readable name"
	case faint && e.Contrast < leastLarge:
		return LowContrast, contrast
	case x.promise(i, e.Name) < fairPromise:
		return UnclearLabel, "its words promise little of the task"
	case faint:
		return LowContrast, contrast
	}
	return "", ""
}
