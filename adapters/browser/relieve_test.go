package browser_test

import (
	"testing"

	"understudy/domain/walk"
)

// TestReliefs: what stood in the way is gone after its relief, and not before.
func TestReliefs(t *testing.T) {
	t.Parallel()
	s := visit(t, "/barriers.html")
	relieve := func(kind walk.ReliefKind, name string) {
		t.Helper()
		selector := ""
		if name != "" {
			selector = element(t, look(t, s), name).Selector
		}
		if err := s.Relieve(t.Context(), walk.Relief{Kind: kind, Selector: selector}); err != nil {
			t.Fatal(err)
		}
	}
	if !element(t, look(t, s), "Join").InDialog {
		t.Fatal("the dialog is not perceived")
	}
	relieve(walk.Calm, "")
	for _, e := range look(t, s).Elements {
		if e.InDialog {
			t.Errorf("%q is still there", e.Name)
		}
	}
	if e := element(t, look(t, s), "Buy now"); e.CoveredBy == "" {
		t.Error("nothing covers the button; the veil's end should leave the bar")
	}
	relieve(walk.Uncover, "Buy now")
	if e := element(t, look(t, s), "Buy now"); e.CoveredBy != "" {
		t.Errorf("the button is still covered by %s", e.CoveredBy)
	}
	act(t, s, walk.Click, "Buy now", "")
	if p := look(t, s); p.Title != "Bought" {
		t.Errorf("the uncovered button does nothing: %q", p.Title)
	}
	relieve(walk.Enable, "Send")
	if element(t, look(t, s), "Send").Disabled {
		t.Error("the button is still disabled")
	}
	relieve(walk.Uncover, "Send") // nothing lies over it: nothing happens
	if err := s.Relieve(t.Context(), walk.Relief{Kind: walk.Enable, Selector: "::no selector"}); err != nil {
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
	for _, r := range []walk.Relief{{Kind: walk.Uncover, Selector: bare.Selector}, {Kind: walk.Uncover, Selector: buy.Selector}, {Kind: walk.Enable, Selector: send.Selector}} {
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
	if err := s.Relieve(t.Context(), walk.Relief{Kind: walk.Uncover, Selector: "a[href=\"/u/•••\"]"}); err == nil {
		t.Error("a selector without its secret finds something")
	}
}
