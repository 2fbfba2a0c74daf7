package validity

import "math"

// RankBiasedOverlap compares two rankings without repeated entries, from 0
// (nothing in common) to 1 (the same): the extrapolated rank-biased overlap
// of Webber, Moffat and Zobel 2010, equation 32, which also compares lists of
// unequal length. p in (0,1) is how likely a reader goes on from one rank to the
// next; at 0.9 the first ten ranks carry 86 % of the weight. Two empty rankings
// are the same, an empty one has nothing in common with another.
func RankBiasedOverlap(a, b []string, p float64) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	s, l := len(a), len(b)
	if s == 0 {
		if l == 0 {
			return 1
		}
		return 0
	}
	inA, inB := map[string]bool{}, map[string]bool{}
	overlap := 0.0 // X of the paper at the current depth
	short := 0.0   // X at depth s
	sum := 0.0
	for d := 1; d <= l; d++ {
		y := b[d-1]
		if d <= s {
			x := a[d-1]
			if x == y {
				overlap++
			} else {
				if inB[x] {
					overlap++
				}
				if inA[y] {
					overlap++
				}
			}
			inA[x] = true
		} else if inA[y] {
			overlap++
		}
		inB[y] = true
		if d == s {
			short = overlap
		}
		weight := math.Pow(p, float64(d))
		sum += overlap / float64(d) * weight
		if d > s {
			sum += short * float64(d-s) / float64(s*d) * weight
		}
	}
	return (1-p)/p*sum + ((overlap-short)/float64(l)+short/float64(s))*math.Pow(p, float64(l))
}
