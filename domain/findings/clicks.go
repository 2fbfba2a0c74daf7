package findings

import (
	"strings"

	"understudy/domain/walk"
)

// deadClicks finds clicks on what looks clickable without mutation, scroll,
// navigation, tab or download within the page's settling time (PostHog's dead
// click: 2.5 s). Rage clicks are the simulated user's policy and count for what
// provoked them. The event must have reached the control. A message box of the browser is an effect; a link to the page
// that is open already has done what it says, and one to a telephone number or
// an address opens another program.
func (x *examined) deadClicks() {
	x.signals(walk.SigDeadClick, func(i int, _ walk.Signal, e *walk.Element) {
		r := &x.w.Steps[i]
		if e == nil || len(r.Effect.Dialogs) > 0 || r.Effect.NetError != "" || leadsHere(e, &r.Page) {
			return
		}
		if i+1 < len(x.w.Steps) && r.Effect.Overtaken(&x.w.Steps[i+1].Page) {
			return
		}
		if walk.IsField(e) || r.Decision.Purpose == walk.Dismiss || elsewhere(e.Href) {
			return
		}
		if e.CoveredBy == "" && (!r.Effect.Arrived || x.answered(e, i)) || e.CoveredBy == "" && x.outOfReach(i) {
			return
		}
		kind := DeadClick
		if e.CoveredBy != "" {
			kind = Covered
		}
		o := x.about(i, kind, Observed, e)
		if o.CostMS = r.Decision.SimulatedMS; !x.onWay[i] {
			o.CostMS = x.lostFrom(i)
		}
		o.Detail = clip(e.CoveredBy, 80)
		// A long shot that does nothing is no proof that the way ended there.
		o.Deterministic = o.Deterministic && (r.Decision.Purpose != walk.Navigate || r.Decision.Scent >= fairPromise) &&
			(r.Decision.Purpose != walk.OpenMenu || !unnamed(e.Name))
		if kind == DeadClick && nowhere(e.Href) {
			_, part, _ := strings.Cut(e.Href, "#")
			o.Detail = leadsNowhere + "“#" + part + "”"
		} else if again := x.clicksOn(e, i); again > 1 {
			o.Detail = strings.TrimSpace(o.Detail + " clicked several times in vain")
		}
		x.add(o)
	})
}

// elsewhere: the address is no page ("tel:", "mailto:").
func elsewhere(href string) bool {
	scheme, _, ok := strings.Cut(href, ":")
	switch {
	case !ok, strings.ContainsAny(scheme, "/?#"):
		return false
	}
	return scheme != "http" && scheme != "https" && scheme != "javascript"
}

func leadsHere(e *walk.Element, p *walk.Page) bool {
	if e.Href == "" || strings.Contains(e.Href, "#") {
		return false
	}
	here, _, _ := strings.Cut(p.URL, "#")
	return strings.TrimSuffix(e.Href, "/") == strings.TrimSuffix(here, "/")
}

// nowhere: the address is what templates have where none has been put in yet.
func nowhere(href string) bool { return strings.HasSuffix(href, "#") || strings.HasSuffix(href, "#!") }

// answered: a link to a part of its page had led there before step i, so that it has
// nothing left to do.
func (x *examined) answered(e *walk.Element, i int) bool {
	if !onPage(e.Href, &x.w.Steps[i].Page) || nowhere(e.Href) {
		return false
	}
	for j := range x.w.Steps[:i] {
		r := &x.w.Steps[j]
		if t := r.Decision.Target; t != nil && t.Href == e.Href && r.Decision.Action.Type == walk.Click && (r.Effect.Scrolled || r.Effect.Mutated || r.Effect.Navigated) {
			return true
		}
	}
	return false
}

// clicksOn counts the dead clicks on an element up to a step.
func (x *examined) clicksOn(e *walk.Element, i int) (n int) {
	for j := range x.w.Steps[:i+1] {
		t := x.w.Steps[j].Decision.Target
		if t != nil && t.Selector == e.Selector && x.w.Steps[j].HasSignal(walk.SigDeadClick) {
			n++
		}
	}
	return n
}

// quickBacks finds returns within 5 s without interaction (textbook; mind
// keeps the threshold) and moves them to the click that led there. Leaving an
// error page is that page's matter.
func (x *examined) quickBacks() {
	x.signals(walk.SigQuickBack, func(i int, _ walk.Signal, _ *walk.Element) {
		if x.w.Steps[i].Page.Status >= 400 || i == 0 {
			return
		}
		click := &x.w.Steps[i-1]
		if click.Decision.Action.Type != walk.Click || !click.Effect.Navigated || click.Decision.Target == nil {
			return
		}
		o := x.observe(i-1, QuickBack, Observed)
		o.Quote = x.w.Steps[i].Decision.Thought
		o.CostMS = click.Decision.SimulatedMS + x.w.Steps[i].Decision.SimulatedMS
		x.add(o)
	})
}
