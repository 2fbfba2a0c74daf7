package validity

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/mind"
	"understudy/domain/persona"
	"understudy/test/sites"
)

// walkLimit bounds one walk in real time.
const walkLimit = time.Minute

// walk is one finished walk held against the truth.
type walk struct {
	errand string
	who    persona.Persona
	view   string
	walked mind.Walked
	truth  bool
	trace  string
	// wrong are the tasks that nobody was sent to do and about which an oracle
	// that watched the walk was mistaken; besides is how many watched.
	wrong   []string
	besides int
	picture []byte // the last look's, of a walk that fell short
}

// agrees: the oracle's verdict is the truth. An unverified one is neither.
func (w walk) agrees() bool { return (w.walked.Completion.Status == mind.Verified) == w.truth }

// take walks an errand with one persona on one device.
func take(t *testing.T, e errand, who persona.Persona, view string, seed uint64) (walk, error) {
	t.Helper()
	site := e.open(t)
	defer site.close()
	ctx, cancel := context.WithTimeout(context.Background(), walkLimit)
	defer cancel()
	s, err := shared.Open(ctx, browser.SessionOptions{Viewport: view, Seed: int64(seed), ProxyURL: proxy, Zoom: who.Facets.ZoomOn(widths[view])})
	if err != nil {
		return walk{}, err
	}
	defer func() { _ = s.Close() }() // a page that does not close goes with the browser
	goal := mind.ParseTask(e.task, nil)
	m := mind.New(who, goal, seed, mind.Options{})
	log := mind.NewWalk(goal, who, mind.Options{})
	last, err := s.Goto(ctx, site.address+e.start)
	if err != nil {
		return walk{}, err
	}
	var oracle *mind.Oracle
	var looks []mind.Page
	for range mind.DefaultMaxSteps {
		page, err := s.Look(ctx)
		if err != nil {
			return walk{}, err
		}
		looks = append(looks, page)
		if oracle == nil {
			oracle = mind.NewOracle(goal, mind.SuccessConditions{}, page)
		}
		oracle.Observe(page, last)
		d := m.Step(page, last)
		last = mind.Effect{}
		if d.End == "" {
			if last, err = s.Act(ctx, d.Action, d.Action.Text); err != nil {
				return walk{}, err
			}
		}
		log.Record(page, d, last)
		if d.End != "" {
			break
		}
	}
	page, err := s.Look(ctx)
	if err != nil {
		return walk{}, err
	}
	looks = append(looks, page)
	oracle.Observe(page, last)
	w := walk{errand: e.name, who: who, view: view, walked: log.Result(oracle.Verdict())}
	if w.truth, err = site.reached(looks); err != nil {
		return walk{}, err
	}
	for _, o := range e.others {
		truth, err := site.done(o, looks)
		if err != nil {
			return walk{}, err
		}
		w.besides++
		if verdict := watch(o, w.walked.Steps, page); (verdict.Status == mind.Verified) != truth {
			w.wrong = append(w.wrong, fmt.Sprintf("%s: truth %v, oracle %s: %s", o.Name, truth, verdict.Status, verdict.Evidence))
		}
	}
	w.trace = strings.ReplaceAll(trace(w), site.address, "")
	if !w.truth || !w.agrees() {
		w.picture, _, _, err = s.Screenshot(ctx)
	}
	return w, err
}

// watch is what an oracle for another task says of a walk.
func watch(task sites.Task, steps []mind.StepRecord, end mind.Page) mind.Completion {
	oracle := mind.NewOracle(mind.ParseTask(task.Task, nil), mind.SuccessConditions{}, steps[0].Page)
	last := mind.Effect{}
	for _, s := range steps {
		oracle.Observe(s.Page, last)
		last = s.Effect
	}
	oracle.Observe(end, last)
	return oracle.Verdict()
}

// trace tells a walk in plain text, one step a line.
func trace(w walk) string {
	var b strings.Builder
	f := w.who.Facets
	fmt.Fprintf(&b, "%s %s: %s %s %s %s patience %.2f keys %v reader %v zoom %v\n", w.errand, w.view, f.AgeBand, f.InformationProcessing,
		f.RiskAttitude, f.LanguageLevel, f.Patience, f.KeyboardOnly, f.ScreenReader, f.Zoom)
	for _, r := range w.walked.Steps {
		d := r.Decision
		name := ""
		if d.Target != nil {
			name = " " + d.Target.Role + " “" + d.Target.Name + "”"
		}
		fmt.Fprintf(&b, "%2d %s y%.0f | %s%s %q scent %.2f frustration %.2f %.1fs | %s | %s", r.Index, r.Page.URL, r.Page.ScrollY,
			d.Action.Type, name, d.Action.Text, d.Scent, d.Frustration, float64(d.SimulatedMS)/1000, d.Observation, d.Thought)
		for _, s := range r.Signals {
			b.WriteString(" !" + s.Kind)
		}
		b.WriteByte('\n')
	}
	c := w.walked.Completion
	for _, wrong := range w.wrong {
		fmt.Fprintf(&b, "besides, %s\n", wrong)
	}
	fmt.Fprintf(&b, "outcome %s, truth %v, oracle %s %.2f: %s\n", w.walked.Outcome, w.truth, c.Status, c.Confidence, c.Evidence)
	return b.String()
}

// widths are those of the adapter's viewports, in CSS px.
var widths = map[string]int{browser.Desktop: 1280, browser.Mobile: 390}
