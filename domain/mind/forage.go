package mind

import (
	"math"
	"sort"
	"strings"
)

// group is a region with its elements, the unit that is looked at first
// (CoLiDeS: a region is chosen by its heading, then a widget in it).
type group struct {
	items []*percept
	rank  float64
}

// forage follows the scent: on a first pass region by region until something
// reaches the aspiration level, reading on while nothing does, then with a
// lower aspiration the best of what was seen, a menu, the search box, back.
func (m *Mind) forage(v *view) Decision {
	pl := v.place
	best, rivals, assessed := m.scan(v)
	m.note(v, best)
	effective := 0.0
	if best != nil {
		effective = m.worth(v, best)
	}
	aspire := m.t.aspiration
	if pl.settled || pl.visits > 1 {
		aspire = m.t.settle
	}
	if m.underWay && (best == nil || effective < relevant) {
		// What was begun goes on further down rather than elsewhere.
		if d, ok := m.scrollOn(v, assessed); ok {
			return d
		}
		// The way on belongs here, if only under something that is closed.
		if d, ok := m.openMenu(v, assessed, true); ok {
			return d
		}
	}
	if best != nil && effective >= m.t.settle {
		if d, ok := m.drag(v, best, assessed); ok {
			return d
		}
	}
	if best != nil && effective >= aspire {
		return m.click(v, best, rivals, assessed)
	}
	if d, ok := m.turnBack(v, assessed); ok {
		return d
	}
	if !m.underWay && (m.t.searches || m.namesItem()) { // what was begun is gone on with, not looked for
		if d, ok := m.useSearch(v, effective, assessed); ok {
			return d
		}
	}
	if d, ok := m.scrollOn(v, assessed); ok {
		return d
	}
	if !pl.settled {
		// The second pass takes in what was seen on the way here.
		pl.settled = true
		var n int
		best, rivals, n = m.scan(v)
		assessed += n / 4
		if best != nil {
			effective = m.worth(v, best)
		}
	}
	if similarity(m.subgoal(), m.dict.of(MainHeading(v.page))) >= calledSo {
		// The page that is called so is looked through, its closed parts too, before it is left.
		if d, ok := m.openMenu(v, assessed, true); ok {
			return d
		}
	}
	if prior := m.prior(); prior > effective+backCost && prior >= m.t.settle && m.last.Action.Type != Back {
		return m.back("This leads no further. The page before had something better.", assessed)
	}
	if best != nil && effective >= math.Max(m.t.settle, 0.45) {
		return m.click(v, best, rivals, assessed)
	}
	if d, ok := m.openMenu(v, assessed, false); ok {
		return d
	}
	if d, ok := m.useSearch(v, effective, assessed); ok {
		return d
	}
	if best != nil && effective >= m.t.settle {
		return m.click(v, best, rivals, assessed)
	}
	return m.impasse(v, best, rivals, assessed)
}

// scan assesses what is visible, region by region, and after the first pass
// what is remembered too. It returns the best, how many were as good, and how
// many labels were looked at.
func (m *Mind) scan(v *view) (best *percept, rivals, assessed int) {
	groups := m.groups(v)
	scoreOf := func(p *percept) float64 { return m.worth(v, p) }
	for _, g := range groups {
		n := len(g.items)
		if n > 12 && !m.t.reader {
			n = 12 + (n-12)/4 // long lists of siblings are skimmed
		}
		assessed += n
		for _, p := range g.items {
			if best == nil || scoreOf(p) > scoreOf(best) {
				best = p
			}
		}
		if best != nil && scoreOf(best) >= m.t.aspiration {
			break
		}
	}
	if best == nil {
		return nil, 0, assessed
	}
	top := scoreOf(best)
	for _, g := range groups {
		for _, p := range g.items {
			if p != best && p.e.InViewport && scoreOf(p) >= top-0.04 && p.label != "" && (p.e.Href == "" || p.e.Href != best.e.Href) {
				rivals++
			}
		}
	}
	v.place.scents += top
	v.place.count++
	return best, rivals, assessed
}

// groups sorts the clickable percepts into regions, the most promising first.
func (m *Mind) groups(v *view) []group {
	byRegion := map[int]int{}
	var out []group
	memory := v.place.settled || m.t.reader
	for i := range v.percepts {
		p := &v.percepts[i]
		if isField(p.e) || p.e.Role == dropzone || !p.usable || v.dialog && !p.e.InDialog || p.e.Submit && v.filled[p.e.Form] {
			continue // what sends a form with fields is used by filling the form in
		}
		if !p.seen && (!memory || !v.place.saw(p.key)) {
			continue
		}
		at, ok := byRegion[p.e.Region]
		if !ok {
			at = len(out)
			byRegion[p.e.Region] = at
			out = append(out, group{rank: m.regionRank(v, p.e.Region)})
		}
		out[at].items = append(out[at].items, p)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].rank > out[j].rank })
	return out
}

// regionRank is how early a region is looked at: its heading's scent, and what
// people expect of its kind. Footers come last.
func (m *Mind) regionRank(v *view, region int) float64 {
	if region < 0 || region >= len(v.page.Regions) {
		return 0.1
	}
	r := v.headings[region]
	switch v.page.Regions[region].Kind {
	case "dialog":
		r += 1
	case "navigation", "banner":
		r += 0.15
	case "contentinfo":
		r -= 0.3
	case "complementary":
		r -= 0.1
	}
	return r
}

