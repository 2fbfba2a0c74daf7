package forager

import (
	"math"
	"strconv"
	"strings"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// Operators of the keystroke-level model in ms. K comes from the persona.
const (
	opPoint  = 1100 // P, where no geometry is known (Card, Moran and Newell 1983)
	opHome   = 400  // H, hand between keyboard and mouse (same)
	opMental = 1350 // M (same; CogTool 1.2 uses 1.2 s)
	opPress  = 100  // B, press or release of a button (same)
	opAssess = 275  // visual assessment of one label (CogTool-Explorer)
	opScan   = 100  // of one that is only held against a name: scanning goes at 600 words a minute (Carver 1990)
	hickMS   = 150  // b of the Hick–Hyman law in ms per bit [secondary source]
	// fittsMS and tapMS are CogTool's coefficients of Welford's form of Fitts'
	// law for a mouse and for a tap, in ms per bit; fittsLeast its floor.
	fittsMS, tapMS, fittsLeast = 100, 75, 100
	// tabMS is one press of Tab and hearing or seeing where the focus went.
	tabMS = 475
	// speechWPM is a screen reader's usual rate for people who know it [textbook].
	speechWPM = 300
	// uploadMS is the browser's file dialog, 3·(M + P).
	uploadMS = 3 * (opMental + opPoint)
	// fingerPX is what a finger adds to the endpoint's deviation [textbook].
	fingerPX = 4
	// taskShare is what reading one's task takes of the time of reading prose, so
	// that first acts come when people's do (0.7 to 2.9 s on 19 widget pages, n = 26
	// to 68 each, MiniWoB++ demonstrations of 2017).
	taskShare = 0.5
	// mostAssessed bounds how many labels are assessed in one look: an assumption.
	mostAssessed = 25
	// maxMisses bounds how often one aims at a thing in one step.
	maxMisses = 4
	// longestStep bounds the simulated time of a step, in ms.
	longestStep = 120000
)

type point struct{ x, y float64 }

func centre(b walk.Box) point { return point{b.X + b.W/2, b.Y + b.H/2} }

// readMS is the time to read so many words.
func (t *traits) readMS(n int) float64 {
	wpm := t.wpm
	if t.reader {
		wpm = math.Max(wpm, speechWPM)
	}
	return float64(n) * 60000 / wpm
}

// carry completes a decision with its slips, time, words and signals, and
// remembers it.
func (m *Mind) carry(v *view, d walk.Decision) walk.Decision {
	d.Subgoal = min(m.at, len(m.goal.Subgoals)-1)
	d.WordsRead = int(m.skim * m.t.wpm / 60000)
	m.missed = 0
	m.aim(v, &d)
	d.Signals = append(d.Signals, m.pending...)
	m.wall(v, &d)
	d.SimulatedMS = m.timeOf(v, &d)
	d.Frustration, d.Scent = round3(m.frustration()), round3(d.Scent)
	d.Observation = m.observation(v)
	if d.Target != nil {
		e := *d.Target
		d.Target = &e
		if e.InViewport {
			m.pointer = centre(e.Box)
		}
	}
	m.last = d
	return d
}

// wall notes a block too long to be read on a page that is new.
func (m *Mind) wall(v *view, d *walk.Decision) {
	if v.at.visits != 1 || m.last.Purpose == walk.Fill || v.at.screens > 0 {
		return
	}
	longest := 0
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; m.reads(t) {
			longest = max(longest, strings.Count(t.Text, " ")+1)
		}
	}
	if longest > wallOfText {
		d.Signals = append(d.Signals, walk.Signal{Kind: walk.SigLongText, Detail: strconv.Itoa(longest) + " words in one block"})
	}
}

