package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"time"

	"understudy/domain/comparison"
	"understudy/domain/findings"
	"understudy/domain/persona"
	"understudy/test/sites"
	"understudy/test/validity"
)

// penalty is what a walk that fell short counts as, in simulated seconds: longer
// than walks that arrive. How long somebody tried who gave up is no speed.
const penalty = 600.0

// job is one test that is to be walked.
type job struct {
	// key is unique to what is walked by whom: jobs of one key are walked once.
	key    string
	errand validity.Errand
	cast   []validity.Plan
	// faults are looked for in what is found, on the pages as they are served.
	faults []sites.Fault
	// traces keeps what was done and the whole traces.
	traces bool
	// compared keeps the sessions for a comparison, whose scores need no replays:
	// none are made.
	compared bool
}

// test is what came of a job.
type test struct {
	walks []trip
	// issues are the ranking of the product.
	issues []findings.Issue
	// counted are those of severity 2 and above; verdicts and right are of them.
	counted  []findings.Issue
	verdicts []validity.Verdict
	right    []bool
	// noted are the verdicts on all issues, with those of severity 1.
	noted []validity.Verdict
	// met says for each fault whether anybody was given its page.
	met []bool
	// sessions are as job.compared asks.
	sessions []comparison.Session
}

// trip is one walk without its evidence.
type trip struct {
	who               persona.Persona
	view              string
	reached, agrees   bool
	watched, mistaken int
	seconds           float64 // simulated
	outcome, broken   string
	actions, trace    string // as job.traces asks
	path              []act  // likewise
	screenfuls        [6]float64
}

// penalised is the walk's simulated time in seconds, or the penalty.
func (w *trip) penalised() float64 {
	if w.reached {
		return min(w.seconds, penalty)
	}
	return penalty
}

func (t *test) completed() tally {
	var c tally
	for i := range t.walks {
		c.count(t.walks[i].reached)
	}
	return c
}

// walk walks the jobs that were not walked before and returns what came of
// all; stopped by ctx, also what came of those that were ready, and its error.
func (b *bench) walk(ctx context.Context, what string, jobs []job) ([]*test, error) {
	var parties []validity.Party
	var missing []job
	asked := map[string]bool{}
	total := 0
	for _, j := range jobs {
		if b.tests[j.key] != nil || asked[j.key] {
			continue
		}
		asked[j.key] = true
		if known, err := b.unshelved(j); err != nil {
			return nil, err
		} else if known {
			continue
		}
		missing = append(missing, j)
		parties = append(parties, validity.Party{Errand: j.errand, Cast: j.cast, Options: validity.Options{
			Served: len(j.faults) > 0, Causes: !j.compared, Picture: b.trace != "",
		}})
		total += len(j.cast)
	}
	p := newProgress(what, total)
	began, used := time.Now(), cpu()
	err := b.walker.Parties(ctx, parties, p.step, func(i int, results []validity.Result) error {
		b.tests[missing[i].key] = summarize(missing[i], results)
		b.walks += len(results)
		return b.keep(missing[i], results)
	})
	b.took, b.used = b.took+time.Since(began), b.used+cpu()-used
	var kept *keepError
	if errors.As(err, &kept) {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		b.broken = append(b.broken, fmt.Sprintf("%s: walks were left out: %v", what, err))
	}
	out := make([]*test, 0, len(jobs))
	for _, j := range jobs {
		t := b.tests[j.key]
		if t == nil {
			t = &test{} // every walk of it broke, or the run was stopped before it
		}
		out = append(out, t)
	}
	return out, ctx.Err()
}

// keepError is a trace that could not be written.
type keepError struct{ error }

func (e *keepError) Unwrap() error { return e.error }

// shelf is the file of a job's walks among those that are kept.
func (b *bench) shelf(j job) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d %v", j.key, j.cast[0].Seed, len(j.cast), len(j.faults) > 0)
	return filepath.Join(b.shelved, fmt.Sprintf("%016x.gob.gz", h.Sum64()))
}

// unshelved judges a job's walks anew when they were kept.
func (b *bench) unshelved(j job) (known bool, err error) {
	if b.shelved == "" {
		return false, nil
	}
	results, err := validity.Unshelve(b.shelf(j), j.errand.Task)
	if results == nil || err != nil {
		return false, err
	}
	b.tests[j.key] = summarize(j, results)
	return true, b.keepTraces(j, results)
}

func (b *bench) keep(j job, results []validity.Result) error {
	if b.shelved != "" {
		if err := validity.Shelve(b.shelf(j), results); err != nil {
			return &keepError{err}
		}
	}
	return b.keepTraces(j, results)
}

func (b *bench) keepTraces(j job, results []validity.Result) error {
	if b.trace == "" {
		return nil
	}
	for i := range results {
		results[i].Errand = strings.NewReplacer("/", "-", " ", "-").Replace(j.key)
		if err := results[i].Keep(b.trace); err != nil {
			return &keepError{err}
		}
	}
	return nil
}

// summarize ranks what the walks of a test show, as the product does, and
// forgets the evidence.
func summarize(j job, results []validity.Result) *test {
	t := &test{}
	var sessions []findings.Session
	var served []validity.Served
	for i := range results {
		r := &results[i]
		w := trip{
			who: r.Who, view: r.View, reached: r.Reached, agrees: r.Agrees(), watched: r.Watched, mistaken: len(r.Mistaken),
			seconds: float64(r.Walked.SimulatedMS) / 1000, outcome: r.Walked.Outcome, broken: r.Broken,
		}
		if j.traces {
			w.actions, w.trace = r.Actions(), r.Trace()
			w.path, w.screenfuls = actsOf(&r.Walked), screenfulsOf(&r.Walked)
		}
		t.walks = append(t.walks, w)
		sessions = append(sessions, r.Session())
		served = append(served, r.Served)
	}
	t.issues, _ = findings.Rank(sessions)
	t.counted = validity.Counted(t.issues)
	t.verdicts, t.right = validity.Judge(t.counted, j.faults, served)
	t.noted, _ = validity.Judge(t.issues, j.faults, served)
	for _, f := range j.faults {
		t.met = append(t.met, validity.Met(f, served))
	}
	if j.compared && len(results) > 0 {
		t.sessions = sessionsOf(j.cast, results)
	}
	return t
}

// seedOf is the seed of everything that is done on one task, so that tests of
// the same task with and without a fault have the same people with the same
// seeds, and tests of different tasks have different people.
func (b *bench) seedOf(site, task string, run int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %s %d", b.seed, site, task, run)
	return h.Sum64() >> 11 // seeds go through JavaScript's numbers
}

// crowd is how many personas a test has.
func (b *bench) crowd(usual int) int {
	if b.people > 0 {
		return b.people
	}
	return usual
}

// wanted reports whether the name of a case ("shop-order-covered") or of an
// errand ("shop/order") was asked for.
func (b *bench) wanted(name string) bool {
	return strings.Contains(strings.ReplaceAll(name, "/", "-"), strings.ReplaceAll(b.match, "/", "-"))
}

// describe is an issue in one line.
func describe(i *findings.Issue) string {
	element := "the page"
	if i.Element != nil {
		element = i.Element.Selector
	}
	quote := ""
	if len(i.Evidence) > 0 {
		quote = ": " + i.Evidence[0].Quote
	}
	return fmt.Sprintf("severity %d %s at %s on %s, %d of %d (%d ended)%s", i.Severity, i.Kind, element,
		strings.TrimPrefix(i.PageURL, validity.Origin), i.Frequency.Affected, i.Frequency.Total, i.Cost.Ended, quote)
}
