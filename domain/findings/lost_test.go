package findings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/domain/walk"
)

// lookingFor is a walk for an answer that was given up, with the oracle's verdict.
func lookingFor(id string, verdict walk.Completion, pages ...walk.Page) Session {
	s := scene{task: "find out in which street the company is", outcome: walk.GaveUp}
	for _, p := range pages[:len(pages)-1] {
		s.steps = append(s.steps, scroll(p, sig(walk.SigLostScent)))
	}
	s.steps = append(s.steps, quit(pages[len(pages)-1], sig(walk.SigLostScent)))
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
		verdict walk.Completion
		severe  bool
	}{
		{"probably found", walk.Completion{Status: walk.Unverified, Confidence: 0.77, Evidence: "The page shows “4923 Market Street”."}, false},
		{"nothing like it", walk.Completion{Status: walk.NotReached, Evidence: "Nothing on the pages said that the task was done."}, true},
		{"weak signs", walk.Completion{Status: walk.Unverified, Confidence: 0.68}, true},
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
	away := walk.Page{URL: "https://other.example/theme", Viewport: walk.Size{Width: 1280, Height: 800}}
	for _, o := range lookingFor("s", walk.Completion{Status: walk.NotReached}, at("/"), away).Observations {
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
				return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
			}),
			many(elsewhere, func(id string) Session { return failed("x"+id, walk.GaveUp, []string{aside}) })...)
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
	named := func(path, heading string, e walk.Element) walk.Page {
		p := at(path, e)
		p.Texts[0].Text, p.Title = heading, heading
		return p
	}
	page, other := named("/permit", "Resident permits", visitors), named("/visitor", "Visitor permits", permits)
	round := []walk.StepRecord{click(page, visitors, to("/visitor")), click(other, permits, to("/permit"))}
	s := scene{task: "Apply for a resident permit", outcome: walk.OutOfSteps, steps: append(append(append([]walk.StepRecord{}, round...), round...), round...)}
	o, there := kinds(detect(s.walked()))[LostScent]
	if !there || o.PageURL != "https://example.com/permit" {
		t.Errorf("going in circles around the page of the thing: %+v", o)
	}
}

// TestGuessingIsNoWayOn: who searches a page and leaves it by something that
// promises little was lucky. Where people guess differently, the page lacks the
// word that the next one has; where they agree, the label works.
func TestGuessingIsNoWayOn(t *testing.T) {
	t.Parallel()
	things := []walk.Element{link("#a", "Settings", "https://example.com/a"), link("#b", "Downloads", "https://example.com/b"), link("#c", "Tools", "https://example.com/c")}
	guess := func(id string, n int, scent float64, next walk.Element) Session {
		left := slow(click(at("/", things...), things[n], to("/next")))
		left.Decision.Scent = scent
		return NewSession(id, scene{task: "Restore a deleted file", outcome: walk.Succeeded, steps: []walk.StepRecord{
			scroll(at("/", things...)), left, click(at("/next", next), next, to("/restore")), done(at("/restore")),
		}}.walked())
	}
	right, other := link("#r", "Restore a deleted file", "https://example.com/restore"), link("#r", "Continue", "https://example.com/restore")
	for name, c := range map[string]struct {
		differ bool
		scent  float64
		next   walk.Element
		found  bool
	}{
		"each elsewhere":           {true, 0.4, right, true},
		"all the same":             {false, 0.4, right, false},
		"sure of it":               {true, 0.9, right, false},
		"nothing clear after that": {true, 0.4, other, false},
	} {
		issues, _ := Rank(many(6, func(id string) Session {
			n := 0
			if c.differ {
				n = int(id[len(id)-1]-'0') % len(things)
			}
			return guess(id, n, c.scent, c.next)
		}))
		got, found := byKind(issues)[LostScent]
		if found != c.found || found && (got.Severity != 2 || got.Frequency.Affected != 6 || got.Element != nil || !strings.Contains(got.Description, "3 different things")) {
			t.Errorf("%s: %+v", name, issues)
		}
	}
}