// timeOf models how long a step takes a person. Who knows what is to be done and
// sees it does not stop to think: the mental operator is paid where there is a
// choice (KLM's rules for placing M).
func (m *Mind) timeOf(v *view, d *walk.Decision) int {
	d.Assessed = min(d.Assessed, mostAssessed)
	switch {
	case d.End == walk.EndDone && m.goal.Subgoals[d.Subgoal].Kind == task.Act, d.Scent >= named && d.Purpose != walk.Finish:
		m.skim = 0 // who knows what to use, or is done, reads nothing else
	case m.subgoal().Kind == task.Act:
		m.skim *= actSkim
	}
	assess := float64(opAssess)
	if m.subgoal().Literal != "" {
		assess = opScan
	}
	ms := m.skim + float64(d.Assessed)*assess*m.t.slow*(1+m.faintness(d.Target))
	if m.t.reader {
		ms = m.skim*0.5 + float64(d.Assessed)*m.t.readMS(4) // one label is said after the other
	}
	m.lookMS = ms
	if m.steps == 1 {
		ms += taskShare * m.t.readMS(strings.Count(m.goal.Task, " ")+1) // the instruction
	}
	if d.Rivals > 0 {
		ms += hickMS * math.Log2(float64(d.Rivals)+2) * m.t.slow
	}
	if m.again(d) { // the hand stays where it is, and so does the eye
		return int(m.skim + 2*opPress*m.t.slow)
	}
	if m.last.Action.Type == walk.Type && d.Target != nil && !m.t.keys && !v.touch {
		ms += opHome * m.t.slow // back to the mouse
	}
	think := opMental * m.t.slow * math.Max(0, 1-d.Scent*d.Scent)
	switch d.Action.Type {
	case walk.Click, walk.RightClick, walk.Check:
		ms += think + m.reachMS(v, d)
	case walk.DoubleClick:
		ms += think + m.reachMS(v, d) + 2*opPress*m.t.slow
	case walk.Type:
		n := len(d.Action.Text)
		if d.Target != nil && d.Target.Multiline {
			n = changed(d.Target.Value, d.Action.Text)
		}
		if d.Action.Secret != "" {
			n = 12 // the length of a secret is not for the mind to know
		}
		ms += think + m.reachMS(v, d) + opHome*m.t.slow + float64(n)*m.t.keyMS
	case walk.Select:
		ms += think + 2*m.reachMS(v, d)
		if d.Target != nil {
			ms += hickMS * math.Log2(float64(len(d.Target.Options))+1) * m.t.slow
		}
	case walk.Press, walk.Back:
		ms += opHome + m.t.keyMS
	case walk.Scroll:
		ms += opHome + 2*opPress
	case walk.Wait:
		ms += 2000
	case walk.Hover:
		ms += m.reachMS(v, d)
	case walk.Upload:
		ms += think + m.reachMS(v, d) + uploadMS*m.t.slow
	case walk.Drag:
		ms += think + 2*m.reachMS(v, d)
	case walk.Append, walk.GiveUp, walk.Done: // cost the look alone
	}
	return int(math.Min(ms, longestStep))
}

// changed is how much of a text is typed by who has the cursor where it differs from what
// stands there, in bytes.
func changed(from, to string) int {
	same := 0
	for same < min(len(from), len(to)) && from[same] == to[same] {
		same++
	}
	from, to = from[same:], to[same:]
	for same = 0; same < min(len(from), len(to)) && from[len(from)-1-same] == to[len(to)-1-same]; {
		same++
	}
	return max(len(from), len(to)) - same
}

// again: the button that a value is turned with is pressed once more.
func (m *Mind) again(d *walk.Decision) bool {
	return m.move != nil && m.missed == 0 && d.Purpose == walk.Fill && m.last.Purpose == walk.Fill && d.Action.Type == walk.Click && m.last.Action.Type == walk.Click &&
		d.Target != nil && m.last.Target != nil && m.site.key(d.Target) == m.site.key(m.last.Target)
}

// faintness is how near the text of a control is to being invisible, 0 to 1.
func (m *Mind) faintness(e *walk.Element) float64 {
	if e == nil || e.Contrast <= 0 || m.t.reader {
		return 0
	}
	low, high := leastContrast*m.t.contrast, readableText*m.t.contrast
	return math.Max(0, math.Min(1, (high-e.Contrast)/(high-low)))
}

