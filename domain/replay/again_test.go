package replay_test

import (
	"context"
	"testing"

	"understudy/domain/findings"
	"understudy/domain/persona"
	"understudy/domain/replay"
	"understudy/domain/sandbox"
	"understudy/domain/walk"
)

// failing is a simulated page whose n-th action or look fails, from 0.
type failing struct {
	walk.Tab

	site       *sandbox.Site
	act, look  int
	acts, seen int
}

var hung = &walk.Fault{Code: "page_hung", Message: "the page stopped answering"}

func (p *failing) Goto(context.Context, string) (walk.Effect, error) {
	return walk.Effect{Navigated: true}, nil
}

func (p *failing) Look(context.Context, string) (walk.Page, error) {
	p.seen++
	if p.seen-1 == p.look {
		return walk.Page{}, hung
	}
	return p.site.Page(), nil
}

func (p *failing) Act(_ context.Context, a walk.Action, _ string) (walk.Effect, error) {
	p.acts++
	if p.acts-1 == p.act {
		return walk.Effect{}, hung
	}
	return p.site.Act(a), nil
}

func (p *failing) Close() error { return nil }

// A replay that its page cuts short says nothing about what was taken away: it
// is not even an attempt that failed.
func TestAReplayThatIsCutShortProvesNothing(t *testing.T) {
	t.Parallel()
	const steps = 3
	for name, c := range map[string]struct{ act, look, causes int }{
		"nothing fails":       {-1, -1, 1},
		"a look fails":        {-1, 1, 0},
		"an action fails":     {1, -1, 0},
		"the last act fails":  {steps - 1, -1, 0},
		"the last look fails": {-1, steps, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := walk.NewPlan("https://shop.example.com/", sandbox.MagicGiveUp, persona.AutoDiverse(1, 1)[0], nil, steps)
			again := replay.Again{Plan: plan, Device: walk.Device{Viewport: "desktop", Seed: 7}}
			again.Open = func(context.Context, walk.Device) (walk.Tab, error) {
				return &failing{site: sandbox.New(plan.URL, sandbox.MagicGiveUp, "desktop", 7), act: c.act, look: c.look}, nil
			}
			fellShort := findings.Session{Outcome: walk.OutOfSteps, Stuck: true, Suspects: []findings.Observation{{Kind: findings.UnclearLabel, Template: "/"}}}
			if causes := again.Causes(t.Context(), fellShort); len(causes) != c.causes {
				t.Errorf("found %+v", causes)
			}
		})
	}
}
