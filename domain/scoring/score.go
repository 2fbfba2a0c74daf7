// Package scoring turns what a walk showed into scores between 0 and 1.
//
// The formulas and their weights are proposals to be calibrated on our own
// pages. Version changes with them, so that scores of different versions are
// never compared unknowingly.
package scoring

import (
	"math"
	"slices"
)

// Version of the formulas.
const Version = 1

// The criteria.
const (
	TaskCompletion = "task_completion"
	CTAFindability = "cta_findability"
	Navigation     = "navigation"
	Efficiency     = "efficiency"
	Readability    = "readability"
	Accessibility  = "accessibility"
	ErrorRecovery  = "error_recovery"
	Trust          = "trust"
	Speed          = "speed"
)

// Criteria lists all criteria in their order.
var Criteria = []string{TaskCompletion, CTAFindability, Navigation, Efficiency, Readability, Accessibility, ErrorRecovery, Trust, Speed}

// Default lists the criteria of a test that names none.
var Default = []string{TaskCompletion, CTAFindability}

// Score computes every criterion that has evidence. A criterion without any is
// absent from the map.
func Score(e Evidence) map[string]float64 {
	out := map[string]float64{}
	if e.Steps == 0 {
		return out
	}
	for _, c := range Criteria {
		if v, ok := formulas[c](e); ok && !math.IsNaN(v) {
			out[c] = math.Round(unit(v)*10000) / 10000
		}
	}
	return out
}

var formulas = map[string]func(Evidence) (float64, bool){
	TaskCompletion: taskCompletion, CTAFindability: ctaFindability, Navigation: navigation,
	Efficiency: efficiency, Readability: readability, Accessibility: accessibility,
	ErrorRecovery: errorRecovery, Trust: trust, Speed: speed,
}

// Aggregate averages the named criteria over sessions, each over the sessions
// that have evidence for it, and gives the overall score; ok is false when no
// session has evidence for any of them. Criteria without evidence are absent.
func Aggregate(sessions []map[string]float64, criteria []string) (means map[string]float64, overall float64, ok bool) {
	means = map[string]float64{}
	for _, c := range criteria {
		sum, n := 0.0, 0
		for _, s := range sessions {
			if v, has := s[c]; has {
				sum += v
				n++
			}
		}
		if n > 0 {
			means[c] = Mean(sum, n)
		}
	}
	overall, ok = Overall(means, criteria)
	return means, overall, ok
}

// Mean is a mean as it is judged and shown: rounded to four decimals. n > 0.
func Mean(sum float64, n int) float64 { return math.Round(sum/float64(n)*10000) / 10000 }

// Overall is the mean of the named criteria that have evidence; ok is false
// when none has.
func Overall(scores map[string]float64, criteria []string) (overall float64, ok bool) {
	sum, n := 0.0, 0
	for i, c := range criteria {
		if v, has := scores[c]; has && !slices.Contains(criteria[:i], c) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return Mean(sum, n), true
}

// unit cuts a number into [0,1].
func unit(v float64) float64 { return math.Max(0, math.Min(1, v)) }
