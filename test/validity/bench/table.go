package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"understudy/domain/stats"
	"understudy/test/validity"
)

// table is what was measured, in the order of the sections.
type table struct{ rows []row }

// row is one measurement. interval holds the 95 % interval, or what stands for
// it where there is none; aim and met are empty where nothing was aimed at.
type row struct{ section, what, measured, interval, aim, met string }

func (t *table) add(section string, r row) {
	r.section = section
	t.rows = append(t.rows, r)
}

func (t *table) print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, "\twhat\tmeasured\t95 %\taim\tmet")
	last := ""
	for _, r := range t.rows {
		section := r.section
		if section == last {
			section = ""
		}
		last = r.section
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", section, r.what, r.measured, r.interval, r.aim, r.met)
	}
	_ = out.Flush() // to a terminal; there is nobody else to tell
}

// met says whether an aim is met.
func met(yes bool) string {
	if yes {
		return "yes"
	}
	return "NO"
}

// tally counts a proportion.
type tally struct{ k, n int }

func (t *tally) count(yes bool) {
	t.n++
	if yes {
		t.k++
	}
}

func (t *tally) add(o tally) { t.k, t.n = t.k+o.k, t.n+o.n }

func (t tally) share() float64 {
	if t.n == 0 {
		return math.NaN()
	}
	return float64(t.k) / float64(t.n)
}

func (t tally) String() string {
	if t.n == 0 {
		return "none of 0"
	}
	return fmt.Sprintf("%d of %d = %.1f %%", t.k, t.n, 100*t.share())
}

// wilson is the interval of the proportion as text.
func (t tally) wilson() string {
	low, high := stats.Wilson(t.k, t.n, stats.Z95)
	return fmt.Sprintf("%.1f–%.1f %%", 100*low, 100*high)
}

// row is the proportion as a measurement without an aim.
func (t tally) row(what string) row {
	return row{what: what, measured: t.String(), interval: t.wilson()}
}

// atLeast and atMost are the proportion held against an aim in percent.
func (t tally) atLeast(what string, percent float64) row {
	r := t.row(what)
	r.aim, r.met = fmt.Sprintf("≥ %g %%", percent), met(t.n > 0 && 100*t.share() >= percent)
	return r
}

func (t tally) atMost(what string, percent float64) row {
	r := t.row(what)
	r.aim, r.met = fmt.Sprintf("≤ %g %%", percent), met(t.n > 0 && 100*t.share() <= percent)
	return r
}

// span is an interval of a mean as text in some unit.
func span(format string, low, high float64) string {
	return fmt.Sprintf(format+" to "+format, low, high)
}

// ratio is the geometric mean of ratios given as logarithms, with its interval.
func ratio(logs []float64) (mean, low, high float64) {
	mean, low, high = validity.MeanInterval(logs)
	return math.Exp(mean), math.Exp(low), math.Exp(high)
}
