package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"understudy/domain/persona"
	"understudy/domain/stats"
	"understudy/test/sites"
	"understudy/test/validity"
)

// usualFaceted is how many people walk each errand at each level of a facet.
const usualFaceted = 4

// level of a facet: what makes the same middling people differ in it.
type facetLevel struct {
	name   string
	change func(*persona.Persona)
	// slower: they need more simulated time than the middling; fewer: fewer of
	// them arrive; sooner: those who do not arrive leave sooner; same: their walks
	// are identical in acts, times and outcomes. source says who found it.
	slower, fewer, sooner, same bool
	source                      string
}

// noticed is the least ratio of times, less 1, that is told as a difference.
const noticed = 0.01

func faceted(name, source string, slower, fewer bool, change func(*persona.Facets)) facetLevel {
	return facetLevel{name: name, source: source, slower: slower, fewer: fewer, change: func(p *persona.Persona) { change(&p.Facets) }}
}

// patient multiplies patience.
func patient(by float64) facetLevel {
	l := faceted(fmt.Sprintf("patience × %g", by), "impatient people leave sooner", false, false, func(f *persona.Facets) { f.Patience = by })
	l.sooner = true
	return l
}

// middling people have every facet's default and differ by their seeds.
var middling = facetLevel{name: "middling", change: func(*persona.Persona) {}}

const genderMag = "GenderMag, direction only"

// facetLevels change one facet each, with what is known of such people
// (shared/simulated-users.md and facts.md name the sources in full).
var facetLevels = []facetLevel{
	{name: "another name", same: true, source: "a name is no ability", change: func(p *persona.Persona) {
		p.Name, p.ID, p.Summary = "Somebody Else", "per_other", "Called something else."
	}},
	faceted("age 65–74", "operators × 1.5–1.8, half the gap", true, false, func(f *persona.Facets) { f.AgeBand = "65-74" }),
	faceted("age 75+", "operators × 1.5–1.8, half the gap", true, false, func(f *persona.Facets) { f.AgeBand = "75+" }),
	faceted("reads 130 wpm", "238 wpm is usual, Brysbaert 2019", true, false, func(f *persona.Facets) { f.ReadingWPM = 130 }),
	faceted("types 20 wpm", "keystroke 0.08–1.20 s, Card et al.", true, false, func(f *persona.Facets) { f.TypingWPM = 20 }),
	faceted("basic language", "labels are less sure", false, true, func(f *persona.Facets) { f.LanguageLevel = persona.Basic }),
	faceted("low literacy", "slower and fewer, NN/g 2005", true, true, func(f *persona.Facets) {
		f.LanguageLevel, f.ReadingWPM, f.DomainKnowledge, f.SelfEfficacy = persona.Basic, 110, persona.Low, persona.Low
	}),
	patient(0.4),
	patient(0.2),
	faceted("comprehensive", "reads 28 % of the words, not 20", true, false, func(f *persona.Facets) { f.InformationProcessing = persona.Comprehensive }),
	faceted("low self-efficacy", genderMag, false, true, func(f *persona.Facets) { f.SelfEfficacy = persona.Low }),
	faceted("risk averse", genderMag, true, false, func(f *persona.Facets) { f.RiskAttitude = persona.Averse }),
	faceted("low knowledge", "1.656 more wrong clicks a strange label, CWW", false, true, func(f *persona.Facets) { f.DomainKnowledge = persona.Low }),
	faceted("exploratory", genderMag, true, false, func(f *persona.Facets) { f.Motivation = persona.Exploratory }),
	unsteady,
}

var unsteady = faceted("unsteady hand", "more errors below 9.6 mm", true, false, func(f *persona.Facets) { f.MotorPrecision = 0.2 })

// smallTarget is a control's side in px that WCAG 2.2's 2.5.8 (24) forbids.
const smallTarget = 12

