package mind

import "math"

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

func (v *view) kind(region int) string { return v.page.kind(region) }

func (m *Mind) usable(v *view) int {
	n := 0
	for i := range v.percepts {
		if v.percepts[i].usable {
			n++
		}
	}
	return n
}
