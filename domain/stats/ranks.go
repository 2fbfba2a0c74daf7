package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// exactPairs is the largest number of pairs that [Wilcoxon] counts all cases of.
	exactPairs = 50
	// exactPerSide is the largest number of values on either side that
	// [MannWhitney] counts all cases of.
	exactPerSide = 20
)

// Wilcoxon is the p-value of the differences of pairs lying symmetrically about
// 0, by the signed-rank test (Wilcoxon 1945, Biometrics Bulletin 1:80–83).
// Differences of 0 are left out. Up to 50 others without ties all cases are
// counted, else the normal approximation is used, with the correction for ties
// (Hollander, Wolfe and Chicken 2014, section 3.1) and for continuity. Without
// any it is 1.
func Wilcoxon(d []float64) float64 {
	if !finite(d...) {
		return 1
	}
	d = slices.DeleteFunc(cleaned(d), func(x float64) bool { return x == 0 })
	n := float64(len(d))
	if n == 0 {
		return 1
	}
	sizes := make([]float64, len(d))
	for i, x := range d {
		sizes[i] = math.Abs(x)
	}
	ranks, ties := ranked(sizes)
	var sum float64
	for i, x := range d {
		if x > 0 {
			sum += ranks[i]
		}
	}
	total := n * (n + 1) / 2
	if ties == 0 && len(d) <= exactPairs {
		return twiceTail(signedRankCounts(len(d)), min(sum, total-sum))
	}
	return normalP(sum-total/2, math.Sqrt(n*(n+1)*(2*n+1)/24-ties/48))
}

// MannWhitney is the p-value of the values of different people being spread
// alike, by the rank-sum test (Mann and Whitney 1947, The Annals of Mathematical
// Statistics 18:50–60). Up to 20 values on either side without ties all cases
// are counted, else the normal approximation is used, with the correction for
// ties (Hollander, Wolfe and Chicken 2014, section 4.1) and for continuity. 1
// where a side is empty.
func MannWhitney(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 || !finite(a...) || !finite(b...) {
		return 1
	}
	ranks, ties := ranked(cleaned(slices.Concat(a, b)))
	na, nb := float64(len(a)), float64(len(b))
	n := na + nb
	u := -na * (na + 1) / 2
	for _, r := range ranks[:len(a)] {
		u += r
	}
	if ties == 0 && len(a) <= exactPerSide && len(b) <= exactPerSide {
		return twiceTail(rankSumCounts(len(a), len(b)), min(u, na*nb-u))
	}
	return normalP(u-na*nb/2, math.Sqrt(na*nb/12*(n+1-ties/(n*(n-1)))))
}

// ranked are the ranks of values, from 1, those of equal ones averaged; ties is
// the sum of t³ − t over all groups of t equal values.
func ranked(values []float64) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks = make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2
		}
		t := float64(to - from)
		ties += t*t*t - t
		from = to
	}
	return ranks, ties
}

// signedRankCounts are the numbers of subsets of the ranks 1 … n by their sum.
func signedRankCounts(n int) []float64 {
	counts := make([]float64, n*(n+1)/2+1)
	counts[0] = 1
	for rank := 1; rank <= n; rank++ {
		for sum := len(counts) - 1; sum >= rank; sum-- {
			counts[sum] += counts[sum-rank]
		}
	}
	return counts
}

// rankSumCounts are the numbers of ways to order a and b values by Mann and
// Whitney's U: subsets of a of the ranks 1 … a+b, by their sum less the least.
func rankSumCounts(a, b int) []float64 {
	// taken[k][u] counts the subsets of k of the ranks so far.
	taken := make([][]float64, a+1)
	for k := range taken {
		taken[k] = make([]float64, a*b+1)
	}
	taken[0][0] = 1
	for rank := 1; rank <= a+b; rank++ {
		for k := min(a, rank); k >= 1; k-- {
			// As the k-th least, the rank lies rank − k above its least place.
			for u := a * b; u >= rank-k; u-- {
				taken[k][u] += taken[k-1][u-(rank-k)]
			}
		}
	}
	return taken[a]
}

// twiceTail is the two-sided p-value of a sum whose cases are counted, being low
// or less or as far out above.
func twiceTail(counts []float64, low float64) float64 {
	var all, tail float64
	for sum, c := range counts {
		all += c
		if float64(sum) <= low {
			tail += c
		}
	}
	return math.Min(1, 2*tail/all)
}

// normalP is the two-sided p-value of a sum of ranks that lies off its mean,
// with the standard deviation sd and corrected for continuity.
func normalP(off, sd float64) float64 {
	off = math.Max(0, math.Abs(off)-0.5)
	if off == 0 {
		return 1
	}
	return 2 * distuv.UnitNormal.CDF(-off/sd)
}
