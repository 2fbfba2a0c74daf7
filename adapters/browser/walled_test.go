package browser_test

import (
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/findings"
	"understudy/domain/forager"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/walk"
	"understudy/test/patience"
)

// TestWalksEndWhereNobodyCanBeSimulated: in a real browser, too, what a task needs and
// cannot be simulated ends the walk as a limit, and what lies beside it is used.
func TestWalksEndWhereNobodyCanBeSimulated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, task, end, told string }{
		{"/sheet.html", "Find out what stands in cell B2", walk.EndBlocked, "canvas"},
		{"/sheet.html", "Rename the sheet to \"March\"", walk.EndDone, ""},
		{"/verein.html", "Find out what the annual membership costs", walk.EndBlocked, "language: de"},
		{"/proof.html", "Join the club with the email ada@example.com", walk.EndBlocked, "captcha: hCaptcha challenge"},
	} {
		t.Run(c.path+" "+c.task, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := patience.Context(t.Context(), 2*time.Minute)
			defer cancel()
			who := persona.Persona{}
			tab, err := browser.Pages{Browser: shared}.Open(ctx, walk.DeviceOf(who.Facets, "desktop", "", 7))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tab.Close() }()
			plan := walk.NewPlan(site.URL+c.path, c.task, who, nil, 30)
			r, err := walk.Run(ctx, tab, walk.Mind(forager.New(who, plan.Goal, 7).Step), oracle.New(plan.Goal, plan.Success), plan, walk.Nobody{})
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, s := range r.Steps {
				for _, signal := range s.Signals {
					if signal.Kind == walk.SigLimitPage {
						told = append(told, signal.Detail)
					}
				}
			}
			last := r.Steps[len(r.Steps)-1].Decision
			if last.End != c.end || strings.Join(told, ", ") != c.told {
				t.Errorf("ended %s, told %q: %s", last.End, told, last.Thought)
				for _, s := range r.Steps {
					t.Logf("%s %s", s.Decision.Action.Type, s.Decision.Thought)
				}
			}
			if c.told == "" {
				return
			}
			issues, limits := findings.Rank([]findings.Session{findings.NewSession("a", r.Walked)})
			if r.Completion.Status == walk.Verified || len(limits) != 1 || limits[0].Kind != findings.LimitPage {
				t.Errorf("%s, limits %+v", r.Completion.Status, limits)
			}
			if len(issues) > 0 {
				t.Errorf("the page is blamed: %+v", issues)
			}
		})
	}
}
