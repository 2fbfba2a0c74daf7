package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// GeometricRatioPaired is the geometric mean of the ratios of the same people's
// times, B to A, with the interval and p-value of Student's t on the logarithms:
// 0.8 means that B takes a fifth less time. Times are in any one unit, above 0.
//
// The caller leaves out pairs in which somebody gave up: such a time is
// censored, it tells when patience ended and not how long the task takes. What
// is left compares those only who finished with both designs.
//
// With fewer than two pairs the limits are 0 and +Inf and p is 1. Ratios that
// are all the same have the p-value of [SignFlip], and limits, both that ratio,
// from six pairs on. Without pairs, with slices of unequal length, or with a time that is
// 0 or less, nothing is known.
func GeometricRatioPaired(a, b []float64) Result {
	logA, logB := logarithms(a), logarithms(b)
	d := Differences(logA, logB)
	if len(d) == 0 || !finite(d...) {
		return Result{unknown(0, math.Inf(1)), 1}
	}
	mean, sd := stat.MeanStdDev(d, nil)
	switch {
	case len(d) < 2:
		return exponential(Result{unlimited(d[0]), 1})
	case constant(d):
		return exponential(unvaried(d[0], math.Ldexp(2, -len(d))))
	}
	return exponential(tResult(mean, sd/math.Sqrt(float64(len(d))), float64(len(d)-1)))
}

// GeometricRatio is the ratio of the geometric means of different people's
// times, B to A, with the interval and p-value of [Welch] on the logarithms.
// Times are in any one unit, above 0. The caller leaves out those who gave up,
// as for [GeometricRatioPaired]. With fewer than two times on a side the limits
// are 0 and +Inf and p is 1; with none, or one that is 0 or less, nothing is
// known.
func GeometricRatio(a, b []float64) Result {
	r := Welch(logarithms(a), logarithms(b))
	if !r.Known() {
		return Result{unknown(0, math.Inf(1)), 1}
	}
	return exponential(r)
}

// GeometricMean is the geometric mean of times with the interval of Student's t
// on the logarithms: of task times in samples of fewer than 25 it is the best
// guess at the median (Sauro and Lewis 2010). It is the ratio to people who take
// 1, and says of few, of the same and of impossible times what
// [GeometricRatioPaired] says.
func GeometricMean(times []float64) Effect {
	mean := GeometricRatioPaired(slices.Repeat([]float64{1}, len(times)), times).Effect
	if mean.Known() { // logarithms lose the last digit, and a mean lies among its values
		mean.Estimate = min(max(mean.Estimate, slices.Min(times)), slices.Max(times))
	}
	return mean
}

// logarithms are those of times; NaN or −Inf of what is no time.
func logarithms(times []float64) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = math.Log(t)
	}
	return out
}

// exponential takes a result back from the scale of logarithms.
func exponential(r Result) Result {
	r.Estimate, r.Low, r.High = math.Exp(r.Estimate), math.Exp(r.Low), math.Exp(r.High)
	return r
}
