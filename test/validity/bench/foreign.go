package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"understudy/test/validity"
)

// usualForeign is how many personas walk each errand on pages of others.
const usualForeign = 8

// measureForeign walks pages that others have written, and tells every severe
// issue that it finds there: whoever reads it looks whether it is true.
func measureForeign(ctx context.Context, b *bench) error {
	var jobs []job
	n := b.crowd(usualForeign)
	for _, e := range validity.ForeignErrands() {
		if b.wanted(e.Name) {
			jobs = append(jobs, job{key: fmt.Sprintf("%s foreign %d", e.Name, n), errand: e, cast: validity.Cast(b.seedOf("foreign", e.Name, 0), n)})
		}
	}
	tests, err := b.walk(ctx, "pages of others", jobs)
	if err != nil {
		return err
	}
	var done, agreed tally
	severe := 0
	for i, t := range tests {
		e := jobs[i].errand
		var outcomes []string
		for j := range t.walks {
			agreed.count(t.walks[j].agrees)
			outcomes = append(outcomes, t.walks[j].outcome)
		}
		what := e.Name + ": " + e.Task
		if e.Doable {
			done.add(t.completed())
		} else {
			what += " (not for everybody to do)"
		}
		r := t.completed().row(what)
		slices.Sort(outcomes)
		for _, o := range slices.Compact(slices.Clone(outcomes)) {
			n := len(slices.DeleteFunc(slices.Clone(outcomes), func(other string) bool { return other != o }))
			r.measured += fmt.Sprintf(", %d %s", n, cmp.Or(o, "unverified"))
		}
		b.table.add("foreign", r)
		for j := range t.issues {
			if t.issues[j].Severity >= 3 {
				severe++
				b.remarks = append(b.remarks, "severe, on "+e.Name+": "+describe(&t.issues[j]))
			}
		}
	}
	b.table.add("foreign", done.row("doable errands completed"))
	b.table.add("foreign", agreed.row("the oracle agrees with the truth written down by hand"))
	b.table.add("foreign", row{what: "issues of severity 3 or 4, told below", measured: fmt.Sprint(severe)})
	return nil
}

// measureCost tells what the walks of this run took; when there were none it
// walks the clean sites with two people each.
func measureCost(ctx context.Context, b *bench) error {
	if b.walks == 0 {
		b.people = b.crowd(2)
		if _, _, err := b.cleanTests(ctx); err != nil {
			return err
		}
	}
	n := float64(max(1, b.walks))
	b.table.add("cost", row{what: fmt.Sprintf("walks per minute without pictures and records, %d CPUs", runtime.NumCPU()),
		measured: fmt.Sprintf("%.0f (%d in %s)", n/b.took.Minutes(), b.walks, b.took.Round(time.Second))})
	b.table.add("cost", row{what: "CPU seconds per walk: browser, driver and model", measured: fmt.Sprintf("%.2f", b.used.Seconds()/n)})
	return nil
}
