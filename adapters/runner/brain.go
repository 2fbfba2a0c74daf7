package runner

import (
	"cmp"
	"strings"
	"time"

	"understudy/domain/forager"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/task"
	"understudy/domain/testrun"
	"understudy/domain/walk"
)

// Embedded is the model that is built in: the mind itself.
const Embedded = testrun.Embedded

// Brain decides for a simulated user and knows what that costs. Its errors are
// *ModelFault, or why ctx has ended.
type Brain interface {
	walk.Brain
	// Usage is what deciding has cost until now, nil when it costs nothing.
	Usage() *session.Usage
}

// Brains makes the brains of models that are not built in.
type Brains interface {
	// Brain makes one; the arguments from who on are those of walk.New. An
	// error is *ModelFault.
	Brain(model string, who persona.Persona, goal task.Goal, seed uint64) (Brain, error)
}

// ModelFault says that a session's model could not decide. The session fails.
type ModelFault struct{ Message string }

func (e *ModelFault) Error() string { return e.Message }

// modelUnavailable is the code of a session whose model did not answer.
const modelUnavailable = "model_unavailable"

// embedded is the mind as a brain, which costs nothing.
type embedded struct{ walk.Mind }

func (embedded) Usage() *session.Usage { return nil }

// newBrain makes the brain of this session. The mind decides for every model that
// is built in, those of earlier versions too, and stands in for all in the
// sandbox, which calls nobody.
func (a *attempt) newBrain(who persona.Persona, plan walk.Plan) (Brain, error) {
	if builtIn(a.session.Model) || a.sandboxed() {
		return embedded{forager.New(who, plan.Goal, uint64(a.session.Seed)).Step}, nil
	}
	if a.r.Brains == nil {
		return nil, &ModelFault{"the model is not configured on this worker"}
	}
	return a.r.Brains.Brain(a.session.Model, who, plan.Goal, uint64(a.session.Seed))
}

// builtIn: the model is none of an operator's, whose names say who serves them.
func builtIn(model string) bool { return !strings.Contains(model, "/") }

// used is what this and earlier attempts have cost until now.
func (w *walker) used() *session.Usage { return together(w.before, w.brain.Usage()) }

// limit bounds the attempt, on a late machine by more.
func (w *walker) limit() time.Duration {
	limit := maxSession
	if !builtIn(w.session.Model) {
		limit = maxModelSession
	}
	return time.Duration(w.r.pace() * float64(limit))
}

// pace is Pace, 1 where nobody tells.
func (r *Runner) pace() float64 {
	if r.Pace == nil {
		return 1
	}
	return r.Pace()
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
