package validity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/findings"
	"understudy/domain/mind"
	"understudy/domain/persona"
	"understudy/test/sites"
)

// walkLimit bounds one walk with its replays in real time.
const walkLimit = 2 * time.Minute

// errLate is that walkLimit was over, as it can be on pages that take seconds.
var errLate = fmt.Errorf("the walk and its replays took more than %v", walkLimit)

// widths are those of the adapter's viewports, in CSS px.
var widths = map[string]int{browser.Desktop: 1280, browser.Tablet: 820, browser.Mobile: 390}

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
	// Tuning are the parameters of the walking model.
	Tuning mind.Tuning
	// Served keeps the HTML that the visitor was given, in Result.Served.
	Served bool
	// Causes replays what fell short with its barriers taken away, in Result.Causes.
	Causes bool
	// Picture takes a screenshot of the end of a walk that fell short or on which
	// the oracle is mistaken.
	Picture bool
}

// Result is one finished walk held against the truth.
type Result struct {
	Errand string
	Who    persona.Persona
	View   string
	Seed   uint64
	Walked mind.Walked
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
	return (r.Walked.Completion.Status == mind.Verified) == r.Reached
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
	server := serve(v.site)
	defer server.Close()
	defer server.CloseClientConnections()
	ctx, cancel := context.WithTimeoutCause(ctx, walkLimit, errLate)
	defer cancel()
	defer func() {
		if ctx.Err() != nil {
			err = fmt.Errorf("%s, %s, seed %d: %w", e.Name, view, seed, context.Cause(ctx))
		}
	}()
	s, err := w.browser.Open(ctx, device(who, view, seed, server.URL))
	if err != nil {
		return r, fmt.Errorf("%s: open a page: %w", e.Name, err)
	}
	defer func() { _ = s.Close() }() // a page that does not close goes with the browser
	looks, err := r.walk(ctx, s, e, o)
	if err != nil {
		return r, fmt.Errorf("%s: %w", e.Name, err)
	}
	r.Served = pages.taken()
	if r.Reached, err = v.reached(ctx, looks); err != nil {
		return r, err
	}
	if err := r.watch(ctx, v, e.others, looks); err != nil {
		return r, err
	}
	if o.Picture && (!r.Reached || !r.Agrees()) && r.Broken == "" {
		if r.Picture, _, _, err = s.Screenshot(ctx); err != nil {
			return r, err
		}
	}
	_ = s.Close() // replays want its place
	if o.Causes {
		w.explain(ctx, &r, e, o)
	}
	return r, nil
}

// walk is the loop of the product's runner without its records. It returns
// every look.
func (r *Result) walk(ctx context.Context, s *browser.Session, e Errand, o Options) ([]mind.Page, error) {
	goal := mind.ParseTask(e.Task, nil)
	m := mind.New(r.Who, goal, r.Seed, o.Tuning)
	log := mind.NewWalk(goal, r.Who)
	last, err := s.Goto(ctx, Origin+e.Start)
	if err != nil {
		return nil, err
	}
	var looks []mind.Page
	var oracle *mind.Oracle
	see := func() (page mind.Page, ok bool, err error) {
		if page, err = s.Look(ctx); err != nil {
			r.Broken = pageFault(err)
			if r.Broken == "" || oracle == nil {
				return page, false, err
			}
			return page, false, nil // what was seen until here is judged
		}
		if oracle == nil {
			oracle = mind.NewOracle(goal, mind.SuccessConditions{}, page)
		}
		oracle.Observe(page, last)
		looks = append(looks, page)
		return page, true, nil
	}
	for range mind.DefaultMaxSteps {
		page, ok, err := see()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		d := m.Step(page, last)
		last = mind.Effect{}
		if d.End == "" {
			if last, err = s.Act(ctx, d.Action, d.Action.Text); err != nil {
				if last.Failed = pageFault(err); last.Failed == "" {
					return nil, err
				}
			}
		}
		log.Record(page, d, last)
		if d.End != "" {
			break
		}
	}
	if r.Broken == "" {
		if _, _, err := see(); err != nil {
			return nil, err
		}
	}
	r.Walked = log.Result(oracle.Verdict())
	return looks, nil
}

// pageFault says how a page failed by itself; "" when it was not the page.
func pageFault(err error) string {
	var navigation *browser.NavigationError
	switch {
	case errors.As(err, &navigation):
		return navigation.Message
	case errors.Is(err, browser.ErrPageHung):
		return "the page stopped answering"
	case errors.Is(err, browser.ErrPageCrashed):
		return "the page crashed its browser tab"
	}
	return ""
}

// watch asks oracles for tasks that nobody was sent to do what they make of
// the walk.
func (r *Result) watch(ctx context.Context, v *visit, others []sites.Task, looks []mind.Page) error {
	for _, task := range others {
		reached, err := v.done(ctx, task, looks)
		if err != nil {
			return err
		}
		oracle := mind.NewOracle(mind.ParseTask(task.Task, nil), mind.SuccessConditions{}, looks[0])
		last := mind.Effect{}
		for i := range looks {
			oracle.Observe(looks[i], last)
			if i < len(r.Walked.Steps) {
				last = r.Walked.Steps[i].Effect
			}
		}
		r.Watched++
		if verdict := oracle.Verdict(); (verdict.Status == mind.Verified) != reached {
			r.Mistaken = append(r.Mistaken, fmt.Sprintf("%s: truth %v, oracle %s: %s", task.Name, reached, verdict.Status, verdict.Evidence))
		}
	}
	return nil
}
