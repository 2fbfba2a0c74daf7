package scoring

import (
	"math"
	"slices"

	"understudy/domain/persona"
	"understudy/domain/walk"
)

// Collect reduces a walk to the evidence of its scores.
func Collect(w walk.Walked) Evidence {
	e := Evidence{
		Steps:    len(w.Steps),
		Verified: w.Completion.Status == walk.Verified, SubgoalsDone: w.Completion.SubgoalsDone, SubgoalsTotal: w.Completion.SubgoalsTotal,
		Seconds: float64(w.SimulatedMS) / 1000,
	}
	if e.Steps == 0 {
		return e
	}
	path := w.Path()
	e.Decisions = decisions(w, path)
	states := w.States()
	distinct := map[string]bool{}
	for _, s := range states {
		distinct[s] = true
	}
	e.DistinctStates, e.VisitedStates = len(distinct), len(states)
	onPath := pathStates(w, path)
	e.FewestStates = min(max(1, len(onPath)), e.DistinctStates)
	e.Progress, e.Entered = progress(w), entered(w)
	for _, i := range path {
		e.BestSeconds += float64(w.Steps[i].Decision.SimulatedMS) / 1000
	}
	if last := &w.Steps[len(w.Steps)-1]; last.Decision.End != "" {
		e.BestSeconds += float64(last.Decision.SimulatedMS) / 1000 // reading that it worked
	}
	e.BestSeconds = math.Min(e.BestSeconds, e.Seconds)
	e.Reading = reading(w)
	e.RequiredSteps = max(1, len(path))
	e.ImpededSteps, e.RuleWeights = barriers(w, path, onPath)
	if !e.Verified { // the step that the walk did not get past is required too
		e.RequiredSteps = len(path) + 1
		if barredAfter(w, path) {
			e.ImpededSteps++
		}
	}
	e.Errors = errorsMet(w)
	e.RiskAversion = aversion(w.Persona)
	e.Risks = risks(w)
	e.Views = views(w)
	return e
}

// freeLabels may be looked at before a decision without counting as searching.
const freeLabels = 25

// decisions are the choices on the path, and one more that was not reached
// when the goal was not.
func decisions(w walk.Walked, path []int) []Decision {
	var out []Decision
	chosen := map[int]bool{}
	for _, i := range path {
		chosen[i] = true
	}
	waste, wrong := 0.0, 0
	for i := range w.Steps {
		d := &w.Steps[i].Decision
		seconds := float64(d.SimulatedMS) / 1000
		choice := d.Purpose == walk.Navigate || d.Purpose == walk.OpenMenu || d.Purpose == walk.Submit || d.Purpose == walk.Seek && d.Action.Type == walk.Type
		switch {
		case chosen[i] && choice:
			waste += 0.275 * math.Max(0, float64(d.Assessed-freeLabels))
			out = append(out, Decision{Reached: true, ExcessSeconds: waste, WrongClicks: wrong})
			waste, wrong = 0, 0
		case chosen[i] || d.Purpose == walk.Fill || d.End == walk.EndDone:
		default:
			waste += seconds
			if d.Action.Type == walk.Click && d.Purpose == walk.Navigate {
				wrong++
			}
		}
	}
	if w.Completion.Status != walk.Verified {
		out = append(out, Decision{WrongClicks: wrong, ExcessSeconds: waste})
	} else if len(out) == 0 {
		// The goal was in plain sight, or was found by reading on alone.
		out = append(out, Decision{Reached: true, ExcessSeconds: waste})
	}
	return out
}

// pathStates are the states on the path in order, the last page included.
func pathStates(w walk.Walked, path []int) []string {
	var out []string
	add := func(s string) {
		for _, o := range out {
			if o == s {
				return
			}
		}
		out = append(out, s)
	}
	for _, i := range path {
		add(walk.StateKey(&w.Steps[i].Page))
	}
	add(walk.StateKey(&w.Steps[len(w.Steps)-1].Page))
	return out
}

