package runner

import (
	"context"
	"time"

	"understudy/domain/findings"
	"understudy/domain/mind"
	"understudy/domain/persona"
)

// reliefs are the ways to take away what a session may be blamed on. Faults
// that reproduce for everybody (a dead link, an exception) need no proof and
// have none.
var reliefs = map[string]mind.ReliefKind{
	findings.LowContrast:     mind.See,
	findings.UnclearLabel:    mind.Named,
	findings.CompetingLabels: mind.Alone,
	findings.SmallTarget:     mind.Large,
	findings.BelowFold:       mind.First,
	findings.MouseOnly:       mind.Reached,
	findings.Covered:         mind.Uncover,
	findings.Interruption:    mind.Calm,
	findings.DisabledControl: mind.Enable,
}

// The bounds of finding causes: replays of one session, and the real time of
// one replay, whatever its page does.
const (
	maxReplays  = 2
	replayLimit = 45 * time.Second
)

// Again is a walk that fell short, to be walked once more.
type Again struct {
	Browser  Browser
	Device   Device
	URL      string
	Who      persona.Persona
	Goal     mind.Goal
	Tuning   mind.Tuning
	MaxSteps int
	Success  mind.SuccessConditions
	// Typed is what really goes into the page for an action.
	Typed func(mind.Action) string
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
		reached, err := a.without(ctx, mind.Relief{Kind: kind, Selector: cause.Selector}, o.Template)
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
func (a Again) without(ctx context.Context, r mind.Relief, template string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, replayLimit)
	defer cancel()
	device := a.Device
	if r.Kind == mind.Reached {
		device.Keyboard = false
	}
	page, err := a.Browser.Open(ctx, device)
	if err != nil {
		return false, err
	}
	reached, err := a.replay(ctx, page, r, template)
	if closing := page.Close(); err == nil {
		err = closing
	}
	return reached, err
}

func (a Again) replay(ctx context.Context, page Page, r mind.Relief, template string) (bool, error) {
	effect, err := page.Goto(ctx, a.URL)
	if err != nil {
		return false, err
	}
	user := mind.New(a.Who, a.Goal, uint64(a.Device.Seed), a.Tuning)
	var oracle *mind.Oracle
	for range a.MaxSteps {
		look, err := a.look(ctx, page, r, template, effect)
		if err != nil {
			return false, err
		}
		if oracle == nil {
			oracle = mind.NewOracle(a.Goal, a.Success, look)
		}
		oracle.Observe(look, effect)
		if findings.Template(look.URL) == template {
			look = user.Relieve(look, r)
		}
		decision := user.Step(look, effect)
		if decision.End != "" {
			return oracle.Verdict().Status == mind.Verified, nil
		}
		if effect, err = page.Act(ctx, decision.Action, a.Typed(decision.Action)); err != nil {
			return false, err
		}
	}
	look, err := page.Look(ctx, a.Success.SelectorVisible)
	if err != nil {
		return false, err
	}
	oracle.Observe(look, effect)
	return oracle.Verdict().Status == mind.Verified, nil
}

// look perceives the page, without the barrier where the browser has to take
// it away. Layers that the user's own click has opened are not in the way.
func (a Again) look(ctx context.Context, page Page, r mind.Relief, template string, before mind.Effect) (mind.Page, error) {
	look, err := page.Look(ctx, a.Success.SelectorVisible)
	if err != nil || !r.OnPage() || findings.Template(look.URL) != template || r.Kind == mind.Calm && before.Mutated && !before.Navigated {
		return look, err
	}
	if err := page.Relieve(ctx, r); err != nil {
		return look, err
	}
	return page.Look(ctx, a.Success.SelectorVisible)
}

// causes finds out why this session fell short. What a language model decides
// cannot be replayed.
func (w *walker) causes(ctx context.Context, s findings.Session) []findings.Cause {
	if w.session.Model != Embedded || w.r.NoReplays {
		return nil // a language model walks no path twice, and each walk is paid for
	}
	return Again{
		Browser: w.r.Browser, Device: w.device(), URL: w.test.URL, Who: w.who, Goal: w.goal,
		MaxSteps: w.test.MaxSteps, Success: w.success, Typed: w.typed,
	}.Causes(ctx, s)
}
