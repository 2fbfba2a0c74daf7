package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	// Resamples is how often is drawn where not all cases can be gone through.
	Resamples = 9_999
	// Enumerated is the largest number of pairs all of whose sign flips are gone
	// through.
	Enumerated = 20
	// interpolations is how many steps to the limit of an interval go by p.
	interpolations = 8
)

// signFlips are the ways to exchange A and B within pairs. Exchanging negates a
// difference; without an effect each way was as likely as what was seen.
type signFlips struct {
	d []float64
	// sums and counts of the differences that each drawn way negates; nil where
	// all ways are gone through.
	sums, counts []float64
	// sheets are where sums are made, kept for the next.
	sheets *sheets
}

// flipsOf are all ways for up to [Enumerated] pairs, else [Resamples] drawn ones.
func flipsOf(d []float64, seed uint64) signFlips {
	f := signFlips{d: d, sheets: &sheets{}}
	if len(d) <= Enumerated {
		return f
	}
	chance := rand.New(rand.NewPCG(seed, 0x5169_4e66))
	f.sums, f.counts = make([]float64, Resamples), make([]float64, Resamples)
	// Eight differences at a time: their sums by the byte that tells which are
	// negated.
	for from := 0; from < len(d); from += 8 {
		eight := d[from:min(from+8, len(d))]
		var sums [256]float64
		for way := 1; way < 1<<len(eight); way++ {
			sums[way] = sums[way&(way-1)] + eight[bits.TrailingZeros(uint(way))]
		}
		var ways uint64
		for i := range f.sums {
			if i%8 == 0 {
				ways = chance.Uint64()
			}
			way := uint8(ways) & uint8(1<<len(eight)-1)
			ways >>= 8
			f.sums[i] += sums[way]
			f.counts[i] += float64(bits.OnesCount8(way))
		}
	}
	return f
}

// p is the two-sided p-value of the mean difference being shift.
func (f signFlips) p(shift float64) float64 {
	shifted := make([]float64, len(f.d))
	var seen float64
	for i, x := range f.d {
		shifted[i] = x - shift
		seen += shifted[i]
	}
	bar := math.Abs(seen) - slack(shifted)
	if bar <= 0 {
		return 1
	}
	if f.sums == nil {
		return f.sheets.allFlips(shifted, bar)
	}
	hits := 0
	for i, s := range f.sums {
		if math.Abs(seen-2*(s-f.counts[i]*shift)) >= bar {
			hits++
		}
	}
	return float64(hits+1) / float64(len(f.sums)+1)
}

// ofZero is the p-value of the mean difference being 0: exact where so few are
// not 0 that all their flips can be gone through.
func (f signFlips) ofZero() float64 {
	others := slices.DeleteFunc(slices.Clone(f.d), func(x float64) bool { return x == 0 })
	if len(others) <= Enumerated {
		return signFlips{d: others, sheets: f.sheets}.p(0)
	}
	return f.p(0)
}

// slack is by how much sums of the values may fall short of one another and yet
// be the same, because values are rounded to 12 decimals and to float64.
func slack(values []float64) float64 {
	var sum float64
	for _, x := range values {
		sum += 1e-12 * (1 + math.Abs(x))
	}
	return sum
}

// sheets hold the sums of flips while they are made: those of either half of the
// values, and those they are made of.
type sheets struct{ left, right, spare []float64 }

// allFlips is the share of all 2^n sums ±x₁ ± … ± xₙ that reach bar, which is
// above 0, on either side. The sums of either half of the values are made in
// order and met in the middle (Horowitz and Sahni 1974), which takes 2^(n/2)
// steps in place of 2^n.
func (s *sheets) allFlips(x []float64, bar float64) float64 {
	s.left, s.spare = orderedSums(x[:len(x)/2], s.left, s.spare)
	s.right, s.spare = orderedSums(x[len(x)/2:], s.right, s.spare)
	hits, j := 0, len(s.right)
	for _, l := range s.left {
		for j > 0 && l+s.right[j-1] >= bar {
			j--
		}
		hits += len(s.right) - j
	}
	// The sums lie symmetrically about 0.
	return math.Min(1, 2*float64(hits)/float64(len(s.left)*len(s.right)))
}

