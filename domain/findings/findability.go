package findings

import (
	"slices"
	"strconv"
	"strings"

	"understudy/domain/walk"
)

// Thresholds of findability. Where no source is given they are assumptions,
// calibrated on our clean sites so that ordinary pages raise nothing.
const (
	// relevantPromise is the promise from which a label is clearly about the
	// goal, fairPromise the one from which it is worth a click.
	relevantPromise, fairPromise = 0.6, 0.3
	// searchMS is the simulated time of searching in vain that counts as an
	// impediment. People decide within 10 s whether a page is worth staying on
	// (Liu, White & Dumais 2010).
	searchMS = 10000
	// deepScreens is how many screenfuls down something must begin to be far:
	// 81 % of the viewing time goes to the first three (NN/g 2018).
	deepScreens = 2.0
	// deepOnPhones is the same for phones, narrower than phoneWidth CSS px, whose
	// pages are about twice as long (an assumption).
	deepOnPhones, phoneWidth = 3.5, 600
	// scrollMS is the simulated time of two screenfuls read and scrolled past.
	scrollMS = 4000
)

// covered finds needed things under something else: the mind wanted one and
// could not get at it, or the walk ended on a page where the button of the form
// or what the task names lay covered on every look.
func (x *examined) covered() {
	said := map[string]bool{}
	x.signals(walk.SigCovered, func(i int, s walk.Signal, e *walk.Element) {
		if e == nil || x.uncoveredAt(x.places[i], e.Selector) {
			return
		}
		o := x.about(i, Covered, Observed, e)
		o.Detail = "by " + s.Detail
		o.CostMS = max(x.lostFrom(i), assessMS)
		said[x.places[i]] = true
		x.add(o)
	})
	if x.w.Outcome == walk.Succeeded || len(x.w.Steps) == 0 {
		return
	}
	for i := range x.w.Steps {
		if said[x.places[i]] || x.onWay[i] && x.w.Steps[i].Effect.Navigated {
			continue
		}
		page := &x.w.Steps[i].Page
		for j := range page.Elements {
			e := &page.Elements[j]
			if e.CoveredBy == "" || e.InDialog || !e.InViewport || walk.IsField(e) && !x.filledAt(i) {
				continue
			}
			needed := e.Submit && x.filledAt(i) || x.promise(i, e.Name) >= relevantPromise
			if !needed || x.uncoveredAt(x.places[i], e.Selector) {
				continue
			}
			o := x.about(i, Covered, Observed, e)
			o.Detail, o.CostMS = "by "+clip(e.CoveredBy, 80), x.lostFrom(i)
			said[x.places[i]] = true
			x.add(o)
			break
		}
	}
}

// uncoveredAt: on some look at the place the element was free, on the screen or
// off it; a sticky bar covers now this and now that.
func (x *examined) uncoveredAt(place, selector string) bool {
	for i := range x.w.Steps {
		if x.places[i] != place {
			continue
		}
		if e := elementBySelector(&x.w.Steps[i].Page, selector); e != nil && e.CoveredBy == "" && e.InViewport {
			return true
		}
	}
	return false
}

// filledAt: a field was filled in at the place of a step.
func (x *examined) filledAt(i int) bool {
	for j := range x.w.Steps {
		if x.places[j] == x.places[i] && x.w.Steps[j].Decision.Purpose == walk.Fill {
			return true
		}
	}
	return false
}

// mouseOnly finds what only a pointer reaches (WCAG 2.2 2.1.1, failure F54):
// observed by those who use keys, static on the way of the others.
func (x *examined) mouseOnly() {
	said := map[string]bool{}
	x.signals(walk.SigMouseOnly, func(i int, _ walk.Signal, e *walk.Element) {
		o := x.about(i, MouseOnly, Observed, e)
		o.CostMS = max(x.lostFrom(i), assessMS)
		said[o.Element.Selector] = true
		x.add(o)
	})
	for i := range x.w.Steps {
		if e := x.w.Steps[i].Decision.Target; e != nil && e.MouseOnly && !said[e.Selector] {
			said[e.Selector] = true
			x.add(x.observe(i, MouseOnly, Static))
		}
	}
}

// unclear finds controls that do not say what they do: without a readable name
// (WCAG 2.2 4.1.2, 2.4.4), or with words that promised little although they led
// on, so that they were tried late. A nameless control that was clicked at once
// and led on impeded nobody; one that was tried in vain is not what was needed.
// Who goes back to where they have been knows what is behind a control.
func (x *examined) unclear() {
	said := map[int]bool{}
	x.signals(walk.SigUnclear, func(i int, _ walk.Signal, e *walk.Element) {
		if e == nil || said[i] {
			return
		}
		said[i] = true
		if _, small := tiny(e); small && strings.TrimSpace(e.Name) != "" {
			o := x.about(i, SmallTarget, Observed, e)
			o.Detail = tooSmall
			o.CostMS = max(x.lostFrom(i), missMS)
			x.add(o)
			return
		}
		ms, wrong := x.lostBefore(i)
		channel := Static
		if x.led(i) && (ms >= searchMS || wrong > 0) {
			channel = Observed
		}
		if strings.TrimSpace(e.Name) != "" && channel == Static {
			return // a shape with an accessible name that everybody understood
		}
		o := x.about(i, UnclearLabel, channel, e)
		o.Detail = onlyShape
		if channel == Observed {
			o.CostMS = ms + x.lostFrom(i)
		}
		x.add(o)
	})
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		e := r.Decision.Target
		if said[i] || !x.led(i) || r.Decision.Purpose != walk.Navigate || e == nil || !r.HasSignal(walk.SigHesitation) {
			continue
		}
		ms, wrong := x.lostBefore(i)
		if ms < searchMS && wrong == 0 || x.promise(i, e.Name) >= fairPromise || x.roundabout(i) || x.returned(i) {
			continue
		}
		o := x.observe(i, UnclearLabel, Observed)
		o.Detail = vague
		o.CostMS = ms
		x.add(o)
	}
}

