package stats

import "math"

// Z95 is the standard normal quantile of a two-sided 95 % interval.
const Z95 = 1.959963984540054

// Wilson is the score interval of a proportion (Wilson 1927): k of n at the
// normal quantile z. Without any trials everything is possible: 0 to 1. k
// outside [0,n] is cut to it.
func Wilson(k, n int, z float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	k = max(0, min(k, n))
	p, m := float64(k)/float64(n), float64(n)
	centre := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	low, high = (centre-half)/scale, (centre+half)/scale
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return math.Max(0, low), math.Min(1, high)
}
