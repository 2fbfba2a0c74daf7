package findings

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRepaint: the advice names a colour that passes, and the nearest one.
func TestRepaint(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		"4.5:1, #777777 on #ffffff":                  "#777777 on #ffffff is 4.5:1; #767676 or darker passes (4.5:1 for text).",
		"1.5:1, #ffffff on #ffc800":                  "or darker passes",
		"2.6:1, #555555 on #000000":                  "or lighter passes",
		"2.3:1, #aaaaaa on #ffffff for large text":   "(3:1 for large text)",
		"a picture behind it":                        "",
		"its words promise little of the task 4.5:1": "",
	} {
		got := repaint(detail)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", detail, got, want)
		}
	}
	hex := rapid.StringMatching(`[0-9a-f]{6}`)
	rapid.Check(t, func(t *rapid.T) {
		ink, paper := hex.Draw(t, "ink"), hex.Draw(t, "paper")
		got := repaint("#" + ink + " on #" + paper)
		at := strings.Index(got, "; #")
		if at < 0 {
			t.Fatalf("no advice for #%s on #%s: %q", ink, paper, got)
		}
		if c := contrast(colour(got[at+3:at+9]), colour(paper)); c < leastContrast {
			t.Fatalf("%s: %.2f", got, c)
		}
	})
}
