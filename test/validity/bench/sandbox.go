package main

import (
	"context"
	"fmt"

	"understudy/domain/forager"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/sandbox"
	"understudy/domain/walk"
	"understudy/test/validity"
)

// sandboxTasks are tasks of the sandbox, which makes a site for each.
var sandboxTasks = []string{
	"Sign up for a free account", "Buy a red lamp", "Find out how to contact the company", "Subscribe to the newsletter",
	"Book a table for two", "Find out how much the team plan costs", "Download the annual report", "Request a demo",
	sandbox.MagicGiveUp, // nothing leads there
}

const (
	// sandboxSites is how many sites of each task are walked, and sandboxPeople by
	// how many people.
	sandboxSites, sandboxPeople = 5, 10
	// diverse is how many auto-diverse people are held against each other.
	diverse = 100
)

// measureSandbox walks the sandbox's sites as measureFacets walks those of ours,
// and counts the ways of different people.
func measureSandbox(ctx context.Context, b *bench) error {
	var before []*test
	for _, l := range b.facetLevels() {
		var after []*test
		for _, what := range sandboxTasks {
			for site := range uint64(sandboxSites) {
				t := &test{}
				for i, plan := range validity.Cast(b.seedOf("sandbox", what, int(site)), sandboxPeople) {
					w, err := walkSandbox(ctx, person(l, plan.Who), what, plan.View, site, uint64(i))
					if err != nil {
						return err
					}
					t.walks = append(t.walks, w)
				}
				after = append(after, t)
			}
		}
		if before == nil {
			before = after
		}
		b.addFacet("sandbox", l, before, after)
	}
	for _, what := range sandboxTasks {
		ways, seconds := map[string]int{}, []float64{}
		most := 0
		var done tally
		for i, who := range persona.AutoDiverse(b.seed, diverse) {
			w, err := walkSandbox(ctx, who, what, "desktop", b.seed, uint64(i))
			if err != nil {
				return err
			}
			ways[w.way()]++
			most = max(most, ways[w.way()])
			seconds = append(seconds, w.seconds)
			done.count(w.reached)
		}
		mid, low, high := medianInterval(seconds)
		b.table.add("sandbox", row{what: fmt.Sprintf("%s: %d auto-diverse people", what, diverse),
			measured: fmt.Sprintf("%s, %.0f s; %d different ways, %d take the most common one", done, mid, len(ways), most), interval: fmt.Sprintf("%s, %.0f–%.0f s", done.wilson(), low, high)})
	}
	return nil
}

// walkSandbox sends somebody to the sandbox's site. Whether they arrive is the
// oracle's verdict there: the site has no truth of its own.
func walkSandbox(ctx context.Context, who persona.Persona, what, view string, site, seed uint64) (trip, error) {
	plan := walk.NewPlan("https://shop.example.com/", what, who, nil, walk.DefaultMaxSteps)
	tab := drawn{site: sandbox.New(plan.URL, what, view, site)}
	result, err := walk.Run(ctx, tab, walk.Mind(forager.New(who, plan.Goal, seed).Step), oracle.New(plan.Goal, plan.Success), plan, walk.Nobody{})
	if err != nil {
		return trip{}, err
	}
	// Who walked is left out of the trace, which tells what was done and thought.
	r := validity.Result{Errand: what, View: view, Walked: result.Walked, Reached: result.Completion.Status == walk.Verified}
	return trip{
		who: who, view: view, reached: r.Reached, seconds: float64(r.Walked.SimulatedMS) / 1000, outcome: r.Walked.Outcome,
		actions: r.Actions(), trace: r.Trace(), path: actsOf(&r.Walked),
	}, nil
}

// drawn is the sandbox's site as a tab. What only a browser can do is asked of
// none.
type drawn struct {
	walk.Tab

	site *sandbox.Site
}

func (drawn) Goto(context.Context, string) (walk.Effect, error) { return walk.Effect{}, nil }

func (d drawn) Look(context.Context, string) (walk.Page, error) { return d.site.Page(), nil }

func (d drawn) Act(_ context.Context, a walk.Action, _ string) (walk.Effect, error) {
	return d.site.Act(a), nil
}
