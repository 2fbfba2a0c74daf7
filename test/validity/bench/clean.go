package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"understudy/test/validity"
)

// usualClean and usualFaulty are how many personas walk a test.
const (
	usualClean  = 12
	usualFaulty = 10
)

// leastTests is how many tests of clean sites the aim on severe issues asks for.
const leastTests = 60

// cleanTests walks every task of every site without faults, with so many seeds
// that there are tests enough.
func (b *bench) cleanTests(ctx context.Context) ([]job, []*test, error) {
	var errands []validity.Errand
	for _, e := range validity.SiteErrands() {
		if b.wanted(e.Name) {
			errands = append(errands, e)
		}
	}
	var jobs []job
	for run := range (leastTests + len(errands) - 1) / max(1, len(errands)) {
		if run > 0 && b.match != "" {
			break // a look at some tasks, not a measurement
		}
		for _, e := range errands {
			jobs = append(jobs, b.cleanJob(e, run))
		}
	}
	tests, err := b.walk(ctx, "clean sites", jobs)
	return jobs, tests, err
}

func (b *bench) cleanJob(e validity.Errand, run int) job {
	n := b.crowd(usualClean)
	_, task, _ := strings.Cut(e.Name, "/")
	return job{key: fmt.Sprintf("%s clean %d %d", e.Name, run, n), errand: e, cast: validity.Cast(b.seedOf(e.Site, task, run), n)}
}

func measureClean(ctx context.Context, b *bench) error {
	jobs, tests, err := b.cleanTests(ctx)
	if err != nil {
		return err
	}
	var done, agreed, others tally
	byTask := map[string]*tally{}
	for i, t := range tests {
		name := jobs[i].errand.Name
		if byTask[name] == nil {
			byTask[name] = &tally{}
		}
		byTask[name].add(t.completed())
		done.add(t.completed())
		for j := range t.walks {
			w := &t.walks[j]
			agreed.count(w.agrees)
			others.k, others.n = others.k+w.watched-w.mistaken, others.n+w.watched
		}
	}
	least, worst := math.Inf(1), ""
	for _, e := range validity.SiteErrands() {
		if c := byTask[e.Name]; c != nil {
			b.note("clean %-28s %s", e.Name, c)
			if c.share() < least {
				least, worst = c.share(), fmt.Sprintf("%s, %s", e.Name, c)
			}
		}
	}
	b.table.add("clean sites", done.atLeast(fmt.Sprintf("walks of %d doable tasks that reach the goal", len(byTask)), 90))
	b.table.add("clean sites", row{what: "the hardest task", measured: worst})
	b.table.add("clean sites", agreed.atLeast("the oracle agrees with the site's own truth", 98))
	b.table.add("clean sites", others.row("so do oracles of tasks that nobody was sent to do"))
	return nil
}

func measureSeverity(ctx context.Context, b *bench) error {
	jobs, tests, err := b.cleanTests(ctx)
	if err != nil {
		return err
	}
	var severe, minor tally
	for i, t := range tests {
		severe.count(slices.ContainsFunc(t.issues, severeIssue))
		minor.count(len(t.counted) > 0)
		for j := range t.counted {
			b.note("%s finds: %s", jobs[i].key, describe(&t.counted[j]))
		}
	}
	r := severe.atMost("tests of clean sites with an issue of severity 3 or 4", 5)
	if severe.n < leastTests {
		r.met = fmt.Sprintf("fewer than %d tests", leastTests)
	}
	b.table.add("severity", r)
	b.table.add("severity", minor.row("with any issue of severity 2 or more"))
	return nil
}
