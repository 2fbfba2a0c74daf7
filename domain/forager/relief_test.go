package forager

import (
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// TestRelieve: each relief changes what it says of its element and no other,
// and the page that was looked at stays as it was.
func TestRelieve(t *testing.T) {
	t.Parallel()
	page := walk.Page{Viewport: walk.Size{Width: 1280, Height: 800}, Elements: []walk.Element{
		{Role: "link", Name: "Plans", Selector: "#a", Box: walk.Box{X: 10, Y: 2000, W: 8, H: 8}, Contrast: 1.4, FontSize: 8, MouseOnly: true},
		{Role: "link", Name: "Plans", Selector: "#b", Box: walk.Box{X: 10, Y: 60, W: 80, H: 20}, InViewport: true, Contrast: 9, FontSize: 16},
		{Role: "link", Name: "Contact", Selector: "#c", Box: walk.Box{X: 10, Y: 90, W: 80, H: 20}, InViewport: true, Contrast: 9, FontSize: 16},
	}}
	m := New(persona.Persona{}, task.Parse("Find out what the plans cost", nil), 1)
	of := func(kind walk.ReliefKind) (*walk.Element, int) {
		p := m.Relieve(page, walk.Relief{Kind: kind, Selector: "#a"})
		return &p.Elements[0], len(p.Elements)
	}
	if e, _ := of(walk.See); e.Contrast < 7 || e.FontSize < 12 {
		t.Errorf("still hard to see: %+v", e)
	}
	if e, _ := of(walk.Large); e.Box.W < 24 || e.Box.H < 24 {
		t.Errorf("still small: %+v", e.Box)
	}
	if e, _ := of(walk.First); !e.InViewport || e.Box.Y > 800 {
		t.Errorf("still below the fold: %+v", e.Box)
	}
	if e, _ := of(walk.Reached); e.MouseOnly {
		t.Error("still for the mouse only")
	}
	if _, n := of(walk.Alone); n != 2 {
		t.Errorf("%d elements are left beside the rival's end, want 2", n)
	}
	if p := m.Relieve(page, walk.Relief{Kind: walk.See, Selector: "#nowhere"}); len(p.Elements) != 3 {
		t.Error("a relief of nothing changes the page")
	}
	if page.Elements[0].Contrast != 1.4 || page.Elements[0].MouseOnly != true {
		t.Error("the page itself was changed")
	}
}

// TestNamedIsPlain: with the words of the task on it, a control smells of it.
func TestNamedIsPlain(t *testing.T) {
	t.Parallel()
	for _, what := range []string{
		"Sign up for a free trial", "Find out what the Harbour plan costs per month", "Put a vase into your basket",
		"Send the shop a message asking about a broken plate", "Book a physiotherapy appointment", "Find out how to restore a deleted file",
		"Order a Tidepool Mug and have it sent to your home", "Log in as demo@tidewater.example with the password tideline-demo",
	} {
		m := New(persona.Persona{}, task.Parse(what, nil), 1)
		p := m.Relieve(walk.Page{Elements: []walk.Element{{Role: "button", Selector: "#x", Icon: true}}}, walk.Relief{Kind: walk.Named, Selector: "#x"})
		if got := m.fits(&view{page: &p}, &p.Elements[0], 1); got < 0.7 {
			t.Errorf("%q: %q smells of it by %.2f", what, p.Elements[0].Name, got)
		}
	}
}
