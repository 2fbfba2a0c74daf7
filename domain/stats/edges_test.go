package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain/stats"
)

// bad draws values that are no scores, among some that are.
var bad = rapid.OneOf(
	rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e60, -1e60, 5e-324, 0, 1}),
	rapid.Float64(),
)

// answered fails unless p is a probability.
func answered(t *rapid.T, what string, p float64) {
	t.Helper()
	if math.IsNaN(p) || p < 0 || p > 1 {
		t.Errorf("%s = %v", what, p)
	}
}

func TestWhateverIsAskedIsAnswered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 24).Draw(t, "n")
		a := rapid.SliceOfN(bad, n, n).Draw(t, "a")
		b := rapid.SliceOfN(bad, 0, 24).Draw(t, "b")
		k := rapid.SliceOfN(rapid.IntRange(-3, 9), 4, 4).Draw(t, "counts")
		for what, e := range map[string]stats.Effect{
			"SignFlipInterval": stats.SignFlipInterval(a, 1), "Welch": stats.Welch(a, b).Effect,
			"GeometricRatio": stats.GeometricRatio(a, b).Effect, "GeometricRatioPaired": stats.GeometricRatioPaired(a, b).Effect,
			"Newcombe":       stats.Newcombe(k[0], k[1], k[2], k[3]),
			"NewcombePaired": stats.NewcombePaired(stats.Pairs{Both: k[0], OnlyA: k[1], OnlyB: k[2], Neither: k[3]}),
		} {
			if math.IsNaN(e.Low) || math.IsNaN(e.High) || e.Low > e.High {
				t.Errorf("%s: %+v", what, e)
			}
		}
		proportions, _ := stats.Proportions(k[0], k[1], k[2], k[3])
		for what, p := range map[string]float64{
			"SignFlip": stats.SignFlip(a, 1), "Wilcoxon": stats.Wilcoxon(a), "Permutation": stats.Permutation(a, b, 1),
			"MannWhitney": stats.MannWhitney(a, b), "Welch": stats.Welch(a, b).P, "GeometricRatio": stats.GeometricRatio(a, b).P,
			"GeometricRatioPaired":    stats.GeometricRatioPaired(a, b).P,
			"ProbabilityBetterPaired": stats.NewBootstrap(1).BetterPaired(a), "ProbabilityBetter": stats.NewBootstrap(1).Better(a, b),
			"Fisher": stats.Fisher(k[0], k[1], k[2], k[3]), "NMinus1ChiSquare": stats.NMinus1ChiSquare(k[0], k[1], k[2], k[3]),
			"Proportions": proportions, "McNemarMidP": stats.McNemarMidP(k[0], k[1]),
		} {
			answered(t, what, p)
		}
		for _, p := range append(stats.Holm(a), stats.ThroughPrimary(math.NaN(), a)...) {
			answered(t, "Holm", p)
		}
		if i := stats.MeanInterval(a); math.IsNaN(i.Low) || math.IsNaN(i.High) {
			t.Errorf("MeanInterval: %+v", i)
		}
		x, y := bad.Draw(t, "x"), bad.Draw(t, "y")
		for _, n := range []int{
			stats.PairsNeeded(x, y), stats.PerSideNeeded(x, y),
		} {
			if n < 0 {
				t.Errorf("%d sessions for %v, %v", n, x, y)
			}
		}
	})
}

