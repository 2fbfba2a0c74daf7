package runner

import (
	"cmp"
	"context"
	"time"

	"understudy/domain/forager"
	"understudy/domain/mind"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/walk"
)

// Embedded is the model that is built in: the mind itself.
const Embedded = "forager-1"

// Forager is the newest brain.
const Forager = "forager-2"

type foraging struct{ *forager.Mind }

func (foraging) Usage() *session.Usage { return nil }

func (f foraging) Step(_ context.Context, page walk.Page, last walk.Effect) (walk.Decision, error) {
	return f.Mind.Step(page, last), nil
}

// Brain decides for a simulated user and knows what that costs. Its errors are
// *ModelFault, or why ctx has ended.
type Brain interface {
	walk.Brain
	// Usage is what deciding has cost until now, nil when it costs nothing.
	Usage() *session.Usage
}

// Brains makes the brains of models that are not built in.
type Brains interface {
	// Brain makes one; the arguments from who on are those of mind.New. An
	// error is *ModelFault.
	Brain(model string, who persona.Persona, goal mind.Goal, seed uint64) (Brain, error)
}

// ModelFault says that a session's model could not decide. The session fails.
type ModelFault struct{ Message string }

func (e *ModelFault) Error() string { return e.Message }

// modelUnavailable is the code of a session whose model did not answer.
const modelUnavailable = "model_unavailable"

// embedded is the mind as a brain, which costs nothing.
type embedded struct{ walk.Mind }

func (embedded) Usage() *session.Usage { return nil }

// newBrain makes the brain of this session. The sandbox calls nobody, so the mind
// stands in for every model there.
func (a *attempt) newBrain(who persona.Persona, plan walk.Plan) (Brain, error) {
	goal := plan.Goal
	if a.session.Model == Forager {
		return foraging{forager.New(who, plan.Task, uint64(a.session.Seed))}, nil
	}
	if a.session.Model == Embedded || a.sandboxed() {
		return embedded{walk.Mind{Mind: mind.New(who, goal, uint64(a.session.Seed), mind.Tuning{})}}, nil
	}
	if a.r.Brains == nil {
		return nil, &ModelFault{"the model is not configured on this worker"}
	}
	return a.r.Brains.Brain(a.session.Model, who, goal, uint64(a.session.Seed))
}

// used is what this and earlier attempts have cost until now.
func (w *walker) used() *session.Usage { return together(w.before, w.brain.Usage()) }

// limit bounds the attempt.
func (w *walker) limit() time.Duration {
	if w.session.Model == Embedded || w.session.Model == Forager {
		return maxSession
	}
	return maxModelSession
}

// together is the sum of what two attempts have cost, nil for nothing.
func together(a, b *session.Usage) *session.Usage {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *b
	sum.InputTokens += a.InputTokens
	sum.OutputTokens += a.OutputTokens
	sum.Requests += a.Requests
	if a.CostUSD != nil && b.CostUSD != nil {
		cost := *a.CostUSD + *b.CostUSD
		sum.CostUSD = &cost
	}
	return &sum
}
