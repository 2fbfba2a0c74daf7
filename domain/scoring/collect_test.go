package scoring

import (
	"reflect"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

func look(url string) walk.Page {
	return walk.Page{URL: url, Title: url, Viewport: walk.Size{Width: 1280, Height: 800},
		Texts: []walk.Text{{Text: "Short words here. All is well.", Kind: "paragraph", InViewport: true}}}
}

func move(page walk.Page, purpose walk.Purpose, action walk.ActionType, ms int, eff walk.Effect) walk.StepRecord {
	return walk.StepRecord{Page: page, Effect: eff, Decision: walk.Decision{Purpose: purpose, SimulatedMS: ms, Action: walk.Action{Type: action},
		Target: &walk.Element{Role: "button", Name: "Go", Selector: "#go", Contrast: 9, FontSize: 16, Box: walk.Box{W: 90, H: 44}}}}
}

func walkOf(verified bool, steps ...walk.StepRecord) walk.Walked {
	w := walk.NewWalk(task.Parse("Sign up", nil), persona.Persona{})
	for _, s := range steps {
		w.Record(s.Page, s.Decision, s.Effect)
	}
	c := walk.Completion{Status: walk.NotReached, SubgoalsTotal: 1}
	if verified {
		c = walk.Completion{Status: walk.Verified, SubgoalsDone: 1, SubgoalsTotal: 1}
	}
	return w.Result(c)
}

func TestCollectTellsDetoursFromTheWay(t *testing.T) {
	t.Parallel()
	nav := walk.Effect{Navigated: true, Mutated: true}
	straight := Collect(walkOf(true, move(look("/"), walk.Navigate, walk.Click, 4000, nav), move(look("/join"), walk.Submit, walk.Click, 4000, nav)))
	if straight.Seconds != 8 || straight.BestSeconds != 8 || straight.DistinctStates != 2 || straight.FewestStates != 2 ||
		!reflect.DeepEqual(straight.Decisions, []Decision{{Reached: true}, {Reached: true}}) {
		t.Errorf("the straight way: %+v", straight)
	}
	detour := Collect(walkOf(true,
		move(look("/"), walk.Navigate, walk.Click, 4000, nav),
		move(look("/blog"), walk.Return, walk.Back, 2000, nav),
		move(look("/"), walk.ReadOn, walk.Scroll, 3000, walk.Effect{Scrolled: true}),
		move(look("/"), walk.Navigate, walk.Click, 4000, nav),
		move(look("/join"), walk.Submit, walk.Click, 4000, nav)))
	if detour.BestSeconds != 8 || detour.Seconds != 17 || detour.VisitedStates != 4 || detour.DistinctStates != 3 || detour.FewestStates != 2 {
		t.Errorf("a detour: %+v", detour)
	}
	if d := detour.Decisions[0]; !d.Reached || d.WrongClicks != 1 || d.ExcessSeconds != 9 {
		t.Errorf("what it cost: %+v", detour.Decisions)
	}
	lost := Collect(walkOf(false, move(look("/"), walk.Navigate, walk.Click, 4000, nav)))
	if n := len(lost.Decisions); n != 2 || lost.Decisions[1].Reached {
		t.Errorf("a goal that was not reached: %+v", lost.Decisions)
	}
}

func TestCollectFollowsErrors(t *testing.T) {
	t.Parallel()
	field := walk.Element{Role: "textbox", Name: "Phone", Selector: "#phone", InputType: "tel"}
	form := func(value, err string) walk.Page {
		p := look("/join")
		f := field
		f.Value, f.Error = value, err
		p.Elements = []walk.Element{f}
		return p
	}
	fill := func(p walk.Page) walk.StepRecord {
		s := move(p, walk.Fill, walk.Type, 5000, walk.Effect{Mutated: true})
		s.Decision.Target = &field
		return s
	}
	send := func(p walk.Page) walk.StepRecord {
		return move(p, walk.Submit, walk.Click, 2000, walk.Effect{Mutated: true})
	}
	kept := Collect(walkOf(true, fill(form("", "")), send(form("123", "")), fill(form("123", "Please enter ten digits.")), send(form("2025550143", ""))))
	want := []ErrorMet{{Resolved: true, Seconds: 5, InputKept: true, Specific: true}}
	if !reflect.DeepEqual(kept.Errors, want) {
		t.Errorf("got %+v, want %+v", kept.Errors, want)
	}
	cleared := Collect(walkOf(false, fill(form("", "")), send(form("123", "")), move(form("", "Please enter ten digits."), walk.Return, walk.Back, 1000, walk.Effect{Navigated: true}), send(look("/"))))
	if e := cleared.Errors; len(e) != 1 || e[0].Resolved || e[0].InputKept {
		t.Errorf("left with an empty field: %+v", e)
	}
}

func TestCollectWeighsTrust(t *testing.T) {
	t.Parallel()
	p := look("http://shop.example.com/join")
	s := move(p, walk.Fill, walk.Type, 1000, walk.Effect{Mutated: true})
	s.Decision.Target = &walk.Element{Role: "textbox", Name: "Password", InputType: "password", Selector: "#p"}
	s.Decision.Signals = []walk.Signal{{Kind: walk.SigInterrupted}}
	if got, want := Collect(walkOf(true, s)).Risks, []TrustRisk{Insecure, MissingTerms, Interruption}; !reflect.DeepEqual(got, want) {
		t.Errorf("risks %v, want %v", got, want)
	}
	p.URL = "http://127.0.0.1:9/join"
	s.Page, s.Decision.Signals = p, nil
	if got, want := Collect(walkOf(true, s)).Risks, []TrustRisk{MissingTerms}; !reflect.DeepEqual(got, want) {
		t.Errorf("on this machine: %v, want %v", got, want)
	}
}

func TestCollectTakesTheSpeedOfTheLastLook(t *testing.T) {
	t.Parallel()
	fast, later := look("/"), look("/")
	fast.Vitals = walk.Vitals{LCPMS: 900}
	later.Vitals = walk.Vitals{LCPMS: 900, INPMS: 420, CLS: 0.2}
	next := look("/next")
	next.Vitals = walk.Vitals{LCPMS: 5000}
	got := Collect(walkOf(true,
		move(fast, walk.ReadOn, walk.Scroll, 1000, walk.Effect{Scrolled: true}),
		move(later, walk.Navigate, walk.Click, 1000, walk.Effect{Navigated: true}),
		move(next, walk.Finish, walk.Done, 1000, walk.Effect{}))).Views
	want := []View{{LCPMS: 900, INPMS: 420, CLS: 0.2}, {LCPMS: 5000}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("views are %+v, want %+v", got, want)
	}
}

// TestWhoWentNowhereShowsNothing: who looks and turns away has neither navigated
// nor been where trust is at stake; who filled something in has.
func TestWhoWentNowhereShowsNothing(t *testing.T) {
	t.Parallel()
	turned := walkOf(false, move(look("/"), walk.ReadOn, walk.Scroll, 2000, walk.Effect{Scrolled: true}), move(look("/"), walk.Finish, walk.GiveUp, 1000, walk.Effect{}))
	scores, missing := Score(Collect(turned))
	for _, c := range []string{Navigation, Accessibility, Trust, ErrorRecovery, Speed} {
		if v, has := scores[c]; has || missing[c] == "" {
			t.Errorf("%s of who went nowhere: %v, %q", c, v, missing[c])
		}
	}
	for _, c := range []string{TaskCompletion, CTAFindability, Efficiency} { // the goal was looked for, and not reached
		if v, has := scores[c]; !has || v != 0 {
			t.Errorf("%s of who went nowhere: %v, %v", c, v, has)
		}
	}
	filled := walkOf(false, move(look("/"), walk.Fill, walk.Type, 2000, walk.Effect{Mutated: true}), move(look("/"), walk.Finish, walk.GiveUp, 1000, walk.Effect{}))
	if scores, _ := Score(Collect(filled)); scores[Trust] != 1 {
		t.Errorf("trust of who filled something in: %v", scores)
	}
}

// TestWhoIsShutOutIsImpeded: the control that no key reaches is never on a path.
func TestWhoIsShutOutIsImpeded(t *testing.T) {
	t.Parallel()
	end := move(look("/"), walk.Finish, walk.GiveUp, 1000, walk.Effect{})
	end.Decision.Signals = []walk.Signal{{Kind: walk.SigMouseOnly}}
	if e := Collect(walkOf(false, end)); e.RequiredSteps != 1 || e.ImpededSteps != 1 {
		t.Errorf("%d of %d steps impeded", e.ImpededSteps, e.RequiredSteps)
	}
	end.Decision.Signals = nil
	if e := Collect(walkOf(false, end)); e.ImpededSteps != 0 {
		t.Errorf("nothing in the way: %d of %d steps impeded", e.ImpededSteps, e.RequiredSteps)
	}
}
