package findings

import (
	"slices"
	"testing"

	"understudy/domain/walk"
)

// filled is the join form at the moment of sending, with what was entered in it.
func filled(email walk.Element) walk.Page {
	email.Value = "a@b.example"
	return at("/join", email, sender())
}

// TestWhatWasSentAndNotTaken: walks that took the task for done, which nothing confirms,
// are blamed on what the page did with what was sent.
func TestWhatWasSentAndNotTaken(t *testing.T) {
	t.Parallel()
	email := field("#email", "Email", "email", "")
	emptied := saying(at("/join", email, sender()), "paragraph", "E-4012: constraint CK_17 violated")
	reached := walk.Effect{Mutated: true, Arrived: true}
	for name, c := range map[string]struct {
		steps    []walk.StepRecord
		kind     string
		severity int
	}{
		"nothing is said":    {[]walk.StepRecord{enter(at("/join", email, sender()), email, "a@b.example"), send(filled(email), reached), done(filled(email))}, NoConfirmation, 3},
		"a code is said":     {[]walk.StepRecord{enter(at("/join", email, sender()), email, "a@b.example"), send(filled(email), reached), done(emptied)}, UnspecificError, 3},
		"the button is dead": {[]walk.StepRecord{enter(at("/join", email, sender()), email, "a@b.example"), send(filled(email), walk.Effect{Arrived: true}), done(filled(email))}, DeadClick, 3},
	} {
		issues, limits := Rank(many(3, func(id string) Session { return NewSession(id, scene{steps: c.steps}.walked()) }))
		if len(issues) == 0 || issues[0].Kind != c.kind || issues[0].Severity != c.severity || issues[0].Cost.Ended != 3 || len(limits) > 0 {
			t.Errorf("%s: %+v, limits %+v", name, issues, limits)
		}
	}
	// Words that answer are an answer: who took it for done was wrong by itself.
	taken := saying(filled(email), "status", "We have it")
	issues, limits := Rank(many(3, func(id string) Session {
		return NewSession(id, scene{steps: []walk.StepRecord{send(filled(email), to("/thanks")), done(taken)}}.walked())
	}))
	if len(issues) > 0 || len(limits) != 1 || limits[0].Kind != LimitBelief || limits[0].Sessions != 3 {
		t.Errorf("%+v, limits %+v", issues, limits)
	}
}

func TestEmptySearches(t *testing.T) {
	t.Parallel()
	box := field("#q", "Search", "search", "")
	box.Role = "searchbox"
	query := enter(at("/", box), box, "boatman")
	press := walk.StepRecord{Page: at("/", box), Effect: to("/results"), Decision: walk.Decision{Action: walk.Action{Type: walk.Press, Text: "Enter"}, Target: &box, Purpose: walk.Submit}}
	got := kinds(detect(scene{task: "Find out who the boatman is", outcome: walk.GaveUp, steps: []walk.StepRecord{query, press, quit(saying(at("/results", box), "paragraph", "Nothing was found."))}}.walked()))
	if o, ok := got[EmptySearch]; !ok || o.Detail != "for “boatman”" || o.Area == nil {
		t.Errorf("%+v", got)
	}
	got = kinds(detect(scene{task: "Find out who the boatman is", outcome: walk.Succeeded, steps: []walk.StepRecord{query, press, done(saying(at("/results", box), "paragraph", "3 results"))}}.walked()))
	if _, ok := got[EmptySearch]; ok {
		t.Errorf("a search that finds something: %+v", got)
	}
}

// TestWhoTakesNothingFoundForDoneWasLeftByTheSearch: that ended their walks.
func TestWhoTakesNothingFoundForDoneWasLeftByTheSearch(t *testing.T) {
	t.Parallel()
	box := field("#q", "Search", "search", "")
	box.Role = "searchbox"
	press := walk.StepRecord{Page: at("/", box), Effect: to("/results"), Decision: walk.Decision{Action: walk.Action{Type: walk.Press, Text: "Enter"}, Target: &box, Purpose: walk.Submit}}
	in := scene{task: "Use the search to find the pages that mention the boatman", outcome: walk.OutOfSteps, steps: []walk.StepRecord{
		enter(at("/", box), box, "boatman"), press, done(saying(at("/results", box), "paragraph", "Nothing was found.")),
	}}
	issues := first(Rank(many(4, func(id string) Session { return NewSession(id, in.walked()) })))
	if len(issues) == 0 || issues[0].Kind != EmptySearch || issues[0].Severity != 3 || issues[0].Cost.Ended != 4 {
		t.Errorf("%+v", issues)
	}
}

// TestALayerThatStaysOpenIsToBlame: what is dead in it, or lies under it, is not.
func TestALayerThatStaysOpenIsToBlame(t *testing.T) {
	t.Parallel()
	trap := link("#more", "About our partners", "https://example.com/#")
	trap.InDialog = true
	layered := at("/", trap, link("#join", "Sign up", "https://example.com/join"))
	layered.Texts = append(layered.Texts, walk.Text{Text: "We value your privacy", Kind: "heading", Level: 2, InDialog: true, InViewport: true, Box: walk.Box{W: 1280, H: 800}})
	stuck := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{click(layered, trap, walk.Effect{}, sig(walk.SigDeadClick)), quit(layered)}}
	issues := first(Rank(many(4, func(id string) Session { return NewSession(id, stuck.walked()) })))
	if len(issues) != 1 || issues[0].Kind != Interruption || issues[0].Severity != 3 || issues[0].Cost.Ended != 4 {
		t.Errorf("%+v", issues)
	}
}

