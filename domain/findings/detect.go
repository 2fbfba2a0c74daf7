// Package findings detects what went wrong in walks and ranks it.
package findings

import (
	"strconv"

	"understudy/domain/mind"
	"understudy/domain/scoring"
)

// signalKinds maps the signals of steps to the kinds of issues that they
// speak for. Signals that are not here are no issues by themselves; rage clicks
// are the simulated user's policy and count for what provoked them.
var signalKinds = map[string]string{
	mind.SigDeadClick:    DeadClick,
	mind.SigErrorClick:   ErrorClick,
	mind.SigQuickBack:    QuickBack,
	mind.SigBrokenPage:   BrokenLink,
	mind.SigScriptError:  ScriptError,
	mind.SigFieldError:   FormError,
	mind.SigUnlabelled:   UnlabelledField,
	mind.SigBelowFold:    BelowFold,
	mind.SigRivals:       CompetingLabels,
	mind.SigUnclear:      UnclearLabel,
	mind.SigHiddenMenu:   HiddenInMenu,
	mind.SigCovered:      Covered,
	mind.SigHardToSee:    LowContrast,
	mind.SigMissedTarget: SmallTarget,
	mind.SigDisabled:     DisabledControl,
	mind.SigSlow:         SlowPage,
	mind.SigLongText:     WallOfText,
	mind.SigLostScent:    LostScent,
	mind.SigInterrupted:  Interruption,
	mind.SigActionFailed: LimitAction,
}

// deterministic kinds reproduce for everybody.
var deterministic = map[string]bool{BrokenLink: true, ScriptError: true, ErrorClick: true, DeadClick: true, DisabledControl: true}

// Detect lists what the steps of a walk show, in their order.
func Detect(w mind.Walked) []Observation {
	d := detector{w: w, path: map[int]bool{}}
	for _, i := range w.Path() {
		d.path[i] = true
	}
	seenPages := map[string]bool{}
	for i := range w.Steps {
		d.signals(i)
		d.target(i)
		if key := mind.StateKey(&w.Steps[i].Page); !seenPages[key] {
			seenPages[key] = true
			d.page(i)
		}
	}
	d.limits()
	return d.out
}

type detector struct {
	w    mind.Walked
	path map[int]bool
	out  []Observation
}

// signals turns a step's signals into observations, root causes only.
func (d *detector) signals(i int) {
	r := &d.w.Steps[i]
	for _, s := range r.Signals {
		kind, ok := signalKinds[s.Kind]
		if !ok || d.explained(i, s.Kind) {
			continue
		}
		o := d.observe(i, kind, Observed)
		o.Detail = s.Detail
		if s.Selector != "" {
			o.Element = elementBySelector(&r.Page, s.Selector)
		}
		switch kind {
		case LimitAction:
			o.Channel, o.Consequence = Limit, ConsequenceNone
		case SlowPage, BrokenLink:
			if r.Effect.Navigated && r.Effect.URL != "" {
				o.PageURL, o.Template = r.Effect.URL, Template(r.Effect.URL)
				if kind == BrokenLink { // the fault is the link on this page
					o.PageURL, o.Template = r.Page.URL, Template(r.Page.URL)
				}
			}
		case BelowFold, HiddenInMenu, CompetingLabels:
			if !d.path[i] && kind != CompetingLabels {
				continue // only what ended up leading on was hard to find
			}
		case QuickBack:
			o = d.blameClick(i, o)
		case SmallTarget:
			if e := r.Decision.Target; e == nil || min(e.Box.W, e.Box.H) >= largeTarget {
				continue // missed by chance, not for its size
			}
		case LostScent:
			if !d.onTheWay(i) {
				continue // a wrong turn owes nobody a way on
			}
			o.Element = nil
		case WallOfText, Interruption:
			o.Element = nil
		}
		if kind == SlowPage {
			o.Element = nil
		}
		d.out = append(d.out, o)
	}
}

// largeTarget is the side in CSS px from which a target counts as large enough
// for everybody (WCAG 2.2, 2.5.5 Enhanced).
const largeTarget = 44

// blameClick moves a quick return to the click that led there.
func (d *detector) blameClick(i int, o Observation) Observation {
	for j := i - 1; j >= 0; j-- {
		r := &d.w.Steps[j]
		if r.Decision.Action.Type == mind.Click && r.Effect.Navigated {
			b := d.observe(j, o.Kind, o.Channel)
			b.Detail, b.Quote, b.CostMS, b.Consequence = o.Detail, o.Quote, o.CostMS, o.Consequence
			b.Step = i
			return b
		}
	}
	return o
}

// onTheWay: the step's page is where the walk began or ended, or one that the
// way leads over.
func (d *detector) onTheWay(i int) bool {
	state := mind.StateKey(&d.w.Steps[i].Page)
	if state == mind.StateKey(&d.w.Steps[0].Page) || state == mind.StateKey(&d.w.Steps[len(d.w.Steps)-1].Page) {
		return true
	}
	for j := range d.w.Steps {
		if d.path[j] && mind.StateKey(&d.w.Steps[j].Page) == state {
			return true
		}
	}
	return false
}

