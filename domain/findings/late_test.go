package findings

import (
	"slices"
	"testing"

	"understudy/domain/walk"
)

// A click without effect is the page's fault, unless the machine was too late to tell:
// then it is a limit of the simulation, and nothing is blamed for how the walk ended.
func TestADeadClickOnALateMachineIsALimit(t *testing.T) {
	t.Parallel()
	buy := walk.Element{Ref: "e1", Role: "button", Name: "Buy", Selector: "#buy", Box: walk.Box{X: 10, Y: 10, W: 100, H: 30}, InViewport: true}
	clicked := func(late bool) walk.Walked {
		w := walk.NewWalk(walk.Walked{}.Goal, walk.Walked{}.Persona)
		page := walk.Page{
			URL: "https://shop.example/item", Title: "Lamp", Viewport: walk.Size{Width: 1280, Height: 800}, Elements: []walk.Element{buy},
			Vitals: walk.Vitals{LCPMS: 9000, CLS: 0.4},
		}
		target := buy
		for range 2 {
			w.Record(page, walk.Decision{Action: walk.Action{Type: walk.Click, Ref: "e1"}, Target: &target, Purpose: walk.Navigate, SimulatedMS: 4000},
				walk.Effect{URL: page.URL, Arrived: true, SettleMS: 9000, Late: late})
		}
		w.Record(page, walk.Decision{Action: walk.Action{Type: walk.GiveUp}, End: walk.EndGaveUp, SimulatedMS: 1000}, walk.Effect{})
		return w.Result(walk.Completion{Status: walk.NotReached})
	}
	kindsOf := func(s Session) (kinds []string) {
		for _, o := range s.Observations {
			kinds = append(kinds, o.Kind)
		}
		return kinds
	}

	usual := clicked(false)
	s := NewSession("ses_1", usual)
	if kinds := kindsOf(s); !slices.Contains(kinds, DeadClick) || !slices.Contains(kinds, SlowPage) || !slices.Contains(kinds, LayoutShift) || usual.Hurt() || !s.fellShort() {
		t.Errorf("on an unhurried machine: %v", kinds)
	}
	late := clicked(true)
	s = NewSession("ses_1", late)
	kinds := kindsOf(s)
	for _, kind := range []string{DeadClick, SlowPage, LayoutShift} {
		if slices.Contains(kinds, kind) {
			t.Errorf("a late machine is taken for a %s of the page", kind)
		}
	}
	if !slices.Contains(kinds, LimitBusy) || !late.Hurt() || s.fellShort() || !s.Limited() || len(s.Barriers()) > 0 {
		t.Errorf("on a late machine: %v, limited %v", kinds, s.Limited())
	}
}

// TestAClickThatLedElsewhereLateIsNotDead: its effect had been told before the page went on.
func TestAClickThatLedElsewhereLateIsNotDead(t *testing.T) {
	t.Parallel()
	send := walk.Element{Role: "button", Name: "Sign up", Selector: "#send", InViewport: true, Box: walk.Box{W: 200, H: 44}}
	for where, dead := range map[string]bool{"/join": true, "/join#": true, "/welcome": false} {
		page := at("/join", send)
		w := walked(walk.GaveUp, click(page, send, walk.Effect{URL: page.URL, Arrived: true}, sig(walk.SigDeadClick)), quit(at(where, send)))
		got := slices.ContainsFunc(NewSession("ses_1", w).Observations, func(o Observation) bool { return o.Kind == DeadClick })
		if got != dead {
			t.Errorf("on %s at the next look: dead is %v", where, got)
		}
	}
}

// TestALateMachineIsNoSlowPage: the browser's clock says 5 s of a page that rested after 1 s
// by that of a machine in time.
func TestALateMachineIsNoSlowPage(t *testing.T) {
	t.Parallel()
	join := link("#join", "Sign up", "https://example.com/join")
	painted := at("/join")
	painted.Vitals.LCPMS = 5000
	for rested, told := range map[int]bool{1000: false, 5000: true} {
		way := to("/join")
		way.SettleMS = rested
		s := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", join), join, way), click(painted, join, to("/sent")), done(at("/sent"))}}
		if _, there := kinds(detect(s.walked()))[SlowPage]; there != told {
			t.Errorf("rested after %d ms: told %t", rested, there)
		}
	}
}
