package mind

import "math"

// backCost is what going back must be worth (SNIF-ACT's 1 at a scale of 50).
const backCost = 0.02

// turnBack leaves a page at first sight when the one before smelled better:
// U_back = what the page before still offered − what this one offers − cost.
func (m *Mind) turnBack(v *view, assessed int) (Decision, bool) {
	if len(m.trail) == 0 || m.arrived > 0 || v.place.visits > 1 || v.dialog {
		return Decision{}, false
	}
	if m.subgoal().Kind == Act && m.names(MainHeading(v.page)) {
		return Decision{}, false // the page of the thing itself is where it should be done
	}
	prev := m.places[m.trail[len(m.trail)-1]]
	if prev == nil {
		return Decision{}, false
	}
	here := 0.5*v.best + 0.5*m.followed // the chosen link's own scent counts here
	if heading := m.similar(m.subgoal(), MainHeading(v.page)); heading > here {
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

// enough: something in sight is worth a click before reading on. Who looks
// for an answer, or is in the middle of something, wants a better one.
func (m *Mind) enough(v *view) bool {
	switch {
	case m.underWay:
		return v.best >= relevant && v.onwardBest >= relevant
	case m.subgoal().Kind == Inform:
		return v.best >= m.tune.Promising+0.08
	}
	return v.best >= m.tune.Promising
}

// looked: enough was in sight for as many screenfuls as the persona goes on
// looking all the same, more where an answer is read and not clicked.
func (m *Mind) looked(v *view) bool {
	if !m.enough(v) {
		return false
	}
	if v.place.found == 0 {
		v.place.found = max(1, v.place.screens)
	}
	further := m.t.further
	switch {
	case m.subgoal().Kind == Act:
		if v.best < relevant && m.names(MainHeading(v.page)) {
			further++ // the page of the thing itself is looked through before another is tried
		}
	case m.similar(m.subgoal(), MainHeading(v.page)) >= 0.5:
		further += 3 // the right page is read rather than left by its best label
	case v.about >= objectLeast:
		further++
	}
	return v.place.screens-v.place.found >= further
}

// prior is the best that the page before still offered.
func (m *Mind) prior() float64 {
	if len(m.trail) == 0 {
		return 0
	}
	if prev := m.places[m.trail[len(m.trail)-1]]; prev != nil {
		return prev.offers
	}
	return 0
}

// scrollOn reads on while there is more and the persona still looks.
func (m *Mind) scrollOn(v *view, assessed int) (Decision, bool) {
	pl := v.place
	if pl.settled || pl.bottom || v.dialog || m.looked(v) {
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
	if h := m.similar(m.subgoal(), MainHeading(v.page)); h >= 0.5 {
		limit += 4 // the right page is worth more reading
	}
	if pl.screens > limit || m.last.Action.Type == Scroll && m.still > 0 {
		return Decision{}, false
	}
	pl.screens++
	d := Decision{Action: Action{Type: Scroll, Text: "down"}, Purpose: ReadOn, Assessed: assessed, Scent: math.Max(0, v.best)}
	d.Thought = m.scrollThought(v, assessed)
	return d, true
}

// openMenu opens what is closed and may hold more: a menu button first, then
// things that expand; here only what belongs to the matter of the page and not
// to the site around it.
func (m *Mind) openMenu(v *view, assessed int, here bool) (Decision, bool) {
	var best *percept
	score := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.e.Expanded != "false" && !p.e.Submenu || isField(p.e) || !p.usable || v.place.opened[p.key] >= v.place.visits || v.dialog && !p.e.InDialog {
			continue
		}
		if !p.seen && !v.place.saw(p.key) || here && v.around(p) {
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
	how := Click
	if best.e.Submenu && best.e.Expanded == "" && !v.touch && !m.t.keys {
		how = Hover
	}
	d := Decision{Action: Action{Type: how, Ref: best.e.Ref}, Target: best.e, Purpose: OpenMenu, Scent: m.fullWorth(best), Assessed: assessed}
	d.Thought = "Nothing here is it. Maybe it is in “" + clip(best.label, 40) + "”."
	if best.label == "" {
		d.Thought = "Nothing here is it. Maybe it is behind this icon."
		d.Signals = append(d.Signals, Signal{Kind: SigUnclear})
	}
	return d, true
}
