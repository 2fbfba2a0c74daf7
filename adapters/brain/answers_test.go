package brain_test

import (
	"strings"
	"testing"

	"understudy/adapters/brain"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/sandbox"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// follower is a model that really chooses: the first of the names, in their
// order, that it is told of.
func follower(names ...string) func(asked) *answered {
	return func(q asked) *answered {
		for _, name := range names {
			if n := q.number(name); n > 0 && !strings.Contains(q.user, "click button “"+name+"”") && !strings.Contains(q.user, "click link “"+name+"”") {
				return &answered{act: does("click", "element", n), in: 900, out: 40}
			}
		}
		if strings.Contains(q.user, "The page goes on below") {
			return &answered{act: does("scroll_down"), in: 900, out: 30}
		}
		return &answered{act: does("done"), in: 900, out: 20}
	}
}

func TestAModelWalksASite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		const what = "Find the refund policy"
		s := serve(t, follower("Accept all", "Refund policy", "Help"))
		w := walker(t, config(s.URL), model, what, persona.Facets{})
		site, goal := sandbox.New("https://shop.example", what, "desktop", 3), task.Parse(what, nil)
		log := walk.NewWalk(goal, persona.Persona{})
		judge, did := oracle.New(goal, walk.Conditions{}), walk.Deed{}
		for range 15 {
			page := site.Page()
			judge.Observe(page, did)
			d, err := w.Step(t.Context(), page, did.Effect)
			if err != nil {
				t.Fatal(err)
			}
			did = walk.Deed{Action: d.Action, Target: d.Target, DwellMS: d.SimulatedMS}
			if d.End == "" {
				did.Effect = site.Act(d.Action)
			}
			log.Record(page, d, did.Effect)
			t.Logf("%s | %s %v | %s | %d ms %v", page.URL, d.Action.Type, d.Target != nil, d.Thought, d.SimulatedMS, signals(d))
			if d.SimulatedMS <= 0 || d.Observation == "" || d.Thought == "" {
				t.Errorf("a step without time, sight or thought: %+v", d)
			}
			if d.End != "" {
				break
			}
		}
		judge.Observe(site.Page(), did)
		if walked := log.Result(judge.Verdict()); walked.Outcome != walk.Succeeded {
			t.Errorf("the walk is %q: %+v\n%s", walked.Outcome, walked.Completion, s.asked()[len(s.asked())-1].user)
		}
		all := s.asked()
		u := w.Usage()
		if u.Model != model || u.Requests != len(all) || u.InputTokens != int64(900*len(all)) || u.CostUSD != nil {
			t.Errorf("usage %+v of %d requests", u, len(all))
		}
		if end := all[len(all)-1].user; !strings.Contains(end, "it led to") {
			t.Errorf("the model is not told what became of its acts:\n%s", end)
		}
	})
}

func TestWhatASessionCosts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(asked) *answered { return &answered{act: does("wait"), in: 3000, out: 500} })
		cfg := config(s.URL)
		cfg.Prices = map[string]brain.Price{model: {Input: 0.5, Output: 2}}
		w := walker(t, cfg, model, "Log in", persona.Facets{})
		step(t, w, form())
		step(t, w, form())
		if u := w.Usage(); u.CostUSD == nil || *u.CostUSD != (6000*0.5+1000*2)/1e6 {
			t.Errorf("usage %+v, cost %v", u, u.CostUSD)
		}
	})
}

func TestSecretsAreKnownByName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(q asked) *answered {
			switch q.n {
			case 1:
				return &answered{act: does("type", "element", q.number("Password"), "input", "password")}
			case 2:
				return &answered{act: does("type", "element", q.number("Password"), "text", "{{ password }}")}
			case 3:
				return &answered{act: does("type", "element", q.number("Password"), "input", "pin")}
			}
			return &answered{act: does("give_up")}
		})
		w := walker(t, config(s.URL), model, "Log in with {{password}}", persona.Facets{}, "password")
		for range 2 {
			if d := step(t, w, form()); d.Action.Secret != "password" || d.Action.Text != "" || d.Action.Ref != "e2" || d.Purpose != walk.Fill {
				t.Errorf("decision %+v", d)
			}
		}
		if d := step(t, w, form()); d.End != walk.EndGaveUp {
			t.Errorf("an unknown input was typed: %+v", d.Action)
		}
		if all := s.asked(); !strings.Contains(all[3].user, `there is no input "pin"`) {
			t.Errorf("the model is not told of its mistake:\n%s", all[3].user)
		}
	})
}

