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

// TestGivingUpInDifferentPlacesIsNobodysFault: when nobody reached the goal,
// only where nearly all were lost is a page to blame severely.
func TestGivingUpInDifferentPlacesIsNobodysFault(t *testing.T) {
	t.Parallel()
	lost := func(here, elsewhere int) int {
		sessions := append(
			many(here, func(id string) Session {
				return failed(id, mind.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
			}),
			many(elsewhere, func(id string) Session { return failed("x"+id, mind.GaveUp, []string{aside}) })...)
		return byKind(first(Rank(sessions)))[LostScent].Severity
	}
	if got := lost(2, 2); got != 2 {
		t.Errorf("two of four gave up here: severity %d", got)
	}
	if got := lost(4, 1); got != 3 {
		t.Errorf("four of five gave up here: severity %d", got)
	}
}

// TestThePageOfTheThingItselfOwesTheWay: who comes back to the page that is
// called what is to be done, and never gets on from there, lacks a way there.
func TestThePageOfTheThingItselfOwesTheWay(t *testing.T) {
	t.Parallel()
	permits, visitors := link("#p", "Resident permits", "https://example.com/permit"), link("#v", "Visitor permits", "https://example.com/visitor")
	named := func(path, heading string, e mind.Element) mind.Page {
		p := at(path, e)
		p.Texts[0].Text, p.Title = heading, heading
		return p
	}
	page, other := named("/permit", "Resident permits", visitors), named("/visitor", "Visitor permits", permits)
	round := []mind.StepRecord{click(page, visitors, to("/visitor")), click(other, permits, to("/permit"))}
	s := scene{task: "Apply for a resident permit", outcome: mind.OutOfSteps, steps: append(append(append([]mind.StepRecord{}, round...), round...), round...)}
	o, there := kinds(detect(s.walked()))[LostScent]
	if !there || o.PageURL != "https://example.com/permit" {
		t.Errorf("going in circles around the page of the thing: %+v", o)
	}
}