// TestWhatLedOnBeforeIsNotToBlameAfterwards: who was stopped further on and
// comes back to earlier pages in vain has found the way there before.
func TestWhatLedOnBeforeIsNotToBlameAfterwards(t *testing.T) {
	t.Parallel()
	start, dead := link("#start", "Sign up", "https://example.com/join"), walk.Element{Role: "button", Name: "Sign up", NameSource: "text", Selector: "#dead", InViewport: true, Contrast: 12, FontSize: 16, Box: walk.Box{W: 200, H: 44}}
	nothing := click(at("/join", dead), dead, walk.Effect{}, sig(walk.SigDeadClick))
	for stopped, blamed := range map[bool]bool{true: false, false: true} {
		steps := []walk.StepRecord{click(at("/", start), start, to("/join"))}
		if stopped {
			steps = append(steps, nothing, nothing)
		}
		steps = append(steps, back(at("/join", dead)), slow(scroll(at("/", start), sig(walk.SigLostScent))), quit(at("/", start), sig(walk.SigLostScent)))
		got := kinds(detect(scene{outcome: walk.GaveUp, steps: steps}.walked()))
		if o, there := got[LostScent]; there != blamed {
			t.Errorf("stopped further on %v: %+v in %v", stopped, o, names(got))
		}
	}
}

// TestWanderingOnIsNotGettingPast: who met what does nothing, never got past it
// and read other pages until the steps ran out was kept from the goal by it.
// Who met it late, or sent a form there that was taken, was not.
func TestWanderingOnIsNotGettingPast(t *testing.T) {
	t.Parallel()
	dead := walk.Element{Role: "button", Name: "Sign up", NameSource: "text", Selector: "#dead", InViewport: true, Contrast: 12, FontSize: 16, Box: walk.Box{W: 200, H: 44}}
	faint := dead
	faint.Contrast = 1.5
	join := at("/join", dead, sender())
	nothing := click(join, dead, walk.Effect{}, sig(walk.SigDeadClick))
	through := func(from string, paths ...string) (steps []walk.StepRecord) {
		for _, p := range paths {
			next := link("#next", "Sign up "+p, "https://example.com"+p)
			steps = append(steps, click(at(from, next), next, to(p)))
			from = p
		}
		return steps
	}
	away := link("#away", "Help", "https://example.com/help")
	leave := click(at("/join", dead, sender(), away), away, to("/help"))
	wander := through("/help", "/a", "/b", "/c", "/d", "/e")
	for name, c := range map[string]struct {
		steps  []walk.StepRecord
		severe bool
	}{
		"early":         {slices.Concat(through("/", "/join"), []walk.StepRecord{nothing, nothing, leave}, wander), true},
		"late":          {slices.Concat(through("/", "/1", "/2", "/3", "/4", "/5", "/6", "/join"), []walk.StepRecord{nothing, leave}, through("/help", "/a")), false},
		"form was sent": {slices.Concat(through("/", "/join"), []walk.StepRecord{nothing, send(join, posted("/a"))}, through("/a", "/b", "/c", "/d", "/e")), false},
		"hard to see":   {slices.Concat(through("/", "/join"), []walk.StepRecord{slow(scroll(at("/join", faint), walk.Signal{Kind: walk.SigHardToSee, Selector: "#dead"})), leave}, wander), false},
	} {
		issues, _ := Rank(many(4, func(id string) Session {
			return NewSession(id, scene{outcome: walk.OutOfSteps, steps: c.steps}.walked())
		}))
		if len(issues) == 0 || (issues[0].Severity >= 3) != c.severe {
			t.Errorf("%s: severe is %v, want %v: %+v", name, !c.severe, c.severe, issues)
		}
	}
}