// TestWhatLiesBesideTheScreen: the control that led on could only be reached sideways.
func TestWhatLiesBesideTheScreen(t *testing.T) {
	t.Parallel()
	join := link("#join", "Sign up", "https://example.com/join")
	join.Box.X, join.InViewport = 2000, false
	page := at("/", join, link("#blog", "Blog", "https://example.com/blog"))
	found := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{slow(scroll(page)), click(page, join, to("/join")), done(at("/join"))}}
	got := kinds(detect(found.walked()))
	if o, ok := got[OffScreen]; !ok || o.Channel != Observed || o.CostMS < scrollMS {
		t.Errorf("%+v", got)
	}
}

// TestAButtonBesideTheScreenIsNotPressed: the form is sent by Enter, and the button is told.
func TestAButtonBesideTheScreenIsNotPressed(t *testing.T) {
	t.Parallel()
	email, button := field("#email", "Email", "email", ""), sender()
	press := walk.StepRecord{Page: at("/join", email, button), Effect: posted("/thanks"), Decision: walk.Decision{Action: walk.Action{Type: walk.Press, Text: "Enter"}, Target: &email, Purpose: walk.Submit}}
	for x, want := range map[float64]bool{10: false, 2000: true} {
		press.Page.Elements[1].Box.X = x
		got := kinds(detect(scene{outcome: walk.Succeeded, steps: []walk.StepRecord{press, done(at("/thanks"))}}.walked()))
		if o, there := got[OffScreen]; there != want || there && o.Element.Selector != "#send" {
			t.Errorf("at %v: %+v", x, got)
		}
	}
}

// TestFieldsThatJumpWhileTheyAreFilledIn: the browser's measure leaves out what follows an
// input, so that the places of the fields have to tell.
func TestFieldsThatJumpWhileTheyAreFilledIn(t *testing.T) {
	t.Parallel()
	name, email := field("#name", "Name", "text", ""), field("#email", "Email", "email", "")
	lower := func(e walk.Element) walk.Element {
		e.Box.Y += 190
		return e
	}
	steps := []walk.StepRecord{
		enter(at("/join", name, email, sender()), name, "Ann Fox"), enter(at("/join", lower(name), lower(email), sender()), lower(email), "a@b.example"),
		send(at("/join", name, email, sender()), posted("/thanks")), done(at("/thanks")),
	}
	if o, ok := kinds(detect(scene{outcome: walk.Succeeded, steps: steps}.walked()))[LayoutShift]; !ok || o.Detail != "by 190 px while a field was filled in" {
		t.Errorf("%+v", o)
	}
	steps[2].Page = at("/join", lower(name), lower(email), sender())
	if o, ok := kinds(detect(scene{outcome: walk.Succeeded, steps: steps}.walked()))[LayoutShift]; ok {
		t.Errorf("what moved once: %+v", o)
	}
}

// TestAFormThatIsHandedBackIsNoServersFailure: 422 with the form and a message is how
// servers refuse what was entered.
func TestAFormThatIsHandedBackIsNoServersFailure(t *testing.T) {
	t.Parallel()
	phone := field("#phone", "Phone", "tel", "")
	form := at("/form", phone, sender())
	refusing := saying(at("/form", phone, sender()), "alert", "Something went wrong: error 17")
	sent := send(form, to("/form"))
	sent.Signals = append(sent.Signals, sig(walk.SigBrokenPage))
	sent.Effect.Status = 422
	again := sent // pressed as what seems to lead on
	again.Page, again.Decision.Purpose = refusing, walk.Navigate
	s := NewSession("ses_1", scene{outcome: walk.GaveUp, steps: []walk.StepRecord{enter(form, phone, "020 7946 0018"), sent, again, quit(refusing)}}.walked())
	kinds := map[string]bool{}
	for _, o := range s.Observations {
		kinds[o.Kind] = true
	}
	if kinds[ServerError] || !kinds[UnspecificError] {
		t.Errorf("%v", kinds)
	}
}

// TestADisabledButtonIsNamed: who filled a form in and could not send it, and who found
// what the task names greyed out, were stopped by that.
func TestADisabledButtonIsNamed(t *testing.T) {
	t.Parallel()
	grey, mail := sender(), field("#mail", "Email", "email", "")
	grey.Disabled, grey.Name = true, "Go"
	filled := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{enter(at("/form", mail, grey), mail, "a@example.com"), quit(at("/form", mail, grey))}}
	open := grey
	open.Disabled = false
	opened := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{enter(at("/form", mail, grey), mail, "a@example.com"), quit(at("/form", mail, open))}}
	for name, c := range map[string]struct {
		scene
		want bool
	}{"filled in": {filled, true}, "that opened": {opened, false}} {
		got := slices.ContainsFunc(NewSession("ses_1", c.walked()).Observations, func(o Observation) bool { return o.Kind == DisabledControl && o.Channel == Observed })
		if got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
