package brain

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"understudy/domain/forager"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Walker is a simulated user with a language model for a brain. Not safe for
// concurrent use.
type Walker struct {
	cfg    Config
	model  model
	senses *forager.Senses
	inputs []string
	system string
	seed   int64

	past      []string // what was done, oldest first
	forgotten int      // how much more was done before
	notes     []string
	secrets   secrets
	usage     session.Usage
	// misanswers is how many steps in a row brought no act.
	misanswers int
}

func newWalker(cfg Config, m model, who persona.Persona, goal task.Goal, seed uint64) *Walker {
	return &Walker{
		cfg: cfg, model: m, senses: forager.NewSenses(who, goal, seed), inputs: goal.Inputs,
		system: instructions(who, goal), seed: int64(seed & math.MaxInt32), // servers take no larger ones
		usage: session.Usage{Model: m.name}, secrets: secrets{fields: map[string]bool{}},
	}
}

const (
	// maxAnswer bounds one answer in tokens; reasoning models think within it.
	maxAnswer = 4096
	// leastAnswer is about what an act with its thought takes.
	leastAnswer = 256
	// bytesPerToken is a cautious rule of thumb for Latin script, for what has
	// not been counted by a server yet.
	bytesPerToken = 3
	// schemaTokens is about what the tool itself costs.
	schemaTokens = 400
	// asks is how often a step is asked for: once more after an answer that is
	// no act.
	asks = 2
	// maxMisanswers is how many steps in a row may bring no act.
	maxMisanswers = 2
)

// Usage is what the model has used so far.
func (w *Walker) Usage() *session.Usage {
	u := w.usage
	if p := w.model.price; p != nil {
		cost := (float64(u.InputTokens)*p.Input + float64(u.OutputTokens)*p.Output) / 1e6
		cost = math.Round(cost*1e6) / 1e6
		u.CostUSD = &cost
	}
	return &u
}

// Step tells the model what the persona perceives and returns what it decides.
// The error is *Unavailable, or why ctx has ended.
func (w *Walker) Step(ctx context.Context, page walk.Page, last walk.Effect) (walk.Decision, error) {
	if n := len(w.past); n > 0 {
		w.past[n-1] += ": " + outcome(last)
	}
	seen := w.senses.Perceive(page, last)
	seen.Controls = seen.Controls[:min(len(seen.Controls), maxControls)]
	w.secrets.look(&page)
	user := situation(w, &page, seen)
	wrong := ""
	for range asks {
		room := w.left() - w.weigh(user+wrong)
		if room < leastAnswer {
			return w.end("I have to stop here: this session may use no more tokens.", "the session's budget of tokens is spent"), nil
		}
		r, err := w.ask(ctx, user+wrong, min(maxAnswer, room))
		if err != nil {
			return walk.Decision{}, err
		}
		said, action, err := understand(r, seen.Controls, w.inputs)
		if err == nil {
			return w.decide(said, action, &page), nil
		}
		wrong = "Your last answer could not be carried out: " + err.Error() + ". Answer again with one call of " + toolName + ".\n"
	}
	w.misanswers++
	if w.misanswers >= maxMisanswers {
		return w.end("I have to stop here: the model does not answer with something that can be done.", "the model's answers were no acts"), nil
	}
	d := w.senses.Carry(walk.Decision{
		Action: walk.Action{Type: walk.Wait}, Thought: "I do not know what to do and wait a moment.",
		Signals: []walk.Signal{{Kind: walk.SigLimitModel, Detail: "the model's answer was no act"}},
	})
	w.remember(d, "")
	return d, nil
}

// left is what remains of the budget of tokens.
func (w *Walker) left() int64 { return w.cfg.Tokens - w.usage.InputTokens - w.usage.OutputTokens }

// weigh is about how many tokens a question has.
func (w *Walker) weigh(user string) int64 {
	return int64(len(w.system)+len(user))/bytesPerToken + schemaTokens
}

// ask asks the model and counts what it costs; the answer has as many tokens
// at most.
func (w *Walker) ask(ctx context.Context, user string, tokens int64) (reply, error) {
	limit := time.Duration(w.cfg.Retries+1)*w.cfg.Timeout + maxWait
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errPatience)
	defer cancel()
	w.usage.Requests++
	r, err := w.model.ask(ctx, question{system: w.system, user: user, tokens: tokens, seed: w.seed})
	if err != nil {
		var gone *Unavailable
		if errors.As(err, &gone) {
			w.cfg.Logger.Warn("a model is not available", slog.String("model", w.model.name), slog.String("reason", gone.Reason))
		}
		return r, err
	}
	if r.input == 0 {
		r.input = w.weigh(user) // a server that does not count
	}
	if r.output == 0 {
		r.output = int64(len(r.arguments)+len(r.text))/bytesPerToken + 1
	}
	w.usage.InputTokens += r.input
	w.usage.OutputTokens += r.output
	return r, nil
}

// decide makes a decision of an answer to what is seen of a page.
func (w *Walker) decide(said act, action walk.Action, page *walk.Page) walk.Decision {
	w.misanswers = 0
	d := walk.Decision{Action: action, Thought: clip(said.Thought, maxThought)}
	switch action.Type {
	case walk.Done:
		d.End = walk.EndDone
	case walk.GiveUp:
		d.End = walk.EndGaveUp
	default:
	}
	d = w.senses.Carry(d)
	if d.Action.Secret != "" && d.Target != nil {
		w.secrets.typed(d.Target, page)
	}
	note := ""
	if said.Remember != nil {
		note = clip(*said.Remember, maxNote)
	}
	w.remember(d, note)
	return d
}

// remember keeps what was done, and a note when there is one.
func (w *Walker) remember(d walk.Decision, note string) {
	if len(w.past) == maxPast {
		w.past = append(w.past[:0], w.past[1:]...)
		w.forgotten++
	}
	w.past = append(w.past, deed(d))
	if note != "" {
		w.notes = append(w.notes, note)
		w.notes = w.notes[max(0, len(w.notes)-maxNotes):]
	}
}

// end ends the walk by a limit of the simulation, which is nobody's giving up.
func (w *Walker) end(thought, why string) walk.Decision {
	return w.senses.Carry(walk.Decision{
		Action: walk.Action{Type: walk.Wait}, Thought: thought, End: walk.EndLimit,
		Signals: []walk.Signal{{Kind: walk.SigLimitModel, Detail: why}},
	})
}
