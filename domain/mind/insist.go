package mind

// insist clicks a promising thing again that did nothing: most people try once
// more, tinkerers and the impatient twice, which is what products count as a
// rage click. It is our policy about people and no evidence about the page; the
// dead click that provoked it is.
func (m *Mind) insist(v *view) (Decision, bool) {
	if m.last.Action.Type != Click || m.last.Purpose != Navigate || m.last.Target == nil || m.still == 0 ||
		m.last.Scent < m.t.settle || m.repeats >= m.t.insists {
		return Decision{}, false
	}
	key := elementKey(m.last.Target)
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.key != key || !p.usable || !p.e.InViewport {
			continue
		}
		m.repeats++
		v.place.tried[p.key]++
		d := Decision{Action: Action{Type: Click, Ref: p.e.Ref}, Target: p.e, Purpose: Navigate, Scent: m.fullWorth(p)}
		d.Thought = pickText(m.seed, p.key, "Nothing happens. I click again.", "Did that do anything? Once more.")
		if m.repeats > 1 {
			d.Thought = "Come on! Still nothing."
		}
		return d, true
	}
	return Decision{}, false
}
