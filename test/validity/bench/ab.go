package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"understudy/adapters/runner"
	"understudy/domain/comparison"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/scoring"
	"understudy/domain/stats"
	"understudy/domain/walk"
	"understudy/test/sites"
	"understudy/test/validity"
)

// usualSide is how many personas walk each side of a comparison.
const usualSide = 20

// duel is a comparison that is to be walked: its sides are jobs.
type duel struct {
	name string
	a, b int
	// damaged is the side with the fault: "a", "b", or "" of twins.
	damaged string
	// edited: the twins are B with a harmless edit, and the same people and seeds.
	edited bool
}

// measureAB walks pairs of designs as a comparison with variants does, the same
// people with the same seeds on either side, and compares them as the product
// does. Twins are the same design twice, with other people and seeds.
func measureAB(ctx context.Context, b *bench) error {
	var jobs []job
	var duels []duel
	add := func(c sites.Case, name string, o sites.Options, run int) (int, error) {
		e, err := validity.CaseErrand(c, o)
		n := b.crowd(usualSide)
		jobs = append(jobs, job{
			key: fmt.Sprintf("%s %s %d %d", c.Name, name, run, n), errand: e,
			cast: validity.Cast(b.seedOf(c.Site, c.Task, run), n, c.Viewports...), compared: true,
		})
		return len(jobs) - 1, err
	}
	for _, p := range sites.Pairs() {
		if b.half != "all" && p.Half() != b.half || !b.wanted(p.Name) {
			continue
		}
		clean := sites.Case{Name: p.Site + "-" + p.Task, Site: p.Site, Task: p.Task, Viewports: p.Viewports}
		whole, err := add(clean, "ab clean", sites.Options{}, 0)
		if err != nil {
			return err
		}
		damaged, err := add(p.Case, "ab damaged", p.Options(), 0)
		if err != nil {
			return err
		}
		d := duel{name: p.Name, a: whole, b: damaged, damaged: "b"}
		if p.DamagedA {
			d.a, d.b, d.damaged = damaged, whole, "a"
		}
		duels = append(duels, d)
	}
	for _, c := range sites.Twins() {
		if !b.wanted(c.Name) {
			continue
		}
		first, err := add(c, "ab clean", sites.Options{}, 0)
		if err != nil {
			return err
		}
		second, err := add(c, "ab clean", sites.Options{}, 1)
		if err != nil {
			return err
		}
		duels = append(duels, duel{name: c.Name + " twice", a: first, b: second})
	}
	for _, c := range sites.EditedTwins() {
		if !b.wanted(c.Name) {
			continue
		}
		first, err := add(c, "ab clean", sites.Options{}, 0)
		if err != nil {
			return err
		}
		second, err := add(c, "ab edited", c.Options(), 0)
		if err != nil {
			return err
		}
		duels = append(duels, duel{name: c.Name + " edited", a: first, b: second, edited: true})
	}
	tests, stopped := b.walk(ctx, "A/B pairs", jobs)
	if tests == nil {
		return stopped
	}
	var s standings
	for _, d := range duels {
		if tests[d.a].sessions == nil || tests[d.b].sessions == nil {
			continue // not walked, or told of as broken
		}
		r, err := comparison.Build(compared(d.name+" A", jobs[d.a], tests[d.a]), compared(d.name+" B", jobs[d.b], tests[d.b]))
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		s.count(d, &r)
		b.noteDuel(d, &r)
	}
	s.print(b, b.crowd(usualSide))
	return stopped // what was walked until then is judged
}

// standings count how comparisons end.
type standings struct {
	better, won, leaning, wrong tally // of the undamaged design
	large                       tally // better by stats.SmallestEffect at least
	betterA, betterB            tally // better by the side it stands on
	reseeded, edited            alarms
}

// alarms are what is told of twins.
type alarms struct{ winner, any, leaning, large tally }

func (a *alarms) count(r *comparison.Result) {
	a.winner.count(r.Winner != nil)
	a.any.count(anySignificant(r))
	o := r.Criteria[gate.Overall]
	a.leaning.count(o.Strength == comparison.Leaning)
	a.large.count(math.Abs(o.Difference.Estimate) >= stats.SmallestEffect)
}

func (a *alarms) print(b *bench, what string) {
	b.table.add("ab", a.winner.row("A/A, a clean site twice, "+what+": a winner is declared"))
	b.table.add("ab", a.any.row("any criterion or overall is told as significant"))
	b.table.add("ab", a.leaning.row("the comparison leans to either side"))
	b.table.add("ab", a.large.row(fmt.Sprintf("the estimates of overall lie %.2f or more apart", stats.SmallestEffect)))
}

