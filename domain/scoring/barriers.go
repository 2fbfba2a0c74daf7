package scoring

import (
	"slices"

	"understudy/domain/walk"
)

// impeding signals say that a barrier of accessibility stood in a step's way.
var impeding = []string{walk.SigHardToSee, walk.SigMissedTarget, walk.SigUnclear, walk.SigUnlabelled, walk.SigMouseOnly}

// barriers counts the required steps that a barrier impeded, and gives the
// weights of the rules that failed on the path: those of an audit where one was
// made, and those that the touched elements themselves show.
func barriers(w walk.Walked, path []int, states []string) (impeded int, weights []float64) {
	failed := map[string]string{}
	for i := range w.Steps {
		p := &w.Steps[i].Page
		if len(p.Violations) == 0 || !slices.Contains(states, walk.StateKey(p)) {
			continue
		}
		for _, v := range p.Violations {
			if RuleWeight(v.Impact) > RuleWeight(failed[v.Rule]) {
				failed[v.Rule] = v.Impact
			}
		}
	}
	for _, i := range path {
		r := &w.Steps[i]
		if slices.ContainsFunc(r.Signals, isImpeding) {
			impeded++
		}
		if t := r.Decision.Target; t != nil {
			for rule, impact := range elementRules(t) {
				if _, known := failed[rule]; !known {
					failed[rule] = impact
				}
			}
		}
	}
	rules := make([]string, 0, len(failed))
	for r := range failed {
		rules = append(rules, r)
	}
	slices.Sort(rules) // the sum of floats must not depend on the order of a map
	for _, r := range rules {
		weights = append(weights, RuleWeight(failed[r]))
	}
	return impeded, weights
}

// barredAfter reports whether a barrier of accessibility was met after the last
// step of the path, which is where a walk that fell short was stopped.
func barredAfter(w walk.Walked, path []int) bool {
	last := -1
	if len(path) > 0 {
		last = path[len(path)-1]
	}
	for _, r := range w.Steps[last+1:] {
		if slices.ContainsFunc(r.Signals, isImpeding) {
			return true
		}
	}
	return false
}

func isImpeding(s walk.Signal) bool { return slices.Contains(impeding, s.Kind) }

// elementRules are the rules of WCAG 2.2 that an element breaks by what is
// known of it, under axe-core's names and impacts.
func elementRules(e *walk.Element) map[string]string {
	var out map[string]string
	add := func(rule, impact string) {
		if out == nil {
			out = map[string]string{}
		}
		out[rule] = impact
	}
	large := e.FontSize >= 24 || e.Bold && e.FontSize >= 18.66 // 18 pt, 14 pt bold
	if e.Contrast > 0 && (e.Contrast < 3 || !large && e.Contrast < 4.5) {
		add("color-contrast", "serious") // 1.4.3
	}
	if e.Name == "" {
		switch {
		case walk.IsField(e):
			add("label", "critical") // 4.1.2
		case e.Role == "link":
			add("link-name", "serious")
		default:
			add("button-name", "critical")
		}
	}
	if e.Box.W > 0 && (e.Box.W < 24 || e.Box.H < 24) && e.Role != "link" { // links in text are exempt
		if e.Role != "checkbox" && e.Role != "radio" { // a native box's label enlarges it
			add("target-size", "serious") // 2.5.8
		}
	}
	return out
}