// reachMS is the time to get to a control: by pointer with Fitts' law, an unsteady
// hand making it effectively smaller by twice its endpoint error, or with the Tab
// key past what stands before it.
func (m *Mind) reachMS(v *view, d *walk.Decision) float64 {
	if d.Target == nil {
		return 0
	}
	if m.t.keys {
		n := 1
		for i := range v.percepts {
			if v.percepts[i].e.Ref == d.Target.Ref && d.Purpose != walk.Fill { // from field to field it is one press
				n = i + 1
				break
			}
		}
		return math.Min(20, float64(n)) * tabMS * m.t.slow
	}
	b := d.Target.Box
	w := math.Max(4, math.Min(b.W, b.H)-2*(m.t.sigma-2))
	bits := math.Log2(math.Hypot(b.X+b.W/2-m.pointer.x, b.Y+b.H/2-m.pointer.y)/w + 0.5)
	coefficient := float64(fittsMS)
	if v.touch {
		coefficient = tapMS
	}
	miss := float64(fittsLeast + 2*opPress + opAssess) // one sees that nothing came, and aims again from beside
	return (math.Max(fittsLeast, coefficient*bits) + 2*opPress + float64(m.missed)*miss) * m.t.slow
}

// aim lands the pointer. The endpoint's error is normal in both directions with
// the persona's deviation, a finger adding to it, so that small targets are
// missed: beside them is mostly nothing and one aims again; where something else
// stands there, that is what is clicked.
func (m *Mind) aim(v *view, d *walk.Decision) {
	e := d.Target
	if e == nil || m.t.keys {
		return
	}
	switch d.Action.Type {
	case walk.Click, walk.DoubleClick, walk.RightClick, walk.Check, walk.Type, walk.Select, walk.Hover, walk.Upload, walk.Drag:
	default:
		return
	}
	sigma := m.t.sigma
	if v.touch {
		sigma += fingerPX
	}
	key := m.site.key(e)
	for m.missed < maxMisses {
		try := strconv.Itoa(m.steps*maxMisses + m.missed)
		dx, dy := sigma*gauss(m.seed, "aim x", key, try), sigma*gauss(m.seed, "aim y", key, try)
		if math.Abs(dx) <= e.Box.W/2 && math.Abs(dy) <= e.Box.H/2 {
			break
		}
		m.missed++
		if d.Purpose != walk.Navigate && d.Purpose != walk.OpenMenu {
			continue // beside a field there is a field: one sees it and aims again
		}
		at := centre(e.Box)
		if p := v.under(point{at.x + dx, at.y + dy}, e); p != nil {
			m.slip(v, d, p)
			break
		}
	}
	if m.missed > 0 {
		m.shock(0.03 * float64(m.missed))
		m.pending = append(m.pending, walk.Signal{Kind: walk.SigMissedTarget, Selector: e.Selector})
	}
}

// slip clicks something else than was meant, which is not thereby tried.
func (m *Mind) slip(v *view, d *walk.Decision, instead *percept) {
	m.site.try(m.at, v.at.key, m.site.key(d.Target), -1)
	m.site.unvisit(m.at, d.Target.Href)
	d.Target, d.Action.Ref, d.Scent = instead.e, instead.e.Ref, instead.scent
	d.Thought += " " + m.say("slip")
	m.came, m.slipped = "", true
}

// under is the link or button at a point that is neither the control meant nor
// around it, nil for none.
func (v *view) under(at point, meant *walk.Element) *percept {
	holds := func(b walk.Box, p point) bool { return p.x >= b.X && p.x <= b.X+b.W && p.y >= b.Y && p.y <= b.Y+b.H }
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.e != meant && !walk.IsField(p.e) && p.usable && p.e.InViewport && holds(p.e.Box, at) && !holds(p.e.Box, centre(meant.Box)) {
			return p
		}
	}
	return nil
}

func round3(v float64) float64 { return math.Round(v*1000) / 1000 }
