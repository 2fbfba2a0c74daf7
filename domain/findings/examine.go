package findings

import (
	"slices"

	"understudy/domain/forager"
	"understudy/domain/persona"
	"understudy/domain/walk"
)

// examined is one walk as the detectors see it.
type examined struct {
	w      walk.Walked
	reader *forager.Reader
	// onWay are the steps that led on, places the place of each step.
	onWay  map[int]bool
	places []string
	// taken is the first step at the frontier of a walk that fell short, -1
	// without any.
	taken int
	out   []Observation
}

// detectors in the order in which they look; each file says what it looks for.
var detectors = []func(*examined){
	(*examined).failures,
	(*examined).deadClicks,
	(*examined).quickBacks,
	(*examined).refusals,
	(*examined).unconfirmed,
	(*examined).emptySearches,
	(*examined).disabled,
	(*examined).unlabelled,
	(*examined).trustRisks,
	(*examined).hardToSee,
	(*examined).covered,
	(*examined).mouseOnly,
	(*examined).smallTargets,
	(*examined).unclear,
	(*examined).missed,
	(*examined).belowFold,
	(*examined).offScreen,
	(*examined).unseenButtons,
	(*examined).inMenus,
	(*examined).competing,
	(*examined).waits,
	(*examined).shifts,
	(*examined).words,
	(*examined).interruptions,
	(*examined).lost,
	(*examined).audited,
	(*examined).limits,
	(*examined).walled,
	(*examined).late,
}

// examine looks for what the steps of a walk show, in their order.
func examine(w walk.Walked) *examined {
	x := &examined{w: w, reader: forager.NewReader(w.Goal), onWay: map[int]bool{}, places: make([]string, len(w.Steps))}
	for _, i := range w.Path() {
		x.onWay[i] = true
	}
	for i := range w.Steps {
		x.places[i] = placeOf(&w.Steps[i].Page)
	}
	x.taken = x.frontier()
	for _, detect := range detectors {
		detect(x)
	}
	for i := range x.out {
		x.out[i].Resolved = x.leftBehind(&x.out[i])
		x.out[i].Unmet = x.out[i].Channel == Static && !touches(&x.out[i], w.Persona.Facets)
	}
	return x
}

// touches reports whether what a rule objects to hinders people like these: what only
// software is not told hinders who hears a page, what is small the unsteady, what is
// faint those who see badly.
func touches(o *Observation, f persona.Facets) bool {
	blind := f.ScreenReader
	switch o.Kind {
	case MouseOnly:
		return blind || f.KeyboardOnly
	case UnlabelledField:
		return blind || o.Detail == onlyPlaceholder
	case UnclearLabel, AccessibilityRule:
		return blind
	case SmallTarget:
		return f.MotorPrecision < 1
	case LowContrast:
		return f.Vision.ContrastFactor > 1
	}
	return true
}

// observations are what was found less what something else explains, by step;
// of one kind at one element and place the costliest stands for all.
func (x *examined) observations() []Observation {
	out := rootsOf(x.out)
	type key struct{ kind, element, place string }
	at, until := map[key]int{}, map[key]int{} // until when in the walk what was met has cost time
	kept := out[:0]
	for _, o := range out {
		k := key{o.Kind + string(o.Channel), normalSelector(o.Element), o.Place}
		j, known := at[k]
		if !known {
			at[k], until[k] = len(kept), x.w.Steps[o.Step].ClockMS+o.CostMS
			kept = append(kept, o)
			continue
		}
		old := &kept[j]
		cost := max(old.CostMS, o.CostMS)
		if from := x.w.Steps[o.Step].ClockMS; o.Channel == Observed {
			// Met twice, lost twice; but no second is lost twice.
			cost = old.CostMS + max(0, from+o.CostMS-max(from, until[k]))
			until[k] = max(until[k], from+o.CostMS)
		}
		if o.CostMS > old.CostMS {
			*old = o
		}
		old.CostMS = cost
		old.Resolved = old.Resolved && o.Resolved
	}
	slices.SortStableFunc(kept, func(a, b Observation) int { return a.Step - b.Step })
	return kept
}

// leftBehind: a later step led on from the observation's place, and the walk
// did not end there.
func (x *examined) leftBehind(o *Observation) bool {
	last := len(x.places) - 1
	if x.w.Outcome == walk.Succeeded {
		return true
	}
	if last < 0 || x.places[last] == o.Place {
		return false
	}
	for j := o.Step; j <= last; j++ {
		if x.led(j) && x.places[j] == o.Place {
			return true
		}
	}
	return false
}

// led reports whether a step led to the goal, or to a form that was sent and
// taken on the way. What else a walk that fell short went on with was not the
// way, whatever it came to.
func (x *examined) led(i int) bool {
	return x.onWay[i] && (x.w.Outcome == walk.Succeeded || i < x.taken)
}

// stuckShare is the part of a walk without progress from which it counts as
// going round in circles (an assumption).
const stuckShare = 0.5

// stuck: the budget ended the walk, and at least half of its time was lost.
func (x *examined) stuck() bool {
	if x.w.Outcome != walk.OutOfSteps {
		return false
	}
	way := 0
	for i := range x.w.Steps {
		if x.onWay[i] {
			way += x.w.Steps[i].Decision.SimulatedMS
		}
	}
	return float64(x.w.SimulatedMS-way) >= stuckShare*float64(x.w.SimulatedMS)
}

