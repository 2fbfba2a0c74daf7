package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"understudy/domain/stats"
)

type session struct {
	ID, Status, Outcome string
	Completion          *struct{ Status, Evidence string }
	trace               struct {
		Steps []struct {
			At  time.Time
			URL string
		}
	}
}

func (s session) verified() bool { return s.Completion != nil && s.Completion.Status == "verified" }

// walk is a session with whether it was truly done.
type walk struct {
	session
	done bool
}

// row is an errand, measured.
type row struct {
	name   string
	walks  []walk
	issues []string
	errs   []string
}

func (r *row) fault(err error) {
	if err != nil {
		r.errs = append(r.errs, err.Error())
	}
}

func (r row) count(is func(walk) bool) (n int) {
	for _, w := range r.walks {
		if is(w) {
			n++
		}
	}
	return n
}

func (r row) line() string {
	return fmt.Sprintf("%s: done %d of %d %s", r.name, r.count(func(w walk) bool { return w.done }), len(r.walks), strings.Join(r.errs, "; "))
}

// table tells each errand, what those who did not do it came to, and the issues.
func table(rows []row) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "task\ttruly done\t95 % (Wilson)\tverified\tverdict right\tthose who did not")
	for _, r := range rows {
		n, done := len(r.walks), r.count(func(w walk) bool { return w.done })
		between := "-"
		if n > 0 {
			low, high := stats.Wilson(done, n, stats.Z95)
			between = fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)
		}
		_, _ = fmt.Fprintf(t, "%s\t%d/%d\t%s\t%d\t%d\t%s\n", r.name, done, n, between, r.count(func(w walk) bool { return w.verified() }),
			r.count(func(w walk) bool { return w.done == w.verified() }), r.others())
	}
	_ = t.Flush() // into memory
	for _, r := range rows {
		for _, issue := range r.told() {
			fmt.Fprintf(&b, "%s: issue %s\n", r.name, issue)
		}
		for _, w := range r.walks {
			if w.done != w.verified() && w.Completion != nil {
				fmt.Fprintf(&b, "%s: wrongly %s: %.300s\n", r.name, w.Completion.Status, w.Completion.Evidence)
			}
		}
		for _, e := range r.errs {
			fmt.Fprintf(&b, "%s: error %.300s\n", r.name, e)
		}
	}
	return b.String()
}

// others are the ends of those who did not do it, with the page where they were.
func (r row) others() string {
	ends := map[string]int{}
	for _, w := range r.walks {
		if w.done {
			continue
		}
		end := cmp.Or(w.Outcome, w.Status)
		if steps := w.trace.Steps; len(steps) > 0 {
			end += " on " + steps[len(steps)-1].URL
		}
		ends[end]++
	}
	return listed(ends)
}

func (r row) told() (all []string) {
	times := map[string]int{}
	for _, issue := range r.issues {
		times[issue]++
	}
	for _, issue := range slices.Sorted(maps.Keys(times)) {
		all = append(all, fmt.Sprintf("%s (%d)", issue, times[issue]))
	}
	return all
}

func listed(ends map[string]int) string {
	var all []string
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		all = append(all, fmt.Sprintf("%d %s", ends[end], end))
	}
	return strings.Join(all, ", ")
}
