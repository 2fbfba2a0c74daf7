package validity

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/runner"
	"understudy/domain"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/walk"
	"understudy/projections/worklist"
)

// product is the product's runner on one session of a test on an errand's site,
// with its records in memory.
type product struct {
	errand  Errand
	created domain.Recorded
	state   session.State
	events  []session.Event
}

func (p *product) Execute(_ context.Context, e domain.Envelope) (uint64, error) {
	events, err := session.Decider.Decide(p.state, e.Command.(session.Command))
	for _, event := range events {
		p.state = session.Decider.Evolve(p.state, event)
		p.events = append(p.events, event)
	}
	return 0, err
}

func (p *product) Session(context.Context, string) (session.State, error) { return p.state, nil }

func (p *product) Created(context.Context, string) (domain.Recorded, error) { return p.created, nil }

func (p *product) Over(context.Context, string) (uint64, bool, error) { return 0, false, nil }

func (p *product) Inputs(context.Context, testrun.Created) (map[string]string, error) {
	return nil, nil
}

func (p *product) Put(context.Context, []byte, string) (string, error) { return "blob", nil }

func (p *product) Open(ctx context.Context, d walk.Device) (walk.Tab, error) {
	v, err := p.errand.open()
	if err != nil {
		return nil, err
	}
	return walker.stage(ctx, v, d)
}

// stepped is what somebody did in a step, in words.
func stepped(s session.Step) string {
	target := ""
	if s.Action.Target != nil {
		target = s.Action.Target.Selector
	}
	return fmt.Sprint(s.URL, " ", s.Action.Type, " ", target, " ", s.Action.Text, " ", s.SimulatedMS, " ms: ", s.Thought)
}

// TestTheBenchmarkWalksWhatTheProductWalks: the same cast on the same page does,
// thinks and comes to the same, whoever sends it.
func TestTheBenchmarkWalksWhatTheProductWalks(t *testing.T) {
	for _, e := range SiteErrands() {
		if !slices.Contains([]string{"saas/sign_up", "docs/exit_code"}, e.Name) {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			test := testrun.Created{
				TestID: "test_1", Environment: domain.Live, URL: Origin + e.Start, Task: e.Task, Model: runner.Embedded, Seed: seedOf,
				Sessions: 2, Viewports: []string{"desktop", "mobile"}, Personas: testrun.Personas{Source: "auto-diverse"}, MaxSteps: walk.DefaultMaxSteps,
			}
			cast, err := process.NewCast(test)
			if err != nil {
				t.Fatal(err)
			}
			plans := Cast(seedOf, test.Sessions)
			audits := &runner.Audits{}
			for i, plan := range plans {
				// Where the machine was too late for one of the two, both walk again.
				for try := 1; ; try++ {
					r, err := walker.Walk(t.Context(), e, plan.Who, plan.View, plan.Seed, Options{audits: audits})
					if err != nil {
						t.Fatal(err)
					}
					p := &product{errand: e, created: domain.Recorded{ID: uuid.Max, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Event: test}}
					p.state = session.Decider.Evolve(p.state, cast.Session(i, p.created))
					send := &runner.Runner{
						Name: "worker", Commands: p, Facts: p, Blobs: p, Browser: p, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
					}
					if _, err := send.Session(t.Context(), worklist.Item{Stream: "session-1", TestID: test.TestID}); err != nil {
						t.Fatal(err)
					}
					differ := compareWalks(&r, p)
					if differ == "" {
						break
					}
					if try == attempts || !p.late() && !late(r.Trace()) {
						t.Error(differ)
						break
					}
				}
			}
		})
	}
}

// late reports whether the machine was too late for a walk: these sites answer at once.
func late(trace string) bool {
	return strings.Contains(trace, "!"+walk.SigSlow) || strings.Contains(trace, "!"+walk.SigLimitBusy)
}

// late is the same of what the product has recorded, which begins such a walk again.
func (p *product) late() bool {
	return slices.ContainsFunc(p.events, func(e session.Event) bool {
		switch e := e.(type) {
		case session.Started:
			return e.Attempt > 1
		case session.Stepped:
			return slices.ContainsFunc(e.Step.Signals, func(s session.Signal) bool { return s.Kind == walk.SigSlow || s.Kind == walk.SigLimitBusy })
		default: // the rest tells nothing of the machine
			return false
		}
	})
}

// compareWalks tells where the benchmark's walk is not what the product records, "" for
// nowhere.
func compareWalks(r *Result, p *product) string {
	var steps []string
	var done session.Completed
	for _, e := range p.events {
		switch e := e.(type) {
		case session.Stepped:
			steps = append(steps, stepped(e.Step))
		case session.Completed:
			done = e
		default: // the rest is not of the walk
		}
	}
	var own []string
	for _, s := range r.Walked.Steps {
		own = append(own, stepped(runner.Describe(s)))
	}
	for i := range max(len(own), len(steps)) {
		if i >= len(own) || i >= len(steps) || own[i] != steps[i] {
			return fmt.Sprintf("step %d\nthe benchmark %q\nthe product   %q", i, own[min(i, len(own)):min(i+1, len(own))], steps[min(i, len(steps)):min(i+1, len(steps))])
		}
	}
	verdict := r.Walked.Completion
	if done.Completion != (session.Completion{Status: verdict.Status, Confidence: verdict.Confidence, Evidence: verdict.Evidence}) || done.SimulatedMS != r.Walked.SimulatedMS {
		return fmt.Sprintf("the benchmark %+v in %d ms, the product %+v in %d ms", verdict, r.Walked.SimulatedMS, done.Completion, done.SimulatedMS)
	}
	found := r.Session()
	found.SessionID = p.state.Session.SessionID
	if want := session.TakeFindings(found); !reflect.DeepEqual(want, done.Findings) {
		return fmt.Sprintf("the benchmark found %+v\nthe product %+v", want, done.Findings)
	}
	return ""
}
