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
	if best != nil && effective >= aspire {
		return m.click(v, best, rivals, assessed)
	}
	if d, ok := m.turnBack(v, assessed); ok {
		return d
	}
	if m.t.searches || m.namesItem() {
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
	if best != nil && effective >= math.Max(m.t.settle, 0.45) {
		return m.click(v, best, rivals, assessed)
	}
	if d, ok := m.openMenu(v, assessed); ok {
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
		if isField(p.e) || !p.usable || v.dialog && !p.e.InDialog || p.e.Submit && p.e.Form > 0 {
			continue // what sends a form is used by filling the form in
		}
		if !p.seen && !(memory && v.place.saw(p.key)) {
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
		if m.links[p.e.Href] {
			s *= 0.3
		}
	}
	// Cautious people mistrust weak promises; unclear icons are for tinkerers.
	if p.label == "" && !m.t.tinkers {
		s *= 0.5
	}
	if p.e.Role == "menuitem" && p.e.Expanded == "" || p.e.Role == "tab" && p.e.Expanded != "true" {
		s *= 0.98
	}
	return s
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
	d.Thought = m.clickThought(v, p, rivals)
	if rivals > 0 && p.scent >= m.t.settle {
		d.Signals = append(d.Signals, Signal{Kind: SigRivals, Detail: clip(p.label, 60)})
	}
	if p.label == "" {
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
	if v.buried != nil && (best == nil || best.scent < v.buried.scent) {
		m.pending = append(m.pending, Signal{Kind: SigCovered, Selector: v.buried.e.Selector, Detail: clip(v.buried.e.CoveredBy, 80)})
		m.shock(0.05)
	}
}

// backCost is what going back must be worth (SNIF-ACT's 1 at a scale of 50).
const backCost = 0.02

// turnBack leaves a page at first sight when the one before smelled better:
// U_back = what the page before still offered − what this one offers − cost.
func (m *Mind) turnBack(v *view, assessed int) (Decision, bool) {
	if len(m.trail) == 0 || m.arrived > 0 || v.place.visits > 1 || v.dialog {
		return Decision{}, false
	}
	prev := m.places[m.trail[len(m.trail)-1]]
	if prev == nil {
		return Decision{}, false
	}
	here := 0.5*v.best + 0.5*m.followed // the chosen link's own scent counts here
	if heading := m.similar(m.subgoal(), mainHeading(v.page)); heading > here {
		here = heading
	}
	if prev.offers-here-backCost <= 0.1 {
		return Decision{}, false
	}
	m.shock(0.04)
	return m.back("This is not what I expected. The page before had something better.", assessed), true
}

func (m *Mind) back(thought string, assessed int) Decision {
	return Decision{Action: Action{Type: Back}, Purpose: Return, Thought: thought, Assessed: assessed}
}

// scrollOn reads on while there is more and the persona still looks.
func (m *Mind) scrollOn(v *view, assessed int) (Decision, bool) {
	pl := v.place
	if pl.settled || pl.bottom || v.dialog {
		return Decision{}, false
	}
	view := float64(v.page.Viewport.Height)
	if view <= 0 || v.page.Height <= 0 || v.page.ScrollY+view >= v.page.Height-8 {
		pl.bottom = true
		return Decision{}, false
	}
	limit := m.t.screens
	if m.subgoal().Kind != Act {
		limit += 3 // who looks for an answer reads on longer than who looks for a button
	}
	if h := m.similar(m.subgoal(), mainHeading(v.page)); h >= 0.5 {
		limit += 4 // the right page is worth more reading
	}
	if pl.screens > limit || m.last.Action.Type == Scroll && m.still > 0 {
		return Decision{}, false
	}
	pl.screens++
	d := Decision{Action: Action{Type: Scroll, Text: "down"}, Purpose: ReadOn, Assessed: assessed, Scent: math.Max(0, v.best)}
	d.Thought = m.scrollThought(v)
	return d, true
}

// openMenu opens what is closed and may hold more: a menu button first, then
// things that expand.
func (m *Mind) openMenu(v *view, assessed int) (Decision, bool) {
	var best *percept
	score := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.e.Expanded != "false" || isField(p.e) || !p.usable || v.place.opened[p.key] >= v.place.visits || v.dialog && !p.e.InDialog {
			continue
		}
		if !p.seen && !v.place.saw(p.key) {
			continue
		}
		s := 0.3 + p.scent
		switch {
		case has(p.w.concepts, "menu"):
			s += 0.5
		case p.label == "" && p.e.Icon:
			s += 0.1 // three bars: most have learned what they are
		case has(p.w.concepts, "accept") || has(p.w.concepts, "share"):
			s -= 0.3
		}
		if s > score {
			best, score = p, s
		}
	}
	if best == nil {
		return Decision{}, false
	}
	if v.place.menus >= maxMenus {
		return Decision{}, false
	}
	v.place.opened[best.key] = v.place.visits // once each time one comes by
	v.place.menus++
	d := Decision{Action: Action{Type: Click, Ref: best.e.Ref}, Target: best.e, Purpose: OpenMenu, Scent: m.fullWorth(best), Assessed: assessed}
	d.Thought = "Nothing here is it. Maybe it is in “" + clip(best.label, 40) + "”."
	if best.label == "" {
		d.Thought = "Nothing here is it. Maybe it is behind this icon."
		d.Signals = append(d.Signals, Signal{Kind: SigUnclear})
	}
	return d, true
}

// maxMenus bounds how many things are opened on one page.
const maxMenus = 6

// impasse tries what is left: another region's best, hub pages, back, and in
// the end gives up.
func (m *Mind) impasse(v *view, best *percept, rivals, assessed int) Decision {
	if m.still >= 3 {
		m.shock(0.2)
	}
	floor := 0.12 + 0.1*m.t.caution
	if best != nil && m.worth(v, best) >= floor && m.still < 4 {
		return m.click(v, best, rivals, assessed)
	}
	m.pending = append(m.pending, Signal{Kind: SigLostScent})
	if len(m.trail) > 0 && m.last.Action.Type != Back {
		return m.back("I cannot find it here. I go back.", assessed)
	}
	if hub := m.hub(v); hub != nil && m.still < 4 {
		d := m.click(v, hub, 0, assessed)
		d.Thought = "I am not sure, but “" + clip(hub.label, 40) + "” may lead on."
		return d
	}
	if len(m.trail) > 0 && m.still < 4 {
		return m.back("I do not know where else to look. I go back further.", assessed)
	}
	if v.buried != nil && m.usable(v) == 0 {
		return m.quit(v, EndBlocked, "What I need is covered by "+clip(v.buried.e.CoveredBy, 60)+" and I cannot get it out of the way.")
	}
	if m.usable(v) == 0 {
		return m.quit(v, EndBlocked, "There is nothing here that I can use.")
	}
	return m.quit(v, EndGaveUp, m.whyGiveUp(v))
}

// hubConcepts are labels under which sites keep the rest.
var hubConcepts = []string{"help", "about", "shop", "docs", "menu", "home", "more", "settings", "feature", "blog", "price", "contact"}

// hub is an untried label that commonly leads to other pages.
func (m *Mind) hub(v *view) *percept {
	var best *percept
	score := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if isField(p.e) || !p.usable || p.label == "" || p.e.Submit || v.place.tried[p.key] > 0 || !v.place.saw(p.key) || p.e.Href != "" && (m.links[p.e.Href] || samePage(p.e.Href, v.page.URL)) {
			continue
		}
		s := 3 * p.scent // even a faint promise beats none
		for i, c := range hubConcepts {
			if has(p.w.concepts, c) {
				s = math.Max(s, 1-0.05*float64(i)+p.scent)
			}
		}
		if p.e.Role == "link" && v.kind(p.e.Region) == "navigation" {
			s += 0.3
		}
		if dodges(m.subgoal(), p.w) {
			s = 0
		}
		if s *= 0.8 + 0.4*uniform(m.seed, "hub", p.key); s > score {
			best, score = p, s
		}
	}
	return best
}

func (v *view) kind(region int) string {
	if region < 0 || region >= len(v.page.Regions) {
		return ""
	}
	return v.page.Regions[region].Kind
}

func (m *Mind) usable(v *view) int {
	n := 0
	for i := range v.percepts {
		if v.percepts[i].usable {
			n++
		}
	}
	return n
}
