package findings

import (
	"testing"

	"understudy/domain/walk"
)

// TestWhoGoesBackKnowsWhereTo: a link to where one has been is no label that says nothing,
// and what was far down on a detour is not what the task needs.
func TestWhoGoesBackKnowsWhereTo(t *testing.T) {
	t.Parallel()
	join, mark, story := link("#join", "Sign up", "https://example.com/join"), link("#mark", "Dive in", "https://example.com/"), link("#story", "Sign up stories", "https://example.com/story")
	home := at("/", join, story, sender())
	known, dull := link("#home", "Sign up home", "https://example.com/?id=start"), link("#dull", "Dive in", "https://example.com/?id=start")
	start := at("/", dull, sender())
	again := start
	again.URL = "https://example.com/?id=start"
	walks := map[string]scene{
		"a return after a search": {outcome: walk.Succeeded, steps: []walk.StepRecord{
			click(home, join, to("/x")), send(at("/x", sender()), posted("/found")),
			slow(scroll(at("/found", mark))), slow(click(at("/found", mark), mark, to("/"), sig(walk.SigHesitation))), click(home, join, to("/join")), done(at("/join")),
		}},
		"a return by a clear link, where a vague one to the same page stood before": {outcome: walk.Succeeded, steps: []walk.StepRecord{
			send(start, posted("/found")), slow(click(at("/found", known), known, to("/?id=start"))), send(again, posted("/more")), click(at("/more", join), join, to("/join")), done(at("/join")),
		}},
		"a detour": {outcome: walk.Succeeded, steps: []walk.StepRecord{
			slow(scroll(home)), slow(scroll(home)), click(home, far(story), to("/story"), sig(walk.SigBelowFold)), click(at("/story", join), join, to("/join")), done(at("/join")),
		}},
	}
	for name, c := range walks {
		got := kinds(detect(c.walked()))
		for _, kind := range []string{UnclearLabel, BelowFold} {
			if o, there := got[kind]; there {
				t.Errorf("%s: %+v", name, o)
			}
		}
	}
}

// far is an element three screenfuls down.
func far(e walk.Element) walk.Element {
	e.Box.Y = 3 * 900
	return e
}