func (s *standings) count(d duel, r *comparison.Result) {
	o := r.Criteria[gate.Overall]
	if d.damaged == "" {
		if d.edited {
			s.edited.count(r)
		} else {
			s.reseeded.count(r)
		}
		return
	}
	gain, undamaged, better := o.Difference.Estimate, "b", comparison.BBetter
	if d.damaged == "b" {
		gain, undamaged, better = -gain, "a", comparison.ABetter
	}
	s.better.count(gain > 0)
	s.large.count(gain >= stats.SmallestEffect)
	if undamaged == "a" {
		s.betterA.count(gain > 0)
	} else {
		s.betterB.count(gain > 0)
	}
	s.won.count(r.Winner != nil && *r.Winner == undamaged)
	s.leaning.count(o.Strength == comparison.Leaning && o.Verdict == better)
	s.wrong.count(r.Winner != nil && *r.Winner != undamaged)
}

func (s *standings) print(b *bench, side int) {
	b.table.add("ab", s.better.atLeast(fmt.Sprintf("%d A/B pairs, one of each kind of fault, %d sessions a side: the undamaged variant has the better overall estimate (counted as its win)", s.better.n, side), 90))
	b.table.add("ab", s.won.row("it is declared the winner (overall significant)"))
	b.table.add("ab", s.leaning.row("the comparison leans to it, not significant"))
	b.table.add("ab", s.wrong.row("the damaged variant is declared the winner"))
	b.table.add("ab", s.large.row(fmt.Sprintf("its estimate of overall is better by %.2f or more", stats.SmallestEffect)))
	b.table.add("ab", s.betterA.row("better overall estimate where the undamaged variant is A"))
	b.table.add("ab", s.betterB.row("where it is B"))
	s.reseeded.print(b, "with other people and seeds")
	s.edited.print(b, "the same people and seeds, B with an edit that hinders nobody")
}

// anySignificant reports whether any criterion or overall is told as
// significant.
func anySignificant(r *comparison.Result) bool {
	for _, s := range r.Criteria {
		if s.Strength == comparison.Significant {
			return true
		}
	}
	return false
}

// noteDuel tells of one comparison in a line, gains and losses as B less A.
func (b *bench) noteDuel(d duel, r *comparison.Result) {
	o := r.Criteria[gate.Overall]
	what := "A/A"
	if d.damaged != "" {
		what = "damaged is " + d.damaged
	}
	winner := "none"
	if r.Winner != nil {
		winner = *r.Winner
	}
	b.note("ab %-44s %-12s %s overall %.3f and %.3f, %+.3f, p %.4f, winner %s, %s %s; reached %d and %d of %d", d.name, what, r.Design,
		o.A.Mean, o.B.Mean, o.Difference.Estimate, o.PValue, winner, o.Strength, o.Verdict, r.Success.A.Succeeded, r.Success.B.Succeeded, r.Success.A.Total)
}

// compared is a walked job as a comparison sees the test: all nine criteria.
// Comparing changes scores, and tests of one job are in several comparisons.
func compared(id string, j job, t *test) comparison.Test {
	out := comparison.Test{
		ID: id, URL: validity.Origin + j.errand.Start, Task: j.errand.Task, Model: runner.Embedded, MaxSteps: walk.DefaultMaxSteps,
		Criteria: scoring.Criteria, Sessions: slices.Clone(t.sessions),
	}
	for i := range out.Sessions {
		out.Sessions[i].Scores = maps.Clone(out.Sessions[i].Scores)
	}
	return out
}

// sessionsOf are the walks of a cast as the product records them, which
// collects scores as its runner does (an audit by axe-core is no part of these
// walks). Walks that were left out are sessions that do not count.
func sessionsOf(cast []validity.Plan, results []validity.Result) []comparison.Session {
	walked := map[uint64]*validity.Result{}
	for i := range results {
		walked[results[i].Seed] = &results[i]
	}
	var out []comparison.Session
	for i, p := range cast {
		s := comparison.Session{ID: fmt.Sprint("session ", i), Index: i, Who: fmt.Sprintf("%+v %s %d", p.Who.Facets, p.View, p.Seed)}
		if r := walked[p.Seed]; r != nil {
			s.Usable = true
			s.Findings = findings.NewSession(s.ID, r.Walked)
			s.Succeeded = s.Findings.Succeeded
			s.Seconds = float64(r.Walked.SimulatedMS) / 1000
			s.Scores, _ = scoring.Score(scoring.Collect(r.Walked))
		}
		out = append(out, s)
	}
	return out
}
