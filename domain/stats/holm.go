package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts p-values for their number, so that the chance of one false alarm
// among them stays below the level (Holm 1979, Scandinavian Journal of
// Statistics 6:65–70). The answers stand where their p-values stood. NaN and
// what is above 1 count as 1, what is below 0 as 0.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	bounded := make([]float64, len(p))
	for i, v := range p {
		order[i], bounded[i] = i, probability(v)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(bounded[i], bounded[j]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, math.Min(1, bounded[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}

// ThroughPrimary adjusts the p-values of criteria that are tested only if the
// primary one, declared before, is significant: each is the larger of the
// primary's p-value and its own by [Holm]. The chance of one false alarm among
// all of them, the unadjusted primary included, so stays below the level (serial
// gatekeeping: Westfall and Krishen 2001, Journal of Statistical Planning and
// Inference 99:25–40).
func ThroughPrimary(primary float64, criteria []float64) []float64 {
	adjusted := Holm(criteria)
	for i := range adjusted {
		adjusted[i] = max(adjusted[i], probability(primary))
	}
	return adjusted
}

// probability is p cut to [0,1]; NaN is 1.
func probability(p float64) float64 {
	if math.IsNaN(p) {
		return 1
	}
	return math.Min(1, math.Max(0, p))
}
