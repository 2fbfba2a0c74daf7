package stats_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain/stats"
)

// score draws scores as sessions have them: many the same, some in between.
var score = rapid.OneOf(
	rapid.SampledFrom([]float64{0, 0.4, 0.8, 1}),
	rapid.Map(rapid.IntRange(0, 100), func(c int) float64 { return float64(c) / 100 }),
	rapid.Float64Range(0, 1),
)

func scores(least, most int) *rapid.Generator[[]float64] { return rapid.SliceOfN(score, least, most) }

// pairsOf draws pairs of scores, on either side of the number that is gone through.
func pairsOf(t *rapid.T) (a, b []float64) {
	n := rapid.IntRange(0, 23).Draw(t, "n")
	return scores(n, n).Draw(t, "a"), scores(n, n).Draw(t, "b")
}

func same(x, y float64) bool {
	return x == y || math.Abs(x-y) < 1e-9 || math.IsNaN(x) && math.IsNaN(y)
}

// mirrored fails unless exchanging A and B negates an effect.
func mirrored(t *rapid.T, what string, ab, ba stats.Effect) {
	t.Helper()
	if !same(ab.Estimate, -ba.Estimate) || !same(ab.Low, -ba.High) || !same(ab.High, -ba.Low) {
		t.Errorf("%s: %+v and exchanged %+v", what, ab, ba)
	}
}

// sound fails unless an effect lies within its limits.
func sound(t *rapid.T, what string, e stats.Effect) {
	t.Helper()
	if e.Known() && (e.Low > e.Estimate+1e-12 || e.High < e.Estimate-1e-12) || math.IsNaN(e.Low) || math.IsNaN(e.High) || e.Low > e.High {
		t.Errorf("%s: %+v", what, e)
	}
}

// probable fails unless p is a probability and that of the exchanged sides too.
func probable(t *rapid.T, what string, ab, ba float64) {
	t.Helper()
	if math.IsNaN(ab) || ab < 0 || ab > 1 || !same(ab, ba) {
		t.Errorf("%s: p = %v and exchanged %v", what, ab, ba)
	}
}

func TestProportionsAreFair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nA, nB := rapid.IntRange(0, 60).Draw(t, "nA"), rapid.IntRange(0, 60).Draw(t, "nB")
		kA, kB := rapid.IntRange(0, nA).Draw(t, "kA"), rapid.IntRange(0, nB).Draw(t, "kB")
		unpaired := stats.Newcombe(kA, nA, kB, nB)
		sound(t, "Newcombe", unpaired)
		mirrored(t, "Newcombe", unpaired, stats.Newcombe(kB, nB, kA, nA))
		mirrored(t, "Newcombe of failures", unpaired, stats.Newcombe(nA-kA, nA, nB-kB, nB))
		for what, p := range map[string]func(kA, nA, kB, nB int) float64{
			"chi-square": stats.NMinus1ChiSquare, "Fisher": stats.Fisher,
			"proportions": func(kA, nA, kB, nB int) float64 { p, _ := stats.Proportions(kA, nA, kB, nB); return p },
		} {
			probable(t, what, p(kA, nA, kB, nB), p(kB, nB, kA, nA))
			probable(t, what+" of failures", p(kA, nA, kB, nB), p(nA-kA, nA, nB-kB, nB))
		}
		probable(t, "mid-p", stats.McNemarMidP(kA, kB), stats.McNemarMidP(kB, kA))
		pairs := stats.Pairs{Both: nA, OnlyA: kA, OnlyB: kB, Neither: nB}
		e := stats.NewcombePaired(pairs)
		sound(t, "paired", e)
		mirrored(t, "paired", e, stats.NewcombePaired(stats.Pairs{Both: nA, OnlyA: kB, OnlyB: kA, Neither: nB}))
		mirrored(t, "paired failures", e, stats.NewcombePaired(stats.Pairs{Both: nB, OnlyA: kB, OnlyB: kA, Neither: nA}))
	})
}

