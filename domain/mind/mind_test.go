package mind

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"understudy/domain/persona"
)

// pageOf lays out elements and texts one below the other.
func pageOf(things ...any) Page {
	p := Page{URL: "https://example.com/", Title: "Example", Viewport: Size{1280, 800}, Status: 200, Lang: "en"}
	p.Regions = []Region{{Kind: "main"}}
	y := 10.0
	for _, t := range things {
		switch t := t.(type) {
		case Element:
			if t.Box == (Box{}) {
				t.Box = Box{X: 20, Y: y, W: 160, H: 44}
			}
			t.Ref = fmt.Sprintf("e%d", len(p.Elements))
			t.InViewport = t.Box.Y < 800
			if t.Contrast == 0 {
				t.Contrast = 10
			}
			if t.FontSize == 0 {
				t.FontSize = 16
			}
			if t.Selector == "" {
				t.Selector = fmt.Sprintf("#x%d", len(p.Elements))
			}
			p.Elements = append(p.Elements, t)
		case Text:
			if t.Box == (Box{}) {
				t.Box = Box{X: 20, Y: y, W: 600, H: 30}
			}
			t.InViewport = t.Box.Y < 800
			t.Contrast, t.FontSize = 12, 16
			if t.Kind == "" {
				t.Kind = "paragraph"
			}
			p.Texts = append(p.Texts, t)
		case float64:
			y += t
			continue
		}
		y += 50
	}
	p.Height = y
	return p
}

func a(name, href string) Element { return Element{Role: "link", Name: name, Href: href} }
func btn(name string) Element     { return Element{Role: "button", Name: name} }

var plain = persona.Persona{Name: "Test", Facets: persona.Facets{RiskAttitude: persona.Tolerant}}

func firstStep(t *testing.T, p persona.Persona, task string, page Page) Decision {
	t.Helper()
	return New(p, ParseTask(task, nil), 1, Tuning{}).Step(page, Effect{})
}

func TestFollowsTheStrongestScent(t *testing.T) {
	t.Parallel()
	page := pageOf(a("Blog", "/blog"), a("Log in", "/login"), a("Create account", "/join"), a("Careers", "/jobs"))
	for seed := range uint64(30) {
		d := New(plain, ParseTask("Sign up", nil), seed, Tuning{}).Step(page, Effect{})
		if d.Action.Type != Click || d.Target == nil || d.Target.Name != "Create account" {
			t.Fatalf("seed %d: %s %+v: %s", seed, d.Action.Type, d.Target, d.Thought)
		}
		if d.SimulatedMS < 1000 || d.SimulatedMS > 30000 || d.Observation == "" || d.Thought == "" {
			t.Errorf("not a step of a person: %+v", d)
		}
	}
}

func TestSaysWhenSeveralThingsPromiseTheSame(t *testing.T) {
	t.Parallel()
	d := firstStep(t, plain, "Get started", pageOf(a("Get started", "/a"), a("Get started", "/b"), a("Get started", "/c")))
	if d.Rivals != 2 || !strings.Contains(d.Thought, "3 of them") {
		t.Errorf("rivals %d, thought %q", d.Rivals, d.Thought)
	}
}

func TestWhatIsNotPerceivedIsNotUsed(t *testing.T) {
	t.Parallel()
	faint := a("Create account", "/join")
	faint.Contrast = 1.2
	covered := a("Create account", "/join")
	covered.CoveredBy = "dialog 'Offer'"
	below := a("Create account", "/join")
	below.Box = Box{X: 20, Y: 1500, W: 160, H: 44}
	disabled := btn("Create account")
	disabled.Disabled = true
	for name, e := range map[string]Element{"faint": faint, "covered": covered, "below the fold": below, "disabled": disabled} {
		page := pageOf(e, a("Blog", "/blog"))
		page.Height = 2000
		d := firstStep(t, plain, "Sign up", page)
		if d.Target != nil && d.Target.Name == "Create account" {
			t.Errorf("%s: used it: %s", name, d.Thought)
		}
	}
}

