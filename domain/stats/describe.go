package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Description sums up a list of numbers.
type Description struct {
	N    int
	Mean float64
	// SD is the standard deviation of the sample (n − 1), nil for fewer than two.
	SD     *float64
	Min    float64
	Q1     float64
	Median float64
	Q3     float64
	Max    float64
}

// Describe sums up values, rounded to four decimals; nil without any.
func Describe(values []float64) *Description {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	d := &Description{
		N: len(sorted), Mean: round4(stat.Mean(sorted, nil)), Min: round4(sorted[0]), Max: round4(sorted[len(sorted)-1]),
		Q1: round4(Quantile(sorted, 0.25)), Median: round4(Quantile(sorted, 0.5)), Q3: round4(Quantile(sorted, 0.75)),
	}
	if len(sorted) > 1 {
		sd := round4(stat.StdDev(sorted, nil))
		d.SD = &sd
	}
	return d
}

// Quantile is the p-quantile, p in [0,1], of values in ascending order, with
// linear interpolation between them (Hyndman and Fan 1996, definition 7, the
// one of spreadsheets and of R; gonum has definitions 1 and 4 only). NaN
// without values.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := math.Max(0, math.Min(1, p)) * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Histogram counts values of [0,1] in bins of equal width, the last one closed
// on both sides. bins ≥ 1; what lies outside is counted at the nearer end.
func Histogram(values []float64, bins int) []int {
	counts := make([]int, bins)
	for _, v := range values {
		// A score of 0.3 belongs to the bin that begins at 0.3, although
		// 0.3 · 10 is a little less than 3 in binary.
		counts[max(0, min(bins-1, int(v*float64(bins)+1e-9)))]++
	}
	return counts
}

// Explained is the share of the variance of values that goes with their
// groups, adjusted for the number of groups (ε², Kelley 1935): about 0 when the
// groups differ by no more than chance would have it, at most 1. Groups without
// values do not count; fewer than two groups, or no more values than groups,
// explain nothing. Never negative.
func Explained(groups [][]float64) float64 {
	var all []float64
	k, within := 0, 0.0
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		k++
		all = append(all, g...)
		within += squares(g)
	}
	total := squares(all)
	if k < 2 || len(all) <= k || total == 0 {
		return 0
	}
	n := float64(len(all))
	return math.Max(0, 1-(within/(n-float64(k)))/(total/(n-1)))
}

// squares is the sum of the squared distances from the mean.
func squares(values []float64) (sum float64) {
	mean := stat.Mean(values, nil)
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }
