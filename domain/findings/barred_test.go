package findings

import (
	"slices"
	"testing"

	"understudy/domain/walk"
)

// What others go on with and no key reaches stood in the way of who has no
// pointer, even if another way was found.
func TestWhoHasNoPointerIsBarred(t *testing.T) {
	const place = "example.com/p|page"
	button := &Element{Role: "button", Name: "Add to basket", Selector: "#add"}
	seen := Observation{Kind: MouseOnly, Channel: Static, Template: "example.com/p", Place: place, Element: button, Deterministic: true}
	with := Session{SessionID: "a", Outcome: walk.Succeeded, Succeeded: true, Templates: []string{"example.com/p"}, Visits: []string{place}, Way: []Passage{{Place: place, Role: "button", Name: "Add to basket", Selector: "#add"}}}
	without := Session{SessionID: "b", Outcome: walk.Succeeded, Succeeded: true, Templates: []string{"example.com/p"}, Visits: []string{place}, Suspects: []Observation{seen}, Way: []Passage{{Place: place, Role: "link", Name: "Call us", Selector: "#call"}}}

	issues, _ := Rank([]Session{with, without})
	if len(issues) != 1 || issues[0].Kind != MouseOnly || issues[0].Severity != 2 || issues[0].Frequency.Affected != 1 {
		t.Errorf("used by one, out of reach of the other: %+v", issues)
	}
	if issues, _ = Rank([]Session{without, without}); len(issues) != 0 {
		t.Errorf("nobody needed it: %+v", issues)
	}
}

// What reacts to a pointer and leads nowhere, such as a mark on a word that was searched
// for, is nothing that anybody lacks: others pressed it and went on by something else.
func TestWhoHasNoPointerLacksNothingThatDoesNothing(t *testing.T) {
	const place = "example.com/p|page"
	mark := &Element{Role: "clickable", Name: "Treasurer", Selector: "span.hit"}
	pressed := Observation{Kind: MouseOnly, Channel: Static, Template: "example.com/p", Place: place, Element: mark, Deterministic: true, Step: 3}
	missed := pressed
	missed.Channel, missed.Step, missed.CostMS = Observed, 1, 3000
	on := Passage{Place: place, Role: "link", Name: "Committee", Selector: "#on", Step: 4}
	with := Session{SessionID: "a", Outcome: walk.Succeeded, Succeeded: true, Templates: []string{"example.com/p"}, Visits: []string{place}, Observations: []Observation{pressed}, Way: []Passage{on}}
	without := Session{SessionID: "b", Outcome: walk.Succeeded, Succeeded: true, Templates: []string{"example.com/p"}, Visits: []string{place}, Observations: []Observation{missed}, Way: []Passage{on}}
	lost := Session{SessionID: "c", Outcome: walk.GaveUp, Templates: []string{"example.com/p"}, Visits: []string{place}, Frontier: place, Suspects: []Observation{pressed}}

	for name, other := range map[string]Session{"missed it": without, "was lost": lost} {
		if issues, _ := Rank([]Session{with, other}); slices.ContainsFunc(issues, func(i Issue) bool { return i.Kind == MouseOnly }) {
			t.Errorf("who %s: %+v", name, issues)
		}
	}
	failed := with
	failed.Succeeded, failed.Outcome, failed.Way = false, walk.GaveUp, nil
	if issues, _ := Rank([]Session{failed, without}); !slices.ContainsFunc(issues, func(i Issue) bool { return i.Kind == MouseOnly }) {
		t.Errorf("who pressed it was lost as well, and may have needed it: %+v", issues)
	}
	with.Way = append(with.Way, Passage{Place: place, Role: mark.Role, Name: mark.Name, Selector: mark.Selector, Step: 3})
	if issues, _ := Rank([]Session{with, without}); len(issues) != 1 || issues[0].Kind != MouseOnly {
		t.Errorf("one went on by it: %+v", issues)
	}
}
