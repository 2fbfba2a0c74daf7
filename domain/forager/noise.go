package forager

import "math"

// hash mixes a seed and texts into 64 well-spread bits (FNV-1a with the
// finalizer of SplitMix64). Being a function of what is looked at, and not of
// when, it makes the same person read the same word the same way every time.
func hash(seed uint64, parts ...string) uint64 {
	h := uint64(14695981039346656037) ^ seed*0x9e3779b97f4a7c15
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// uniform is in the open interval (0,1).
func uniform(seed uint64, parts ...string) float64 {
	return (float64(hash(seed, parts...)>>11) + 0.5) / (1 << 53)
}

// logistic is standard logistic noise, as SNIF-ACT 2.0 adds to scent, cut to
// ±4 so that one draw cannot outweigh every word.
func logistic(seed uint64, parts ...string) float64 {
	u := uniform(seed, parts...)
	return math.Max(-4, math.Min(4, math.Log(u/(1-u))))
}

// gauss is standard normal.
func gauss(seed uint64, parts ...string) float64 {
	return math.Sqrt2 * math.Erfinv(2*math.Min(0.9999, math.Max(0.0001, uniform(seed, parts...)))-1)
}
