package mind

import "math"

// screenShare is the attention that screenfuls get, relative to the first:
// 57, 17, 7, 5, 3 and 2 % of the viewing time (NN/g 2018), raised to a floor
// because a seeker scrolls to find and not to pass the time.
var screenShare = [...]float64{1, 0.4, 0.3, 0.2, 0.15}

// charge adds the reading of what is new on the screen: at first sight the
// persona's share of the words, less on later screenfuls, at most 25 s.
func (m *Mind) charge(v *view) {
	n := float64(v.words) * m.t.readShare * screenShare[min(len(screenShare)-1, max(0, v.place.screens-1))]
	if v.place.visits > 1 && m.arrived == 0 {
		n *= 0.2 // known already
	}
	m.skim = math.Min(25000, m.t.readMS(int(n)))
	if m.t.contrast > 1.5 || m.t.minFont < 9 && m.t.minFont > 0 {
		m.skim *= 1.2 // enlarged or faint text is read in pieces
	}
}

// timeOf models how long a step takes a person.
func (m *Mind) timeOf(v *view, d *Decision) int {
	ms := m.skim + float64(d.Assessed)*opAssess*m.t.slow*(1+m.tune.FaintSearch*m.faintness(d.Target))
	if m.t.reader {
		// A screen reader says one label after the other.
		ms = m.skim*0.5 + float64(d.Assessed)*m.t.readMS(4)
	}
	if d.Rivals > 0 {
		ms += m.t.choiceMS(d.Rivals + 1)
	}
	switch d.Action.Type {
	case Click, Check:
		ms += opMental*m.t.slow + m.reachMS(v, d)
	case Type:
		n := len(d.Action.Text)
		if d.Action.Secret != "" {
			n = 12 // the length of a secret is not for the mind to know
		}
		ms += opMental*m.t.slow + m.reachMS(v, d) + m.t.typeMS(n)
	case Select:
		ms += opMental*m.t.slow + 2*m.reachMS(v, d) + m.t.choiceMS(len(d.Target.Options))
	case Press, Back:
		ms += opMental*m.t.slow + opHome + m.t.keyMS
	case Scroll:
		ms += opHome + 2*opPress
	case Wait:
		ms += 2000
	case Hover:
		ms += m.reachMS(v, d)
	case Upload:
		ms += opMental*m.t.slow + m.reachMS(v, d) + uploadMS*m.t.slow
	case Drag:
		ms += opMental*m.t.slow + 2*m.reachMS(v, d)
	case GiveUp, Done: // leaving takes no operation
	}
	return int(math.Min(ms, 120000))
}

// uploadMS is the browser's file dialog: find the folder, the file, and confirm;
// three mental steps with a pointing each (KLM, 3·(M + P)).
const uploadMS = 3 * (opMental + opPoint)

// readable is the contrast from which more of it helps nobody: WCAG 2.2's
// enhanced level (1.4.6).
const readable = 7.0

// faintness is how near the text of an element is to being invisible, 0 to 1.
func (m *Mind) faintness(e *Element) float64 {
	if e == nil || e.Contrast <= 0 || m.t.reader {
		return 0
	}
	low, high := leastContrast*m.t.contrast, readable*m.t.contrast
	return math.Max(0, math.Min(1, (high-e.Contrast)/(high-low)))
}

// reachMS is the time to get to an element: by pointer with Fitts' law, or with
// the Tab key past what stands before it.
func (m *Mind) reachMS(v *view, d *Decision) float64 {
	if d.Target == nil {
		return 0
	}
	if m.t.keys {
		n := 1
		for i := range v.percepts {
			if v.percepts[i].e.Ref == d.Target.Ref {
				n = i + 1
				break
			}
		}
		if d.Purpose == Fill {
			n = 1 // from field to field it is one press
		}
		return math.Min(20, float64(n)) * tabMS * m.t.slow
	}
	ms := m.t.pointMS(m.pointer, d.Target.Box, v.touch) + 2*opPress*m.t.slow
	if !d.Target.InViewport {
		ms += (opHome + 2*opPress) * math.Min(5, math.Abs(d.Target.Box.Y)/math.Max(200, float64(v.page.Viewport.Height)))
	}
	return ms + float64(m.missed)*(opPoint*m.t.slow+opMental)
}