// explained reports signals that another signal of the step, or the step
// before, already accounts for.
func (d *detector) explained(i int, kind string) bool {
	r := &d.w.Steps[i]
	switch kind {
	case mind.SigScriptError, mind.SigFailedRequest:
		return r.HasSignal(mind.SigErrorClick)
	case mind.SigErrorClick:
		return r.HasSignal(mind.SigBrokenPage)
	case mind.SigBrokenPage:
		// Met again on the page itself: the click that led here has it already.
		return i > 0 && r.Page.Status >= 400 && r.Effect.Status < 400 && d.w.Steps[i-1].HasSignal(mind.SigBrokenPage)
	case mind.SigQuickBack:
		return r.Page.Status >= 400
	}
	return false
}

// target judges the element that was acted on by rules; what impeded the step
// has been observed by its signal.
func (d *detector) target(i int) {
	r := &d.w.Steps[i]
	e := r.Decision.Target
	if e == nil || !d.path[i] {
		return
	}
	large := e.FontSize >= 24 || e.Bold && e.FontSize >= 18.66
	if e.Contrast > 0 && (e.Contrast < 3 || !large && e.Contrast < 4.5) && !r.HasSignal(mind.SigHardToSee) {
		o := d.observe(i, LowContrast, Static)
		o.Detail = strconv.FormatFloat(e.Contrast, 'f', 1, 64) + ":1"
		d.out = append(d.out, o)
	}
	if e.Box.W < 24 && e.Box.H < 24 && e.Box.W > 0 && e.Role != "checkbox" && e.Role != "radio" && !r.HasSignal(mind.SigMissedTarget) {
		o := d.observe(i, SmallTarget, Static)
		o.Detail = strconv.Itoa(int(e.Box.W)) + " × " + strconv.Itoa(int(e.Box.H)) + " px"
		d.out = append(d.out, o)
	}
	if mind.IsField(e) && (e.Name == "" || e.NameSource == "placeholder") && !r.HasSignal(mind.SigUnlabelled) {
		d.out = append(d.out, d.observe(i, UnlabelledField, Static))
	}
}

// page judges what a page says at first sight.
func (d *detector) page(i int) {
	r := &d.w.Steps[i]
	reading := scoring.ReadingOf(&r.Page, d.w.Persona, d.w.Goal)
	// A tenth of unfamiliar words is where readability's share reaches zero;
	// a short text is no basis.
	if reading.Words >= 40 && reading.UnfamiliarShare > 0.10 {
		o := d.observe(i, UnfamiliarWords, Observed)
		o.Element = nil
		o.Detail = strconv.Itoa(int(reading.UnfamiliarShare*100+0.5)) + " % of the words"
		o.Consequence = min2(o.Consequence, ConsequenceRecovered)
		d.out = append(d.out, o)
	}
}

// limits reports where the simulation, and not the page, was the end.
func (d *detector) limits() {
	if len(d.w.Steps) == 0 {
		return
	}
	last := len(d.w.Steps) - 1
	if d.w.Outcome == mind.OutOfSteps {
		o := d.observe(last, LimitSteps, Limit)
		o.Consequence, o.Element = ConsequenceNone, nil
		d.out = append(d.out, o)
	}
	if d.w.Outcome != mind.Succeeded {
		for _, s := range d.w.Goal.Subgoals {
			if s.Verb == "" && len(s.Object) == 0 {
				o := d.observe(last, LimitGoal, Limit)
				o.Consequence, o.Element = ConsequenceNone, nil
				d.out = append(d.out, o)
				break
			}
		}
	}
}

// observe starts an observation at a step.
func (d *detector) observe(i int, kind string, c Channel) Observation {
	r := &d.w.Steps[i]
	o := Observation{
		Kind: kind, Channel: c, Template: Template(r.Page.URL), PageURL: r.Page.URL, Step: i,
		Quote: r.Decision.Thought, Deterministic: deterministic[kind],
	}
	if e := r.Decision.Target; e != nil {
		o.Element = &Element{Role: e.Role, Name: e.Name, Selector: e.Selector, Box: e.Box}
	}
	if c == Observed {
		o.CostMS = d.cost(i)
		o.Consequence = d.consequence(i, kind)
		if softKinds[kind] {
			o.CostMS = 0
			if !d.path[i] {
				o.CostMS = r.Decision.SimulatedMS
			}
			if kind == SlowPage {
				o.CostMS = r.Effect.SettleMS
			}
		}
	} else {
		o.Consequence = ConsequenceNone
	}
	return o
}

func elementBySelector(p *mind.Page, selector string) *Element {
	for i := range p.Elements {
		if e := &p.Elements[i]; e.Selector == selector {
			return &Element{Role: e.Role, Name: e.Name, Selector: e.Selector, Box: e.Box}
		}
	}
	return &Element{Selector: selector}
}