// Each of these is refused with a reason and asked for once more.
func TestAnswersThatAreNoActs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bad  answered
		says string
	}{
		"no such control":       {answered{act: does("click", "element", 99)}, "no control [99]"},
		"zero":                  {answered{act: does("click", "element", 0)}, "no control [0]"},
		"no element":            {answered{act: does("click")}, "element is missing"},
		"no such action":        {answered{act: does("navigate", "text", "https://evil.example")}, `no action "navigate"`},
		"unknown field":         {answered{act: does("wait", "url", "https://evil.example")}, "do not fit"},
		"wrong type":            {answered{act: does("click", "element", "three")}, "do not fit"},
		"words":                 {answered{text: "I would click the button."}, "has to be a call"},
		"nothing":               {answered{}, "has to be a call"},
		"typing into a button":  {answered{act: does("type", "element", 3, "text", "x")}, "nothing can be typed"},
		"typing nothing":        {answered{act: does("type", "element", 1)}, "text is missing"},
		"ticking a button":      {answered{act: does("check", "element", 3)}, "cannot be ticked"},
		"no such option":        {answered{act: does("select", "element", 4, "text", "Klingon")}, "no option"},
		"options of nothing":    {answered{act: does("select", "element", 3, "text", "x")}, "no option"},
		"a key that does harm":  {answered{act: does("press", "text", "Control+w")}, "only these keys"},
		"a disabled control":    {answered{act: does("click", "element", 5)}, "cannot be used"},
		"a file for no field":   {answered{act: does("upload", "element", 1, "text", "a.pdf")}, "takes no file"},
		"dragging to nowhere":   {answered{act: does("drag", "element", 1)}, "to: element is missing"},
		"a text without an end": {answered{act: does("type", "element", 1, "text", strings.Repeat("x", 3000))}, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, model string) {
				s := serve(t, func(q asked) *answered {
					if q.n == 1 {
						return &test.bad
					}
					return &answered{act: does("click", "element", q.number("Log in"), "remember", "It is the second time.")}
				})
				w := walker(t, config(s.URL), model, "Log in", persona.Facets{})
				if d := step(t, w, form()); d.Action.Type != walk.Click || d.Action.Ref != "e3" || d.Purpose != walk.Submit {
					t.Errorf("decision %+v", d)
				}
				all := s.asked()
				if len(all) != 2 || !strings.Contains(all[1].user, test.says) {
					t.Errorf("after %d requests: %s", len(all), all[len(all)-1].user[max(0, len(all[len(all)-1].user)-300):])
				}
			})
		})
	}
}

func TestAModelThatNeverActsEndsTheWalk(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(asked) *answered { return &answered{act: does("click", "element", 99)} })
		w := walker(t, config(s.URL), model, "Log in", persona.Facets{})
		first := step(t, w, form())
		if first.End != "" || first.Action.Type != walk.Wait || !strings.Contains(strings.Join(signals(first), ","), walk.SigLimitModel) {
			t.Errorf("first %+v", first)
		}
		second := step(t, w, form())
		if second.End != walk.EndLimit || len(s.asked()) != 4 {
			t.Errorf("second %+v after %d requests", second, len(s.asked()))
		}
		log := walk.NewWalk(task.Parse("Log in", nil), persona.Persona{})
		log.Record(form(), second, walk.Effect{})
		if got := log.Result(walk.Completion{Status: walk.NotReached}).Outcome; got != walk.OutOfSteps {
			t.Errorf("a walk that a limit ended is %q", got)
		}
	})
}

// Servers that know no tools answer with the object itself.
func TestAnObjectInsteadOfACall(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(asked) *answered {
			return &answered{text: "```json\n" + `{"thought":"Down.","action":"scroll_down","element":null}` + "\n```"}
		})
		if d := step(t, walker(t, config(s.URL), model, "Log in", persona.Facets{}), form()); d.Action != (walk.Action{Type: walk.Scroll, Text: "down"}) || d.Thought != "Down." {
			t.Errorf("decision %+v", d)
		}
	})
}

func TestActs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		act  map[string]any
		want walk.Action
		end  string
	}{
		"type":      {does("type", "element", 1, "text", "a@b.example"), walk.Action{Type: walk.Type, Ref: "e1", Text: "a@b.example"}, ""},
		"append":    {does("append", "element", 1, "text", " and more"), walk.Action{Type: walk.Append, Ref: "e1", Text: " and more"}, ""},
		"select":    {does("select", "element", 4, "text", " deutsch "), walk.Action{Type: walk.Select, Ref: "e6", Text: "Deutsch"}, ""},
		"press":     {does("press", "text", "Enter"), walk.Action{Type: walk.Press, Text: "Enter"}, ""},
		"press on":  {does("press", "element", 1, "text", "Enter"), walk.Action{Type: walk.Press, Ref: "e1", Text: "Enter"}, ""},
		"scroll up": {does("scroll_up", "element", 2), walk.Action{Type: walk.Scroll, Text: "up"}, ""},
		"hover":     {does("hover", "element", 3), walk.Action{Type: walk.Hover, Ref: "e3"}, ""},
		"drag":      {does("drag", "element", 1, "to", 2), walk.Action{Type: walk.Drag, Ref: "e1", To: "e2"}, ""},
		"back":      {does("back"), walk.Action{Type: walk.Back}, ""},
		"done":      {does("done"), walk.Action{Type: walk.Done}, walk.EndDone},
		"give up":   {does("give_up"), walk.Action{Type: walk.GiveUp}, walk.EndGaveUp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, model string) {
				s := serve(t, func(asked) *answered { return &answered{act: test.act} })
				if d := step(t, walker(t, config(s.URL), model, "Log in", persona.Facets{}), form()); d.Action != test.want || d.End != test.end {
					t.Errorf("decision %+v", d)
				}
			})
		})
	}
}

// An input that offers suggestions takes any text, a list only its options.
func TestTypingWhereSuggestionsAreOffered(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(q asked) *answered {
			if q.n == 1 {
				return &answered{act: does("type", "element", q.number("Language"), "text", "Suomi")}
			}
			return &answered{act: does("type", "element", q.number("City"), "text", "Oulu")}
		})
		page := form()
		city := page.Elements[5]
		city.Ref, city.Name, city.InputType, city.Box.Y = "e9", "City", "text", 420
		page.Elements = append(page.Elements, city)
		d := step(t, walker(t, config(s.URL), model, "Log in", persona.Facets{}), page)
		if d.Action != (walk.Action{Type: walk.Type, Ref: "e9", Text: "Oulu"}) {
			t.Errorf("decision %+v", d.Action)
		}
		if all := s.asked(); len(all) != 2 || !strings.Contains(all[1].user, "nothing can be typed into control") {
			t.Errorf("a list takes any text: %d requests", len(all))
		}
	})
}