func TestLowVisionMissesWhatOthersSee(t *testing.T) {
	t.Parallel()
	weak := a("Create account", "/join")
	weak.Contrast = 3.2
	page := pageOf(weak, a("Blog", "/blog"))
	low := plain
	low.Facets.Vision = persona.Vision{ContrastFactor: 3}
	missed := 0
	for seed := range uint64(40) {
		if d := New(plain, ParseTask("Sign up", nil), seed, Tuning{}).Step(page, Effect{}); d.Target == nil || d.Target.Name != "Create account" {
			t.Fatalf("seed %d: good eyes did not see 3.2:1", seed)
		}
		if d := New(low, ParseTask("Sign up", nil), seed, Tuning{}).Step(page, Effect{}); d.Target == nil || d.Target.Name != "Create account" {
			missed++
		}
	}
	if missed < 30 {
		t.Errorf("low vision missed it only %d of 40 times", missed)
	}
}

func TestScrollsToReadOnAndComesBack(t *testing.T) {
	t.Parallel()
	page := pageOf(Text{Text: "Welcome", Kind: "heading", Level: 1}, a("Blog", "/blog"))
	page.Height = 3000
	m := New(plain, ParseTask("Sign up", nil), 3, Tuning{})
	d := m.Step(page, Effect{})
	if d.Action.Type != Scroll || d.Action.Text != "down" {
		t.Fatalf("did not read on: %+v", d)
	}
	page.ScrollY = 700
	page.Elements = append(page.Elements, Element{Ref: "n", Role: "button", Name: "Sign up", Box: Box{20, 300, 100, 40}, InViewport: true, Contrast: 9, FontSize: 16})
	if d = m.Step(page, Effect{Scrolled: true}); d.Target == nil || d.Target.Name != "Sign up" {
		t.Fatalf("did not use what scrolling showed: %+v", d)
	}
}

func TestOpensAMenuWhenNothingSmells(t *testing.T) {
	t.Parallel()
	menu := Element{Role: "button", Icon: true, Expanded: "false"}
	d := firstStep(t, plain, "Contact support", pageOf(menu, Text{Text: "Hello", Kind: "heading", Level: 1}))
	if d.Purpose != OpenMenu {
		t.Errorf("%s: %s", d.Purpose, d.Thought)
	}
}

func TestPutsACookieBannerAway(t *testing.T) {
	t.Parallel()
	page := pageOf(a("Sign up", "/join"), Text{Text: "We use cookies.", Region: 1}, Element{Role: "button", Name: "Accept all", Region: 1}, Element{Role: "button", Name: "Reject all", Region: 1})
	page.Regions = append(page.Regions, Region{Kind: "section"})
	bold, shy := plain, plain
	bold.Facets.RiskAttitude, shy.Facets.RiskAttitude = persona.Tolerant, persona.Averse
	if d := firstStep(t, bold, "Sign up", page); d.Purpose != Dismiss || d.Target.Name != "Accept all" {
		t.Errorf("tolerant: %s %q", d.Purpose, d.Thought)
	}
	if d := firstStep(t, shy, "Sign up", page); d.Purpose != Dismiss || d.Target.Name != "Reject all" {
		t.Errorf("averse: %s %q", d.Purpose, d.Thought)
	}
}

func TestClosesADialogThatIsNotTheGoal(t *testing.T) {
	t.Parallel()
	link := a("Sign up", "/join")
	link.CoveredBy = "dialog 'Newsletter'"
	page := pageOf(link, Text{Text: "Win a prize", Kind: "heading", Level: 2, InDialog: true}, Element{Role: "button", Name: "No thanks", InDialog: true}, Element{Role: "button", Name: "Win", InDialog: true})
	if d := firstStep(t, plain, "Sign up", page); d.Purpose != Dismiss || d.Target == nil || d.Target.Name != "No thanks" {
		t.Errorf("%s %+v", d.Purpose, d.Target)
	}
}

