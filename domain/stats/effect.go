package stats

import "math"

// Alpha is the level that p-values are judged at.
const Alpha = 0.05

// Effect is what is known of a difference or a ratio: its estimate, and the
// 95 % interval about it. A limit is infinite where the data set none.
type Effect struct {
	Estimate, Low, High float64
}

// Result is an effect and the two-sided p-value of there being none.
type Result struct {
	Effect
	P float64
}

// Known reports whether the data say anything about the effect. The estimate of
// one that is unknown is NaN, which JSON cannot hold: ask first.
func (e Effect) Known() bool { return !math.IsNaN(e.Estimate) }

// Cut is the effect with its limits cut to what is possible, such as −1 to 1
// for a difference of scores in [0,1].
func (e Effect) Cut(low, high float64) Effect {
	e.Low, e.High = math.Min(math.Max(e.Low, low), high), math.Max(math.Min(e.High, high), low)
	return e
}

// unknown is the effect that nothing is known of, between its outermost limits.
func unknown(low, high float64) Effect { return Effect{Estimate: math.NaN(), Low: low, High: high} }

// unlimited is an estimate that the data set no limits about.
func unlimited(estimate float64) Effect {
	return Effect{Estimate: estimate, Low: math.Inf(-1), High: math.Inf(1)}
}

// finite reports whether all values are numbers that can be reckoned with: the
// squares of variances hold what lies within ±1e60.
func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.Abs(v) > 1e60 {
			return false
		}
	}
	return true
}

// rounded is a value without the rounding errors of sums: to 12 decimals, which
// is beyond the precision of a float64 above 1000.
func rounded(v float64) float64 {
	if math.Abs(v) > 1000 {
		return v
	}
	return math.Round(v*1e12) / 1e12
}

// Differences are those of pairs, B less A. Slices of unequal length are no
// pairs: nil.
func Differences(a, b []float64) []float64 {
	if len(a) != len(b) {
		return nil
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = rounded(b[i] - a[i])
	}
	return d
}

// cleaned are values rounded, in a slice of their own.
func cleaned(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = rounded(v)
	}
	return out
}
