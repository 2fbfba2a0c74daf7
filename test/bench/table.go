package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// table is what was measured, in the order of the measurements.
type table struct{ rows []row }

type row struct{ section, what, value, aim, note string }

// add adds a measurement. aim and note may be empty.
func (t *table) add(section, what, value, aim, note string) {
	t.rows = append(t.rows, row{section, what, value, aim, note})
}

func (t *table) print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, "\tmeasured\tvalue\taim\tnote")
	last := ""
	for _, r := range t.rows {
		section := r.section
		if section == last {
			section = ""
		}
		last = r.section
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", section, r.what, r.value, r.aim, r.note)
	}
	_ = out.Flush() // to a terminal; there is nobody else to tell
}

// times are durations of one kind.
type times []time.Duration

// at is the quantile q, from 0 to 1, by the nearest rank; 0 of none.
func (t times) at(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// spread is the median and the 99th percentile as text.
func (t times) spread() string {
	return fmt.Sprintf("p50 %s, p99 %s", short(t.at(0.5)), short(t.at(0.99)))
}

// furthest is spread with the largest.
func (t times) furthest() string { return t.spread() + ", at most " + short(t.at(1)) }

// short is a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// perSecond is a rate as text.
func perSecond(n int, took time.Duration) string {
	return fmt.Sprintf("%.0f/s", float64(n)/took.Seconds())
}
