// Package replay walks again what fell short, to prove what the reason was.
package replay

import (
	"context"
	"errors"
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

// The bounds of finding causes: replays of one walk, and the real time of one
// replay, whatever its page does.
const (
	maxReplays  = 2
	replayLimit = 45 * time.Second
)

// Again is a walk that fell short, to be walked once more by the embedded user.
type Again struct {
	Open   func(ctx context.Context, d walk.Device) (walk.Tab, error)
	Device walk.Device
	walk.Plan
}

// Causes walks again what fell short, as the same user with the same seed but
// with one suspected barrier taken away, the most likely first, until one
// proves to have been the reason. Nothing of it is recorded. A replay that the
// page or the browser cuts short proves nothing and is left out.
func (a Again) Causes(ctx context.Context, s findings.Session) []findings.Cause {
	var out []findings.Cause
	for _, o := range s.Barriers() {
		kind, ok := reliefs[o.Kind]
		if !ok || len(out) == maxReplays {
			continue
		}
		cause := findings.Cause{Kind: o.Kind, Template: o.Template}
		if o.Element != nil {
			cause.Selector = o.Element.Selector
		}
		reached, err := a.without(ctx, walk.Relief{Kind: kind, Selector: cause.Selector}, o.Template)
		if ctx.Err() != nil {
			return out
		}
		if err != nil {
			continue
		}
		cause.Proven = reached
		if out = append(out, cause); reached {
			break
		}
	}
	return out
}

// without walks without a barrier on the pages of a template and reports
// whether the goal is reached.
func (a Again) without(ctx context.Context, r walk.Relief, template string) (reached bool, err error) {
	device := a.Device
	if r.Kind == walk.Reached {
		device.Keyboard = false
	}
	ctx, cancel := context.WithTimeout(ctx, replayLimit)
	defer cancel()
	page, err := a.Open(ctx, device)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	barrier := relief{Relief: r, template: template}
	brain := relieved{forager.New(a.Who, a.Goal, uint64(a.Device.Seed)), barrier}
	watched := &cleared{Tab: page, relief: barrier}
	result, err := walk.Run(ctx, watched, brain, oracle.New(a.Goal, a.Success), a.Plan, walk.Nobody{})
	return result.Completion.Status == walk.Verified, errors.Join(err, watched.failed)
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
