package validity

import (
	"context"
	"errors"
	"sync"

	"understudy/adapters/browser"
	"understudy/adapters/runner"
	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/testrun"
)

// Plan is who walks, on which screen, from which seed.
type Plan struct {
	Who  persona.Persona
	View string
	Seed uint64
}

// Cast plans the sessions of a test as the product does: n auto-diverse
// personas of the seed, the viewports in turn (desktop and mobile when none is
// given), each with its session's seed. The same arguments give the same cast.
func Cast(seed uint64, n int, views ...string) []Plan {
	if len(views) == 0 {
		views = []string{browser.Desktop, browser.Mobile}
	}
	cast, err := process.NewCast(testrun.Created{
		Seed: int64(seed), Sessions: n, Viewports: views, Personas: testrun.Personas{Source: "auto-diverse"},
	})
	if err != nil { // there are always people of this source
		panic(err)
	}
	out := make([]Plan, n)
	for i := range out {
		q := cast.Session(i, domain.Recorded{Time: now()})
		out[i] = Plan{Who: process.Persona(q), View: q.Viewport, Seed: uint64(q.Seed)}
	}
	return out
}

// Party is one test: an errand and who is sent on it.
type Party struct {
	Errand  Errand
	Cast    []Plan
	Options Options
}

// attempts is how often a walk is begun when the browser fails or time is over.
const attempts = 3

// Parties walks all sessions of all parties, several at a time, in their order.
// ended is called for each party once all its walks are over, one call at a
// time and not in order, with the results in the order of the cast; walks on
// which the browser failed or that were late three times are left out and
// returned as errors, joined. stepped, unless nil, is called after each walk. An error of ended or
// the end of ctx stops everything.
func (w *Walker) Parties(ctx context.Context, parties []Party, stepped func(), ended func(i int, results []Result) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		mu     sync.Mutex
		failed []error
		jobs   sync.WaitGroup
		seats  = make(chan struct{}, w.places)
	)
	for i, p := range parties {
		p.Options.audits = &runner.Audits{}
		results := make([]*Result, len(p.Cast))
		left := len(p.Cast)
		for j, plan := range p.Cast {
			select {
			case seats <- struct{}{}:
			case <-ctx.Done():
				jobs.Wait()
				return context.Cause(ctx)
			}
			jobs.Go(func() {
				defer func() { <-seats }()
				r, err := w.insist(ctx, p, plan)
				mu.Lock()
				if err != nil {
					failed = append(failed, err)
				} else {
					results[j] = &r
				}
				if stepped != nil {
					stepped()
				}
				left--
				last := left == 0 && ctx.Err() == nil
				mu.Unlock()
				if !last {
					return
				}
				all := present(results)
				if p.Options.Causes {
					if err := w.explain(ctx, p.Errand, all); err != nil {
						stop(err)
						return
					}
				}
				mu.Lock()
				defer mu.Unlock()
				if err := ended(i, all); err != nil {
					stop(err)
				}
			})
		}
	}
	jobs.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(failed...)
}

// insist walks, again when the browser and not the page fails, or time is over.
func (w *Walker) insist(ctx context.Context, p Party, plan Plan) (r Result, err error) {
	for range attempts {
		if r, err = w.Walk(ctx, p.Errand, plan.Who, plan.View, plan.Seed, p.Options); err == nil || ctx.Err() != nil {
			break
		}
	}
	return r, err
}

func present(results []*Result) []Result {
	out := make([]Result, 0, len(results))
	for _, r := range results {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out
}
