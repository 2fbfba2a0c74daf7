package validity

import (
	"context"
	"fmt"
	"time"

	"understudy/adapters/browser"
	"understudy/adapters/runner"
	"understudy/domain/findings"
	"understudy/domain/forager"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
	"understudy/test/patience"
	"understudy/test/sites"
)

// walkLimit bounds one walk in real time, on an idle machine.
const walkLimit = 2 * time.Minute

// errLate is that walkLimit was over, as it can be on pages that take seconds.
var errLate = fmt.Errorf("the walk took more than %v", walkLimit)

// Walker walks errands in one browser. It is safe for concurrent use.
type Walker struct {
	browser *browser.Browser
	places  int
}

// NewWalker starts nothing yet: the browser comes with the first walk. atOnce
// is how many walks run at a time; they wait for pages as much as they compute.
func NewWalker(atOnce int) (*Walker, error) {
	cfg, err := browser.Locate(browser.Config{MaxContexts: atOnce})
	if err != nil {
		return nil, err
	}
	return &Walker{browser: browser.New(cfg), places: atOnce}, nil
}

// Close ends the browser.
func (w *Walker) Close() error { return w.browser.Close() }

// Options vary a walk. The zero value is how the product walks.
type Options struct {
	// Served keeps the HTML that the visitor was given, in Result.Served.
	Served bool
	// Causes replays what fell short of a party with its barriers taken away, in
	// Result.Causes.
	Causes bool
	// Picture takes a screenshot of the end of a walk that fell short or on which
	// the oracle is mistaken.
	Picture bool

	// audits are those of the party's pages.
	audits *runner.Audits
}

// Result is one finished walk held against the truth.
type Result struct {
	Errand string
	Who    persona.Persona
	View   string
	Seed   uint64
	Walked walk.Walked
	// Last is the look at what the last step of a walk led to that ran out of steps.
	Last *walk.Page
	// Reached: the goal was reached, as the site itself knows.
	Reached bool
	// Broken says what ended the walk early when the page hung or crashed.
	Broken string
	// Watched is how many oracles for other tasks of the site watched the walk,
	// Mistaken what those among them were wrong about.
	Watched  int
	Mistaken []string
	// Served and Picture are as Options asks.
	Served  Served
	Causes  []findings.Cause
	Picture []byte
}

// Agrees reports whether the oracle's verdict is the truth. An unverified one is neither
// success nor failure, so it agrees with what was not reached.
func (r *Result) Agrees() bool {
	return (r.Walked.Completion.Status == walk.Verified) == r.Reached
}

// Session is the walk as the product reduces it for the ranking.
func (r *Result) Session() findings.Session {
	s := findings.NewSession(fmt.Sprintf("%s %s %d", r.Errand, r.View, r.Seed), r.Walked)
	s.Causes = r.Causes
	return s
}

// Walk sends one persona on an errand with one device (browser.Desktop, …) and
// one seed. The same arguments give the same walk. An error is the browser's, the
// context's, or that walkLimit was over.
func (w *Walker) Walk(ctx context.Context, e Errand, who persona.Persona, view string, seed uint64, o Options) (r Result, err error) {
	r = Result{Errand: e.Name, Who: who, View: view, Seed: seed}
	v, err := e.open()
	if err != nil {
		return r, err
	}
	pages := newShelf()
	if o.Served {
		v.site = pages.keep(v.site)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience.Scaled(walkLimit), errLate)
	defer cancel()
	defer func() {
		if ctx.Err() != nil {
			err = fmt.Errorf("%s, %s, seed %d: %w", e.Name, view, seed, context.Cause(ctx))
		}
	}()
	device, plan := errandOf(e, who, view, seed)
	page, err := w.stage(ctx, v, device)
	if err != nil {
		return r, fmt.Errorf("%s: open a page: %w", e.Name, err)
	}
	defer func() { _ = page.Close() }() // a page that does not close goes with the browser
	seen := &watcher{audits: o.audits, errand: e.Name, view: view}
	brain := walk.Mind(forager.New(who, plan.Goal, seed).Step)
	walked, err := walk.Run(ctx, page, brain, oracle.New(plan.Goal, plan.Success), plan, seen)
	if err != nil {
		return r, fmt.Errorf("%s: %w", e.Name, err)
	}
	r.Walked, r.Last = walked.Walked, walked.Last
	if walked.Fault != nil {
		r.Broken = walked.Fault.Message
	}
	looks := seen.looks
	if walked.Last != nil {
		looks = append(looks, *walked.Last)
	}
	r.Served = pages.taken()
	if r.Reached, err = v.reached(ctx, looks); err != nil {
		return r, err
	}
	if err := r.watch(ctx, v, e.others, looks); err != nil {
		return r, err
	}
	if o.Picture && (!r.Reached || !r.Agrees()) && r.Broken == "" {
		picture, err := page.Screenshot(ctx)
		if err != nil {
			return r, err
		}
		r.Picture = picture.Data
	}
	return r, nil
}

// errandOf is with what a persona is sent on an errand, and on what.
func errandOf(e Errand, who persona.Persona, view string, seed uint64) (walk.Device, walk.Plan) {
	return walk.DeviceOf(who.Facets, view, "", int64(seed)), walk.NewPlan(Origin+e.Start, e.Task, who, nil, walk.DefaultMaxSteps)
}

// watcher keeps every look of a walk.
type watcher struct {
	walk.Nobody

	audits       *runner.Audits
	errand, view string
	looks        []walk.Page
}

// Looked keeps a look.
func (w *watcher) Looked(_ context.Context, _ walk.Tab, _ int, look *walk.Page) error {
	w.looks = append(w.looks, *look)
	return nil
}

// Decided adds what an audit says of the page, as the product does.
func (w *watcher) Decided(ctx context.Context, page walk.Tab, look *walk.Page) {
	if w.audits != nil {
		look.Violations, _ = w.audits.Of(ctx, w.errand, w.view, look, page)
	}
}

// watch asks oracles for tasks that nobody was sent to do what they make of
// the walk.
func (r *Result) watch(ctx context.Context, v *visit, others []sites.Task, looks []walk.Page) error {
	for _, other := range others {
		reached, err := v.done(ctx, other, looks)
		if err != nil {
			return err
		}
		judge, did := oracle.New(task.Parse(other.Task, nil), walk.Conditions{}), walk.Deed{}
		for i := range looks {
			judge.Observe(looks[i], did)
			if i < len(r.Walked.Steps) {
				step := &r.Walked.Steps[i]
				did = walk.Deed{Action: step.Decision.Action, Target: step.Decision.Target, DwellMS: step.Decision.SimulatedMS, Effect: step.Effect}
			}
		}
		judge.Observe(looks[len(looks)-1], walk.Deed{Action: walk.Action{Type: walk.GiveUp}, DwellMS: did.DwellMS})
		r.Watched++
		if verdict := judge.Verdict(); (verdict.Status == walk.Verified) != reached {
			r.Mistaken = append(r.Mistaken, fmt.Sprintf("%s: truth %v, oracle %s: %s", other.Name, reached, verdict.Status, verdict.Evidence))
		}
	}
	return nil
}