// measureFacets walks the first task of each site of ours, and the same places
// with a vague label, with the same people and seeds who differ in one facet; and
// small targets with steady and unsteady hands.
func measureFacets(ctx context.Context, b *bench) error {
	errands, err := b.facetErrands("vague_label")
	if err != nil {
		return err
	}
	n := b.crowd(usualFaceted)
	levels := b.facetLevels()
	var jobs []job
	for _, l := range levels {
		for _, e := range errands {
			jobs = append(jobs, b.facetJob(l, e, n))
		}
	}
	small, err := b.smallErrands()
	if err != nil {
		return err
	}
	for _, l := range []facetLevel{middling, unsteady} {
		for _, e := range small {
			jobs = append(jobs, b.facetJob(l, e, n))
		}
	}
	tests, err := b.walk(ctx, "facets", jobs)
	if err != nil {
		return err
	}
	k := len(errands)
	for i, l := range levels {
		b.addFacet("facets", l, tests[:k], tests[i*k:(i+1)*k])
	}
	if s := len(small); s > 0 {
		rest := tests[len(levels)*k:]
		steady, shaky := middling, unsteady
		steady.name, shaky.name = fmt.Sprintf("middling, targets of %d px", smallTarget), fmt.Sprintf("unsteady hand, targets of %d px", smallTarget)
		b.addFacet("facets", steady, rest[:s], rest[:s])
		b.addFacet("facets", shaky, rest[:s], rest[s:])
	}
	b.addFirstClicks(jobs, tests)
	b.addScreenfuls(tests)
	return nil
}

// facetLevels are the middling and the levels that are wanted.
func (b *bench) facetLevels() []facetLevel {
	out := []facetLevel{middling}
	for _, l := range facetLevels {
		for part := range strings.SplitSeq(b.levels, ",") {
			if strings.Contains(l.name, part) {
				out = append(out, l)
				break
			}
		}
	}
	return out
}

// facetErrands are the first task of each site, and cases of one kind of fault.
func (b *bench) facetErrands(hindered string) ([]validity.Errand, error) {
	var out []validity.Errand
	for _, e := range validity.SiteErrands() {
		if b.wanted(e.Name) && strings.HasSuffix(e.Name, "/"+sites.Tasks[e.Site][0].Name) {
			out = append(out, e)
		}
	}
	for _, c := range b.places(hindered) {
		e, err := validity.CaseErrand(c, c.Options())
		if err != nil {
			return nil, err
		}
		e.Name = c.Name
		out = append(out, e)
	}
	return out, nil
}

// smallErrands are the places of small targets, with smaller ones.
func (b *bench) smallErrands() ([]validity.Errand, error) {
	var out []validity.Errand
	for _, c := range b.places("small_target") {
		small := c.Options()
		small.Faults = slices.Clone(small.Faults) // the case's own stay as they are
		small.Faults[0].Dose = smallTarget
		e, err := validity.CaseErrand(c, small)
		if err != nil {
			return nil, err
		}
		e.Name = c.Name
		out = append(out, e)
	}
	return out, nil
}

// facetJob sends middling people who differ in one facet on an errand. Their
// seeds are the errand's, whatever the level.
func (b *bench) facetJob(l facetLevel, e validity.Errand, n int) job {
	cast := validity.Cast(b.seedOf("facets", e.Name, 0), n)
	for i := range cast {
		cast[i].Who = person(l, cast[i].Who)
	}
	return job{key: fmt.Sprintf("%s facets %s %d", e.Name, l.name, n), errand: e, cast: cast, traces: true, compared: true}
}

// person is somebody with a level's facet and middling ones besides.
func person(l facetLevel, who persona.Persona) persona.Persona {
	who.Facets = persona.Facets{}.WithDefaults()
	l.change(&who)
	return who
}

// matched are the walks of a level beside those of the middling, person by person.
type matched struct {
	done, alike    tally
	seconds, gains []float64
	// arrived are the simulated seconds and the steps of who arrived both times,
	// left the seconds of who did so neither time; each before and after.
	arrived, steps, left [2][]float64
}