// roundabout: what the walk went on with later was on this page already, so that the
// step was no part of the way.
func (x *examined) roundabout(i int) bool {
	for j := i + 1; j < len(x.w.Steps); j++ {
		t := x.w.Steps[j].Decision.Target
		if x.onWay[j] && x.places[j] != x.places[i] && t != nil && t.Href != "" && slices.ContainsFunc(x.w.Steps[i].Page.Elements, func(e walk.Element) bool {
			return sameAddress(e.Href, t.Href)
		}) {
			return true
		}
	}
	return false
}

// returned: the step led away, to where the walk had been before.
func (x *examined) returned(i int) bool {
	return i+1 < len(x.places) && x.places[i+1] != x.places[i] && slices.Contains(x.places[:i], x.places[i+1])
}

// belowFold finds what led on and had to be scrolled for: observed when it
// began far down and the search took long or went astray, static when it was
// merely far down.
func (x *examined) belowFold() {
	x.signals(walk.SigBelowFold, func(i int, _ walk.Signal, e *walk.Element) {
		r := &x.w.Steps[i]
		// What goes on with what is under way promises much to who is there,
		// whatever it has to do with the words of the task.
		if !x.led(i) || x.roundabout(i) || e == nil || r.Decision.Purpose == walk.Submit || r.Page.Viewport.Height <= 0 || max(x.promise(i, e.Name), r.Decision.Scent) < fairPromise {
			return
		}
		depth, deep := (r.Page.ScrollY+e.Box.Y)/float64(r.Page.Viewport.Height), deepOn(&r.Page)
		ms, wrong := x.lostBefore(i)
		if depth < 1 || depth < deep && wrong == 0 {
			return
		}
		channel := Static
		if ms >= scrollMS || wrong > 0 {
			channel = Observed
		}
		o := x.about(i, BelowFold, channel, e)
		o.Detail = strconv.FormatFloat(depth, 'f', 1, 64) + " screens down"
		if channel == Observed {
			o.CostMS = ms
		}
		x.add(o)
	})
}

// deepOn is how many screenfuls down is far on the page's device.
func deepOn(p *walk.Page) float64 {
	if p.Viewport.Width < phoneWidth {
		return deepOnPhones
	}
	return deepScreens
}

// offScreen finds what led on and lay beside what the window shows when the page was
// first looked at (WCAG 2.2 1.4.10, reflow).
func (x *examined) offScreen() {
	said := map[string]bool{}
	for i := range x.w.Steps {
		e := x.w.Steps[i].Decision.Target
		if !x.led(i) || e == nil || said[x.places[i]+e.Selector] {
			continue
		}
		first := slices.Index(x.places, x.places[i])
		was := elementBySelector(&x.w.Steps[first].Page, e.Selector)
		if was == nil || !beside(was, &x.w.Steps[first].Page) {
			continue
		}
		said[x.places[i]+e.Selector] = true
		ms, _ := x.lostBefore(i)
		o := x.about(first, OffScreen, Observed, was)
		o.CostMS = max(ms, missMS) // nobody scrolls sideways without having to
		x.add(o)
	}
}

// unseenButtons finds forms that were sent by Enter because their button lies beside what
// the window shows.
func (x *examined) unseenButtons() {
	said := map[string]bool{}
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		t := r.Decision.Target
		if r.Decision.Action.Type != walk.Press || t == nil || t.Form == 0 || said[x.places[i]] || !x.onWay[i] {
			continue
		}
		at := slices.IndexFunc(r.Page.Elements, func(e walk.Element) bool { return e.Submit && e.Form == t.Form })
		if at < 0 || !beside(&r.Page.Elements[at], &r.Page) {
			continue
		}
		said[x.places[i]] = true
		o := x.about(i, OffScreen, Observed, &r.Page.Elements[at])
		o.Detail, o.CostMS = "the form was sent by Enter", missMS
		x.add(o)
	}
}

// beside: the element has a size, and none of it is within the width of the window.
func beside(e *walk.Element, p *walk.Page) bool {
	return e.Box.W > 0 && p.Viewport.Width > 0 && (e.Box.X >= float64(p.Viewport.Width) || e.Box.X+e.Box.W <= 0)
}
