package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// SmallestEffect is the least difference of scores in [0,1], and of
	// proportions, that is worth finding.
	SmallestEffect = 0.05
	// Power is the chance to find it that the numbers of sessions are made for.
	Power = 0.8
	// fewestPairs and fewestPerSide are the least with which the permutation
	// tests can reach .05: 2 of 2⁶ flips, 2 of the 70 splits of four and four.
	fewestPairs, fewestPerSide = 6, 4
)

// PairsNeeded is how many pairs find a mean difference of effect (the sign does
// not matter; see [SmallestEffect]) with [Power], at .05 on two sides, where
// differences have the standard deviation sd: the least number for which the t
// test of pairs has it (Cohen 1988; from the normal approximation of Guenther
// 1981, The American Statistician 35:243–244, on by noncentral t), and 6 at
// least. 0 where effect is 0, sd is below 0 or either is no number.
func PairsNeeded(sd, effect float64) int {
	if !possible(sd, effect) {
		return 0
	}
	return leastNumber(sd/math.Abs(effect), fewestPairs, func(n float64) float64 { return n - 1 })
}

// PerSideNeeded is how many sessions on each side find a difference of means of
// effect with [Power], where the scores of either side have the standard
// deviation sd: as [PairsNeeded], by the t test of two samples, and 4 at least.
func PerSideNeeded(sd, effect float64) int {
	if !possible(sd, effect) {
		return 0
	}
	return leastNumber(sd*math.Sqrt2/math.Abs(effect), fewestPerSide, func(n float64) float64 { return 2 * (n - 1) })
}

// zPower is the standard normal quantile of [Power].
var zPower = distuv.UnitNormal.Quantile(Power)

func possible(sd, effect float64) bool { return finite(sd, effect) && sd >= 0 && effect != 0 }

// wholeNumber rounds up, in spite of rounding errors, to what an int holds on
// every machine.
func wholeNumber(n float64) int { return int(math.Min(math.Ceil(n-1e-9), math.MaxInt32)) }

// leastNumber is the least n, no less than least, with [Power], where the
// statistic has the noncentrality √n/spread and freedom tells its degrees of
// freedom.
func leastNumber(spread float64, least int, freedom func(n float64) float64) int {
	root := (Z95 + zPower) * spread
	guess := root * root
	// From here on t differs from the normal distribution by less than a session.
	if guess > 10_000 {
		return wholeNumber(guess + Z95*Z95/2)
	}
	enough := func(n int) bool {
		return spread == 0 || tPower(math.Sqrt(float64(n))/spread, freedom(float64(n))) >= Power
	}
	n := max(least, wholeNumber(guess))
	for n > least && enough(n-1) {
		n--
	}
	for !enough(n) {
		n++
	}
	return n
}

// tPower is the probability that a t test of df degrees of freedom, 5 at least,
// whose statistic has the noncentrality delta above 0, is significant at .05 on
// two sides.
func tPower(delta, df float64) float64 {
	// The bar is 2.58 at most, and what follows would need ever more terms.
	if delta > 10 {
		return 1
	}
	bar := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1 - Alpha/2)
	return 2 - noncentralT(bar, df, delta) - noncentralT(bar, df, -delta)
}

// noncentralT is the probability that a noncentral t value is at most t, which
// is above 0 (Lenth 1989, Applied Statistics 38:185–189, algorithm AS 243),
// for a noncentrality from −10 to 10, where 200 terms leave nothing out.
func noncentralT(t, df, delta float64) float64 {
	x := t * t / (df + t*t)
	half := delta * delta / 2
	p := math.Exp(-half)
	q := delta * p / (math.Sqrt2 * math.Gamma(1.5))
	// The incomplete beta function at a and at a + 1 differs by a term of which
	// the next is a multiple.
	beta := func(a float64) (value, step float64) {
		up, _ := math.Lgamma(a + df/2)
		low, _ := math.Lgamma(a + 1)
		rest, _ := math.Lgamma(df / 2)
		return distuv.Beta{Alpha: a, Beta: df / 2}.CDF(x), math.Exp(up - low - rest + a*math.Log(x) + df/2*math.Log1p(-x))
	}
	odd, oddStep := beta(0.5)
	even, evenStep := beta(1)
	sum := distuv.UnitNormal.CDF(-delta)
	for j := range 200 {
		i := float64(j)
		sum += (p*odd + q*even) / 2
		odd, oddStep = odd-oddStep, oddStep*x*(i+0.5+df/2)/(i+1.5)
		even, evenStep = even-evenStep, evenStep*x*(i+1+df/2)/(i+2)
		p *= half / (i + 1)
		q *= half / (i + 1.5)
		if i > half && p+math.Abs(q) < 1e-20 {
			break // both fall faster and faster from here on
		}
	}
	return sum
}
