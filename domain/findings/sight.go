package findings

import (
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// Thresholds of WCAG 2.2: contrast 4.5:1 for text, 3:1 for large text (18 pt,
// or 14 pt bold: 24 and 18.66 px) (1.4.3); targets of 24 by 24 CSS px (2.5.8),
// better 44 (2.5.5).
const (
	leastContrast, leastLarge = 4.5, 3.0
	largePX, largeBoldPX      = 24, 18.66
	// readablePX is the size from which text is no smaller than usual (an assumption).
	readablePX  = 12
	leastTarget = 24
	largeTarget = 44
	// leastLine is a line of the smallest usual text in CSS px (an assumption).
	leastLine = 14
)

// weak reports whether an element's contrast is too low, and its ratio in words.
func weak(e *walk.Element) (string, bool) {
	large := e.FontSize >= largePX || e.Bold && e.FontSize >= largeBoldPX
	if e.Contrast <= 0 || e.Contrast >= leastLarge && (large || e.Contrast >= leastContrast) {
		return "", false
	}
	words := strconv.FormatFloat(e.Contrast, 'f', 1, 64) + ":1"
	if e.Colours != "" {
		words += ", " + e.Colours
	}
	if large {
		words += forLarge
	}
	return words, true
}

// forLarge is said of the contrast of large text, which needs less.
const forLarge = " for large text"

func isLarge(detail string) bool { return strings.HasSuffix(detail, forLarge) }

// tiny reports whether an element is a small target. The labels of native
// boxes and radio buttons enlarge them; links in running text are exempt and
// known by their width.
func tiny(e *walk.Element) (string, bool) {
	if e.Box.W > 0 && e.Box.W < leastTarget && e.Box.H < leastTarget && e.Role != "checkbox" && e.Role != "radio" {
		return dimensions(e), true
	}
	return "", false
}

// dimensions tell how large a target is, and of what size its words are where that is why.
func dimensions(e *walk.Element) string {
	size := strconv.Itoa(int(e.Box.W)) + " × " + strconv.Itoa(int(e.Box.H)) + " px"
	if e.FontSize > 0 && e.FontSize < readablePX && !e.Icon && !unnamed(e.Name) {
		size += withText + strconv.Itoa(int(e.FontSize)) + " px" + textSize
	}
	return size
}

// withText stands before the size of a target's words.
const withText = ", of "

// spared: a native box that meets WCAG's least size, whose label is a target
// too, and a link as wide as a word and as high as a line, which WCAG exempts
// because the text around it sets its size (2.5.8, inline).
func spared(e *walk.Element) bool {
	if e.Role == "link" && e.Name != "" && e.Box.W >= largeTarget && e.Box.H >= leastLine {
		return true
	}
	return (e.Role == "checkbox" || e.Role == "radio") && e.Name != "" && min(e.Box.W, e.Box.H) >= leastTarget
}

// textSize ends what is said of words that are small.
const textSize = " text"

// unreadContrast is below what people read at an ordinary pace, a tenth of Michelson's
// contrast (Legge, Rubin & Luebker 1987): what such words say is guessed from where they
// stand.
const unreadContrast = 1.22

// hardToSee finds relevant things that were overlooked for contrast or size,
// and, static unless hardly anybody reads it, weak contrast on the way.
func (x *examined) hardToSee() {
	overlooked := map[string]bool{}
	x.signals(walk.SigHardToSee, func(i int, _ walk.Signal, e *walk.Element) {
		if e == nil {
			return
		}
		kind := LowContrast
		if e.Disabled { // grey because it cannot be used, which WCAG exempts (1.4.3)
			kind = DisabledControl
		}
		o := x.about(i, kind, Observed, e)
		detail, faint := weak(e)
		if !faint && kind == LowContrast && e.FontSize >= readablePX {
			return // as others read it
		}
		o.Detail, o.Compliant = detail, !faint && kind == LowContrast
		if !faint && e.FontSize > 0 {
			o.Detail = strconv.Itoa(int(e.FontSize)) + " px" + textSize
		}
		o.CostMS = max(x.lostFrom(i), x.w.Steps[i].Decision.SimulatedMS)
		overlooked[e.Selector] = true
		x.add(o)
	})
	for i := range x.w.Steps {
		e := x.w.Steps[i].Decision.Target
		if e == nil || !x.onWay[i] || overlooked[e.Selector] {
			continue
		}
		if detail, ok := weak(e); ok {
			o := x.observe(i, LowContrast, Static)
			o.Detail = detail
			if e.InViewport && e.Contrast < unreadContrast && !e.Icon && !x.w.Persona.Facets.ScreenReader {
				o.Channel, o.Consequence, o.CostMS = Observed, ConsequenceRecovered, missMS
			}
			x.add(o)
		}
	}
}

// smallTargets finds what was missed for its size, and, static, what is below
// WCAG's least size on the way. A miss of something large is chance.
func (x *examined) smallTargets() {
	missed := map[string]bool{}
	x.signals(walk.SigMissedTarget, func(i int, _ walk.Signal, e *walk.Element) {
		if e == nil || min(e.Box.W, e.Box.H) >= largeTarget || spared(e) {
			return
		}
		o := x.about(i, SmallTarget, Observed, e)
		o.Detail = dimensions(e)
		o.CostMS = max(x.lostFrom(i), missMS)
		missed[e.Selector] = true
		x.add(o)
	})
	for i := range x.w.Steps {
		e := x.w.Steps[i].Decision.Target
		if e == nil || !x.onWay[i] || missed[e.Selector] {
			continue
		}
		if detail, ok := tiny(e); ok {
			o := x.observe(i, SmallTarget, Static)
			o.Detail = detail
			x.add(o)
		}
	}
}

// missMS is one more pointing and one more thought: P 1.10 s + M 1.35 s (KLM).
const missMS = 2450

// suspects are elements of the pages visited that a rule objects to, apart from
// what was used: the most promising ones of each place, each once.
func (x *examined) suspects() []Observation {
	var out []Observation
	for i := range x.w.Steps {
		if !x.firstLook(i) || len(out) >= maxSuspects {
			continue
		}
		n := 0
		page := &x.w.Steps[i].Page
		promising := make([]bool, len(page.Elements))
		for j := range page.Elements {
			promising[j] = x.promise(i, page.Elements[j].Name) >= fairPromise
		}
		for _, now := range []bool{true, false} { // the promising ones first
			for j := range page.Elements {
				e := &page.Elements[j]
				if n >= maxAtPlace || promising[j] != now {
					continue
				}
				if h := x.hidden(i, e, func(h *walk.Held) bool { return !x.everInView(x.places[i], h.Selector) }); h != nil {
					out = append(out, x.inside(i, Static, e, h))
					n++
					continue
				}
				kind, detail := x.objection(i, e)
				if kind == "" {
					continue
				}
				o := x.about(i, kind, Static, e)
				o.Detail = detail
				out = append(out, o)
				n++
			}
		}
	}
	return out
}

// Bounds of what is recorded of a session.
const maxSuspects, maxAtPlace = 24, 5

// objection is the gravest thing that speaks against an element, "" for nothing.
func (x *examined) objection(i int, e *walk.Element) (kind, detail string) {
	if walk.IsField(e) {
		return "", ""
	}
	contrast, faint := weak(e)
	side, small := tiny(e)
	page := &x.w.Steps[i].Page
	below := e.Form == 0 && !x.everInView(x.places[i], e.Selector)
	switch {
	case e.CoveredBy != "" && !e.InDialog && !x.uncoveredAt(x.places[i], e.Selector):
		return Covered, "by " + clip(e.CoveredBy, 80)
	case e.MouseOnly && (x.w.Persona.Facets.KeyboardOnly || x.w.Persona.Facets.ScreenReader):
		return MouseOnly, ""
	case beside(e, page) && x.promise(i, e.Name) >= fairPromise && !x.everInView(x.places[i], e.Selector):
		return OffScreen, ""
	case e.Disabled && e.Submit:
		return DisabledControl, "nothing says why"
	case e.Disabled:
		return "", ""
	case unnamed(e.Name):
		if twin(page, e) {
			return "", "" // the picture beside its own title
		}
		return UnclearLabel, "no readable name"
	case small && shapeOnly(e):
		return SmallTarget, tooSmall
	case shapeOnly(e) && !x.w.Persona.Facets.ScreenReader:
		return UnclearLabel, onlyShape
	case faint && e.Contrast < leastLarge:
		return LowContrast, contrast
	case below && e.Box.Y+page.ScrollY > deepOn(page)*float64(page.Viewport.Height):
		return BelowFold, "never scrolled to"
	case faint:
		return LowContrast, contrast
	case small:
		return SmallTarget, side
	}
	return "", ""
}

// tooSmall is said of what cannot hold its words.
const tooSmall = "too small to be read"

// twin reports whether a named link of the page leads to the same address.
func twin(p *walk.Page, e *walk.Element) bool {
	for i := range p.Elements {
		if o := &p.Elements[i]; e.Href != "" && o.Href == e.Href && o.Name != "" && o.Selector != e.Selector {
			return true
		}
	}
	return false
}

func (x *examined) everInView(place, selector string) bool {
	for i := range x.w.Steps {
		if x.places[i] != place {
			continue
		}
		if e := elementBySelector(&x.w.Steps[i].Page, selector); e != nil && e.InViewport {
			return true
		}
	}
	return false
}

// shapeOnly reports whether an element shows a shape instead of its name, and not
// one that most people know: what is read off it is a guess.
func shapeOnly(e *walk.Element) bool {
	return e.Icon && strings.TrimSpace(e.Name) != "" && !slices.ContainsFunc(language.Read(e.Name).Concepts, language.Pictured)
}
