// Package scoring turns what a walk showed into scores between 0 and 1.
//
// The formulas and their weights are proposals to be calibrated on our own
// pages. Version changes with them, so that scores of different versions are
// never compared unknowingly.
package scoring

import "math"

// Version of the formulas.
const Version = 2

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

// Score computes every criterion that has evidence, and tells of each other one
// why it has none. A criterion is in exactly one of the two.
func Score(e Evidence) (scores map[string]float64, missing map[string]string) {
	scores, missing = map[string]float64{}, map[string]string{}
	for _, c := range Criteria {
		if e.Steps == 0 {
			missing[c] = "the walk has no step"
			continue
		}
		switch v, why := formulas[c](e); {
		case why != "":
			missing[c] = why
		case math.IsNaN(v):
			missing[c] = "what was measured gives no number"
		default:
			scores[c] = round4(unit(v))
		}
	}
	return scores, missing
}

var formulas = map[string]formula{
	TaskCompletion: taskCompletion, CTAFindability: ctaFindability, Navigation: navigation,
	Efficiency: efficiency, Readability: readability, Accessibility: accessibility,
	ErrorRecovery: errorRecovery, Trust: trust, Speed: speed,
}

// unit cuts a number into [0,1].
func unit(v float64) float64 { return math.Max(0, math.Min(1, v)) }

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }
