package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"understudy/domain/persona"
	"understudy/domain/task"
)

// Plan is who is to do what, and for how long at most.
type Plan struct {
	URL      string
	Goal     task.Goal
	Who      persona.Persona
	Success  Conditions
	MaxSteps int
	// Inputs are the values that the task names, {{name}}, and only the page gets.
	Inputs map[string]string
	// Limit bounds the page and the brain in real time, whatever the page does; 0
	// does not. What the sink does with a finished step is not bound by it.
	Limit time.Duration
}

// NewPlan plans the walk of a task from an address.
func NewPlan(url, what string, who persona.Persona, inputs map[string]string, maxSteps int) Plan {
	return Plan{URL: url, Goal: task.Parse(what, slices.Sorted(maps.Keys(inputs))), Who: who, Inputs: inputs, MaxSteps: maxSteps}
}

// Sink is told of a walk as it goes on. Its errors end the walk.
type Sink interface {
	// Looked is told of each look before it is decided on, with the index of its
	// step from 0.
	Looked(ctx context.Context, page Tab, index int, look *Page) error
	// Decided is told when the look was decided on and before the page can be
	// left by it. What it adds to the look belongs to the record alone.
	Decided(ctx context.Context, page Tab, look *Page)
	// Stepped is told of each step with what came of it.
	Stepped(ctx context.Context, step StepRecord) error
}

// Nobody is a sink that keeps nothing.
type Nobody struct{}

// Looked keeps nothing.
func (Nobody) Looked(context.Context, Tab, int, *Page) error { return nil }

// Decided adds nothing.
func (Nobody) Decided(context.Context, Tab, *Page) {}

// Stepped keeps nothing.
func (Nobody) Stepped(context.Context, StepRecord) error { return nil }

// Result is what a walk comes to.
type Result struct {
	Walked
	// Fault cut the walk short after its first step; what was seen until then is
	// judged. nil: the walk came to its end.
	Fault *Fault
	// Last is the look at what the last step led to when no step was left to
	// decide on it.
	Last *Page
}

// Run walks to the end: the brain ends the walk, the steps are used up, or the
// page fails. A *Fault as error says that the page failed before anything was
// seen of it. Other errors are those of the page that are not its own, of the
// brain and of the sink, as they are.
func Run(ctx context.Context, page Tab, brain Brain, judge Judge, p Plan, sink Sink) (Result, error) {
	bounded := ctx
	if p.Limit > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, p.Limit, &Fault{
			Code: "session_timed_out", Message: fmt.Sprintf("the session took longer than %s", p.Limit),
		})
		defer cancel()
	}
	w := &walker{page: page, brain: brain, plan: p, sink: sink, oracle: judge, log: NewWalk(p.Goal, p.Who)}
	var err error
	if w.did.Effect, err = page.Goto(bounded, p.URL); err != nil {
		return Result{}, timely(bounded, err)
	}
	var fault *Fault
	for i := range p.MaxSteps {
		step, err := w.step(bounded, i)
		if err = timely(bounded, err); errors.As(err, &fault) && i > 0 {
			break
		}
		if err != nil {
			return Result{}, err
		}
		if err := sink.Stepped(ctx, step); err != nil {
			return Result{}, err
		}
		if step.Decision.End != "" {
			return Result{Walked: w.log.Result(w.oracle.Verdict())}, nil
		}
	}
	result := Result{Fault: fault}
	if last, err := w.look(bounded); err == nil {
		w.oracle.Observe(last, w.did)
		w.oracle.Observe(last, Deed{Action: Action{Type: GiveUp}, DwellMS: w.did.DwellMS})
		result.Last = &last
	}
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	result.Walked = w.log.Result(w.oracle.Verdict())
	return result, nil
}

// timely is err, or why ctx has ended when its deadline was the reason.
func timely(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

// walker is one simulated user on one page.
type walker struct {
	page   Tab
	brain  Brain
	plan   Plan
	sink   Sink
	log    *Walk
	oracle Judge
	did    Deed // before the next look
}

// step looks, decides and acts once. The oracle sees what the brain sees.
func (w *walker) step(ctx context.Context, index int) (StepRecord, error) {
	look, err := w.look(ctx)
	if err != nil {
		return StepRecord{}, err
	}
	if err := w.sink.Looked(ctx, w.page, index, &look); err != nil {
		return StepRecord{}, err
	}
	w.oracle.Observe(look, w.did)
	decision, err := w.brain.Step(ctx, look, w.did.Effect)
	if err != nil {
		return StepRecord{}, err
	}
	w.sink.Decided(ctx, w.page, &look)
	w.did = Deed{Action: decision.Action, Target: decision.Target, DwellMS: decision.SimulatedMS}
	if decision.End != "" {
		w.oracle.Observe(look, w.did)
	} else if w.did.Effect, err = w.act(ctx, decision.Action); err != nil {
		return StepRecord{}, err
	}
	return w.log.Record(look, decision, w.did.Effect), nil
}

// look also takes in where the last act has led since its effect was told.
func (w *walker) look(ctx context.Context) (Page, error) {
	look, err := w.page.Look(ctx, w.plan.Success.SelectorVisible)
	look.URL, look.Title = clip(look.URL), clip(look.Title)
	if e := &w.did.Effect; err == nil && e.Overtaken(&look) {
		e.Navigated, e.URL = true, look.URL
	}
	return look, err
}

// act carries out an action. A page that fails at it is an effect, too: what is
// left of it is looked at next.
func (w *walker) act(ctx context.Context, a Action) (Effect, error) {
	text := a.Text
	if a.Secret != "" {
		text = w.plan.Inputs[a.Secret]
	}
	effect, err := w.page.Act(ctx, a, text)
	var fault *Fault
	if errors.As(err, &fault) {
		effect.Failed, err = fault.Message, nil
	}
	effect.URL = clip(effect.URL)
	return effect, err
}

// maxText bounds addresses and titles, which pages can make as long as they
// like and every event and issue repeats.
const maxText = 2048

func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "")
}