func repeated(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestNothingIsKnownOfNothing(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for what, e := range map[string]stats.Effect{
		"no pairs": stats.SignFlipInterval(nil, 1), "NaN": stats.SignFlipInterval([]float64{1, 2, 3, 4, 5, 6, math.NaN()}, 1),
		"an empty side": stats.Welch(nil, []float64{1, 2}).Effect,
	} {
		if e.Known() || e.Low != -inf || e.High != inf {
			t.Errorf("%s: %+v", what, e)
		}
	}
	for what, r := range map[string]stats.Result{
		"a time of 0":     stats.GeometricRatioPaired([]float64{1, 2}, []float64{0, 2}),
		"unequal lengths": stats.GeometricRatioPaired([]float64{1, 2}, []float64{1}),
		"a negative time": stats.GeometricRatio([]float64{-1, 2}, []float64{3, 2}),
		"no times":        stats.GeometricRatio(nil, []float64{3, 2}),
	} {
		if r.Known() || r.Low != 0 || r.High != inf || r.P != 1 {
			t.Errorf("%s: %+v", what, r)
		}
	}
	for what, e := range map[string]stats.Effect{
		"no trials": stats.Newcombe(0, 0, 3, 4), "none either": stats.Newcombe(3, 4, 0, 0), "no pairs": stats.NewcombePaired(stats.Pairs{}),
	} {
		if e.Known() || e.Low != -1 || e.High != 1 {
			t.Errorf("%s: %+v", what, e)
		}
	}
	if !math.IsNaN(stats.CohenDz([]float64{1, 2})) || !math.IsNaN(stats.HedgesG([]float64{1}, []float64{1, 2})) {
		t.Error("an effect size of too few")
	}
	if stats.PairsNeeded(0.2, 0) != 0 || stats.PerSideNeeded(1, 0) != 0 || stats.PairsNeeded(-1, 0.1) != 0 {
		t.Error("a number of sessions for no effect")
	}
	if stats.Differences([]float64{1}, []float64{1, 2}) != nil {
		t.Error("pairs of slices of unequal length")
	}
}

func TestValuesThatDoNotVary(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	// 0.3 − 0.1 is not 0.2 in floating point; the differences are all the same.
	d := stats.Differences([]float64{0.1, 0.5, 0.2, 0.4, 0.6, 0.8}, []float64{0.3, 0.7, 0.4, 0.6, 0.8, 1})
	if e := stats.SignFlipInterval(d, 1); e != (stats.Effect{Estimate: 0.2, Low: 0.2, High: 0.2}) {
		t.Errorf("all better alike: %+v", e)
	}
	if p := stats.SignFlip(d, 1); p != 2.0/64 {
		t.Errorf("all better alike: p = %v", p)
	}
	if p := stats.NewBootstrap(1).BetterPaired(d); p != 1 {
		t.Errorf("all better alike: B is better with %v", p)
	}
	if !math.IsInf(stats.CohenDz(d), 1) {
		t.Errorf("all better alike: d_z = %v", stats.CohenDz(d))
	}
	if e := stats.SignFlipInterval(d[:5], 1); e.Low != -inf || e.High != inf || stats.SignFlip(d[:5], 1) != 2.0/32 {
		t.Errorf("five cannot be significant: %+v", e)
	}
	if e := stats.SignFlipInterval(d[:5], 1).Cut(-1, 1); e.Low != -1 || e.High != 1 {
		t.Errorf("five, cut: %+v", e)
	}
	none := make([]float64, 20)
	if stats.SignFlip(none, 1) != 1 || stats.Wilcoxon(none) != 1 || stats.NewBootstrap(1).BetterPaired(none) != 0.5 || stats.CohenDz(none) != 0 {
		t.Error("no difference anywhere")
	}
	if e := stats.SignFlipInterval(none, 1); e != (stats.Effect{}) {
		t.Errorf("no difference anywhere: %+v", e)
	}
	if p := stats.NewBootstrap(0).Better([]float64{0.4, 0}, []float64{0.4, 0}); p != 0.5 {
		t.Errorf("the same on both sides: B is better with %v", p)
	}
	all := repeated(1, 20)
	if r := stats.Welch(all, all); r.P != 1 || r.Estimate != 0 || r.Low != 0 || r.High != 0 {
		t.Errorf("the same on both sides: %+v", r)
	}
	if r := stats.Welch(none, all); r.P > 1e-9 || r.Low != 1 || r.High != 1 || !math.IsInf(stats.HedgesG(none, all), 1) {
		t.Errorf("all or nothing: %+v", r)
	}
	if r := stats.Welch(none[:3], all[:3]); math.Abs(r.P-0.1) > 1e-9 || r.Low != -inf {
		t.Errorf("three and three cannot be significant: %+v", r)
	}
	if r := stats.GeometricRatioPaired(repeated(30, 6), repeated(15, 6)); r.P != 2.0/64 || math.Abs(r.Low-0.5) > 1e-9 || math.Abs(r.High-0.5) > 1e-9 {
		t.Errorf("always half the time: %+v", r)
	}
	if r := stats.GeometricRatio(repeated(30, 2), repeated(15, 2)); r.Low != 0 || r.High != inf || math.Abs(r.Estimate-0.5) > 1e-9 {
		t.Errorf("two and two: %+v", r)
	}
}

// An interval of twenty pairs is made of a million flips at each of its steps.
func BenchmarkSignFlipInterval(b *testing.B) {
	d := []float64{
		0.11, -0.04, 0.2, 0.07, 0.31, -0.12, 0.05, 0.18, 0.02, 0.09, -0.01, 0.14, 0.26, -0.08, 0.03, 0.1, 0.22, -0.17, 0.06, 0.13,
	}
	for b.Loop() {
		stats.SignFlipInterval(d, 1)
	}
}

// TestAllAtAnEndOfTheScaleIsNotCertainty: six of six who reach the goal say no
// more than a proportion of six of six does.
func TestAllAtAnEndOfTheScaleIsNotCertainty(t *testing.T) {
	t.Parallel()
	low, _ := stats.Wilson(6, 6, stats.Z95)
	if i := stats.MeanInterval([]float64{1, 1, 1, 1, 1, 1}); i.Low != low || i.High != 1 {
		t.Errorf("all 1: %+v", i)
	}
	_, high := stats.Wilson(0, 6, stats.Z95)
	if i := stats.MeanInterval(make([]float64, 6)); i.Low != 0 || i.High != high {
		t.Errorf("all 0: %+v", i)
	}
	if i := stats.MeanInterval([]float64{0.5, 0.5}); i.Low != 0.5 || i.High != 0.5 {
		t.Errorf("all in the middle: %+v", i)
	}
}
