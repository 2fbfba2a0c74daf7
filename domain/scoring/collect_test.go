package scoring

import (
	"reflect"
	"testing"

	"understudy/domain/mind"
	"understudy/domain/persona"
)

func look(url string) mind.Page {
	return mind.Page{URL: url, Title: url, Viewport: mind.Size{Width: 1280, Height: 800},
		Texts: []mind.Text{{Text: "Short words here. All is well.", Kind: "paragraph", InViewport: true}}}
}

func move(page mind.Page, purpose mind.Purpose, action mind.ActionType, ms int, eff mind.Effect) mind.StepRecord {
	return mind.StepRecord{Page: page, Effect: eff, Decision: mind.Decision{Purpose: purpose, SimulatedMS: ms, Action: mind.Action{Type: action},
		Target: &mind.Element{Role: "button", Name: "Go", Selector: "#go", Contrast: 9, FontSize: 16, Box: mind.Box{W: 90, H: 44}}}}
}

func walkOf(verified bool, steps ...mind.StepRecord) mind.Walked {
	w := mind.NewWalk(mind.ParseTask("Sign up", nil), persona.Persona{})
	for _, s := range steps {
		w.Record(s.Page, s.Decision, s.Effect)
	}
	c := mind.Completion{Status: mind.NotReached, SubgoalsTotal: 1}
	if verified {
		c = mind.Completion{Status: mind.Verified, SubgoalsDone: 1, SubgoalsTotal: 1}
	}
	return w.Result(c)
}

func TestCollectTellsDetoursFromTheWay(t *testing.T) {
	t.Parallel()
	nav := mind.Effect{Navigated: true, Mutated: true}
	straight := Collect(walkOf(true, move(look("/"), mind.Navigate, mind.Click, 4000, nav), move(look("/join"), mind.Submit, mind.Click, 4000, nav)))
	if straight.Seconds != 8 || straight.BestSeconds != 8 || straight.DistinctStates != 2 || straight.FewestStates != 2 ||
		!reflect.DeepEqual(straight.Decisions, []Decision{{Reached: true}, {Reached: true}}) {
		t.Errorf("the straight way: %+v", straight)
	}
	detour := Collect(walkOf(true,
		move(look("/"), mind.Navigate, mind.Click, 4000, nav),
		move(look("/blog"), mind.Return, mind.Back, 2000, nav),
		move(look("/"), mind.ReadOn, mind.Scroll, 3000, mind.Effect{Scrolled: true}),
		move(look("/"), mind.Navigate, mind.Click, 4000, nav),
		move(look("/join"), mind.Submit, mind.Click, 4000, nav)))
	if detour.BestSeconds != 8 || detour.Seconds != 17 || detour.VisitedStates != 4 || detour.DistinctStates != 3 || detour.FewestStates != 2 {
		t.Errorf("a detour: %+v", detour)
	}
	if d := detour.Decisions[0]; !d.Reached || d.WrongClicks != 1 || d.ExcessSeconds != 9 {
		t.Errorf("what it cost: %+v", detour.Decisions)
	}
	lost := Collect(walkOf(false, move(look("/"), mind.Navigate, mind.Click, 4000, nav)))
	if n := len(lost.Decisions); n != 2 || lost.Decisions[1].Reached {
		t.Errorf("a goal that was not reached: %+v", lost.Decisions)
	}
}

func TestCollectFollowsErrors(t *testing.T) {
	t.Parallel()
	field := mind.Element{Role: "textbox", Name: "Phone", Selector: "#phone", InputType: "tel"}
	form := func(value, err string) mind.Page {
		p := look("/join")
		f := field
		f.Value, f.Error = value, err
		p.Elements = []mind.Element{f}
		return p
	}
	fill := func(p mind.Page) mind.StepRecord {
		s := move(p, mind.Fill, mind.Type, 5000, mind.Effect{Mutated: true})
		s.Decision.Target = &field
		return s
	}
	send := func(p mind.Page) mind.StepRecord {
		return move(p, mind.Submit, mind.Click, 2000, mind.Effect{Mutated: true})
	}
	kept := Collect(walkOf(true, fill(form("", "")), send(form("123", "")), fill(form("123", "Please enter ten digits.")), send(form("2025550143", ""))))
	want := []ErrorMet{{Resolved: true, Seconds: 5, InputKept: true, Specific: true}}
	if !reflect.DeepEqual(kept.Errors, want) {
		t.Errorf("got %+v, want %+v", kept.Errors, want)
	}
	cleared := Collect(walkOf(false, fill(form("", "")), send(form("123", "")), move(form("", "Please enter ten digits."), mind.Return, mind.Back, 1000, mind.Effect{Navigated: true}), send(look("/"))))
	if e := cleared.Errors; len(e) != 1 || e[0].Resolved || e[0].InputKept {
		t.Errorf("left with an empty field: %+v", e)
	}
}

func TestCollectWeighsTrust(t *testing.T) {
	t.Parallel()
	p := look("http://shop.example.com/join")
	s := move(p, mind.Fill, mind.Type, 1000, mind.Effect{Mutated: true})
	s.Decision.Target = &mind.Element{Role: "textbox", Name: "Password", InputType: "password", Selector: "#p"}
	s.Decision.Signals = []mind.Signal{{Kind: mind.SigInterrupted}}
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
	fast.Vitals = mind.Vitals{LCPMS: 900}
	later.Vitals = mind.Vitals{LCPMS: 900, INPMS: 420, CLS: 0.2}
	next := look("/next")
	next.Vitals = mind.Vitals{LCPMS: 5000}
	got := Collect(walkOf(true,
		move(fast, mind.ReadOn, mind.Scroll, 1000, mind.Effect{Scrolled: true}),
		move(later, mind.Navigate, mind.Click, 1000, mind.Effect{Navigated: true}),
		move(next, mind.Finish, mind.Done, 1000, mind.Effect{}))).Views
	want := []View{{LCPMS: 900, INPMS: 420, CLS: 0.2}, {LCPMS: 5000}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("views are %+v, want %+v", got, want)
	}
}

// TestWhoIsShutOutIsImpeded: the control that no key reaches is never on a path.
func TestWhoIsShutOutIsImpeded(t *testing.T) {
	t.Parallel()
	end := move(look("/"), mind.Finish, mind.GiveUp, 1000, mind.Effect{})
	end.Decision.Signals = []mind.Signal{{Kind: mind.SigMouseOnly}}
	if e := Collect(walkOf(false, end)); e.RequiredSteps != 1 || e.ImpededSteps != 1 {
		t.Errorf("%d of %d steps impeded", e.ImpededSteps, e.RequiredSteps)
	}
	end.Decision.Signals = nil
	if e := Collect(walkOf(false, end)); e.ImpededSteps != 0 {
		t.Errorf("nothing in the way: %d of %d steps impeded", e.ImpededSteps, e.RequiredSteps)
	}
}
