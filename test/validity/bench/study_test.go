package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"understudy/domain/comparison"
	"understudy/domain/scoring"
	"understudy/domain/task"
	"understudy/domain/walk"
	"understudy/test/validity"
)

// TestCrowdsAreAsTheySay: what is drawn has the effect, the correlation and the
// true difference that the rows of the study tell.
func TestCrowdsAreAsTheySay(t *testing.T) {
	t.Parallel()
	for _, rho := range []float64{0.8, 0.5} {
		c := crowd{rho: rho, paired: true, shift: 0.5 * overallDeviation}
		var seen moments
		chance := rand.New(rand.NewPCG(1, 1))
		for run := range 1000 {
			c.tests(chance, run, &seen)
		}
		d, realised := seen.effect()
		if math.Abs(d-0.5) > 0.03 || math.Abs(realised-rho) > 0.02 {
			t.Errorf("ρ = %v: drawn d %.3f and ρ %.3f", rho, d, realised)
		}
		if mean := (seen.b - seen.a) / seen.n; math.Abs(mean-c.truth()) > 0.002 {
			t.Errorf("ρ = %v: B is better by %.4f, said to be by %.4f", rho, mean, c.truth())
		}
	}
}

// TestShapesHaveTheirMeans: coverage is asked of the true means.
func TestShapesHaveTheirMeans(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		var seen moments
		a, b := s.people(rand.New(rand.NewPCG(2, 2)), 200_000, 0.8)
		for i := range a {
			if a[i] < 0 || a[i] > 1 || b[i] < 0 || b[i] > 1 {
				t.Fatalf("%s: scores %v and %v", s.name, a[i], b[i])
			}
			seen.add(a[i], b[i])
		}
		if x, y := seen.a/seen.n, seen.b/seen.n; math.Abs(x-s.a) > 0.003 || math.Abs(y-s.b) > 0.003 {
			t.Errorf("%s: means %.4f and %.4f, said to be %.4f and %.4f", s.name, x, y, s.a, s.b)
		}
	}
}

// TestStudyDoesNotDependOnTheMachine: one processor counts the same as many.
func TestStudyDoesNotDependOnTheMachine(t *testing.T) {
	study := func() []tally {
		b := &bench{seed: 3, runs: 41}
		if err := b.studyAlarms(t.Context(), "A/A", crowd{rho: 0.5, paired: true, same: 0.5}); err != nil {
			t.Fatal(err)
		}
		l, err := b.simulate(t.Context(), "anything", func(chance *rand.Rand, _ int, l *ledger) error {
			l.count(chance.Float64() < 0.5)
			return nil
		})
		if err != nil || len(b.table.rows) != 3 {
			t.Fatalf("%d rows: %v", len(b.table.rows), err)
		}
		return l.tallies
	}
	many := study()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := study(); one[0] != many[0] || many[0].n != 41 {
		t.Errorf("one processor counts %v, many %v", one[0], many[0])
	}
}

// TestWalksBecomeSessions as the product has them: a walk that the browser
// failed on keeps its place without counting, the same people make pairs, and
// comparing leaves the walks' scores alone.
func TestWalksBecomeSessions(t *testing.T) {
	t.Parallel()
	cast := validity.Cast(7, 8)
	var results []validity.Result
	for i, p := range cast {
		if i == 2 {
			continue
		}
		results = append(results, validity.Result{Who: p.Who, View: p.View, Seed: p.Seed, Walked: walkOf(p, 4000+1000*i)})
	}
	j := job{errand: validity.SiteErrands()[0], cast: cast, compared: true}
	quick, slow := summarize(j, results), summarize(j, results)
	for i := range slow.sessions {
		slow.sessions[i].Seconds *= 2
	}
	if s := quick.sessions[2]; len(quick.sessions) != 8 || s.Usable || s.Index != 2 {
		t.Fatalf("%d sessions, the third %+v", len(quick.sessions), s)
	}
	before := slow.sessions[0].Scores[scoring.Efficiency]
	r, err := comparison.Build(compared("a", j, slow), compared("b", j, quick))
	if err != nil || r.Design != comparison.Paired || r.Pairs != 7 || r.Criteria[scoring.Efficiency].Difference.Estimate <= 0 {
		t.Errorf("%s with %d pairs, efficiency %+v: %v", r.Design, r.Pairs, r.Criteria[scoring.Efficiency], err)
	}
	if after := slow.sessions[0].Scores[scoring.Efficiency]; after != before || before == 0 {
		t.Errorf("comparing made efficiency %v of %v", after, before)
	}
	for _, damaged := range []string{"a", "b"} {
		var s standings
		s.count(duel{damaged: damaged}, &r)
		if want := one(damaged == "a"); s.better.k != want || s.betterA.n+s.betterB.n != 1 || s.betterA.n != one(damaged == "b") {
			t.Errorf("%s is damaged and B is better: %+v", damaged, s)
		}
	}
}

// walkOf is a walk of one step that reaches the goal.
func walkOf(p validity.Plan, milliseconds int) walk.Walked {
	w := walk.NewWalk(task.Parse("Sign up", nil), p.Who)
	w.Record(walk.Page{URL: validity.Origin + "/"}, walk.Decision{Purpose: walk.Submit, Action: walk.Action{Type: walk.Click}, SimulatedMS: milliseconds,
		Target: &walk.Element{Role: "button", Name: "Go"}}, walk.Effect{Navigated: true})
	return w.Result(walk.Completion{Status: walk.Verified, SubgoalsDone: 1, SubgoalsTotal: 1})
}
