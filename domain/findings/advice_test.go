package findings

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain/walk"
)

// TestATargetAsSmallAsItsWords: what makes it small is said.
func TestATargetAsSmallAsItsWords(t *testing.T) {
	t.Parallel()
	tiny := link("#small", "Glossary", "https://example.com/join")
	tiny.Box.W, tiny.Box.H, tiny.FontSize = 27, 7, 6
	got := kinds(detect(scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
		click(at("/", tiny), tiny, walk.Effect{}, walk.Signal{Kind: walk.SigMissedTarget}), click(at("/", tiny), tiny, to("/join")), done(at("/join")),
	}}.walked()))
	o := got[SmallTarget]
	if o.Detail != "27 × 7 px, of 6 px text" || !strings.HasPrefix(advice(&o), "Its words are set in 6 px, ") {
		t.Errorf("%+v: %s", o, advice(&o))
	}
}

// TestRepaint: the advice names a colour that passes, and the nearest one.
func TestRepaint(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		"4.5:1, #777777 on #ffffff":                  "#777777 on #ffffff is 4.5:1; #767676 or darker passes (4.5:1 for text).",
		"4.0:1, #808080 on #ffffff":                  "#808080 on #ffffff is 4.0:1; #767676 or darker passes (4.5:1 for text).",
		"4.3:1, #ffffff on #4e73df":                  "#ffffff on #4e73df is 4.3:1; on #4c70da or darker it passes (4.5:1 for text).",
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
		_, advice, found := strings.Cut(got, "; ")
		with := paper
		if ground, ok := strings.CutPrefix(advice, "on "); ok {
			advice, with = ground, ink
		}
		if !found {
			t.Fatalf("no advice for #%s on #%s: %q", ink, paper, got)
		}
		if c := contrast(colour(advice[1:7]), colour(with)); c < leastContrast {
			t.Fatalf("%s: %.2f", got, c)
		}
	})
}
