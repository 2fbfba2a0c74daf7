package stats

import (
	"math/rand/v2"
	"slices"
)

// Bootstrap is the Bayesian bootstrap (Rubin 1981, The Annals of Statistics
// 9:130–134) with [Resamples] draws of a seed. Values of as many people are given
// the same weights, which are drawn once as long as they are no more than
// maxWeights. It is not safe for concurrent use.
type Bootstrap struct {
	seed  uint64
	drawn map[[2]int][]float64
}

// NewBootstrap is the bootstrap of a seed.
func NewBootstrap(seed uint64) *Bootstrap {
	return &Bootstrap{seed: seed, drawn: map[[2]int][]float64{}}
}

// maxWeights bounds the weights that are kept for one pair of sizes, in numbers
// of eight bytes: two sides of 200 people.
const maxWeights = 1 << 22

// BetterPaired is the probability that B's mean is above A's, given the
// differences of pairs, B less A. A draw that finds them equal counts half.
// Fewer than two pairs tell nothing: 0.5.
func (b *Bootstrap) BetterPaired(d []float64) float64 {
	if len(d) < 2 || !finite(d...) {
		return 0.5
	}
	return b.shareAbove(cleaned(d), nil)
}

// Better is the probability that the mean of new is above that of old, whose
// values are of different people, as [Bootstrap.BetterPaired] has it for the same
// ones. Fewer than two values on a side tell nothing: 0.5.
func (b *Bootstrap) Better(old, new []float64) float64 {
	if len(old) < 2 || len(new) < 2 || !finite(old...) || !finite(new...) {
		return 0.5
	}
	// The draws are dealt in one order, so that exchanging A and B mirrors it.
	switch slices.Compare(old, new) {
	case 0:
		return 0.5
	case 1:
		return 1 - b.Better(new, old)
	}
	return b.shareAbove(new, old)
}

// shareAbove is the share of the draws in which the mean of x is above that of
// y, or above 0 without y, those in which it is the same counted half.
func (b *Bootstrap) shareAbove(x, y []float64) float64 {
	doubled := 0
	b.each(len(x), len(y), func(weights []float64) {
		sum, all := weighted(x, weights)
		if y != nil {
			others, whole := weighted(y, weights[len(x):])
			sum = rounded(sum/all - others/whole)
		}
		switch {
		case sum > 0:
			doubled += 2
		case sum == 0:
			doubled++
		}
	})
	return float64(doubled) / (2 * Resamples)
}

// each gives fn the weights of each draw for n values and m others: they are
// uniform over all that add up to 1, but for that sum.
func (b *Bootstrap) each(n, m int, fn func(weights []float64)) {
	size := n + m
	weights, known := b.drawn[[2]int{n, m}]
	kept := size*Resamples <= maxWeights
	if !known {
		weights = make([]float64, size)
		if kept {
			weights = make([]float64, size*Resamples)
			b.drawn[[2]int{n, m}] = weights
		}
	}
	chance := rand.New(rand.NewPCG(b.seed, 0x4261_7965))
	for i := range Resamples {
		row := weights
		if kept {
			row = weights[i*size : (i+1)*size]
		}
		if !known {
			for j := range row {
				row[j] = chance.ExpFloat64()
			}
		}
		fn(row)
	}
}

// weighted is the sum of values times weights, of which there may be more, and
// that of these weights: their ratio is the mean.
func weighted(values, weights []float64) (sum, all float64) {
	weights = weights[:len(values)]
	for i, v := range values {
		sum += weights[i] * v
		all += weights[i]
	}
	return sum, all
}
