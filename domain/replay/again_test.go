package replay_test

import (
	"context"
	"slices"
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
	// posts: every act sends a form, unless it is withheld by again.
	posts bool
	again func(method, url string) bool
}

const steps = 3

// replay walks a site on which nobody gets anywhere, without a barrier.
func (p *failing) replay(t *testing.T, sent []findings.Sent) replay.Outcome {
	t.Helper()
	plan := walk.NewPlan("https://shop.example.com/", sandbox.MagicGiveUp, persona.AutoDiverse(1, 1)[0], nil, steps)
	p.site = sandbox.New(plan.URL, sandbox.MagicGiveUp, "desktop", 7)
	again := replay.Again{Plan: plan, Device: walk.Device{Viewport: "desktop", Seed: 7}}
	again.Open = func(context.Context, walk.Device) (walk.Tab, error) { return p, nil }
	return again.Without(t.Context(), findings.Cause{Kind: findings.UnclearLabel, Template: "/"}, sent)
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
	effect := p.site.Act(a)
	if p.posts {
		q := walk.Request{Method: "POST", URL: "https://shop.example.com/sent", Status: 303, Kind: "document", Caused: true}
		if p.again != nil && p.again(q.Method, q.URL+"?now") {
			effect.Withheld = true
		} else {
			effect.Requests = []walk.Request{q}
		}
	}
	return effect, nil
}

func (p *failing) Close() error { return nil }

func (p *failing) Withhold(_ context.Context, again func(method, url string) bool) error {
	p.again = again
	return nil
}

// A replay that its page cuts short says nothing about what was taken away: it
// is not even an attempt that failed.
func TestAReplayThatIsCutShortProvesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act, look int
		want      replay.Result
	}{
		"nothing fails":       {-1, -1, replay.Unchanged},
		"a look fails":        {-1, 1, replay.CutShort},
		"an action fails":     {1, -1, replay.CutShort},
		"the last act fails":  {steps - 1, -1, replay.CutShort},
		"the last look fails": {-1, steps, replay.CutShort},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (&failing{act: c.act, look: c.look}).replay(t, nil); got.Result != c.want {
				t.Errorf("the replay is %s, not %s", got.Result, c.want)
			}
		})
	}
}

func TestAReplayEndsBeforeItSendsAgainWhatWasAccepted(t *testing.T) {
	t.Parallel()
	post := findings.Sent{Method: "POST", Template: "shop.example.com/sent"}
	first := (&failing{act: -1, look: -1, posts: true}).replay(t, nil)
	if first.Result != replay.Unchanged || !slices.Contains(first.Sent, post) {
		t.Errorf("a form that nobody had sent: %+v", first)
	}
	page := &failing{act: -1, look: -1, posts: true}
	if again := page.replay(t, first.Sent); again.Result != replay.Withheld || len(again.Sent) > 0 || page.acts != 1 {
		t.Errorf("a form that was accepted before: %+v after %d acts", again, page.acts)
	}
}
