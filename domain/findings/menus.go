package findings

import (
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// inMenus finds what led on and was not there before something had been opened.
// A menu that is called one is where everybody looks, and so is a control whose
// words promise what is in it: there it takes a long search or a wrong turn to
// make it an issue, elsewhere half of it.
func (x *examined) inMenus() {
	for i := range x.w.Steps {
		e := x.w.Steps[i].Decision.Target
		if !x.led(i) || e == nil || walk.IsField(e) || onPage(e.Href, &x.w.Steps[i].Page) {
			continue
		}
		k := x.opener(i, e)
		if k < 0 {
			continue
		}
		opened := x.w.Steps[k].Decision.Target
		ms := x.lostAtPlace(i)
		limit := searchMS / 2
		if opened != nil && x.expected(i, opened) {
			limit = 2 * searchMS
		}
		if ms < limit {
			continue
		}
		o := x.about(i, HiddenInMenu, Observed, e)
		if opened != nil && opened.Name != "" {
			o.Detail = "under " + walk.Quote(clip(opened.Name, 60))
		}
		o.CostMS = ms
		x.add(o)
	}
}

// opener is the step at the place of step i that brought the element to light,
// -1 when it was there all along.
func (x *examined) opener(i int, e *walk.Element) int {
	for k := i - 1; k >= 0; k-- {
		r := &x.w.Steps[k]
		if x.places[k] != x.places[i] {
			return -1
		}
		if elementBySelector(&r.Page, e.Selector) != nil {
			continue
		}
		if t := r.Decision.Action.Type; r.Effect.Mutated && !r.Effect.Navigated && (t == walk.Click || t == walk.Hover || t == walk.Press) && r.Decision.Purpose != walk.Fill && r.Decision.Purpose != walk.Dismiss {
			return k
		}
		return -1
	}
	return -1
}

// lostAtPlace is the simulated time in ms from the first look at the place of a
// step to it, less what led on meanwhile and what forms and dialogs took.
func (x *examined) lostAtPlace(i int) (ms int) {
	for j := slices.Index(x.places, x.places[i]); j >= 0 && j < i; j++ {
		d := &x.w.Steps[j].Decision
		if d.Purpose == walk.Fill || d.Purpose == walk.Dismiss || x.onWay[j] && x.places[j] != x.places[i] {
			continue
		}
		ms += d.SimulatedMS
	}
	return ms
}

// expected: the control is where everybody looks for more, or says what is in it.
func (x *examined) expected(i int, opener *walk.Element) bool {
	return language.Read(opener.Name).Has("menu") || opener.Role == "menuitem" || x.promise(i, opener.Name) >= relevantPromise
}

// menuLinks is from how many links on what a control hides is a list of pages,
// a menu whatever it is called (an assumption, calibrated on our clean sites).
const menuLinks = 4

// hidden is the link that clearly promises the goal and that a control keeps
// closed whose words say nothing of it, nil without one. Menus are expected,
// their icons too.
func (x *examined) hidden(i int, e *walk.Element, fits func(*walk.Held) bool) *walk.Held {
	if e.Expanded != "false" || e.Icon || len(e.Holds) >= menuLinks || walk.IsField(e) || x.expected(i, e) {
		return nil
	}
	for k := range e.Holds {
		if h := &e.Holds[k]; x.promise(i, h.Name) >= relevantPromise && !onPage(h.Href, &x.w.Steps[i].Page) && fits(h) {
			return h
		}
	}
	return nil
}

// onPage: the link goes to another part of the page that it is on, such as an
// entry of a long page's contents: closed or not, what it leads to can be read
// without it. A fragment that is a route is another page.
func onPage(href string, p *walk.Page) bool {
	_, part, ok := strings.Cut(href, "#")
	return ok && !strings.HasPrefix(part, "/") && !strings.HasPrefix(part, "!") && (strings.HasPrefix(href, "#") || sameAddress(href, p.URL))
}

// inside is the observation that a link is hidden in what a control keeps closed;
// its box is the control's.
func (x *examined) inside(i int, c Channel, opener *walk.Element, h *walk.Held) Observation {
	o := x.about(i, HiddenInMenu, c, opener)
	o.Element.Role, o.Element.Name, o.Element.Selector = "link", clip(h.Name, 120), h.Selector
	if opener.Name != "" {
		o.Detail = "under " + walk.Quote(clip(opener.Name, 60))
	}
	return o
}

// passedClosed records what was hidden at look j in closed controls on the
// screen and led where step i went by something else.
func (x *examined) passedClosed(j, i, cost int, said map[string]bool) {
	if cost < searchMS/2 {
		return
	}
	r := &x.w.Steps[i]
	page := &x.w.Steps[j].Page
	for k := range page.Elements {
		e := &page.Elements[k]
		if !e.InViewport {
			continue
		}
		h := x.hidden(j, e, func(h *walk.Held) bool {
			return sameAddress(h.Href, r.Decision.Target.Href, r.Effect.URL) && (h.Selector != r.Decision.Target.Selector || x.places[i] != x.places[j])
		})
		if h == nil || said[x.places[j]+"\x00"+h.Selector] {
			continue
		}
		said[x.places[j]+"\x00"+h.Selector] = true
		o := x.inside(j, Observed, e, h)
		o.CostMS = cost
		x.add(o)
	}
}
