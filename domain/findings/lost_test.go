package findings

import (
	"fmt"
	"testing"

	"understudy/domain/mind"
)

// lookingFor is a walk for an answer that was given up, with the oracle's verdict.
func lookingFor(id string, verdict mind.Completion, pages ...mind.Page) Session {
	s := scene{task: "find out in which street the company is", outcome: mind.GaveUp}
	for _, p := range pages[:len(pages)-1] {
		s.steps = append(s.steps, scroll(p, sig(mind.SigLostScent)))
	}
	s.steps = append(s.steps, quit(pages[len(pages)-1], sig(mind.SigLostScent)))
	w := s.walked()
	w.Completion = verdict
	return NewSession(id, w)
}

// TestWhatWasProbablyFoundIsNoDeadEnd: who stood before what looks like the
// answer was not left without a way on; that nothing confirms it is told as a
// limit. Who saw nothing of the kind was.
func TestWhatWasProbablyFoundIsNoDeadEnd(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		verdict mind.Completion
		severe  bool
	}{
		{"probably found", mind.Completion{Status: mind.Unverified, Confidence: 0.77, Evidence: "The page shows “4923 Market Street”."}, false},
		{"nothing like it", mind.Completion{Status: mind.NotReached, Evidence: "Nothing on the pages said that the task was done."}, true},
		{"weak signs", mind.Completion{Status: mind.Unverified, Confidence: 0.68}, true},
	}
	for _, c := range cases {
		var all []Session
		for i := range 4 {
			all = append(all, lookingFor(fmt.Sprint("s", i), c.verdict, at("/"), at("/")))
		}
		issues, limits := Rank(all)
		got := byKind(issues)[LostScent].Severity >= 3
		if got != c.severe {
			t.Errorf("%s: severe is %v, want %v: %+v", c.name, got, c.severe, issues)
		}
		told := false
		for _, l := range limits {
			told = told || l.Kind == LimitUnsure
		}
		if told == c.severe {
			t.Errorf("%s: told as a limit: %v", c.name, told)
		}
	}
}

// TestAnEmptyPageElsewhereIsNotToBlame: what another site does not show is not
// the fault of the tested one's pages.
func TestAnEmptyPageElsewhereIsNotToBlame(t *testing.T) {
	t.Parallel()
	away := mind.Page{URL: "https://other.example/theme", Viewport: mind.Size{Width: 1280, Height: 800}}
	for _, o := range lookingFor("s", mind.Completion{Status: mind.NotReached}, at("/"), away).Observations {
		if o.Kind == LostScent && o.PageURL == away.URL {
			t.Errorf("blamed: %+v", o)
		}
	}
}
