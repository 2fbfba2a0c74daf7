package mind

// drag moves a thing that can be dragged to the place that the goal names. Who
// has no pointer cannot; WCAG 2.2 asks for another way (2.5.7), which then is
// found like any other.
func (m *Mind) drag(v *view, p *percept, assessed int) (Decision, bool) {
	if !p.e.Draggable || m.t.keys {
		return Decision{}, false
	}
	s := m.subgoal()
	var zone *percept
	most := 0.0
	for i := range v.percepts {
		z := &v.percepts[i]
		if z.e.Role != dropzone || z.e.Ref == p.e.Ref || v.place.tried["drop|"+z.key] > 0 {
			continue
		}
		if said, _ := objectCoverage(s, z.w); said > most {
			zone, most = z, said
		}
	}
	if zone == nil {
		return Decision{}, false
	}
	v.place.tried["drop|"+zone.key]++
	return Decision{
		Action: Action{Type: Drag, Ref: p.e.Ref, To: zone.e.Ref}, Target: p.e, Purpose: Navigate,
		Scent: m.fullWorth(p), Assessed: assessed,
		Thought: "I drag “" + clip(p.label, 40) + "” to “" + clip(zone.label, 40) + "”.",
	}, true
}

// dropzone is the role of what things are dropped on; it is no control itself.
const dropzone = "dropzone"
