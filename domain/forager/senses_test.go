package forager_test

import (
	"slices"
	"testing"

	"understudy/domain/forager"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

func stall(contrast float64) walk.Page {
	at := func(y float64) walk.Box { return walk.Box{X: 40, Y: y, W: 200, H: 44} }
	return walk.Page{
		URL: "https://stall.example/", Viewport: walk.Size{Width: 1280, Height: 800}, Height: 1600, Status: 200,
		Elements: []walk.Element{
			{Ref: "e1", Role: "link", Name: "Buy a lamp", Box: at(100), InViewport: true, Contrast: contrast, FontSize: 16},
			{Ref: "e2", Role: "combobox", Name: "Colour", Options: []string{"Red", "Blue"}, Box: at(200), InViewport: true, Contrast: 12, FontSize: 16},
			{Ref: "e3", Role: "link", Name: "Below", Box: at(1200), Contrast: 12, FontSize: 16},
			{Ref: "e4", Role: "button", Name: "Wishlist", MouseOnly: true, Box: at(300), InViewport: true, Contrast: 12, FontSize: 16},
		},
	}
}

func noticed(p forager.Perceived) (names []string) {
	for _, c := range p.Controls {
		name := c.Element.Name
		if !c.Usable {
			name += "!"
		}
		names = append(names, name)
	}
	return names
}

func TestSensesAreThePersonas(t *testing.T) {
	t.Parallel()
	goal := task.Parse("Buy a lamp", nil)
	for name, test := range map[string]struct {
		f    persona.Facets
		page walk.Page
		want []string
	}{
		"sees well":     {persona.Facets{}, stall(4), []string{"Buy a lamp", "Colour", "Wishlist"}},
		"sees badly":    {persona.Facets{Vision: persona.Vision{ContrastFactor: 4, MinFont: 9}}, stall(4), []string{"Colour", "Wishlist"}},
		"only keys":     {persona.Facets{KeyboardOnly: true}, stall(4), []string{"Buy a lamp", "Colour", "Wishlist!"}},
		"screen reader": {persona.Facets{ScreenReader: true}, stall(1), []string{"Buy a lamp", "Colour", "Below", "Wishlist!"}},
	} {
		s := forager.NewSenses(persona.Persona{Facets: test.f}, goal, 5)
		p := s.Perceive(test.page, walk.Effect{})
		if got := noticed(p); !slices.Equal(got, test.want) || !p.Below || p.Above {
			t.Errorf("%s: noticed %q, below %v", name, got, p.Below)
		}
	}
}

// The same act takes people with slow hands longer and is the same act.
func TestActsTakeThePersonasTime(t *testing.T) {
	t.Parallel()
	goal := task.Parse("Buy a lamp", nil)
	carry := func(f persona.Facets) walk.Decision {
		s := forager.NewSenses(persona.Persona{Facets: f}, goal, 5)
		s.Perceive(stall(12), walk.Effect{})
		return s.Carry(walk.Decision{Action: walk.Action{Type: walk.Select, Ref: "e2", Text: "Blue"}, Thought: "Blue it is."})
	}
	young, old := carry(persona.Facets{AgeBand: "18-24"}), carry(persona.Facets{AgeBand: "75+"})
	if young.Purpose != walk.Fill || young.Target == nil || young.Target.Name != "Colour" || young.Thought != "Blue it is." || young.Observation == "" {
		t.Errorf("decision %+v", young)
	}
	if young.SimulatedMS < 1000 || old.SimulatedMS <= young.SimulatedMS {
		t.Errorf("the young take %d ms, the old %d", young.SimulatedMS, old.SimulatedMS)
	}
}

// Nothing that another brain says may break the hands.
func TestActsOnNothingAreWaits(t *testing.T) {
	t.Parallel()
	s := forager.NewSenses(persona.Persona{}, task.Parse("", nil), 5)
	if d := s.Carry(walk.Decision{Action: walk.Action{Type: walk.Click, Ref: "e1"}}); d.Target != nil {
		t.Errorf("before any look: %+v", d)
	}
	for _, a := range []walk.Action{
		{Type: walk.Select}, {Type: walk.Click, Ref: "none"}, {Type: walk.Drag}, {Type: walk.Press, Ref: "none", Text: "Enter"}, {Type: walk.Upload},
	} {
		for _, page := range []walk.Page{stall(12), {}} {
			s.Perceive(page, walk.Effect{})
			if d := s.Carry(walk.Decision{Action: a}); d.Action.Type != walk.Wait || d.Target != nil {
				t.Errorf("%+v became %+v", a, d)
			}
		}
	}
}

// TestABrainThatGivesUpAtALimit: what nobody can be simulated on is told whichever brain
// ends the walk there, and by none that thinks it is done.
func TestABrainThatGivesUpAtALimit(t *testing.T) {
	t.Parallel()
	page := stall(12)
	page.Limits = []walk.Limit{{Kind: walk.LimitCanvas, Name: "Board", Box: walk.Box{Y: 300, W: 1200, H: 500}}}
	for end, want := range map[string]bool{walk.EndGaveUp: true, walk.EndBlocked: true, walk.EndDone: false, walk.EndLimit: false} {
		s := forager.NewSenses(persona.Persona{}, task.Parse("Find out what the club costs", nil), 5)
		s.Perceive(page, walk.Effect{})
		d := s.Carry(walk.Decision{Action: walk.Action{Type: walk.GiveUp}, End: end})
		if got := slices.Contains(d.Signals, walk.Signal{Kind: walk.SigLimitPage, Detail: "canvas: Board"}); got != want {
			t.Errorf("%s: %+v", end, d.Signals)
		}
	}
}
