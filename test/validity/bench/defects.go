package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"understudy/domain/findings"
	"understudy/test/sites"
	"understudy/test/validity"
)

func severeIssue(i findings.Issue) bool { return i.Severity >= 3 }

// chosen are the cases that were asked for.
func (b *bench) chosen() []sites.Case {
	return slices.DeleteFunc(sites.Cases(), func(c sites.Case) bool {
		return b.half != "all" && c.Half() != b.half || !b.wanted(c.Name)
	})
}

// variant is a case's test with the faults of some options.
func (b *bench) variant(c sites.Case, name string, o sites.Options, run int) (job, error) {
	e, err := validity.CaseErrand(c, o)
	n := b.crowd(usualFaulty)
	key := fmt.Sprintf("%s %s %d %d", c.Name, name, run, n)
	return job{key: key, errand: e, cast: validity.Cast(b.seedOf(c.Site, c.Task, run), n, c.Viewports...), faults: c.Faults}, err
}

// faultyTests walks cases with their faults.
func (b *bench) faultyTests(ctx context.Context, cases []sites.Case) ([]*test, error) {
	var jobs []job
	for _, c := range cases {
		j, err := b.variant(c, "faulty", c.Options(), 0)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return b.walk(ctx, "faulty sites", jobs)
}

// found counts what the rankings make of the injected faults.
type found struct {
	first, topThree, listed, anywhere, noted, met, precise, reached, agreed tally
}

func (f *found) count(t *test, fault int) {
	v := t.verdicts[fault]
	f.first.count(v.Rank == 1)
	f.topThree.count(v.Rank >= 1 && v.Rank <= 3)
	f.listed.count(t.noted[fault].Rank >= 1 && t.noted[fault].Rank <= 3)
	f.anywhere.count(v.Rank > 0)
	f.noted.count(t.noted[fault].Rank > 0)
	f.met.count(t.met[fault])
}

// countTest counts what is asked once of a test: how many of the first three
// issues are right.
func (f *found) countTest(t *test) {
	for _, right := range t.right[:min(3, len(t.right))] {
		f.precise.count(right)
	}
	f.reached.add(t.completed())
	for i := range t.walks {
		f.agreed.count(t.walks[i].agrees)
	}
}

func measureDefects(ctx context.Context, b *bench) error {
	cases := b.chosen()
	tests, stopped := b.faultyTests(ctx, cases)
	if tests == nil {
		return stopped
	}
	halves := map[string]*found{sites.TestHalf: {}, sites.TuningHalf: {}}
	groups := map[string]*found{}
	kinds := map[string]bool{}
	count, wrong := map[string]int{}, map[string]int{}
	for i, c := range cases {
		t := tests[i]
		if len(t.walks) == 0 {
			continue // already told of as broken
		}
		half := halves[c.Half()]
		count[c.Half()]++
		half.countTest(t)
		for k := range t.counted[:min(3, len(t.counted))] {
			if !t.right[k] {
				wrong[t.counted[k].Kind]++
			}
		}
		for j, f := range c.Faults {
			kinds[f.Kind] = true
			half.count(t, j)
			for _, group := range []string{"kind " + f.Kind, "site " + c.Site} {
				if groups[group] == nil {
					groups[group] = &found{}
				}
				groups[group].count(t, j)
			}
			b.noteMiss(c, t, j)
		}
	}
	if h := halves[sites.TestHalf]; count[sites.TestHalf] > 0 {
		name := fmt.Sprintf("test half, %d cases: ", count[sites.TestHalf])
		b.table.add("defects", h.topThree.atLeast(name+"injected fault in the top 3, notes of severity 1 left out", 90))
		b.table.add("defects", h.listed.row("the same of the whole list that a report shows, notes included"))
		b.table.add("defects", h.first.atLeast("injected fault at the top, notes left out", 70))
		b.table.add("defects", h.precise.row("issues of the top 3 that name an injected fault (precision), notes left out"))
		h.context(b)
	}
	if h := halves[sites.TuningHalf]; count[sites.TuningHalf] > 0 {
		name := fmt.Sprintf("tuning half, %d cases: ", count[sites.TuningHalf])
		b.table.add("defects", h.listed.row(name+"in the top 3 of the report's list"))
		b.table.add("defects", h.topThree.row("the same, notes of severity 1 left out"))
		b.table.add("defects", h.first.row("at the top"))
		b.table.add("defects", h.precise.row("precision of the top 3"))
		h.context(b)
	}
	b.table.add("defects", row{what: "cases and kinds walked", measured: fmt.Sprintf("%d cases, %d kinds", len(cases), len(kinds)),
		aim: "≥ 120 cases, ≥ 20 kinds", met: met(len(cases) >= 120 && len(kinds) >= 20)})
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		g := groups[group]
		b.note("defects by %-24s top 3 %-22s top 1 %-22s anywhere %-22s page seen %s", group, g.topThree, g.first, g.anywhere, g.met)
	}
	for _, kind := range slices.Sorted(maps.Keys(wrong)) {
		b.note("in the top 3 without naming an injected fault: %3d %s", wrong[kind], kind)
	}
	return stopped // what was walked until then is judged
}

// context adds the rows that explain the others.
func (f *found) context(b *bench) {
	b.table.add("defects", f.anywhere.row("named by any issue of severity 2 or more"))
	b.table.add("defects", f.noted.row("named, notes of severity 1 included"))
	b.table.add("defects", f.met.row("faults whose page anybody came to"))
	b.table.add("defects", f.reached.row("walks that reach the goal in spite of them"))
	b.table.add("defects", f.agreed.row("the oracle agrees with the site's own truth"))
}

// noteMiss tells of a fault that is not in the top 3, or not at the top, and
// what stands there instead.
func (b *bench) noteMiss(c sites.Case, t *test, fault int) {
	v := t.verdicts[fault]
	if v.Rank == 1 {
		if slices.Contains(t.right[:min(3, len(t.right))], false) {
			b.note("%s (%s): what stands beside %s", c.Name, c.Half(), v.Fault.Kind)
			t.noteFirst(b)
		}
		return
	}
	rank := "is not named"
	switch {
	case v.Rank > 0:
		rank = fmt.Sprintf("has rank %d", v.Rank)
	case !t.met[fault]:
		rank = "was met by nobody"
	case t.noted[fault].Rank > 0:
		rank = "is only noted"
	}
	b.note("%s (%s): %s at %s %s %s; completed %s", c.Name, c.Half(), v.Fault.Kind, v.Fault.Path, v.Fault.Selector, rank, t.completed())
	t.noteFirst(b)
}

// noteFirst tells of the first three issues, and which name an injected fault.
func (t *test) noteFirst(b *bench) {
	for i := range t.counted[:min(3, len(t.counted))] {
		mark := " "
		if t.right[i] {
			mark = "="
		}
		b.note("   %s%d %s", mark, i+1, describe(&t.counted[i]))
	}
}
