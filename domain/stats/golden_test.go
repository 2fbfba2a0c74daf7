package stats_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"understudy/domain/stats"
)

// golden is a question to SciPy and its answer; test/golden/stats/make.py makes
// them.
type golden struct {
	Function  string
	Counts    []int
	A, B      []float64
	Want      []float64
	Tolerance float64
}

const seed = 20240917

// answers ask this package the same.
var answers = map[string]func(g golden) []float64{
	"Wilson": func(g golden) []float64 {
		low, high := stats.Wilson(g.Counts[0], g.Counts[1], stats.Z95)
		return []float64{low, high}
	},
	"Newcombe": func(g golden) []float64 { return three(stats.Newcombe(four(g.Counts))) },
	"NMinus1ChiSquare": func(g golden) []float64 {
		return []float64{stats.NMinus1ChiSquare(four(g.Counts))}
	},
	"Fisher": func(g golden) []float64 { return []float64{stats.Fisher(four(g.Counts))} },
	"Proportions": func(g golden) []float64 {
		p, exact := stats.Proportions(four(g.Counts))
		if exact {
			return []float64{p, 1}
		}
		return []float64{p, 0}
	},
	"NewcombePaired": func(g golden) []float64 {
		both, onlyA, onlyB, neither := four(g.Counts)
		return three(stats.NewcombePaired(stats.Pairs{Both: both, OnlyA: onlyA, OnlyB: onlyB, Neither: neither}))
	},
	"McNemarMidP":      func(g golden) []float64 { return []float64{stats.McNemarMidP(g.Counts[0], g.Counts[1])} },
	"SignFlip":         func(g golden) []float64 { return []float64{stats.SignFlip(stats.Differences(g.A, g.B), seed)} },
	"SignFlipInterval": func(g golden) []float64 { return three(stats.SignFlipInterval(stats.Differences(g.A, g.B), seed)) },
	"Wilcoxon":         func(g golden) []float64 { return []float64{stats.Wilcoxon(stats.Differences(g.A, g.B))} },
	"CohenDz":          func(g golden) []float64 { return []float64{stats.CohenDz(stats.Differences(g.A, g.B))} },
	"ProbabilityBetterPaired": func(g golden) []float64 {
		return []float64{stats.NewBootstrap(seed).BetterPaired(stats.Differences(g.A, g.B))}
	},
	"Welch":             func(g golden) []float64 { return withP(stats.Welch(g.A, g.B)) },
	"HedgesG":           func(g golden) []float64 { return []float64{stats.HedgesG(g.A, g.B)} },
	"Permutation":       func(g golden) []float64 { return []float64{stats.Permutation(g.A, g.B, seed)} },
	"ProbabilityBetter": func(g golden) []float64 { return []float64{stats.NewBootstrap(seed).Better(g.A, g.B)} },
	"MannWhitney":       func(g golden) []float64 { return []float64{stats.MannWhitney(g.A, g.B)} },
	"GeometricRatioPaired": func(g golden) []float64 {
		return withP(stats.GeometricRatioPaired(g.A, g.B))
	},
	"GeometricRatio": func(g golden) []float64 { return withP(stats.GeometricRatio(g.A, g.B)) },
	"Holm":           func(g golden) []float64 { return stats.Holm(g.A) },
	"ThroughPrimary": func(g golden) []float64 { return stats.ThroughPrimary(g.A[0], g.B) },
	"PairsNeeded":    func(g golden) []float64 { return []float64{float64(stats.PairsNeeded(g.A[0], g.A[1]))} },
	"PerSideNeeded":  func(g golden) []float64 { return []float64{float64(stats.PerSideNeeded(g.A[0], g.A[1]))} },
	"MeanInterval": func(g golden) []float64 {
		i := stats.MeanInterval(g.A)
		return []float64{i.Low, i.High}
	},
}

func four(c []int) (kA, nA, kB, nB int) { return c[0], c[1], c[2], c[3] }

func three(e stats.Effect) []float64 { return []float64{e.Estimate, e.Low, e.High} }

func withP(r stats.Result) []float64 { return append(three(r.Effect), r.P) }

func TestAgainstSciPy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../test/golden/stats/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	for _, g := range file.Cases {
		answer := answers[g.Function]
		if answer == nil {
			t.Fatalf("nobody answers %s", g.Function)
		}
		asked[g.Function]++
		got := answer(g)
		if len(got) != len(g.Want) {
			t.Errorf("%s: %d answers, want %d", g.Function, len(got), len(g.Want))
			continue
		}
		for i, want := range g.Want {
			if math.IsNaN(got[i]) || math.Abs(got[i]-want) > g.Tolerance {
				t.Errorf("%s number %d (n = %d, %d; counts %v)[%d] = %.9f, SciPy has %.9f",
					g.Function, asked[g.Function], len(g.A), len(g.B), g.Counts, i, got[i], want)
			}
		}
	}
	for function := range answers {
		if asked[function] == 0 {
			t.Errorf("SciPy was not asked for %s", function)
		}
	}
}