// progress is 1 when verified; else the share of subgoals done, and up to half
// of the next one for the best scent that was followed somewhere.
func progress(w walk.Walked) float64 {
	if w.Completion.Status == walk.Verified {
		return 1
	}
	total := math.Max(1, float64(w.Completion.SubgoalsTotal))
	best := 0.0
	for i := range w.Steps {
		r := &w.Steps[i]
		if r.Progress && r.Decision.Subgoal >= w.Completion.SubgoalsDone {
			best = math.Max(best, r.Decision.Scent)
		}
	}
	return unit((float64(w.Completion.SubgoalsDone) + 0.5*best) / total)
}

// entered reports whether a field was filled in.
func entered(w walk.Walked) bool {
	return slices.ContainsFunc(w.Steps, func(r walk.StepRecord) bool {
		return r.Decision.Purpose == walk.Fill && r.Decision.Target != nil
	})
}

// errorsMet follows what the pages refused: from the look that shows it to the
// look that does not any more.
func errorsMet(w walk.Walked) []ErrorMet {
	var out []ErrorMet
	open := -1
	since := 0
	for i := range w.Steps {
		r := &w.Steps[i]
		fields, any := walk.ErrorsOn(&r.Page)
		broken := r.Page.Status >= 400
		switch {
		case (any || broken) && open < 0 && i > 0:
			m := ErrorMet{InputKept: broken || inputKept(w.Steps[:i], &r.Page)}
			for _, f := range fields {
				m.Specific = m.Specific || len(f.Error) >= 8
			}
			out = append(out, m)
			open, since = len(out)-1, r.ClockMS
		case !any && !broken && open >= 0:
			// Put right, or got away from: only leaving a page of errors by
			// filling in and sending, or a broken page in any way, resolves it.
			by := w.Steps[i-1].Decision.Purpose
			out[open].Resolved = w.Steps[i-1].Page.Status >= 400 || by == walk.Fill || by == walk.Submit
			out[open].Seconds = float64(r.ClockMS-since) / 1000
			open = -1
		}
	}
	if open >= 0 && w.Completion.Status == walk.Verified {
		out[open].Resolved = true
		out[open].Seconds = float64(w.SimulatedMS-since) / 1000
	}
	return out
}

// inputKept: at least half of what was typed on this page is still in it.
func inputKept(before []walk.StepRecord, page *walk.Page) bool {
	typed, kept := 0, 0
	for i := range before {
		d := &before[i].Decision
		if d.Purpose != walk.Fill || d.Action.Type != walk.Type || d.Target == nil {
			continue
		}
		for j := range page.Elements {
			e := &page.Elements[j]
			if e.Name == d.Target.Name && e.Selector == d.Target.Selector && e.InputType != "password" {
				typed++
				if e.Value != "" {
					kept++
				}
				break
			}
		}
	}
	return typed == 0 || 2*kept >= typed
}

// views are the loadings of pages whose measures are known, one per arrival.
// The last look at a page knows most: layout shifts and slow answers to input
// come after the loading.
func views(w walk.Walked) []View {
	var out []View
	known := false // the page in front has a view already
	for i := range w.Steps {
		if i == 0 || w.Steps[i-1].Effect.Navigated || w.Steps[i-1].Effect.NewTab {
			known = false
		}
		v := w.Steps[i].Page.Vitals
		if v == (walk.Vitals{}) {
			continue
		}
		if !known {
			out, known = append(out, View{}), true
		}
		out[len(out)-1] = View{LCPMS: v.LCPMS, INPMS: v.INPMS, CLS: v.CLS}
	}
	return out
}

func aversion(p persona.Persona) float64 {
	switch p.Facets.WithDefaults().RiskAttitude {
	case persona.Averse:
		return 1
	case persona.Tolerant:
		return 0.3
	}
	return 0.6
}