// TestWhoEndsAtALimitBlamesNoPage: that somebody could not go on where nobody can be
// simulated is told as such, and nothing that follows from it is an issue.
func TestWhoEndsAtALimitBlamesNoPage(t *testing.T) {
	t.Parallel()
	form := at("/join")
	form.Elements = []walk.Element{{Role: "textbox", Name: "Email", Selector: "#email", Form: 1, Error: "Please prove that you are human"}}
	form.Limits = []walk.Limit{{Kind: walk.LimitCaptcha, Name: "reCAPTCHA"}}
	send := &walk.Element{Role: "button", Name: "Join", Selector: "#join", Form: 1, Submit: true}
	ending := func(signals ...walk.Signal) walk.Walked {
		return walked(walk.Blocked,
			walk.StepRecord{Page: at("/"), Decision: walk.Decision{Signals: []walk.Signal{{Kind: walk.SigLostScent}}}, Effect: walk.Effect{Navigated: true, URL: form.URL}},
			walk.StepRecord{Page: form, Decision: walk.Decision{Target: send, Purpose: walk.Submit}, Effect: walk.Effect{Mutated: true}},
			walk.StepRecord{Page: form, Decision: walk.Decision{End: walk.EndBlocked, Signals: append(signals, walk.Signal{Kind: walk.SigLostScent}, walk.Signal{Kind: walk.SigDisabled, Selector: "#join"})}})
	}
	limit := walk.Signal{Kind: walk.SigLimitPage, Detail: form.Limits[0].String()}
	s := NewSession("a", ending(limit))
	issues, limits := Rank([]Session{s, NewSession("b", ending(limit))})
	want := LimitNote{Kind: LimitPage, Description: texts[LimitPage].title + ": captcha: reCAPTCHA", Sessions: 2}
	if len(issues) > 0 || len(limits) != 1 || limits[0] != want || !s.Limited() || len(s.Barriers()) > 0 {
		t.Errorf("issues %+v, limits %+v, to be replayed %+v", issues, limits, s.Barriers())
	}
	if o := kinds(s.Observations)[LimitPage]; o.Step != 1 {
		t.Errorf("met at step %d", o.Step)
	}
	if issues, limits := Rank([]Session{NewSession("a", ending()), NewSession("b", ending())}); len(issues) == 0 || len(limits) > 0 {
		t.Errorf("without a limit: issues %+v, limits %+v", issues, limits)
	}
}

// TestWhereTheScentEnds: after something was sent and taken, people follow what promises to lead on, turn back where it ends and
// search elsewhere. The one thing there that nobody can read is to blame; of two nobody can
// tell, and faint words are read by somebody.
func TestWhereTheScentEnds(t *testing.T) {
	t.Parallel()
	basket := link("#basket", "Basket", "https://example.com/basket")
	faint := link("#faint", "Checkout", "https://example.com/checkout")
	faint.Contrast = 1.6
	small := func(selector string) walk.Element {
		e := link(selector, "Checkout", "https://example.com/checkout")
		e.Icon, e.Box.W, e.Box.H = true, 12, 12
		return e
	}
	ended := func(there ...walk.Element) map[string]Issue {
		lost := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{
			send(at("/", sender()), posted("/added")), click(at("/added", basket), basket, to("/basket")), scroll(at("/basket", there...)), back(at("/basket", there...)),
			slow(scroll(at("/added", basket))), quit(at("/added", basket)),
		}}
		return byKind(first(Rank(many(5, func(id string) Session { return NewSession(id, lost.walked()) }))))
	}
	if i, ok := ended(small("#a"))[SmallTarget]; !ok || i.Cost.Ended != 5 || i.Severity != 3 || i.Element.Selector != "#a" {
		t.Errorf("the one thing that is too small to be read: %+v", i)
	}
	if i := ended(small("#a"), small("#b"))[SmallTarget]; i.Cost.Ended > 0 {
		t.Errorf("one of two: %+v", i)
	}
	if i := ended(faint)[LowContrast]; i.Cost.Ended > 0 {
		t.Errorf("faint words: %+v", i)
	}
}