func TestFillsAFormAndSendsIt(t *testing.T) {
	t.Parallel()
	page := pageOf(Text{Text: "Sign up", Kind: "heading", Level: 1},
		Element{Role: "textbox", Name: "E-mail", InputType: "text", Required: true, Form: 1},
		Element{Role: "textbox", Name: "Password", InputType: "password", Required: true, Form: 1},
		Element{Role: "textbox", Name: "ZIP", InputType: "text", Pattern: `\d{5}`, Required: true, Form: 1},
		Element{Role: "combobox", Name: "Country", Options: []string{"Please choose", "Germany", "France"}, Required: true, Form: 1},
		Element{Role: "checkbox", Name: "I agree to the terms", Form: 1},
		Element{Role: "checkbox", Name: "Send me offers", Form: 1},
		Element{Role: "button", Name: "Cancel", Form: 1},
		Element{Role: "button", Name: "Create account", Submit: true, Form: 1})
	m := New(plain, ParseTask(`Sign up as "ada@example.org" using {{password}}`, []string{"password"}), 1, Tuning{})
	var got []string
	for range 8 {
		d := m.Step(page, Effect{})
		got = append(got, fmt.Sprintf("%s %s %s%s", d.Action.Type, d.Target.Name, d.Action.Text, d.Action.Secret))
		for i := range page.Elements {
			if e := &page.Elements[i]; e.Ref == d.Target.Ref {
				e.Value, e.Checked = d.Action.Text+d.Action.Secret, d.Action.Type == Check
			}
		}
		if d.Purpose == Submit {
			break
		}
	}
	want := []string{"type E-mail ada@example.org", "type Password password", "type ZIP 12345", "select Country Germany", "check I agree to the terms ", "click Create account "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSecretsStayOutOfDecisions(t *testing.T) {
	t.Parallel()
	page := pageOf(Text{Text: "Log in", Kind: "heading", Level: 1}, Element{Role: "textbox", Name: "Password", InputType: "password", Required: true, Form: 1}, Element{Role: "button", Name: "Log in", Submit: true, Form: 1})
	m := New(plain, ParseTask("Log in with {{password}}", []string{"password"}), 1, Tuning{})
	d := m.Step(page, Effect{})
	if d.Action.Secret != "password" || d.Action.Text != "" {
		t.Errorf("%+v", d.Action)
	}
}

func TestGoesBackFromAnErrorPage(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	m.Step(pageOf(a("Sign up", "https://example.com/join"), a("Blog", "/b")), Effect{})
	broken := Page{URL: "https://example.com/join", Status: 404, Title: "Not found", Viewport: Size{1280, 800}}
	d := m.Step(broken, Effect{Navigated: true, Status: 404, URL: broken.URL})
	if d.Action.Type != Back {
		t.Errorf("%s: %s", d.Action.Type, d.Thought)
	}
}

func TestEndsOnHopelessPages(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]Page{
		"empty":         {},
		"error":         {Status: 500, URL: "https://example.com"},
		"no way on":     pageOf(Text{Text: "Nothing to see", Kind: "heading", Level: 1}),
		"dead controls": pageOf(btn("Sign up"), btn("Sign up now")),
	} {
		m := New(plain, ParseTask("Sign up", nil), 2, Tuning{})
		end := ""
		for range 60 {
			if d := m.Step(page, Effect{}); d.End != "" {
				end = d.End
				break
			}
		}
		if end != EndGaveUp && end != EndBlocked {
			t.Errorf("%s: ended %q within 60 steps", name, end)
		}
	}
}

func TestTakesWeirdPages(t *testing.T) {
	t.Parallel()
	var things []any
	for i := range 3000 {
		e := a(strings.Repeat("sign ☃ ", i%40), fmt.Sprintf("::%d", i))
		e.Region = i%7 - 3
		e.Form = i % 5
		e.Role = []string{"link", "textbox", "radio", "combobox", "", "slider"}[i%6]
		e.Box = Box{float64(i % 9), float64(i) - 500, float64(i % 50), float64(i % 30)}
		e.Pattern = "([" // not a pattern
		e.InDialog = i%11 == 0
		things = append(things, e, Text{Text: strings.Repeat("é", i%90), Kind: []string{"heading", "alert", ""}[i%3], Region: i})
	}
	page := pageOf(things...)
	page.Regions = append(page.Regions, Region{Kind: "x", Heading: "\xff\xfe"})
	goal := ParseTask("Sign up and buy \"\xff\" then contact", nil)
	m := New(plain, goal, 1, Tuning{})
	w := NewWalk(goal, plain)
	o := NewOracle(goal, SuccessConditions{URLMatches: "("}, page)
	for i := range 10 {
		eff := Effect{Mutated: i%2 == 0, Navigated: i%3 == 0, Errors: []string{"boom"}}
		o.Observe(page, eff)
		d := m.Step(page, eff)
		w.Record(page, d, eff)
	}
	if c := w.Result(o.Verdict()); c.Completion.Status == Verified {
		t.Errorf("verified: %+v", c.Completion)
	}
}

func TestFacetsChangeTimes(t *testing.T) {
	t.Parallel()
	page := pageOf(Text{Text: strings.Repeat("word ", 200)}, a("Sign up", "/join"))
	base := firstStep(t, plain, "Sign up", page).SimulatedMS
	slow := plain
	slow.Facets.ReadingWPM = 90
	old := plain
	old.Facets.AgeBand = "75+"
	keys := plain
	keys.Facets.KeyboardOnly = true
	for name, p := range map[string]persona.Persona{"slow reader": slow, "old": old} {
		if got := firstStep(t, p, "Sign up", page).SimulatedMS; got <= base {
			t.Errorf("%s: %d ms, not above %d", name, got, base)
		}
	}
	if got := firstStep(t, keys, "Sign up", page).SimulatedMS; got == base {
		t.Error("the keyboard costs the same as the mouse")
	}
}

func TestClicksAgainWhenNothingHappens(t *testing.T) {
	t.Parallel()
	page := pageOf(btn("Sign up"), a("Blog", "/blog"))
	calm, hasty := plain, plain
	hasty.Facets.LearningStyle = persona.Tinkering
	for name, c := range map[string]struct {
		p    persona.Persona
		want int
	}{"calm": {calm, 2}, "hasty": {hasty, 3}} {
		goal := ParseTask("Sign up", nil)
		m, w := New(c.p, goal, 1, Tuning{}), NewWalk(goal, c.p)
		clicks, raged := 0, false
		for range 4 {
			d := m.Step(page, Effect{})
			if d.Target == nil || d.Target.Name != "Sign up" {
				break
			}
			clicks++
			r := w.Record(page, d, Effect{})
			raged = raged || r.HasSignal(SigRageClick)
		}
		if clicks != c.want || raged != (c.want == 3) {
			t.Errorf("%s: %d clicks, raged %v", name, clicks, raged)
		}
	}
}

func BenchmarkStepOnAHugePage(b *testing.B) {
	var things []any
	for i := range 3000 {
		things = append(things, a(fmt.Sprintf("Product %d of many", i), fmt.Sprintf("/p/%d", i)), Text{Text: "A short description of this product."})
	}
	page := pageOf(things...)
	goal := ParseTask("buy a red lamp", nil)
	for b.Loop() {
		New(plain, goal, 1, Tuning{}).Step(page, Effect{})
	}
}

// TestDragsToTheNamedPlace: a card goes to the column that the task names, and
// who has no pointer does not try.
func TestDragsToTheNamedPlace(t *testing.T) {
	t.Parallel()
	page := pageOf(heading1("Board"), Element{Role: "draggable", Name: "Paint the fence", Draggable: true, Selector: "#card"},
		Element{Role: "dropzone", Name: "Doing", Selector: "#doing"}, Element{Role: "dropzone", Name: "Done", Selector: "#done"})
	goal := ParseTask("Move “Paint the fence” to the Done column", nil)
	d := New(plain, goal, 1, Tuning{}).Step(page, Effect{})
	if d.Action.Type != Drag || d.Target == nil || d.Target.Name != "Paint the fence" || d.Action.To != page.Elements[2].Ref {
		t.Errorf("%+v", d)
	}
	keys := plain
	keys.Facets.KeyboardOnly = true
	if d := New(keys, goal, 1, Tuning{}).Step(page, Effect{}); d.Action.Type == Drag {
		t.Errorf("dragged without a pointer: %+v", d.Action)
	}
}

// TestNobodySearchesForThePageTheyAreOn: the page of the thing has its name.
func TestNobodySearchesForThePageTheyAreOn(t *testing.T) {
	t.Parallel()
	box := Element{Role: "searchbox", InputType: "search", Name: "Search the shop", Form: 1}
	find := Element{Role: "button", Name: "Search", Submit: true, Form: 1}
	for heading, searched := range map[string]bool{"Pots for everybody": true, "Tidepool Mug": false} {
		m := New(plain, ParseTask("Buy a Tidepool Mug", nil), 1, Tuning{})
		d := m.Step(pageOf(heading1(heading), box, find, Element{Role: "link", Name: "About us", Href: "https://example.com/about"}), Effect{Mutated: true})
		if typed := d.Action.Type == Type && d.Action.Text != ""; typed != searched {
			t.Errorf("on “%s”: %s %q", heading, d.Action.Type, d.Action.Text)
		}
	}
}

// TestNobodyTakesAwayWhatTheyWant: a control that makes less of a thing promises
// nothing to who wants it, and all to who wants to be rid of it.
func TestNobodyTakesAwayWhatTheyWant(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"One Seeded Sourdough less", "Remove Seeded Sourdough from order", "Decrease quantity of Seeded Sourdough"} {
		goal := ParseTask("Order a Seeded Sourdough for collection", nil)
		if p := goal.Promise(0, label); p > 0 {
			t.Errorf("%q promises %.2f", label, p)
		}
	}
	goal := ParseTask("Remove the Seeded Sourdough from my order", nil)
	if p := goal.Promise(0, "Remove Seeded Sourdough"); p < 0.6 {
		t.Errorf("to who wants it gone it promises %.2f", p)
	}
}

