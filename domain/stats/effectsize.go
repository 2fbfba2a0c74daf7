package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// CohenDz is the mean of the differences of pairs in units of their standard
// deviation, corrected for small samples (Cohen 1988; Hedges 1981). Differences
// that are all 0 have 0, all the same ones ±Inf; below three it is NaN, because
// the correction leaves nothing.
func CohenDz(d []float64) float64 {
	if len(d) < 3 || !finite(d...) {
		return math.NaN()
	}
	mean, sd := stat.MeanStdDev(d, nil)
	if constant(d) {
		sd = 0
	}
	return standardized(mean, sd) * hedges(float64(len(d)-1))
}

// HedgesG is the difference of the means of different people, B less A, in units
// of their pooled standard deviation, corrected for small samples (Hedges 1981,
// Journal of Educational Statistics 6:107–128). Sides that are the same and do
// not vary have 0, others that do not vary ±Inf; below two values on a side it
// is NaN.
func HedgesG(a, b []float64) float64 {
	if len(a) < 2 || len(b) < 2 || !finite(a...) || !finite(b...) {
		return math.NaN()
	}
	df := float64(len(a) + len(b) - 2)
	var sd float64
	if !constant(a) || !constant(b) {
		sd = math.Sqrt((stat.Variance(a, nil)*float64(len(a)-1) + stat.Variance(b, nil)*float64(len(b)-1)) / df)
	}
	return standardized(stat.Mean(b, nil)-stat.Mean(a, nil), sd) * hedges(df)
}

// standardized is a difference in units of sd; one that is 0 but for rounding is
// 0 whatever sd is.
func standardized(d, sd float64) float64 {
	if d = rounded(d); d == 0 {
		return 0
	}
	return d / sd
}

// hedges is the exact factor by which a standardized difference with df degrees
// of freedom, 2 at least, is too large (Hedges 1981, equation 6e).
func hedges(df float64) float64 {
	upper, _ := math.Lgamma(df / 2)
	lower, _ := math.Lgamma((df - 1) / 2)
	return math.Exp(upper-lower) / math.Sqrt(df/2)
}
