package findings

import (
	"slices"

	"understudy/domain/mind"
)

// min2 keeps a soft cause from taking the blame for an ending.
func min2(a, most Consequence) Consequence {
	if slices.Index(consequences, a) < slices.Index(consequences, most) {
		return most
	}
	return a
}

var consequences = []Consequence{ConsequenceBlocked, ConsequenceAbandoned, ConsequenceDetour, ConsequenceRecovered, ConsequenceNone}

// cost is the simulated time from a step to the next one that led on.
func (d *detector) cost(i int) int {
	ms := 0
	for j := i; j < len(d.w.Steps); j++ {
		if d.path[j] && j > i {
			break
		}
		if !d.path[j] {
			ms += d.w.Steps[j].Decision.SimulatedMS
		}
	}
	return ms
}

// endingSteps is how near the end a thing must have happened to be a reason
// for it.
const endingSteps = 4

// softKinds may slow people down but end no walk by themselves.
var softKinds = map[string]bool{WallOfText: true, Interruption: true, CompetingLabels: true, BelowFold: true, HiddenInMenu: true, SmallTarget: true, SlowPage: true}

// consequence says what an observation cost the session.
func (d *detector) consequence(i int, kind string) Consequence {
	near := len(d.w.Steps)-1-i <= endingSteps && !d.path[i]
	switch {
	case softKinds[kind]:
		return ConsequenceRecovered
	case near && d.w.Outcome == mind.Blocked:
		return ConsequenceBlocked
	case near && d.w.Outcome == mind.GaveUp:
		return ConsequenceAbandoned
	}
	needed := max(1, len(d.path))
	if d.w.Outcome == mind.Succeeded && len(d.w.Steps) > 2*needed+1 && d.cost(i) > 15000 {
		return ConsequenceDetour
	}
	return ConsequenceRecovered
}
