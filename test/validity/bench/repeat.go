package main

import (
	"context"
	"fmt"

	"understudy/domain/findings"
	"understudy/test/validity"
)

// usualRepeated is how many personas walk each task twice.
const usualRepeated = 4

// measureRepeat walks every task with the same people and seeds twice, and a
// third time under other names.
func measureRepeat(ctx context.Context, b *bench) error {
	var jobs [3][]job
	n := b.crowd(usualRepeated)
	for _, e := range validity.SiteErrands() {
		if !b.wanted(e.Name) {
			continue
		}
		for i := range jobs {
			cast := validity.Cast(b.seedOf("repeat", e.Name, 0), n)
			if i == 2 {
				for k := range cast {
					cast[k].Who.Name, cast[k].Who.ID, cast[k].Who.Summary = "Somebody Else", fmt.Sprint("per_", k), "Called something else."
				}
			}
			jobs[i] = append(jobs[i], job{key: fmt.Sprintf("%s repeat %d %d", e.Name, i, n), errand: e, cast: cast, traces: true})
		}
	}
	tests, err := b.walk(ctx, "repeated walks", append(append(jobs[0], jobs[1]...), jobs[2]...))
	if err != nil {
		return err
	}
	tasks := len(tests) / 3
	var actions, traces, renamed tally
	for i := range tasks {
		first, second, third := tests[i].walks, tests[tasks+i].walks, tests[2*tasks+i].walks
		if len(first) != len(second) || len(first) != len(third) {
			continue // walks broke: nobody to compare
		}
		for j := range first {
			actions.count(first[j].actions == second[j].actions)
			traces.count(first[j].trace == second[j].trace)
			renamed.count(first[j].actions == third[j].actions)
			if first[j].trace != second[j].trace {
				b.note("repeat %s, person %d: %s", jobs[0][i].errand.Name, j, validity.FirstDifference(first[j].trace, second[j].trace))
			}
		}
	}
	b.table.add("repeat", actions.atLeast("sessions with the same actions when walked twice", 99))
	b.table.add("repeat", traces.row("with the same thoughts, times and verdict too"))
	b.table.add("repeat", renamed.atLeast("with the same actions under another name", 99))
	return nil
}

// seedCases is how many cases are walked with another seed.
const seedCases = 24

// persistence of rank-biased overlap: the first ten ranks carry 86 % of it.
const persistence = 0.9

// measureSeeds ranks the issues of the same faulty site twice, with other
// people and other seeds.
func measureSeeds(ctx context.Context, b *bench) error {
	cases := b.chosen()
	every := max(1, len(cases)/seedCases)
	var jobs []job
	for i := 0; i < len(cases) && len(jobs) < 2*seedCases; i += every {
		for run := range 2 {
			j, err := b.variant(cases[i], "faulty", cases[i].Options(), run)
			if err != nil {
				return err
			}
			jobs = append(jobs, j)
		}
	}
	tests, err := b.walk(ctx, "other seeds", jobs)
	if err != nil {
		return err
	}
	var whole, counted []float64
	for i := 0; i+1 < len(tests); i += 2 {
		if len(tests[i].walks) == 0 || len(tests[i+1].walks) == 0 {
			continue // walks broke: nothing to compare
		}
		whole = append(whole, validity.RankBiasedOverlap(ids(tests[i].issues), ids(tests[i+1].issues), persistence))
		counted = append(counted, validity.RankBiasedOverlap(ids(tests[i].counted), ids(tests[i+1].counted), persistence))
		b.note("seeds %-48s overlap %.2f, of severity ≥ 2 %.2f", jobs[i].key, whole[len(whole)-1], counted[len(counted)-1])
	}
	mean, low, high := validity.MeanInterval(whole)
	b.table.add("seeds", row{what: fmt.Sprintf("rank-biased overlap (p = %.1f) of two issue lists, %d cases", persistence, len(whole)),
		measured: fmt.Sprintf("%.2f", mean), interval: span("%.2f", low, high), aim: "≥ 0.8", met: met(mean >= 0.8)})
	mean, low, high = validity.MeanInterval(counted)
	b.table.add("seeds", row{what: "of the issues of severity 2 or more only", measured: fmt.Sprintf("%.2f", mean), interval: span("%.2f", low, high)})
	return nil
}

func ids(issues []findings.Issue) []string {
	out := make([]string, 0, len(issues))
	for i := range issues {
		out = append(out, issues[i].ID)
	}
	return out
}