// worth is the scent of a percept less what is known of it: tried already,
// leads where we are or have been.
func (m *Mind) worth(v *view, p *percept) float64 {
	s := p.scent
	if n := v.place.tried[p.key]; n > 0 {
		s *= math.Pow(0.3, float64(n))
	}
	if p.e.Href != "" {
		if samePage(p.e.Href, v.page.URL) && !strings.Contains(p.e.Href, "#") {
			return 0.005
		}
		if abroad(p.e.Href, v.page.URL) {
			s *= abroadShare
		}
		if leadsHome(p.e, v.page) {
			s = math.Min(s, homeWorth) // everybody knows where the logo leads
		}
		if m.links[p.e.Href] {
			s *= 0.3
		}
	}
	if m.underWay && !v.onward(p) {
		s *= asideShare
	}
	// Cautious people mistrust weak promises; unclear icons are for tinkerers.
	if p.label == "" && !m.t.tinkers {
		s *= 0.5
	}
	if p.e.Expanded == "true" && p.e.Role != "tab" && v.place.tried[p.key] > 0 {
		s *= closeShare
	}
	if p.e.Role == "menuitem" && p.e.Expanded == "" || p.e.Role == "tab" && p.e.Expanded != "true" {
		s *= 0.98
	}
	return s
}

const (
	// abroadShare is what is left of the scent of links to other sites: what is
	// looked for is looked for here.
	abroadShare = 0.4
	// closeShare is what is left of the scent of what one has opened oneself: it
	// can only be closed again.
	closeShare = 0.1
	// calledSo is how well a page's own name must fit for it to be looked through.
	calledSo = 0.4
	// homeWorth is what a link to the front page promises, asideShare what is
	// left of the scent of things that lead away from what was begun: both are
	// assumptions, calibrated on our test pages.
	homeWorth, asideShare = 0.05, 0.35
)

// onward: the thing belongs to what was begun and not to the site around it,
// nor to going back in it.
func (v *view) onward(p *percept) bool {
	next := has(p.w.concepts, "continue") || has(p.w.concepts, "confirm")
	switch {
	case v.around(p):
		return false
	case v.kind(p.e.Region) == "complementary": // a basket's sum and its way on often stand at the side
		return next || has(p.w.concepts, "checkout")
	}
	return next || !has(p.w.concepts, "edit")
}

// around: the thing belongs to the site around the page's matter.
func (v *view) around(p *percept) bool { return surrounding[v.kind(p.e.Region)] }

// surrounding are the kinds of regions around a page's matter.
var surrounding = set(`banner navigation contentinfo`)

// abroad: the link leaves the site, that is, the last two labels of its host
// differ (www.example.com and docs.example.com are one site).
func abroad(href, url string) bool {
	site := func(raw string) string {
		labels := strings.Split(host(raw), ".")
		return strings.Join(labels[max(0, len(labels)-2):], ".")
	}
	return host(href) != "" && host(href) != host(url) && site(href) != site(url)
}

func samePage(a, b string) bool {
	cut := func(s string) string {
		s, _, _ = strings.Cut(s, "#")
		return strings.TrimSuffix(s, "/")
	}
	return cut(a) == cut(b)
}

// click acts on a percept.
func (m *Mind) click(v *view, p *percept, rivals, assessed int) Decision {
	v.place.tried[p.key]++
	if p.e.Href != "" && !strings.Contains(p.e.Href, "#") {
		m.links[p.e.Href] = true
	}
	m.followed = p.scent
	if s := m.subgoal(); instructs(s, p.w) > fit(s, p.w) {
		m.hubs++
	}
	v.place.offers = 0
	for i := range v.percepts {
		if o := &v.percepts[i]; o != p && v.place.saw(o.key) && !isField(o.e) && o.usable {
			v.place.offers = math.Max(v.place.offers, m.worth(v, o))
		}
	}
	d := Decision{
		Action: Action{Type: Click, Ref: p.e.Ref}, Target: p.e, Purpose: Navigate,
		Scent: m.fullWorth(p), Rivals: rivals, Assessed: assessed,
	}
	d.Thought = m.clickThought(v, p, rivals, assessed)
	if rivals > 0 && p.scent >= m.t.settle {
		d.Signals = append(d.Signals, Signal{Kind: SigRivals, Detail: clip(p.label, 60)})
	}
	if p.label == "" || p.shape {
		d.Signals = append(d.Signals, Signal{Kind: SigUnclear})
	}
	if p.scent < m.t.settle {
		d.Signals = append(d.Signals, Signal{Kind: SigHesitation})
	}
	first := v.place.seen[p.key]
	if first.screen > 1 && p.scent >= m.t.settle && !m.t.reader {
		d.Signals = append(d.Signals, Signal{Kind: SigBelowFold})
	}
	if m.last.Purpose == OpenMenu && first.step == m.steps && !m.t.reader {
		d.Signals = append(d.Signals, Signal{Kind: SigHiddenMenu})
	}
	return d
}

func (m *Mind) fullWorth(p *percept) float64 { return math.Max(0, math.Min(1, p.scent)) }

// note keeps what the mind wants to report about things missed.
func (m *Mind) note(v *view, best *percept) {
	if v.overlooked != nil && (best == nil || best.scent < v.overlooked.scent) {
		m.pending = append(m.pending, Signal{Kind: SigHardToSee, Selector: v.overlooked.e.Selector, Detail: clip(v.overlooked.label, 60)})
	}
	if v.unreachable != nil && (best == nil || best.scent < v.unreachable.scent) {
		m.pending = append(m.pending, Signal{Kind: SigMouseOnly, Selector: v.unreachable.e.Selector, Detail: clip(v.unreachable.label, 60)})
		m.shock(0.05)
	}
	if v.buried != nil && (best == nil || best.scent < v.buried.scent) {
		m.pending = append(m.pending, Signal{Kind: SigCovered, Selector: v.buried.e.Selector, Detail: clip(v.buried.e.CoveredBy, 80)})
		m.shock(0.05)
	}
}