// heldUp: the budget ended a walk that had met, in the first half of its time,
// what stops everybody, and never got past it, whatever else it tried.
func (x *examined) heldUp() bool {
	return x.w.Outcome == walk.OutOfSteps && slices.ContainsFunc(x.out, func(o Observation) bool {
		met := x.w.Steps[slices.Index(x.places, o.Place)].ClockMS
		return o.Channel == Observed && weightOf[o.Kind] == 3 && !o.Resolved &&
			float64(x.w.SimulatedMS-met) >= stuckShare*float64(x.w.SimulatedMS)
	})
}

// fellShort is Session.fellShort before observations, and what is held up by them, are known.
func (x *examined) fellShort() bool {
	return x.w.Outcome == walk.GaveUp || x.w.Outcome == walk.Blocked || x.stuck()
}

// frontier is the first step at the place that the last thing which was sent
// and taken led to, -1 without any. Sending the same again, and searching, lead
// no further.
func (x *examined) frontier() int {
	at := -1
	sent := map[string]bool{}
	for i := range x.w.Steps {
		d := &x.w.Steps[i].Decision
		if d.Purpose != walk.Submit || d.Target == nil || i+1 >= len(x.places) || x.places[i+1] == x.places[i] || !x.w.Steps[i].Effect.Taken() {
			continue
		}
		key := normalSelector(pointAt(d.Target)) + x.places[i+1]
		if r := &x.w.Steps[i+1].Page; !sent[key] && r.Status < 400 {
			sent[key] = true
			if first := slices.Index(x.places, x.places[i+1]); at < 0 || first > at {
				at = first
			}
		}
	}
	return at
}

// scentEnds is the first step at the place where what promised to lead on ended: from the
// frontier by promising links and searches to places not seen before (information
// foraging, Pirolli & Card 1999); -1 when nothing was sent and taken.
func (x *examined) scentEnds() int {
	at := x.taken
	if at < 0 {
		return -1
	}
	known := map[string]bool{}
	for i, place := range x.places {
		if i > at && place != x.places[at] {
			d := &x.w.Steps[i-1].Decision
			if known[place] || d.Purpose != walk.Submit && (d.Purpose != walk.Navigate || d.Scent < fairPromise) {
				break
			}
			at = i
		}
		known[place] = true
	}
	return at
}

// observe starts an observation at a step, about the element acted on.
func (x *examined) observe(i int, kind string, c Channel) Observation {
	return x.about(i, kind, c, x.w.Steps[i].Decision.Target)
}

// about starts an observation at a step about an element, nil for the page.
func (x *examined) about(i int, kind string, c Channel, e *walk.Element) Observation {
	r := &x.w.Steps[i]
	o := Observation{
		Kind: kind, Channel: c, Template: Template(r.Page.URL), Place: x.places[i], PageURL: r.Page.URL, Step: i,
		Element: pointAt(e), Viewport: r.Page.Viewport,
		Deterministic: deterministic[kind], Consequence: ConsequenceNone,
	}
	if c == Observed {
		o.Consequence, o.Quote = ConsequenceRecovered, r.Decision.Thought
	}
	return o
}

func (x *examined) add(o Observation) { x.out = append(x.out, o) }

// lostFrom is the simulated time in ms from a step to the next one that led
// on; of a step that led on itself it is 0.
func (x *examined) lostFrom(i int) int {
	ms := 0
	for j := i; j < len(x.w.Steps) && !x.onWay[j]; j++ {
		ms += x.w.Steps[j].Decision.SimulatedMS
	}
	return ms
}

// freeLabels may be looked at before a decision without counting as searching,
// assessMS is the time that one label takes (SNIF-ACT, as read in
// CogTool-Explorer's source).
const (
	freeLabels = 25
	assessMS   = 275
)

// lostBefore is the simulated time in ms that was lost since the step before
// that led on, and how many clicks in it led elsewhere. What dialogs cost is
// theirs and not counted.
func (x *examined) lostBefore(i int) (ms, wrongClicks int) {
	for j := i - 1; j >= 0; j-- {
		d := &x.w.Steps[j].Decision
		if x.onWay[j] && (d.Action.Type != walk.Scroll || j != i-1) { // scrolling to what is then taken is part of taking it
			break
		}
		if d.Purpose == walk.Dismiss {
			continue
		}
		ms += d.SimulatedMS
		if d.Action.Type == walk.Click && d.Purpose == walk.Navigate {
			wrongClicks++
		}
	}
	return ms + assessMS*max(0, x.w.Steps[i].Decision.Assessed-freeLabels), wrongClicks
}

// firstLook reports whether a step is the first at its place.
func (x *examined) firstLook(i int) bool { return slices.Index(x.places, x.places[i]) == i }

// signals calls fn for every signal of a kind, with the element concerned.
func (x *examined) signals(kind string, fn func(i int, s walk.Signal, e *walk.Element)) {
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		for _, s := range r.Signals {
			if s.Kind != kind {
				continue
			}
			e := r.Decision.Target
			if s.Selector != "" {
				if e = elementBySelector(&r.Page, s.Selector); e == nil {
					e = &walk.Element{Selector: s.Selector, Name: s.Detail}
				}
			}
			fn(i, s, e)
		}
	}
}

// promise is how well an element's name fits what was sought at a step, 0 to 1.
func (x *examined) promise(i int, name string) float64 {
	r := &x.w.Steps[i]
	return x.reader.Promise(r.Decision.Subgoal, &r.Page, name)
}
