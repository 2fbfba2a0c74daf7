package mind

import (
	"math"
	"strconv"
)

// fingerPX is what a finger adds to the endpoint's deviation, in CSS px: about
// the 1.5 mm of a fingertip's contact [textbook].
const fingerPX = 4

// maxMisses bounds how often one aims at a thing in one step.
const maxMisses = 4

// aim lands the pointer. The endpoint's error is normal in both directions
// with the persona's deviation, a finger adding to it, so that small targets
// are missed: beside them is mostly nothing and one aims again; where something
// else stands there, that is what is clicked. It returns how often was aimed in
// vain, and what was hit instead, nil for the target.
func (m *Mind) aim(v *view, d *Decision) (misses int, instead *percept) {
	e := d.Target
	if e == nil || m.t.keys {
		return 0, nil
	}
	switch d.Action.Type {
	case Click, Check, Type, Select, Hover, Upload, Drag:
	default:
		return 0, nil
	}
	sigma := m.t.sigma
	if v.touch {
		sigma += fingerPX
	}
	key := elementKey(e)
	for misses < maxMisses {
		try := strconv.Itoa(v.place.aimed[key])
		v.place.aimed[key]++
		dx, dy := sigma*gauss(m.seed, "aim x", key, try), sigma*gauss(m.seed, "aim y", key, try)
		if math.Abs(dx) <= e.Box.W/2 && math.Abs(dy) <= e.Box.H/2 {
			return misses, nil
		}
		misses++
		if d.Purpose != Navigate && d.Purpose != OpenMenu {
			continue // beside a field there is a field: one sees it and aims again
		}
		at := centre(e.Box)
		if p := v.under(point{at.x + dx, at.y + dy}, e); p != nil {
			return misses, p
		}
	}
	return misses, nil
}

// under is the link or button at a point that is neither the element meant nor
// around it, nil for none.
func (v *view) under(at point, meant *Element) *percept {
	for i := range v.percepts {
		p := &v.percepts[i]
		b := p.e.Box
		if p.e == meant || isField(p.e) || !p.usable || !p.e.InViewport || at.x < b.X || at.x > b.X+b.W || at.y < b.Y || at.y > b.Y+b.H {
			continue
		}
		c := centre(meant.Box)
		if c.x >= b.X && c.x <= b.X+b.W && c.y >= b.Y && c.y <= b.Y+b.H {
			continue
		}
		return p
	}
	return nil
}

// land carries out the aim of a decision: its cost in tries, and the wrong turn
// when something else was hit.
func (m *Mind) land(v *view, d *Decision) {
	misses, instead := m.aim(v, d)
	if misses == 0 {
		return
	}
	m.missed = misses
	s := Signal{Kind: SigMissedTarget, Selector: d.Target.Selector}
	m.shock(0.03 * float64(misses))
	if instead != nil {
		s.Detail = "hit “" + clip(instead.label, 40) + "” instead"
		meant := d.Target
		for i := range v.percepts {
			if p := &v.percepts[i]; p.e == meant {
				// It was not tried: what it promises is still to be had here.
				v.place.tried[p.key] = max(0, v.place.tried[p.key]-1)
				v.place.offers = math.Max(v.place.offers, m.worth(v, p))
				if p.e.Href != "" {
					delete(m.links, p.e.Href)
				}
			}
		}
		d.Target, d.Action.Ref = instead.e, instead.e.Ref
		limb := "hand"
		if v.touch {
			limb = "finger"
		}
		d.Thought += " But my " + limb + " slips."
		m.followed = 0
	}
	d.Signals = append(d.Signals, s)
}
