// Package replay walks again what fell short, to prove what the reason was.
package replay

import (
	"context"
	"errors"
	"slices"
	"time"

	"understudy/domain/findings"
	"understudy/domain/forager"
	"understudy/domain/oracle"
	"understudy/domain/walk"
)

// reliefs are the ways to take away what a walk may be blamed on. Faults that
// reproduce for everybody (a dead link, an exception) need no proof and have none.
var reliefs = map[string]walk.ReliefKind{
	findings.LowContrast:     walk.See,
	findings.UnclearLabel:    walk.Named,
	findings.CompetingLabels: walk.Alone,
	findings.SmallTarget:     walk.Large,
	findings.BelowFold:       walk.First,
	findings.MouseOnly:       walk.Reached,
	findings.Covered:         walk.Uncover,
	findings.Interruption:    walk.Calm,
	findings.DisabledControl: walk.Enable,
}

// replayLimit bounds one replay in real time on an unhurried machine, whatever its page
// does, from when it has a browser's tab (an assumption: walks that get anywhere take less).
const replayLimit = 45 * time.Second

// Again is a walk that fell short, to be walked once more by the embedded user.
type Again struct {
	Open   func(ctx context.Context, d walk.Device) (walk.Tab, error)
	Device walk.Device
	// Pace is how many times later than an unhurried machine this one is, from 1.
	Pace float64
	walk.Plan
}

// Result is what a replay shows.
type Result string

// The results of a replay.
const (
	// Proven: the goal is reached without the barrier. Unchanged: it is not.
	Proven    Result = "proven"
	Unchanged Result = "unchanged"
	// Withheld: it ended before it would have sent again what had been accepted.
	Withheld Result = "withheld"
	// CutShort: the page or the browser failed, or time was over. What it sent last is
	// not known.
	CutShort Result = "cut_short"
)

// Outcome is what came of a replay, and what it had servers change.
type Outcome struct {
	Result Result
	Sent   []findings.Sent
}

// errWithheld ends a replay whose page wants to send something again.
var errWithheld = errors.New("something that was accepted would be sent again")

// Without walks again as the same user with the same seed, but with a suspected
// barrier taken away. Nothing of it is recorded here. What was sent and accepted before
// does not leave the browser again, whichever act would send it: the replay may come to
// a form on another way than the walk did, so that no act tells beforehand.
func (a Again) Without(ctx context.Context, cause findings.Cause, sent []findings.Sent) Outcome {
	seen := &witness{}
	reached, err := a.without(ctx, cause, sent, seen)
	out := Outcome{Result: Unchanged, Sent: seen.sent}
	switch {
	case errors.Is(err, errWithheld):
		out.Result = Withheld
	case err != nil:
		out.Result = CutShort
	case reached:
		out.Result = Proven
	}
	return out
}

// without walks without a barrier on the pages of its template and reports whether
// the goal is reached.
func (a Again) without(ctx context.Context, cause findings.Cause, sent []findings.Sent, seen *witness) (reached bool, err error) {
	barrier := relief{Relief: walk.Relief{Kind: reliefs[cause.Kind], Selector: cause.Selector}, template: cause.Template}
	device := a.Device
	if barrier.Kind == walk.Reached {
		device.Keyboard = false
	}
	page, err := a.Open(ctx, device)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(max(1, a.Pace)*float64(replayLimit)))
	defer cancel()
	again := func(method, url string) bool {
		return slices.Contains(sent, findings.Sent{Method: method, Template: findings.Template(url)})
	}
	if len(sent) > 0 {
		if err := page.Withhold(ctx, again); err != nil {
			return false, err
		}
	}
	brain := relieved{forager.New(a.Who, a.Goal, uint64(a.Device.Seed)), barrier}
	watched := &cleared{Tab: page, relief: barrier}
	result, err := walk.Run(ctx, watched, brain, oracle.New(a.Goal, a.Success), a.Plan, seen)
	return result.Completion.Status == walk.Verified, errors.Join(err, watched.failed)
}

// witness keeps what a replay had servers change.
type witness struct {
	walk.Nobody

	sent []findings.Sent
}

// Stepped keeps what a step sent, and ends the replay at one that wanted to send again.
func (w *witness) Stepped(_ context.Context, step walk.StepRecord) error {
	w.sent = findings.Added(w.sent, findings.SentBy(&step))
	if step.Effect.Withheld {
		return errWithheld
	}
	return nil
}

// relief is a barrier that is taken away on the pages of a template.
type relief struct {
	walk.Relief
	template string
}

// cleared is a page without a barrier that the browser has to take away.
type cleared struct {
	walk.Tab
	relief
	last   walk.Effect
	failed error // ends the replay
}

// Goto opens the page, if nothing has to be sent again for it.
func (p *cleared) Goto(ctx context.Context, url string) (walk.Effect, error) {
	effect, err := p.Tab.Goto(ctx, url)
	if err == nil && effect.Withheld {
		err = errWithheld
	}
	return effect, err
}

// Act remembers what the user did himself.
func (p *cleared) Act(ctx context.Context, a walk.Action, text string) (walk.Effect, error) {
	p.last, p.failed = p.Tab.Act(ctx, a, text)
	return p.last, p.failed
}

// Look perceives the page, without the barrier. Layers that the user's own click
// has opened are not in the way.
func (p *cleared) Look(ctx context.Context, selector string) (look walk.Page, err error) {
	if p.failed != nil {
		return look, p.failed
	}
	defer func() { p.failed = err }()
	look, err = p.Tab.Look(ctx, selector)
	own := p.Kind == walk.Calm && p.last.Mutated && !p.last.Navigated
	if err != nil || own || !p.OnPage() || findings.Template(look.URL) != p.template {
		return look, err
	}
	if err := p.Relieve(ctx, p.Relief); err != nil {
		return look, err
	}
	return p.Tab.Look(ctx, selector)
}

// relieved is a user who does not perceive a barrier.
type relieved struct {
	mind *forager.Mind
	relief
}

// Step decides without the barrier.
func (b relieved) Step(ctx context.Context, page walk.Page, last walk.Effect) (walk.Decision, error) {
	if findings.Template(page.URL) == b.template {
		page = b.mind.Relieve(page, b.Relief)
	}
	return b.mind.Step(page, last), ctx.Err()
}
