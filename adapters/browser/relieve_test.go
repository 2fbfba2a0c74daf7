package browser_test

import (
	"testing"

	"understudy/domain/mind"
)

// TestReliefs: what stood in the way is gone after its relief, and not before.
func TestReliefs(t *testing.T) {
	t.Parallel()
	s := visit(t, "/barriers.html")
	relieve := func(kind mind.ReliefKind, name string) {
		t.Helper()
		selector := ""
		if name != "" {
			selector = element(t, look(t, s), name).Selector
		}
		if err := s.Relieve(t.Context(), mind.Relief{Kind: kind, Selector: selector}); err != nil {
			t.Fatal(err)
		}
	}
	if !element(t, look(t, s), "Join").InDialog {
		t.Fatal("the dialog is not perceived")
	}
	relieve(mind.Calm, "")
	for _, e := range look(t, s).Elements {
		if e.InDialog {
			t.Errorf("%q is still there", e.Name)
		}
	}
	if e := element(t, look(t, s), "Buy now"); e.CoveredBy == "" {
		t.Error("nothing covers the button; the veil's end should leave the bar")
	}
	relieve(mind.Uncover, "Buy now")
	if e := element(t, look(t, s), "Buy now"); e.CoveredBy != "" {
		t.Errorf("the button is still covered by %s", e.CoveredBy)
	}
	act(t, s, mind.Click, "Buy now", "")
	if p := look(t, s); p.Title != "Bought" {
		t.Errorf("the uncovered button does nothing: %q", p.Title)
	}
	relieve(mind.Enable, "Send")
	if element(t, look(t, s), "Send").Disabled {
		t.Error("the button is still disabled")
	}
	relieve(mind.Uncover, "Send") // nothing lies over it: nothing happens
	if err := s.Relieve(t.Context(), mind.Relief{Kind: mind.Enable, Selector: "::no selector"}); err != nil {
		t.Errorf("what is no selector is an error: %v", err)
	}
}

// TestReliefsInShadowsAndFrames: their elements are found as a look names them.
func TestReliefsInShadowsAndFrames(t *testing.T) {
	t.Parallel()
	s := visit(t, "/deep.html")
	p := look(t, s)
	buy, send, bare := element(t, p, "Buy"), element(t, p, "Send"), element(t, p, "Bare")
	if buy.CoveredBy == "" || !send.Disabled {
		t.Fatalf("nothing to take away: %+v, %+v", buy, send)
	}
	for _, r := range []mind.Relief{{Kind: mind.Uncover, Selector: bare.Selector}, {Kind: mind.Uncover, Selector: buy.Selector}, {Kind: mind.Enable, Selector: send.Selector}} {
		if err := s.Relieve(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	p = look(t, s)
	if e := element(t, p, "Buy"); e.CoveredBy != "" {
		t.Errorf("still covered by %s", e.CoveredBy)
	}
	if element(t, p, "Send").Disabled {
		t.Error("the button in the frame is still disabled")
	}
	if err := s.Relieve(t.Context(), mind.Relief{Kind: mind.Uncover, Selector: "a[href=\"/u/•••\"]"}); err == nil {
		t.Error("a selector without its secret finds something")
	}
}
