package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// Splits is the largest number of ways to split the values of both sides that
// [Permutation] goes through; ten and ten values have 184,756.
const Splits = 200_000

// Welch is the difference of the means of different people, B less A, with the
// interval and p-value of Welch's t test (Welch 1947, Biometrika 34:28–35).
// With fewer than two values on a side there are no limits and p is 1. Where
// neither side varies t does not exist, and the permutation test of all splits
// takes its place: see [Permutation]. p is 1 where they are the same; the limits
// are both the difference where enough values make other shifts unlikely (four
// and four do), else there are none.
func Welch(a, b []float64) Result {
	if len(a) == 0 || len(b) == 0 || !finite(a...) || !finite(b...) {
		return Result{unknown(math.Inf(-1), math.Inf(1)), 1}
	}
	meanA, meanB := stat.Mean(a, nil), stat.Mean(b, nil)
	d := rounded(meanB - meanA)
	if len(a) < 2 || len(b) < 2 {
		return Result{unlimited(d), 1}
	}
	if constant(a) && constant(b) {
		// Only the split as seen and, of sides as large, its mirror lie so far out.
		least := math.Exp(-logChoose(len(a)+len(b), len(a)))
		if len(a) == len(b) {
			least *= 2
		}
		return unvaried(d, least)
	}
	va, vb := stat.Variance(a, nil)/float64(len(a)), stat.Variance(b, nil)/float64(len(b))
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	return tResult(meanB-meanA, math.Sqrt(va+vb), df)
}

// tResult is an estimate with the interval and p-value of Student's t.
func tResult(estimate, standardError, df float64) Result {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	half := t.Quantile(1-Alpha/2) * standardError
	return Result{
		Effect: Effect{Estimate: estimate, Low: estimate - half, High: estimate + half},
		P:      2 * t.CDF(-math.Abs(estimate/standardError)),
	}
}

// unvaried is the result of values that do not vary, where least is the p-value
// of any effect but the one seen.
func unvaried(estimate, least float64) Result {
	r := Result{unlimited(estimate), least}
	if least <= Alpha {
		r.Effect = Effect{Estimate: estimate, Low: estimate, High: estimate}
	}
	if estimate == 0 {
		r.P = 1
	}
	return r
}

// constant reports whether all values are the same but for rounding.
func constant(values []float64) bool {
	return rounded(slices.Max(values)-slices.Min(values)) == 0
}

// Permutation is the p-value of the means of different people being the same, by
// the permutation test of their difference (Pitman 1937; Good 2005). Where the
// values can be split in up to [Splits] ways all are gone through, else p =
// (b+1)/(m+1) of [Resamples] drawn splits (Phipson and Smyth 2010). It is 1
// where a side is empty. The order of the values does not matter.
func Permutation(a, b []float64, seed uint64) float64 {
	if len(a) == 0 || len(b) == 0 || !finite(a...) || !finite(b...) {
		return 1
	}
	if len(a) > len(b) {
		return Permutation(b, a, seed)
	}
	pool := slices.Concat(a, b)
	mean := stat.Mean(pool, nil)
	for i := range pool {
		pool[i] -= mean
	}
	var seen float64
	for _, x := range pool[:len(a)] {
		seen += x
	}
	// About the common mean, the sum of the smaller side tells the difference of
	// the means.
	bar := math.Abs(seen) - slack(pool)
	if bar <= 0 {
		return 1
	}
	slices.Sort(pool)
	if logChoose(len(pool), len(a)) <= math.Log(Splits+0.5) {
		return allSplits(pool, len(a), bar)
	}
	chance := rand.New(rand.NewPCG(seed, 0x5065_726d))
	hits := 0
	for range Resamples {
		var sum float64
		for i := range a {
			j := i + chance.IntN(len(pool)-i)
			pool[i], pool[j] = pool[j], pool[i]
			sum += pool[i]
		}
		if math.Abs(sum) >= bar {
			hits++
		}
	}
	return float64(hits+1) / float64(Resamples+1)
}

// allSplits is the share of the ways to take k values whose sum reaches bar on
// either side.
func allSplits(pool []float64, k int, bar float64) float64 {
	all, hits := 0, 0
	taken := make([]int, k)
	for g := combin.NewCombinationGenerator(len(pool), k); g.Next(); all++ {
		var sum float64
		for _, i := range g.Combination(taken) {
			sum += pool[i]
		}
		if math.Abs(sum) >= bar {
			hits++
		}
	}
	return float64(hits) / float64(all)
}
