package validity

import (
	"slices"
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/persona"
	"understudy/domain/walk"
)

// TestSameSeedWalksTheSame: in a real browser too, a persona with a seed does
// and thinks the same, whatever it is called.
func TestSameSeedWalksTheSame(t *testing.T) {
	who := persona.AutoDiverse(seedOf, 6)[4]
	called := who
	called.Name, called.ID = "Somebody Else", "per_other"
	var parties []Party
	for _, e := range SiteErrands() {
		if !slices.Contains([]string{"shop/order", "clinic/book", "docs/exit_code"}, e.Name) {
			continue
		}
		for _, view := range []string{browser.Desktop, browser.Mobile} {
			parties = append(parties, Party{Errand: e, Cast: []Plan{{who, view, seedOf}, {called, view, seedOf}}})
		}
	}
	// These sites answer at once: where a page was slow, the machine was, and the
	// two have to walk again. Slow three times is a difference like any other.
	for try := 1; len(parties) > 0; try++ {
		var again []Party
		err := walker.Parties(t.Context(), parties, nil, func(i int, results []Result) error {
			a, b := results[0].Trace(), results[1].Trace()
			switch slow := "!" + walk.SigSlow; {
			case a == b:
			case try < attempts && strings.Contains(a+b, slow):
				again = append(again, parties[i])
			default:
				t.Errorf("two walks with one seed differ: %s", FirstDifference(a, b))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		parties = again
	}
}

// TestFirstDifference: it is the line that a reader wants to see.
func TestFirstDifference(t *testing.T) {
	t.Parallel()
	if d := FirstDifference("a\nb\nc", "a\nx\nc"); !strings.Contains(d, "b") || !strings.Contains(d, "x") || strings.Contains(d, "c") {
		t.Errorf("%q", d)
	}
	if d := FirstDifference("a", "a\nb"); d == "" {
		t.Error("a longer trace is no difference")
	}
}
