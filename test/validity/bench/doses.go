package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"understudy/test/sites"
	"understudy/test/validity"
)

// dose is a fault in growing strength.
type dose struct {
	name string
	// of is the kind of the cases whose places it is tried at.
	of string
	// levels are in order from the mildest, each with its name and faults.
	levels []level
}

type level struct {
	name   string
	faults func(at sites.Fault) []sites.Fault
}

// of makes a level of one fault with a dose.
func of(name string, strength float64) level {
	return level{name, func(at sites.Fault) []sites.Fault {
		at.Dose = strength
		return []sites.Fault{at}
	}}
}

// kinds makes a level of other kinds of faults at the same place.
func kinds(name string, names ...string) level {
	return level{name, func(at sites.Fault) []sites.Fault {
		var out []sites.Fault
		for _, n := range names {
			at.Kind = n
			out = append(out, at)
		}
		return out
	}}
}

var doses = []dose{
	{"contrast", "low_contrast", []level{of("7", 7), of("4.5", 4.5), of("3", 3), of("2", 2), of("1.5", 1.5)}},
	{"label", "vague_label", []level{kinds("clear"), of("vague", 1), of("icon", 2)}},
	{"target", "small_target", []level{of("44", 44), of("24", 24), of("16", 16), of("8", 8)}},
	// Full help; a complaint beside the field that does not give the rule; one
	// that does not even name the field; and a field without a label besides.
	{"form help", "format_rejected", []level{kinds("full"), kinds("beside", "format_rejected"),
		kinds("on top", "unspecific_error"), kinds("none", "unspecific_error", "unlabelled_field")}},
}

// dosedSites is how many sites a dose is tried on: several, so that one page's
// ways around it do not decide.
const dosedSites = 6

// measureDoses walks each dose with the same people and seeds at every level.
// The rule: pooled over sites and people, no step to a stronger dose makes
// completion rise or penalised time fall beyond noise (the paired 95 % interval
// of the difference is not wholly on that side), and penalised time grows along
// the doses (Page's trend test, one-sided, p < 0.05).
func measureDoses(ctx context.Context, b *bench) error {
	for _, d := range doses {
		places := b.places(d.of)
		if len(places) == 0 {
			continue
		}
		var jobs []job
		for _, c := range places {
			for _, l := range d.levels {
				v, err := b.variant(c, "dose "+d.name+" "+l.name, sites.Options{Faults: l.faults(c.Faults[0])}, 0)
				if err != nil {
					return err
				}
				v.faults = nil
				jobs = append(jobs, v)
			}
		}
		tests, err := b.walk(ctx, "doses of "+d.name, jobs)
		if err != nil {
			return err
		}
		b.addDose(d, len(places), tests)
	}
	return nil
}

// places are cases of one fault of a kind, one of each site.
func (b *bench) places(kind string) []sites.Case {
	var out []sites.Case
	for _, c := range b.chosen() {
		taken := slices.ContainsFunc(out, func(o sites.Case) bool { return o.Site == c.Site })
		if len(c.Faults) == 1 && c.Faults[0].Kind == kind && !taken && len(out) < dosedSites {
			out = append(out, c)
		}
	}
	return out
}

// addDose adds the rows of a dose; tests hold all levels of the first place,
// then of the next.
func (b *bench) addDose(d dose, places int, tests []*test) {
	n := len(d.levels)
	reached := make([][]float64, 0, len(tests)) // by place and person: 1 or 0 at each level
	times := make([][]float64, 0, len(tests))   // logarithms of penalised seconds
	for p := range places {
		levels := tests[p*n : (p+1)*n]
		people := len(levels[0].walks)
		for _, t := range levels {
			if len(t.walks) != people {
				people = 0 // walks broke: nobody to compare
			}
		}
		for i := range people {
			var r, s []float64
			for _, t := range levels {
				r = append(r, float64(one(t.walks[i].reached)))
				s = append(s, math.Log(max(1, t.walks[i].penalised())))
			}
			reached, times = append(reached, r), append(times, s)
		}
	}
	var names, shares, seconds []string
	worse := true
	for l := range n {
		names = append(names, d.levels[l].name)
		share, _, _ := validity.MeanInterval(column(reached, l))
		time, _, _ := ratio(column(times, l))
		shares, seconds = append(shares, fmt.Sprintf("%.0f", 100*share)), append(seconds, fmt.Sprintf("%.0f", time))
		if l > 0 {
			_, low, _ := validity.MeanInterval(differences(reached, l-1, l))
			_, _, high := validity.MeanInterval(differences(times, l-1, l))
			worse = worse && low <= 0 && high >= 0
		}
	}
	what := fmt.Sprintf("%s %s, %d sites, %d pairs", d.name, strings.Join(names, "→"), places, len(times))
	_, low, high := validity.MeanInterval(differences(reached, 0, n-1))
	b.table.add("doses", row{what: what + ": completion", measured: strings.Join(shares, "→") + " %",
		interval: span("%+.0f", 100*low, 100*high) + " points from end to end"})
	z, p := validity.Trend(times)
	b.table.add("doses", row{what: "penalised time, geometric mean", measured: strings.Join(seconds, "→") + " s",
		interval: fmt.Sprintf("Page's trend z %.1f, p %.2g", z, p), aim: "no step better, p < 0.05", met: met(worse && p < 0.05)})
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func column(rows [][]float64, i int) []float64 {
	out := make([]float64, 0, len(rows))
	for _, r := range rows {
		out = append(out, r[i])
	}
	return out
}

// differences are what each row gains from one column to another.
func differences(rows [][]float64, from, to int) []float64 {
	out := make([]float64, 0, len(rows))
	for _, r := range rows {
		out = append(out, r[to]-r[from])
	}
	return out
}