func TestPairedScoresAreFair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := pairsOf(t)
		seed := rapid.Uint64().Draw(t, "seed")
		ab, ba := stats.Differences(a, b), stats.Differences(b, a)
		probable(t, "sign flip", stats.SignFlip(ab, seed), stats.SignFlip(ba, seed))
		probable(t, "Wilcoxon", stats.Wilcoxon(ab), stats.Wilcoxon(ba))
		probable(t, "B is better", stats.NewBootstrap(seed).BetterPaired(ab), 1-stats.NewBootstrap(seed).BetterPaired(ba))
		sound(t, "sign flip", stats.SignFlipInterval(ab, seed))
		mirrored(t, "sign flip", stats.SignFlipInterval(ab, seed), stats.SignFlipInterval(ba, seed))
		if d := stats.CohenDz(ab); !same(d, -stats.CohenDz(ba)) {
			t.Errorf("d_z %v and exchanged %v", d, stats.CohenDz(ba))
		}
	})
}

func TestScoresOfDifferentPeopleAreFair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := scores(0, 14).Draw(t, "a"), scores(0, 14).Draw(t, "b")
		seed := rapid.Uint64().Draw(t, "seed")
		probable(t, "permutation", stats.Permutation(a, b, seed), stats.Permutation(b, a, seed))
		probable(t, "Mann–Whitney", stats.MannWhitney(a, b), stats.MannWhitney(b, a))
		probable(t, "B is better", stats.NewBootstrap(seed).Better(a, b), 1-stats.NewBootstrap(seed).Better(b, a))
		ab, ba := stats.Welch(a, b), stats.Welch(b, a)
		probable(t, "Welch", ab.P, ba.P)
		sound(t, "Welch", ab.Effect)
		mirrored(t, "Welch", ab.Effect, ba.Effect)
		if ab.Known() && (ab.P <= stats.Alpha) != (ab.Low > 0 || ab.High < 0) && math.Abs(ab.P-stats.Alpha) > 1e-9 {
			t.Errorf("Welch: p and interval disagree: %+v", ab)
		}
		if g := stats.HedgesG(a, b); !same(g, -stats.HedgesG(b, a)) {
			t.Errorf("g %v and exchanged %v", g, stats.HedgesG(b, a))
		}
	})
}

func TestTimesAreFair(t *testing.T) {
	t.Parallel()
	seconds := rapid.OneOf(rapid.Float64Range(0.1, 900), rapid.SampledFrom([]float64{10, 20, 40}))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		a, b := rapid.SliceOfN(seconds, n, n).Draw(t, "a"), rapid.SliceOfN(seconds, n, n).Draw(t, "b")
		for what, ratio := range map[string]func(a, b []float64) stats.Result{
			"paired": stats.GeometricRatioPaired, "unpaired": stats.GeometricRatio,
		} {
			ab, ba := ratio(a, b), ratio(b, a)
			probable(t, what, ab.P, ba.P)
			sound(t, what, ab.Effect)
			if ab.Known() != (n > 0) {
				t.Errorf("%s: %+v of %d", what, ab, n)
			}
			if ab.Known() && (!same(math.Log(ab.Estimate), -math.Log(ba.Estimate)) || !same(math.Log(ab.Low), -math.Log(ba.High))) {
				t.Errorf("%s: %+v and exchanged %+v", what, ab, ba)
			}
		}
	})
}

// The interval holds the shifts that the test does not refuse, 0 among them.
func TestTheIntervalIsTheTestInverted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := pairsOf(t)
		seed := rapid.Uint64().Draw(t, "seed")
		d := stats.Differences(a, b)
		e, p := stats.SignFlipInterval(d, seed), stats.SignFlip(d, seed)
		if outside := e.Low > 0 || e.High < 0; outside != (p <= stats.Alpha) {
			t.Errorf("p = %v, interval %+v", p, e)
		}
		if len(d) > stats.Enumerated {
			return // a shift that makes a difference 0 may be tested with other flips
		}
		shifted := func(by float64) float64 {
			s := slices.Clone(d)
			for i := range s {
				s[i] -= by
			}
			return stats.SignFlip(s, seed)
		}
		const step = 1e-9
		for _, limit := range []struct{ at, inward float64 }{{e.Low, step}, {e.High, -step}} {
			if math.IsInf(limit.at, 0) || !e.Known() {
				continue
			}
			if p := shifted(limit.at - limit.inward); p > stats.Alpha {
				t.Errorf("%v lies outside %+v and has p = %v", limit.at-limit.inward, e, p)
			}
			if p := shifted(limit.at + limit.inward); e.High-e.Low > 2*step && p <= stats.Alpha {
				t.Errorf("%v lies inside %+v and has p = %v", limit.at+limit.inward, e, p)
			}
		}
	})
}

