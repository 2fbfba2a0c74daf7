package findings

import (
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

const home = "https://example.com/"

func page() walk.Page {
	return walk.Page{URL: home, Title: home, Viewport: walk.Size{Width: 1280, Height: 800}}
}

// target is a square button with sides in CSS pixels.
func target(contrast, side float64) *walk.Element {
	return &walk.Element{Role: "button", Name: "go", Selector: "#go", Contrast: contrast, FontSize: 16, Box: walk.Box{W: side, H: side}}
}

// walked records steps of one click each.
func walked(outcome string, steps ...walk.StepRecord) walk.Walked {
	goal := task.Parse("Sign up", nil)
	w := walk.NewWalk(goal, persona.Persona{})
	for _, s := range steps {
		if s.Decision.Action.Type == "" {
			s.Decision.Action.Type = walk.Click
		}
		if s.Decision.Purpose == "" {
			s.Decision.Purpose = walk.Navigate
		}
		s.Decision.SimulatedMS = 3000
		w.Record(s.Page, s.Decision, s.Effect)
	}
	out := w.Result(walk.Completion{})
	out.Outcome = outcome
	return out
}

func kinds(obs []Observation) map[string]Observation {
	out := map[string]Observation{}
	for _, o := range obs {
		out[o.Kind] = o
	}
	return out
}

func TestDetectFromEffects(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		step    walk.StepRecord
		kind    string
		channel Channel
		not     []string
	}{
		{"dead click", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}}, DeadClick, Observed, []string{ErrorClick}},
		{"error click", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Errors: []string{"TypeError: x"}}}, ErrorClick, Observed, []string{ScriptError, DeadClick}},
		{"failed request", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Mutated: true, Requests: []walk.Request{{Method: "POST", URL: home + "api", Status: 500, Kind: "fetch"}}}}, ErrorClick, Observed, nil},
		{"broken link", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Navigated: true, URL: home + "x", Status: 404}}, BrokenLink, Observed, []string{ErrorClick, DeadClick}},
		{"slow", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Navigated: true, URL: home + "x", SettleMS: 5000}}, SlowPage, Observed, nil},
		{"weak contrast on the way", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(3.1, 50)}, Effect: walk.Effect{Navigated: true}}, LowContrast, Static, nil},
		{"small target on the way", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 16)}, Effect: walk.Effect{Navigated: true}}, SmallTarget, Static, nil},
		{"missed a small target", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 16), Signals: []walk.Signal{{Kind: walk.SigMissedTarget}}}, Effect: walk.Effect{Navigated: true}}, SmallTarget, Observed, nil},
		{"browser could not", walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Failed: "detached"}}, LimitAction, Limit, []string{DeadClick}},
		{"dead where a script did not come", walk.StepRecord{Page: without(page()), Decision: walk.Decision{Target: target(9, 50)}}, LimitScript, Limit, []string{DeadClick}},
		{"an error where a script did not come", walk.StepRecord{Page: without(page()), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Errors: []string{"ReferenceError: ui"}}}, LimitScript, Limit, []string{ErrorClick, ScriptError}},
		{"the server's error where a script did not come", walk.StepRecord{Page: without(page()), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Mutated: true, Requests: []walk.Request{{Method: "POST", URL: home + "api", Status: 500, Kind: "fetch"}}}}, ErrorClick, Observed, []string{LimitScript}},
		{"language model gave out", walk.StepRecord{Page: page(), Decision: walk.Decision{End: walk.EndLimit, Signals: []walk.Signal{{Kind: walk.SigLimitModel, Detail: "the budget of tokens is spent"}}}}, LimitModel, Limit, []string{LostScent, LimitSteps}},
	}
	for _, c := range cases {
		c.step.Effect.Arrived = c.step.Effect.Failed == ""
		got := kinds(detect(walked(walk.Succeeded, c.step)))
		o, ok := got[c.kind]
		if !ok || o.Channel != c.channel {
			t.Errorf("%s: %+v", c.name, got)
		}
		for _, n := range c.not {
			if _, there := got[n]; there {
				t.Errorf("%s: also %s", c.name, n)
			}
		}
	}
	fine := walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Navigated: true, URL: home + "x", Status: 200}}
	if got := detect(walked(walk.Succeeded, fine)); len(got) != 0 {
		t.Errorf("a good page has findings: %+v", got)
	}
}

func without(p walk.Page) walk.Page {
	p.Missing = []string{"cdn.example", "ui.example"}
	return p
}

// TestMissingScriptsAreNamed: whose scripts did not come is told once for all
// sessions, where something did nothing.
func TestMissingScriptsAreNamed(t *testing.T) {
	t.Parallel()
	dead := walk.StepRecord{Page: without(page()), Decision: walk.Decision{Target: target(9, 50), Signals: []walk.Signal{{Kind: walk.SigLostScent}}}, Effect: walk.Effect{Arrived: true}}
	fine := walk.StepRecord{Page: without(page()), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Mutated: true}}
	issues, limits := Rank([]Session{NewSession("a", walked(walk.GaveUp, dead)), NewSession("b", walked(walk.GaveUp, dead)), NewSession("c", walked(walk.Succeeded, fine))})
	want := LimitNote{Kind: LimitScript, Description: "Scripts of other sites could not be loaded: cdn.example, ui.example", Sessions: 2}
	if len(limits) != 1 || limits[0] != want {
		t.Errorf("%+v", limits)
	}
	if len(issues) > 0 {
		t.Errorf("blamed: %+v", issues)
	}
}

func TestRageCountsForWhatProvokedIt(t *testing.T) {
	t.Parallel()
	dead := walk.StepRecord{Page: page(), Decision: walk.Decision{Target: target(9, 50)}, Effect: walk.Effect{Arrived: true}}
	w := walked(walk.GaveUp, dead, dead, dead)
	if !w.Steps[2].HasSignal(walk.SigRageClick) {
		t.Errorf("three dead clicks in a row are no rage: %v", w.Steps[2].Signals)
	}
	for _, o := range detect(w) {
		if o.Kind != DeadClick {
			t.Errorf("found %s", o.Kind)
		}
	}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.com/":                    "a.com",
		"https://a.com/p/123?x=1#y":         "a.com/p/:id",
		"https://a.com/p/8f14e45fceea167a":  "a.com/p/:id",
		"https://a.com/blog/how-we-work":    "a.com/blog/how-we-work",
		"https://a.com/o/order_10482/items": "a.com/o/:id/items",
		"http://localhost:8080/index.html":  "localhost:8080",
		"https://a.com/faq/index.htm#top":   "a.com/faq",
		"":                                  "",
	} {
		if got := Template(in); got != want {
			t.Errorf("Template(%q) = %q, want %q", in, got, want)
		}
	}
}

// detect is what a session records of a walk.
func detect(w walk.Walked) []Observation { return NewSession("ses_1", w).Observations }
