package validity

import (
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/persona"
)

// TestSameSeedWalksTheSame: in a real browser too, with a server on another
// port, a persona with a seed does and thinks the same, and another seed may not.
func TestSameSeedWalksTheSame(t *testing.T) {
	t.Parallel()
	who := persona.AutoDiverse(seedOf, 6)[4]
	for _, e := range errands() {
		switch e.name {
		case "shop/order", "clinic/book", "docs/exit_code":
		default:
			continue
		}
		for _, view := range []string{browser.Desktop, browser.Mobile} {
			t.Run(e.name+" "+view, func(t *testing.T) {
				t.Parallel()
				var traces [2]string
				for i := range traces {
					w, err := take(t, e, who, view, seedOf)
					if err != nil {
						t.Fatal(err)
					}
					traces[i] = w.trace
				}
				if traces[0] != traces[1] {
					t.Errorf("two walks with one seed differ: %s", firstDifference(traces[0], traces[1]))
				}
			})
		}
	}
}

// firstDifference is the first line that two traces do not share.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "\n" + x[i] + "\n" + y[i]
		}
	}
	return "one ends earlier"
}