// The half sums that meet in the middle count what going through all flips does.
func TestSignFlipsAreAllCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.SliceOfN(rapid.IntRange(-30, 30), 1, 11).Draw(t, "cents")
		d := make([]float64, len(cents))
		seen := 0
		for i, c := range cents {
			d[i] = float64(c) / 100
			seen += c
		}
		hits := 0
		for flips := range 1 << len(cents) {
			sum := 0
			for i, c := range cents {
				sum += c * (1 - 2*(flips>>i&1))
			}
			if max(sum, -sum) >= max(seen, -seen) {
				hits++
			}
		}
		if p, want := stats.SignFlip(d, 0), float64(hits)/float64(int(1)<<len(cents)); !same(p, want) {
			t.Errorf("p = %v, want %v", p, want)
		}
		if p := stats.SignFlip(append(d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0); !same(p, stats.SignFlip(d, 0)) {
			t.Errorf("with differences of 0 p = %v", p)
		}
	})
}

func TestASeedRepeatsTheAnswer(t *testing.T) {
	t.Parallel()
	a, b := make([]float64, 30), make([]float64, 24)
	for i := range a {
		a[i] = math.Sin(float64(i)) + 0.3
	}
	for i := range b {
		b[i] = math.Cos(float64(i)) + 0.5
	}
	all := func(seed uint64) []float64 {
		i := stats.SignFlipInterval(a, seed)
		return []float64{
			stats.SignFlip(a, seed), i.Low, i.High, stats.Permutation(a, b, seed),
			stats.NewBootstrap(seed).BetterPaired(a), stats.NewBootstrap(seed).Better(a, b),
		}
	}
	first, other := all(1), all(2)
	if second := all(1); !slices.Equal(first, second) {
		t.Errorf("%v, then %v", first, second)
	}
	for i := range first {
		if first[i] == other[i] || math.Abs(first[i]-other[i]) > 0.02 {
			t.Errorf("number %d: %v, of another seed %v", i, first[i], other[i])
		}
	}
	slices.Reverse(a)
	if p := stats.Permutation(a, b, 1); p != first[3] {
		t.Errorf("in another order p = %v, not %v", p, first[3])
	}
}

func TestHolmIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 12).Draw(t, "p")
		primary := rapid.Float64Range(0, 1).Draw(t, "primary")
		adjusted, through := stats.Holm(p), stats.ThroughPrimary(primary, p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > min(1, float64(len(p))*p[i]+1e-12) || through[i] != max(primary, adjusted[i]) {
				t.Errorf("%v becomes %v, through %v %v", p[i], adjusted[i], primary, through[i])
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					t.Errorf("%v < %v, adjusted %v > %v", p[i], p[j], adjusted[i], adjusted[j])
				}
			}
		}
	})
}

func TestSmallerEffectsNeedMoreSessions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sd, effect := rapid.Float64Range(0, 0.6).Draw(t, "sd"), rapid.Float64Range(0.01, 0.5).Draw(t, "effect")
		for what, needed := range map[string]func(sd, effect float64) int{
			"pairs": stats.PairsNeeded, "per side": stats.PerSideNeeded,
		} {
			n := needed(sd, effect)
			if n < 4 || n != needed(sd, -effect) || needed(sd, effect/2) < n || needed(sd/2, effect) > n {
				t.Errorf("%s: sd %v, effect %v: %d, of half the effect %d, of half the sd %d",
					what, sd, effect, n, needed(sd, effect/2), needed(sd/2, effect))
			}
		}
	})
}

// TestABootstrapIsTheSameForEverybody: weights that were drawn for others before
// change no answer, be they kept or, for many people, drawn anew.
func TestABootstrapIsTheSameForEverybody(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]float64{0.2, 0.3, 0.1, 0.6}, 60)
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		shared := stats.NewBootstrap(seed)
		for range 3 {
			a, b := scores(0, 6).Draw(t, "a"), scores(0, 6).Draw(t, "b")
			if got, want := shared.Better(a, b), stats.NewBootstrap(seed).Better(a, b); got != want {
				t.Errorf("people: %v, alone %v", got, want)
			}
			if got, want := shared.BetterPaired(a), stats.NewBootstrap(seed).BetterPaired(a); got != want {
				t.Errorf("pairs: %v, alone %v", got, want)
			}
		}
	})
	shared := stats.NewBootstrap(1)
	for range 2 {
		if got, want := shared.Better(many, many[1:]), stats.NewBootstrap(1).Better(many, many[1:]); got != want {
			t.Errorf("many people: %v, alone %v", got, want)
		}
	}
}
