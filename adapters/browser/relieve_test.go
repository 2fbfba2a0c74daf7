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