// match takes in somebody's walk as one of the middling and as one of the level.
func (m *matched) match(x, y *trip, same bool) {
	m.done.count(y.reached)
	m.alike.count(x.actions == y.actions && (!same || x.seconds == y.seconds && x.outcome == y.outcome))
	m.seconds = append(m.seconds, y.seconds)
	m.gains = append(m.gains, float64(one(y.reached)-one(x.reached)))
	for k, w := range []*trip{x, y} {
		switch {
		case x.reached && y.reached:
			m.arrived[k], m.steps[k] = append(m.arrived[k], max(0.1, w.seconds)), append(m.steps[k], float64(len(w.path)))
		case !x.reached && !y.reached:
			m.left[k] = append(m.left[k], max(0.1, w.seconds))
		}
	}
}

// addFacet holds the walks of a level against those of the middling.
func (b *bench) addFacet(section string, l facetLevel, before, after []*test) {
	var m matched
	for i := range after {
		x, y := before[i].walks, after[i].walks
		if len(x) != len(y) {
			continue // walks broke: nobody to compare
		}
		for j := range y {
			m.match(&x[j], &y[j], l.same)
			if l.same && x[j].trace != y[j].trace {
				b.note("%s %s, test %d, person %d: %s", section, l.name, i, j, validity.FirstDifference(x[j].trace, y[j].trace))
			}
		}
	}
	mid, low, high := medianInterval(m.seconds)
	r := row{
		what:     l.name,
		measured: fmt.Sprintf("%s, %.0f s", m.done, mid),
		interval: fmt.Sprintf("%s, %.0f–%.0f s", m.done.wilson(), low, high),
	}
	if &after[0] != &before[0] {
		time, steps, left := stats.GeometricRatioPaired(m.arrived[0], m.arrived[1]), stats.GeometricRatioPaired(m.steps[0], m.steps[1]), stats.GeometricRatioPaired(m.left[0], m.left[1])
		_, worse, better := validity.MeanInterval(m.gains)
		r.measured += fmt.Sprintf("; time × %.2f, steps × %.2f", time.Estimate, steps.Estimate)
		r.interval += fmt.Sprintf(", %+.0f to %+.0f points; × %.2f–%.2f, × %.2f–%.2f", 100*worse, 100*better, time.Low, time.High, steps.Low, steps.High)
		if len(m.left[0]) > 1 {
			r.measured += fmt.Sprintf(", until leaving × %.2f", left.Estimate)
			r.interval += fmt.Sprintf(", × %.2f–%.2f", left.Low, left.High)
		}
		r.measured += fmt.Sprintf("; %.0f %% act alike", 100*m.alike.share())
		r.aim, r.met = l.expected(), l.verdict(time, left, worse, better, m.alike)
	}
	b.table.add(section, r)
}

// expected is what is known of people of a level.
func (l facetLevel) expected() string {
	var out []string
	for what, yes := range map[string]bool{"slower": l.slower, "fewer arrive": l.fewer, "leave sooner": l.sooner, "the same": l.same} {
		if yes {
			out = append(out, what)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ") + " (" + l.source + ")"
}

// verdict says whether a level differs as people do: yes where an interval lies
// wholly on the side of what is expected and none on the other, NO where one lies
// on the other side, "not seen" where chance may be all.
func (l facetLevel) verdict(time, left stats.Result, worse, better float64, alike tally) string {
	if l.same {
		return met(alike.n > 0 && alike.k == alike.n)
	}
	seen := l.slower && time.Low > 1+noticed || l.fewer && better < 0 || l.sooner && left.High < 1-noticed
	against := l.slower && time.High < 1-noticed || l.fewer && worse > 0 || l.sooner && left.Low > 1+noticed
	switch {
	case against:
		return "NO"
	case seen:
		return "yes"
	}
	return "not seen"
}

// medianInterval is the median of values with its 95 % interval between order
// statistics, distribution-free (Conover 1999, 3.2, with the normal approximation).
func medianInterval(values []float64) (mid, low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := float64(len(sorted))
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	half := stats.Z95 * math.Sqrt(n) / 2
	at := func(i float64) float64 { return sorted[int(max(0, min(n-1, i)))] }
	return stats.Quantile(sorted, 0.5), at(math.Floor(n/2 - half)), at(math.Ceil(n/2+half) - 1)
}