// orderedSums are all sums ±x₁ ± … ± xₙ, least first, on one of two sheets that
// may be written on; spare is the other one.
func orderedSums(x, sheet, other []float64) (sums, spare []float64) {
	sums, spare = append(sheet[:0], 0), other
	for _, v := range x {
		v = math.Abs(v)
		next := slices.Grow(spare[:0], 2*len(sums))[:2*len(sums)]
		i, k := 0, 0
		for _, s := range sums {
			for ; i < len(sums) && sums[i]+v < s-v; i, k = i+1, k+1 {
				next[k] = sums[i] + v
			}
			next[k] = s - v
			k++
		}
		for ; i < len(sums); i, k = i+1, k+1 {
			next[k] = sums[i] + v
		}
		sums, spare = next, sums
	}
	return sums, spare
}

// SignFlip is the p-value of pairs having a mean difference of 0, by the
// sign-flip permutation test (Fisher 1935; Good 2005, Permutation, Parametric
// and Bootstrap Tests of Hypotheses). Up to [Enumerated] differences all flips
// are gone through, else p = (b+1)/(m+1) of [Resamples] drawn ones (Phipson and
// Smyth 2010). Differences of 0 neither count nor harm: flipping them changes no
// sum, so they are left out before the cases are counted. With fewer than six
// others p cannot reach .05; without any it is 1.
func SignFlip(d []float64, seed uint64) float64 {
	if !finite(d...) {
		return 1
	}
	return flipsOf(cleaned(d), seed).ofZero()
}

// SignFlipInterval is the mean difference with the interval of all shifts that
// the sign-flip test does not refuse at .05 (Hartigan 1969, Journal of the
// American Statistical Association 64:1303–1317; Good 2005). It agrees with
// [SignFlip] of the same seed: 0 lies outside exactly where that p is .05 or
// less. Below six differences no shift is refused and there are no limits;
// [Effect.Cut] cuts them to what is possible. Limits are exact to 1e-10 of the
// largest difference, or of 1 if that is more, given the flips.
func SignFlipInterval(d []float64, seed uint64) Effect {
	if len(d) == 0 || !finite(d...) {
		return unknown(math.Inf(-1), math.Inf(1))
	}
	d = cleaned(d)
	mean := stat.Mean(d, nil)
	if least := math.Ldexp(2, -len(d)); least > Alpha {
		return unlimited(mean)
	}
	if low := slices.Min(d); low == slices.Max(d) {
		return Effect{Estimate: low, Low: low, High: low}
	}
	flips := flipsOf(d, seed)
	// About 0 is asked as SignFlip asks, so that limits and p agree.
	zero := flips.ofZero() > Alpha
	return Effect{Estimate: mean, Low: flips.lowerLimit(zero), High: -flips.mirrored().lowerLimit(zero)}
}

// mirrored are the same flips of the differences negated.
func (f signFlips) mirrored() signFlips {
	return signFlips{d: negated(f.d), sums: negated(f.sums), counts: f.counts, sheets: f.sheets}
}

// negated are the values times −1; nil of nil.
func negated(values []float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] = -out[i]
	}
	return out
}

// lowerLimit is the least shift that the test does not refuse, which it does
// with 0 unless zero is true. Below the mean p rises with the shift, since a sum
// reaches the one seen just where the mean of what it negates is at most the
// shift; below the least difference every shift is refused.
func (f signFlips) lowerLimit(zero bool) float64 {
	least, mean := slices.Min(f.d), stat.Mean(f.d, nil)
	refused, kept := least-(mean-least), mean
	near := 1e-11 * math.Max(math.Abs(refused), math.Abs(kept))
	switch {
	case zero && refused < 0 && 0 < kept:
		kept = 0
	case !zero && refused < 0 && 0 < kept:
		refused = 0
	}
	// How far log p lies above its bar is nearly a line of the shift: the first
	// steps follow it (Illinois method, Dowell and Jarratt 1971, BIT 11:168–174),
	// the others halve.
	above := func(shift float64) float64 { return math.Log(f.p(shift) / Alpha) }
	low, high := above(refused), above(kept)
	for step := 0; kept-refused > near; step++ {
		middle := refused + (kept-refused)/2
		if step < interpolations && low < 0 && high > 0 {
			if on := refused - low*(kept-refused)/(high-low); refused < on && on < kept {
				middle = on
			}
		}
		if middle <= refused || kept <= middle {
			break
		}
		if v := above(middle); v > 0 {
			kept, high, low = middle, v, low/2
		} else {
			refused, low, high = middle, v, high/2
		}
	}
	if refused == 0 {
		return kept
	}
	return refused
}
