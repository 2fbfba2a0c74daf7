package findings

import (
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
