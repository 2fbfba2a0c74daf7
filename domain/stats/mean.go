package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a closed interval.
type Interval struct {
	Low  float64
	High float64
}

// MeanInterval is the 95 % interval of the mean of scores in [0,1], by
// Student's t (Student 1908), cut to [0,1]. Scores that are all 0 or all 1 have
// no spread to go by, but others might differ: the interval is then that of a
// proportion ([Wilson]). Fewer than two scores say nothing about the mean of
// others, nor does one that is no number: 0 to 1.
func MeanInterval(scores []float64) Interval {
	n := float64(len(scores))
	if n < 2 || !finite(scores...) {
		return Interval{0, 1}
	}
	mean, sd := stat.MeanStdDev(scores, nil)
	if sd == 0 && (mean == 0 || mean == 1) {
		low, high := Wilson(int(mean)*len(scores), len(scores), Z95)
		return Interval{low, high}
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return Interval{Low: math.Max(0, mean-half), High: math.Min(1, mean+half)}
}
