package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"understudy/domain/comparison"
	"understudy/domain/gate"
	"understudy/domain/scoring"
	"understudy/domain/stats"
)

// studyPeople is how many sessions a side has in the study.
const studyPeople = 20

// largest share of comparisons of two equal designs in which anything may be
// told as significant, in percent: .05 and what chance adds to 10,000 runs.
const falseAlarms = 5.5

// measureStudy compares tests that are drawn at random, so that the truth about
// them is known, on the product's own way: comparison.Build with eight
// criteria and their adjusted p-values. See crowd for how scores are drawn.
// Nobody walks.
func measureStudy(ctx context.Context, b *bench) error {
	for _, rho := range []float64{0.8, 0.5} {
		if err := b.studyScores(ctx, rho); err != nil {
			return err
		}
	}
	if err := b.studyCompletion(ctx); err != nil {
		return err
	}
	for _, c := range []struct {
		what  string
		crowd crowd
	}{
		{"new seeds, other people, unpaired", crowd{}},
		{"new seeds, the same people, pairs, ρ = 0.8", crowd{rho: 0.8, paired: true}},
		{"an edit that changes nothing, pairs, a fifth walks anew with ρ = 0.5, the rest walks the same", crowd{rho: 0.5, paired: true, same: 0.8}},
	} {
		if err := b.studyAlarms(ctx, c.what, c.crowd); err != nil {
			return err
		}
	}
	return b.studyCoverage(ctx)
}

// studyScores: B is better by half a standard deviation of overall in all
// criteria.
func (b *bench) studyScores(ctx context.Context, rho float64) error {
	c := crowd{rho: rho, paired: true, shift: 0.5 * overallDeviation}
	truth := c.truth()
	l, err := b.simulate(ctx, fmt.Sprintf("scores, ρ = %g", rho), func(chance *rand.Rand, run int, l *ledger) error {
		x, y := c.tests(chance, run, &l.seen)
		r, err := comparison.Build(x, y)
		if err != nil {
			return err
		}
		o := r.Criteria[gate.Overall]
		l.count(o.Difference.Estimate > 0, o.Strength == comparison.Significant, r.Winner != nil && *r.Winner == "b",
			r.Winner != nil && *r.Winner == "a", contains(o.Difference, truth))
		return nil
	})
	if err != nil {
		return err
	}
	d, realised := l.seen.effect()
	what := fmt.Sprintf("eight graded criteria, d = 0.5, n = %d pairs, ρ = %g (as drawn: d %.3f, ρ %.3f), %d runs: the estimate of overall has the right sign",
		studyPeople, rho, d, realised, b.runs)
	right, significant := l.tallies[0].row(what), l.tallies[1].row("overall is significant by its adjusted p")
	if rho == 0.8 {
		right, significant = l.tallies[0].atLeast(what, 98), l.tallies[1].atLeast(significant.what, 90)
	}
	b.table.add("study", right)
	b.table.add("study", significant)
	b.table.add("study", l.tallies[2].row("the better one is declared the winner"))
	b.table.add("study", l.tallies[3].row("the worse one is"))
	b.table.add("study", l.tallies[4].row("the interval of overall's difference covers the truth"))
	return nil
}

// studyCompletion: 60 % reach the goal with A and 80 % with B, and nothing else
// is asked for.
func (b *bench) studyCompletion(ctx context.Context) error {
	const rho = 0.8
	l, err := b.simulate(ctx, "completion", func(chance *rand.Rand, run int, l *ledger) error {
		x, y := completionTests(chance, run, rho, &l.seen)
		r, err := comparison.Build(x, y)
		if err != nil {
			return err
		}
		o := r.Criteria[gate.Overall]
		l.count(o.Difference.Estimate > 0, o.Strength == comparison.Significant, r.Winner != nil && *r.Winner == "b", r.Success.PValue < stats.Alpha)
		return nil
	})
	if err != nil {
		return err
	}
	_, phi := l.seen.effect()
	b.table.add("study", l.tallies[0].row(fmt.Sprintf("completion alone, 60 → 80 %%, n = %d pairs (φ as drawn %.3f): the estimate has the right sign, ties are no pick", studyPeople, phi)))
	b.table.add("study", l.tallies[1].row("overall is significant by its adjusted p"))
	b.table.add("study", l.tallies[2].row("the better one is declared the winner"))
	b.table.add("study", l.tallies[3].row("success is significant by McNemar's mid-p"))
	return nil
}

// studyAlarms: both designs are the same.
func (b *bench) studyAlarms(ctx context.Context, what string, c crowd) error {
	l, err := b.simulate(ctx, "A/A, "+what, func(chance *rand.Rand, run int, l *ledger) error {
		x, y := c.tests(chance, run, &l.seen)
		r, err := comparison.Build(x, y)
		if err != nil {
			return err
		}
		l.count(anySignificant(&r), r.Winner != nil, r.Criteria[gate.Overall].Strength == comparison.Leaning)
		return nil
	})
	if err != nil {
		return err
	}
	b.table.add("study", l.tallies[0].atMost(fmt.Sprintf("A/A, %s, n = %d: overall or any of eight criteria is told as significant", what, studyPeople), falseAlarms))
	b.table.add("study", l.tallies[1].row("a winner is declared"))
	b.table.add("study", l.tallies[2].row("the comparison leans to either side"))
	return nil
}

// contains reports whether an effect's interval holds the truth.
func contains(e comparison.Effect, truth float64) bool {
	return (e.Low == nil || *e.Low <= truth) && (e.High == nil || truth <= *e.High)
}

// tests are two tests of all criteria with the scores of a crowd.
func (c crowd) tests(chance *rand.Rand, run int, seen *moments) (a, b comparison.Test) {
	a, b = emptyTest("a", run, graded), emptyTest("b", run, graded)
	for i := range studyPeople {
		x, y := c.person(chance)
		first, second := session(i, "", x), session(i, map[bool]string{true: "", false: "another "}[c.paired], y)
		overallA, _ := scoring.Overall(first.Scores, graded)
		overallB, _ := scoring.Overall(second.Scores, graded)
		seen.add(overallA, overallB)
		a.Sessions, b.Sessions = append(a.Sessions, first), append(b.Sessions, second)
	}
	return a, b
}

// emptyTest is a test of its own in each run, which seeds what is resampled.
func emptyTest(side string, run int, criteria []string) comparison.Test {
	return comparison.Test{
		ID: fmt.Sprint(side, " ", run), URL: "https://" + side + ".example/", Task: "Buy a mug", Model: "forager-2", MaxSteps: 25, Criteria: criteria,
	}
}
