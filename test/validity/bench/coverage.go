package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"understudy/domain/stats"
)

// shape is a way in which scores are spread. draw gives person i's scores with A
// and B, correlated by the normal variables that it is given.
type shape struct {
	name string
	draw func(i int, x, y float64, chance *rand.Rand) (a, b float64)
	// a and b are the true means.
	a, b float64
	// declared: the product says that intervals of such scores cover too little.
	declared bool
}

// leastCoverage is aimed at, in percent.
const leastCoverage = 93

// strata are groups of people, as many in each: how far their scores with A lie
// from the mean of all. What B gains differs by half of that.
var strata = []float64{-0.2, -0.1, 0, 0.1, 0.2}

// exponential is a loss with the mean m, by the exponential quantile of a normal
// variable.
func exponential(m, x float64) float64 { return -m * math.Log(normal(-x)) }

// shapes are those that coverage is looked at for.
func shapes() []shape {
	const sd = 0.15
	cut := func(v float64) float64 { return math.Max(0, math.Min(1, v)) }
	iid := shape{name: "iid, normal", a: cutMean(0.55, sd), b: cutMean(0.625, sd), draw: func(_ int, x, y float64, _ *rand.Rand) (a, b float64) {
		return cut(0.55 + sd*x), cut(0.625 + sd*y)
	}}
	stratified := shape{name: fmt.Sprintf("stratified, %d groups", len(strata)), draw: func(i int, x, y float64, _ *rand.Rand) (a, b float64) {
		o := strata[i%len(strata)]
		return cut(0.5 + o + 0.1*x), cut(0.55 + 1.5*o + 0.1*y)
	}}
	for _, o := range strata {
		stratified.a += cutMean(0.5+o, 0.1) / float64(len(strata))
		stratified.b += cutMean(0.55+1.5*o, 0.1) / float64(len(strata))
	}
	// Most people score close to 1; what they lose is exponential (skewness 2).
	const lossA, lossB = 0.25, 0.15
	lost := func(m float64) float64 { return m * (1 - math.Exp(-1/m)) }
	skewed := shape{name: "skewed, exponential losses", a: 1 - lost(lossA), b: 1 - lost(lossB), declared: true, draw: func(_ int, x, y float64, _ *rand.Rand) (a, b float64) {
		return cut(1 - exponential(lossA, x)), cut(1 - exponential(lossB, y))
	}}
	// All score alike but for one in ten, who loses .3 to .8 with B.
	rare := shape{name: "mostly alike, one in ten loses .3 to .8", a: cutMean(0.9, 0.03), b: cutMean(0.9, 0.03) - 0.1*0.55, declared: true,
		draw: func(_ int, x, y float64, chance *rand.Rand) (a, b float64) {
			a, b = cut(0.9+0.03*x), cut(0.9+0.03*y)
			if chance.Float64() < 0.1 {
				b -= 0.3 + 0.5*chance.Float64()
			}
			return a, b
		}}
	return []shape{iid, stratified, skewed, rare}
}

// people draws the scores of n people with A and B, with the correlation rho of
// what lies behind them.
func (s shape) people(chance *rand.Rand, n int, rho float64) (a, b []float64) {
	for i := range n {
		x := chance.NormFloat64()
		v, w := s.draw(i, x, rho*x+math.Sqrt(1-rho*rho)*chance.NormFloat64(), chance)
		a, b = append(a, v), append(b, w)
	}
	return a, b
}

// studyCoverage asks how often the product's intervals of 95 % hold the truth.
func (b *bench) studyCoverage(ctx context.Context) error {
	const n, rho = studyPeople, 0.8
	for _, s := range shapes() {
		l, err := b.simulate(ctx, "coverage, "+s.name, func(chance *rand.Rand, run int, l *ledger) error {
			holds := func(low, truth, high float64) bool { return low <= truth+1e-12 && truth <= high+1e-12 }
			x, y := s.people(chance, n, rho)
			d := stats.Differences(x, y)
			pairs := stats.SignFlipInterval(d, uint64(run))
			own := stats.MeanInterval(y)
			_, other := s.people(chance, n, 0)
			welch := stats.Welch(x, other)
			truth := s.b - s.a
			l.count(holds(pairs.Low, truth, pairs.High), holds(welch.Low, truth, welch.High), holds(own.Low, s.b, own.High))
			return nil
		})
		if err != nil {
			return err
		}
		for i, what := range []string{
			fmt.Sprintf("coverage, n = %d, %s: differences of pairs, sign flips inverted (ρ = %g)", n, s.name, rho),
			"the same of different people, Welch", "the mean of one test, B's, Student's t",
		} {
			r := l.tallies[i].atLeast(what, leastCoverage)
			if s.declared && 100*l.tallies[i].share() < leastCoverage {
				r.met += ", declared"
			}
			b.table.add("study", r)
		}
	}
	return b.studyProportions(ctx)
}

// studyProportions asks the same of Newcombe's intervals at 60 and 80 %.
func (b *bench) studyProportions(ctx context.Context) error {
	const n, rho, truth = studyPeople, 0.8, 0.2
	l, err := b.simulate(ctx, "coverage, proportions", func(chance *rand.Rand, run int, l *ledger) error {
		x, y := completionTests(chance, run, rho, &l.seen)
		var p stats.Pairs
		kA, kB := 0, 0
		for i := range x.Sessions {
			a, b := x.Sessions[i].Succeeded, y.Sessions[i].Succeeded
			switch {
			case a && b:
				p.Both++
			case a:
				p.OnlyA++
			case b:
				p.OnlyB++
			default:
				p.Neither++
			}
			kA += one(chance.Float64() < 0.6)
			kB += one(chance.Float64() < 0.8)
		}
		paired, others := stats.NewcombePaired(p), stats.Newcombe(kA, n, kB, n)
		l.count(paired.Low <= truth && truth <= paired.High, others.Low <= truth && truth <= others.High)
		return nil
	})
	if err != nil {
		return err
	}
	b.table.add("study", l.tallies[0].atLeast(fmt.Sprintf("coverage, n = %d, completion 60 → 80 %%: pairs, Newcombe", n), leastCoverage))
	b.table.add("study", l.tallies[1].atLeast("the same of different people, Newcombe", leastCoverage))
	return nil
}
