package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pairs counts what pairs of trials came to: with both designs, with one only,
// with neither. A count below 0 is taken for 0.
type Pairs struct {
	Both, OnlyA, OnlyB, Neither int
}

func (p Pairs) counts() (both, onlyA, onlyB, neither float64) {
	return float64(max(0, p.Both)), float64(max(0, p.OnlyA)), float64(max(0, p.OnlyB)), float64(max(0, p.Neither))
}

// NewcombePaired is the difference of the proportions of the same people, B
// less A, with the hybrid score interval (Newcombe 1998, Statistics in Medicine
// 17:2635–2650, method 10: the correlation of the two is corrected for
// continuity). Without pairs it is unknown, −1 to 1.
func NewcombePaired(pairs Pairs) Effect {
	both, onlyA, onlyB, neither := pairs.counts()
	n := both + onlyA + onlyB + neither
	if n == 0 {
		return unknown(-1, 1)
	}
	a, b := proportion{both + onlyA, n}, proportion{both + onlyB, n}
	belowA, aboveA := a.wilson()
	belowB, aboveB := b.wilson()
	phi := correlation(both, onlyA, onlyB, neither)
	hybrid := func(x, y float64) float64 { return math.Sqrt(math.Max(0, x*x-2*phi*x*y+y*y)) }
	d := (onlyB - onlyA) / n
	return Effect{Estimate: d, Low: d - hybrid(belowB, aboveA), High: d + hybrid(aboveB, belowA)}.Cut(-1, 1)
}

// correlation is phi of a table of pairs, a positive one corrected for
// continuity (Newcombe 1998, method 10); 0 where a margin is empty.
func correlation(both, onlyA, onlyB, neither float64) float64 {
	margins := (both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither)
	if margins == 0 {
		return 0
	}
	cross := both*neither - onlyA*onlyB
	if cross > 0 {
		cross = math.Max(0, cross-(both+onlyA+onlyB+neither)/2)
	}
	return cross / math.Sqrt(margins)
}

// McNemarMidP is the p-value of two proportions of the same people being the
// same, by McNemar's exact test with the mid-p: of the ways in which the pairs
// that differ could have fallen, those further out count whole and those as far
// out half (Fagerland, Lydersen and Laake 2013, BMC Medical Research
// Methodology 13:91). Without pairs that differ it is 1.
func McNemarMidP(onlyA, onlyB int) float64 {
	onlyA, onlyB = max(0, onlyA), max(0, onlyB)
	n := onlyA + onlyB
	if n == 0 {
		return 1
	}
	low := float64(min(onlyA, onlyB))
	coin := distuv.Binomial{N: float64(n), P: 0.5}
	here := math.Exp(logChoose(n, int(low)) - float64(n)*math.Ln2)
	if onlyA == onlyB {
		return 1 - here/2
	}
	return math.Max(0, 2*coin.CDF(low)-here)
}