// TestWhoIsAtTheThingReadsOn: before leaving the page of the very thing for
// things of its kind, people look at the rest of it.
func TestWhoIsAtTheThingReadsOn(t *testing.T) {
	t.Parallel()
	hasty := persona.Persona{Name: "Test", Facets: persona.Facets{RiskAttitude: persona.Tolerant, InformationProcessing: persona.Selective}}
	for heading, want := range map[string]ActionType{"Tidepool Mug": Scroll, "Pots for people who use them": Click} {
		page := pageOf(heading1(heading), a("Mugs & cups", "https://example.com/c/mugs"), a("Delivery", "https://example.com/delivery"))
		page.URL, page.Height = "https://example.com/p/tidepool-mug", 2000
		for seed := range uint64(10) {
			d := New(hasty, ParseTask("Buy a Tidepool Mug", nil), seed, Tuning{}).Step(page, Effect{Navigated: true, URL: page.URL})
			if d.Action.Type != want {
				t.Errorf("under %q, seed %d: %s: %s", heading, seed, d.Action.Type, d.Thought)
			}
		}
	}
}

// TestAnotherThingIsNotTheOneWanted: of several that offer the deed for
// different things nobody is sure of one that is not theirs.
func TestAnotherThingIsNotTheOneWanted(t *testing.T) {
	t.Parallel()
	first := func(seed uint64, things ...any) Decision {
		return New(plain, ParseTask("Book a physiotherapy appointment", nil), seed, Tuning{}).Step(pageOf(things...), Effect{})
	}
	dental, skin := a("Book Dental check-up", "/dental"), a("Book Skin check", "/skin")
	for seed := range uint64(20) {
		if d := first(seed, dental, skin); d.Scent >= relevant || strings.Contains(d.Thought, "looks right") {
			t.Errorf("seed %d: %.2f for %s: %s", seed, d.Scent, d.Target.Name, d.Thought)
		}
		if d := first(seed, dental, a("Book Physiotherapy", "/physio"), skin); d.Target == nil || d.Target.Name != "Book Physiotherapy" {
			t.Errorf("seed %d: the right one is there: %+v", seed, d)
		}
		if d := first(seed, a("Book online", "/book"), a("Our team", "/team")); d.Scent < relevant {
			t.Errorf("seed %d: the only one of its kind promises %.2f", seed, d.Scent)
		}
	}
}
