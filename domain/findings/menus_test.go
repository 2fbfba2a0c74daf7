package findings

import (
	"testing"

	"understudy/domain/walk"
)

// more is a closed control on the first screen with a link inside.
func more(name, inside string) walk.Element {
	e := link("#more", name, "")
	e.Role, e.Expanded = "button", "false"
	e.Holds = []walk.Held{{Name: inside, Selector: "#inside", Href: "https://example.com/join"}}
	return e
}

func hiddenIn(out []Observation, c Channel) *Observation {
	for i := range out {
		if out[i].Kind == HiddenInMenu && out[i].Channel == c {
			return &out[i]
		}
	}
	return nil
}

// Nobody opened it: the way went round by another page.
func TestWhatWasHiddenAndMissed(t *testing.T) {
	for _, c := range []struct {
		name, control, inside string
		want                  bool
	}{
		{"under a word that says nothing", "More", "Sign up", true},
		{"in the menu, where everybody looks", "Menu", "Sign up", false},
		{"under a word that says it", "Sign-up for everybody", "Sign up", false},
		{"what is inside is about something else", "More", "Our history", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			about, join := link("#about", "About us", "https://example.com/about"), link("#join", "Sign up", "https://example.com/join")
			way := walk.StepRecord{Page: at("/", more(c.control, c.inside), about), Decision: walk.Decision{Action: walk.Action{Type: walk.Scroll}, Purpose: walk.ReadOn, SimulatedMS: 4000}, Effect: walk.Effect{Scrolled: true}}
			walked := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				way, click(at("/", more(c.control, c.inside), about), about, to("/about")), click(at("/about", join), join, to("/join")), done(at("/join")),
			}}.walked()
			found := hiddenIn(examine(walked).observations(), Observed)
			if (found != nil) != c.want {
				t.Fatalf("hidden in a menu: %+v, expected %v", found, c.want)
			}
			if found != nil && (found.Element.Selector != "#inside" || found.CostMS < searchMS/2 || found.Detail != "under “More”") {
				t.Errorf("pointed at %+v, %d ms, %q", found.Element, found.CostMS, found.Detail)
			}
		})
	}
}

// A closed list of pages is a menu.
func TestAListOfPagesIsExpected(t *testing.T) {
	list := more("Contents", "Sign up")
	for len(list.Holds) < menuLinks {
		list.Holds = append(list.Holds, walk.Held{Name: "Another page", Selector: "#other", Href: "https://example.com/other"})
	}
	walked := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{quit(at("/", list))}}.walked()
	if s := hiddenIn(examine(walked).suspects(), Static); s != nil {
		t.Errorf("suspected %+v", s)
	}
}

// Nobody got on: what was hidden where it ended is a suspect.
func TestWhatIsHiddenIsASuspect(t *testing.T) {
	walked := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{quit(at("/", more("More", "Sign up")))}}.walked()
	if s := hiddenIn(examine(walked).suspects(), Static); s == nil || s.Element.Selector != "#inside" {
		t.Errorf("suspected %+v", s)
	}
}

// TestTheContentsOfAPageHideNothing: what a closed list of contents leads to can
// be read by scrolling; to another page, or the route of an application, it can not.
func TestTheContentsOfAPageHideNothing(t *testing.T) {
	for _, c := range []struct {
		href string
		want bool
	}{
		{"https://example.com/manual#join", false}, {"#join", false},
		{"https://example.com/manual#/join", true}, {"https://example.com/join#form", true},
	} {
		contents := more("Contents", "Sign up")
		contents.Holds[0].Href = c.href
		inside := link("#inside", "Sign up", c.href)
		closed, open := at("/manual", contents), at("/manual", contents, inside)
		walked := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
			{Page: closed, Decision: walk.Decision{Action: walk.Action{Type: walk.Scroll}, Purpose: walk.ReadOn, SimulatedMS: 3 * searchMS}, Effect: walk.Effect{Scrolled: true}},
			{Page: closed, Decision: walk.Decision{Action: walk.Action{Type: walk.Click}, Target: &contents, Purpose: walk.OpenMenu, SimulatedMS: 900}, Effect: walk.Effect{Mutated: true}},
			click(open, inside, to("/join")), done(at("/join")),
		}}.walked()
		s := NewSession("s", walked)
		if found := hiddenIn(s.Observations, Observed); (found != nil) != c.want {
			t.Errorf("%s: hidden in a menu: %+v", c.href, found)
		}
		known := waysOf([]Session{s})
		if e := known.wayOn(placeOf(&closed)); (e != nil) != c.want {
			t.Errorf("%s: the way on is %+v", c.href, e)
		}
		quitting := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{quit(closed)}}.walked()
		if found := hiddenIn(NewSession("q", quitting).Suspects, Static); (found != nil) != c.want {
			t.Errorf("%s: suspected %+v", c.href, found)
		}
	}
}

// TestPartsOfAPageAreNotOnePlace: a link to one part of the page has not been
// passed over by who went to another part.
func TestPartsOfAPageAreNotOnePlace(t *testing.T) {
	other := link("#other", "Dive in", "https://example.com/manual#history")
	wanted := link("#wanted", "Sign up", "https://example.com/manual#join")
	for c, named := range map[string]bool{"https://example.com/manual#join": false, "https://example.com/join": true} {
		wanted.Href = c
		if named {
			other.Href = c
		}
		page := at("/manual", other)
		walked := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
			{Page: page, Decision: walk.Decision{Action: walk.Action{Type: walk.Scroll}, Purpose: walk.ReadOn, SimulatedMS: 3 * searchMS}, Effect: walk.Effect{Scrolled: true}},
			click(at("/manual", wanted), wanted, walk.Effect{Navigated: true, URL: c, Status: 200}), done(at("/manual")),
		}}.walked()
		found := false
		for _, o := range examine(walked).observations() {
			found = found || o.Kind == UnclearLabel && o.Element.Selector == "#other"
		}
		if found != named {
			t.Errorf("%s: the other link is blamed: %v", c, found)
		}
	}
}
