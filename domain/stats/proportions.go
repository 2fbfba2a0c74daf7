package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// proportion is k of n, k cut to [0,n] as Wilson does.
type proportion struct{ k, n float64 }

func proportionOf(k, n int) proportion {
	return proportion{k: float64(max(0, min(k, n))), n: float64(n)}
}

func (p proportion) rate() float64 { return p.k / p.n }

// wilson is how far the 95 % score interval reaches below and above the rate.
func (p proportion) wilson() (below, above float64) {
	low, high := Wilson(int(p.k), int(p.n), Z95)
	return p.rate() - low, high - p.rate()
}

// Newcombe is the difference of two proportions of different people, kB of nB
// less kA of nA, with the hybrid score interval (Newcombe 1998, Statistics in
// Medicine 17:873–890, method 10). Without trials on a side it is unknown, −1
// to 1.
func Newcombe(kA, nA, kB, nB int) Effect {
	if nA <= 0 || nB <= 0 {
		return unknown(-1, 1)
	}
	a, b := proportionOf(kA, nA), proportionOf(kB, nB)
	belowA, aboveA := a.wilson()
	belowB, aboveB := b.wilson()
	d := b.rate() - a.rate()
	return Effect{Estimate: d, Low: d - math.Hypot(belowB, aboveA), High: d + math.Hypot(aboveB, belowA)}.Cut(-1, 1)
}

// NMinus1ChiSquare is the p-value of two proportions of different people being
// the same, by Pearson's chi-square times (N−1)/N (Campbell 2007, Statistics in
// Medicine 26:3661–3675). It is made for tables whose expected counts are 1 at
// least: [Proportions] chooses. 1 where a side has no trials, or all trials
// ended alike.
func NMinus1ChiSquare(kA, nA, kB, nB int) float64 {
	if nA <= 0 || nB <= 0 {
		return 1
	}
	a, b := proportionOf(kA, nA), proportionOf(kB, nB)
	n, yes := a.n+b.n, a.k+b.k
	if yes == 0 || yes == n {
		return 1
	}
	cross := a.k*(b.n-b.k) - b.k*(a.n-a.k)
	x := (n - 1) * (cross / a.n) * (cross / b.n) / (yes * (n - yes))
	return distuv.ChiSquared{K: 1}.Survival(x)
}

// Fisher is the p-value of two proportions of different people being the same,
// by Fisher's exact test (Fisher 1935): the probability, given both margins, of
// all tables that are no likelier than the one seen. 1 where a side has no
// trials.
func Fisher(kA, nA, kB, nB int) float64 {
	if nA <= 0 || nB <= 0 {
		return 1
	}
	kA, kB = max(0, min(kA, nA)), max(0, min(kB, nB))
	yes := kA + kB
	// The logarithm of a table's probability, but for a constant of the margins.
	weight := func(k int) float64 { return logChoose(nA, k) + logChoose(nB, yes-k) }
	// Tables as likely as the one seen are told so in spite of rounding.
	seen := weight(kA) + 1e-7
	var all, extreme float64
	for k := max(0, yes-nB); k <= min(yes, nA); k++ {
		w := math.Exp(weight(k) - seen)
		all += w
		if w <= 1 {
			extreme += w
		}
	}
	if math.IsInf(all, 1) {
		return 0
	}
	return math.Min(1, extreme/all)
}

// logChoose is the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// Proportions is the p-value of two proportions of different people being the
// same: the N−1 chi-square where every expected count is 1 at least, else
// Fisher's exact test, and then exact is true (Campbell 2007). 1 where a side
// has no trials.
func Proportions(kA, nA, kB, nB int) (p float64, exact bool) {
	if nA <= 0 || nB <= 0 {
		return 1, true
	}
	a, b := proportionOf(kA, nA), proportionOf(kB, nB)
	yes := a.k + b.k
	if math.Min(a.n, b.n)*math.Min(yes, a.n+b.n-yes)/(a.n+b.n) < 1 {
		return Fisher(kA, nA, kB, nB), true
	}
	return NMinus1ChiSquare(kA, nA, kB, nB), false
}
