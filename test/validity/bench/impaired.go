package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"understudy/domain/persona"
	"understudy/test/sites"
	"understudy/test/validity"
)

// usualPairs is how many personas walk each task as they are and impaired.
const usualPairs = 3

// trait turns a person without impairments into one with one.
type trait struct {
	name  string
	apply func(*persona.Facets)
}

// traits are those of persona.AutoDiverse, one at a time.
var traits = []trait{
	lowVision,
	{"unsteady hand", func(f *persona.Facets) { f.MotorPrecision = 0.3 }},
	{"keyboard only", func(f *persona.Facets) { f.KeyboardOnly = true }},
	{"screen reader", func(f *persona.Facets) { f.ScreenReader, f.KeyboardOnly = true, true }},
	{"impatient", func(f *persona.Facets) { f.Patience = 0.4 }},
}

var lowVision = trait{"low vision", func(f *persona.Facets) { f.Vision = persona.Vision{ContrastFactor: 1.8, MinFont: 14} }}

var unimpaired = trait{"unimpaired", func(*persona.Facets) {}}

// cast is the same people with a trait and none besides.
func (b *bench) castWith(t trait, site, task string, n int) []validity.Plan {
	cast := validity.Cast(b.seedOf(site, task, 0), n)
	for i := range cast {
		f := &cast[i].Who.Facets
		f.Vision, f.Zoom, f.KeyboardOnly, f.ScreenReader, f.MotorPrecision, f.Patience = persona.Vision{}, 0, false, false, 0, 0
		t.apply(f)
		*f = f.WithDefaults()
	}
	return cast
}

func (b *bench) jobWith(t trait, name string, e validity.Errand, n int) job {
	_, task, _ := strings.Cut(e.Name, "/")
	return job{key: fmt.Sprintf("%s %s %s %d", e.Name, name, t.name, n), errand: e, cast: b.castWith(t, e.Site, task, n)}
}

// measureImpaired walks clean sites with the same people with and without each
// trait, and faint controls with people who see well and who do not.
func measureImpaired(ctx context.Context, b *bench) error {
	var jobs []job
	n := b.crowd(usualPairs)
	for _, t := range append([]trait{unimpaired}, traits...) {
		for _, e := range validity.SiteErrands() {
			if b.wanted(e.Name) {
				jobs = append(jobs, b.jobWith(t, "clean", e, n))
			}
		}
	}
	tests, err := b.walk(ctx, "impaired people", jobs)
	if err != nil {
		return err
	}
	tasks := len(tests) / (1 + len(traits))
	for i, t := range traits {
		b.addTrait(t, tests[:tasks], tests[(i+1)*tasks:(i+2)*tasks])
	}
	return measureFaint(ctx, b)
}

// addTrait compares the same people with and without a trait. No better: the
// paired interval is not wholly on the better side, neither of completion nor of
// penalised time.
func (b *bench) addTrait(t trait, without, with []*test) {
	plain, impaired, gains, logs := paired(without, with)
	_, low, high := validity.MeanInterval(gains)
	_, fast, slow := validity.MeanInterval(logs)
	mean, _, _ := ratio(logs)
	b.table.add("impaired", row{
		what:     fmt.Sprintf("%s: completion without → with, time × (%d pairs)", t.name, len(gains)),
		measured: fmt.Sprintf("%.0f → %.0f %%, × %.2f", 100*plain.share(), 100*impaired.share(), mean),
		interval: span("%+.0f", 100*low, 100*high) + " points, × " + span("%.2f", math.Exp(fast), math.Exp(slow)),
		aim:      "no better", met: met(low <= 0 && slow >= 0),
	})
}

// paired holds two groups of tests of the same people against each other: the
// gain in completion and the logarithm of the ratio of penalised times of each.
func paired(before, after []*test) (x, y tally, gains, logs []float64) {
	for i := range before {
		a, b := before[i].walks, after[i].walks
		if len(a) != len(b) {
			continue // walks broke: nobody to compare
		}
		for j := range a {
			x.count(a[j].reached)
			y.count(b[j].reached)
			gains = append(gains, float64(one(b[j].reached)-one(a[j].reached)))
			logs = append(logs, math.Log(max(1, b[j].penalised())/max(1, a[j].penalised())))
		}
	}
	return x, y, gains, logs
}

// faintRatio is the contrast of the faint controls: below WCAG 2.2's 4.5:1 for
// text, as faint as what people with good sight still read. At 2:1 and less
// everybody is shut out, and nobody more than others.
const faintRatio = 3

// measureFaint: faint controls cost those who see badly outcome and time, and
// the others much less, that is at most half.
func measureFaint(ctx context.Context, b *bench) error {
	var jobs []job
	n := b.crowd(usualFaulty)
	for _, t := range []trait{unimpaired, lowVision} {
		for _, c := range b.places("low_contrast") {
			faint := c.Options()
			faint.Faults = slices.Clone(faint.Faults) // the case's own stay as they are
			faint.Faults[0].Dose = faintRatio
			for _, o := range []sites.Options{{}, faint} {
				e, err := validity.CaseErrand(c, o)
				if err != nil {
					return err
				}
				jobs = append(jobs, b.jobWith(t, fmt.Sprint("faint ", len(o.Faults)), e, n))
			}
		}
	}
	tests, err := b.walk(ctx, "faint controls", jobs)
	if err != nil || len(tests) == 0 {
		return err
	}
	split := func(tests []*test) (clean, faulty []*test) {
		for i, t := range tests {
			if i%2 == 0 {
				clean = append(clean, t)
			} else {
				faulty = append(faulty, t)
			}
		}
		return clean, faulty
	}
	half := len(tests) / 2
	others, othersFaint, _, othersLoss := paired(split(tests[:half]))
	impaired, impairedFaint, _, loss := paired(split(tests[half:]))
	b.table.add("impaired", row{what: fmt.Sprintf("faint controls (%d:1), low vision: completion, time ×", faintRatio), measured: change(impaired, impairedFaint, loss), interval: changeSpan(loss)})
	b.table.add("impaired", row{what: "faint controls, the same people with good sight", measured: change(others, othersFaint, othersLoss), interval: changeSpan(othersLoss)})
	if len(loss) != len(othersLoss) {
		return nil
	}
	var excess []float64
	for i := range loss {
		excess = append(excess, loss[i]-othersLoss[i])
	}
	mean, low, high := validity.MeanInterval(excess)
	theirs, _, _ := validity.MeanInterval(othersLoss)
	own, _, _ := validity.MeanInterval(loss)
	b.table.add("impaired", row{what: "what faintness costs those who see badly beyond the others, time ×", measured: fmt.Sprintf("× %.2f", math.Exp(mean)),
		interval: "× " + span("%.2f", math.Exp(low), math.Exp(high)), aim: "above 1, the others' loss at most half", met: met(low > 0 && theirs <= own/2)})
	return nil
}

func change(before, after tally, logs []float64) string {
	mean, _, _ := ratio(logs)
	return fmt.Sprintf("%.0f → %.0f %%, × %.2f", 100*before.share(), 100*after.share(), mean)
}

func changeSpan(logs []float64) string {
	_, low, high := ratio(logs)
	return "× " + span("%.2f", low, high)
}
