// Package gate judges scores against thresholds.
package gate

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"understudy/domain/scoring"
)

// DefaultThreshold is an organization's threshold until it sets its own.
const DefaultThreshold = 0.7

// Overall is the name under which the overall score stands in verdicts.
const Overall = "overall"

// NoEvidence is why a verdict failed without a score to judge.
const NoEvidence = "no_evidence"

// Config says what is demanded.
type Config struct {
	// Threshold for overall and for every criterion without one of its own, 0 to 1.
	Threshold float64 `json:"threshold"`
	// Criteria are thresholds of single criteria, 0 to 1.
	Criteria map[string]float64 `json:"criteria,omitempty"`
}

// ThresholdOf is what a criterion, or overall, has to meet.
func (c Config) ThresholdOf(name string) float64 {
	if threshold, own := c.Criteria[name]; own && name != Overall {
		return threshold
	}
	return c.Threshold
}

// Verdict is a judgement.
type Verdict struct {
	Passed bool `json:"passed"`
	// Threshold is the general one, Score the overall score, 0 without evidence.
	Threshold float64 `json:"threshold"`
	Score     float64 `json:"score"`
	// FailedCriteria are in the order of scoring.Criteria, "overall" last;
	// never nil.
	FailedCriteria []string `json:"failed_criteria"`
	// Reason is NoEvidence or "".
	Reason string `json:"reason,omitempty"`
}

// tolerance absorbs the rounding of a mean: 0.7 computed as 0.6999999999999999
// meets 0.7.
const tolerance = 1e-9

// Evaluate passes when overall and every criterion that has a score are at or
// above their thresholds. A criterion without evidence is left out; without
// any evidence (overall nil) the gate does not pass, for NoEvidence, and all the
// criteria that were asked for have failed. A score that is not a number fails.
func Evaluate(cfg Config, criteria []string, scores map[string]float64, overall *float64) Verdict {
	v := Verdict{Threshold: cfg.Threshold, FailedCriteria: []string{}}
	if overall == nil {
		v.Reason, v.FailedCriteria = NoEvidence, inOrder(slices.Values(criteria))
		return v
	}
	for _, name := range Ordered(scores) {
		if !meets(scores[name], cfg.ThresholdOf(name)) {
			v.FailedCriteria = append(v.FailedCriteria, name)
		}
	}
	v.Score = *overall
	if !meets(*overall, cfg.Threshold) {
		v.FailedCriteria = append(v.FailedCriteria, Overall)
	}
	v.Passed = len(v.FailedCriteria) == 0
	return v
}

func meets(score, threshold float64) bool {
	return !math.IsNaN(score) && score >= threshold-tolerance
}

// Ordered lists the criteria that have scores: known ones in their order, then
// others by name. Overall is none of them.
func Ordered(scores map[string]float64) []string { return inOrder(maps.Keys(scores)) }

func inOrder(names iter.Seq[string]) []string {
	place := func(name string) int {
		if i := slices.Index(scoring.Criteria, name); i >= 0 {
			return i
		}
		return len(scoring.Criteria)
	}
	ordered := slices.SortedFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b)) })
	return slices.DeleteFunc(slices.Compact(ordered), func(name string) bool { return name == Overall })
}
