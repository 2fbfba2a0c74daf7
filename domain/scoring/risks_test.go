package scoring

import (
	"slices"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// saying is a page with a paragraph.
func saying(url, words string) walk.Page {
	p := look(url)
	p.Texts = append(p.Texts, walk.Text{Text: words, Kind: "paragraph"})
	return p
}

func met(what string, steps ...walk.StepRecord) map[TrustRisk]RiskMet {
	w := walk.NewWalk(task.Parse(what, nil), persona.Persona{})
	for _, s := range steps {
		w.Record(s.Page, s.Decision, s.Effect)
	}
	out := map[TrustRisk]RiskMet{}
	for _, r := range RisksMet(w.Result(walk.Completion{Status: walk.Verified, SubgoalsDone: 1, SubgoalsTotal: 1})) {
		out[r.Kind] = r
	}
	return out
}

func TestAFeeIsLateWhereNoPageBeforeHasNamedIt(t *testing.T) {
	t.Parallel()
	nav := walk.Effect{Navigated: true, Mutated: true}
	sent := walk.Effect{Navigated: true, Mutated: true, Requests: []walk.Request{{Method: "POST", URL: "https://example.com/join", Status: 303, Kind: "document"}}}
	going := func(first, middle, last string) map[TrustRisk]RiskMet {
		return met("Sign up",
			move(saying("/", first), walk.Navigate, walk.Click, 4000, nav),
			move(saying("/plans", middle), walk.Submit, walk.Click, 4000, sent),
			move(saying("/join", last), walk.Submit, walk.Click, 4000, sent),
			move(look("/welcome"), walk.Finish, walk.Done, 1000, walk.Effect{}))
	}
	for _, c := range []struct {
		name, first, middle, last string
		late                      bool
	}{
		{"a fee at the last form", "", "", "Service charge: £7.95 is added.", true},
		{"another fee was named before", "Delivery fee £3", "", "Service charge: £7.95 is added.", true},
		{"the same fee was named before", "A service charge of £5 and more is added.", "", "Service charge: £7.95 is added.", false},
		{"the same sum was named before", "Fees: £7.95", "", "Service charge: £7.95 is added.", false},
		{"a fee on the way", "", "Service charge: £7.95 is added.", "", false},
		{"a fee that is none", "", "", "There is no booking fee, unlike for £9 elsewhere.", false},
	} {
		if r, late := going(c.first, c.middle, c.last)[LateCost]; late != c.late {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestSensitiveDataIsOfUseInPersonalMatters(t *testing.T) {
	t.Parallel()
	page := look("/apply")
	for task, needless := range map[string]bool{
		"Apply for a resident parking permit": true, "Apply for housing benefit": false, "Apply for a driving licence": false, "Buy a red mug": true,
	} {
		step := move(page, walk.Fill, walk.Type, 4000, walk.Effect{Mutated: true})
		step.Decision.Target = &walk.Element{Role: "textbox", Name: "National Insurance number", Selector: "#nino", Required: true}
		if r, found := met(task, step)[SensitiveField]; found != needless {
			t.Errorf("%s: %+v", task, r)
		}
	}
}

// TestEachNeedlessFieldIsMet: radio buttons ask by their question.
func TestEachNeedlessFieldIsMet(t *testing.T) {
	t.Parallel()
	page, w := look("/basket"), walk.NewWalk(task.Parse("Buy a red mug", nil), persona.Persona{})
	for _, e := range []walk.Element{
		{Role: "textbox", Name: "National Insurance number", Selector: "#nino"},
		{Role: "radio", Name: "Single", Group: "Marital status", Selector: "#single"},
		{Role: "textbox", Name: "Passport number", Selector: "#passport"},
		{Role: "textbox", Name: "Street", Selector: "#street"},
	} {
		step := move(page, walk.Fill, walk.Type, 4000, walk.Effect{Mutated: true})
		step.Decision.Target = &e
		w.Record(step.Page, step.Decision, step.Effect)
	}
	var got []string
	for _, r := range RisksMet(w.Result(walk.Completion{})) {
		if r.Kind == SensitiveField {
			got = append(got, r.Element.Selector)
		}
	}
	if !slices.Equal(got, []string{"#nino", "#single", "#passport"}) {
		t.Errorf("needless: %v", got)
	}
}

func TestAnIdentityDocumentIsOfUseForABooking(t *testing.T) {
	t.Parallel()
	step := move(look("/book"), walk.Fill, walk.Type, 4000, walk.Effect{Mutated: true})
	step.Decision.Target = &walk.Element{Role: "textbox", Name: "Passport number", Selector: "#passport"}
	if r, found := met("Book a flight to Lisbon", step)[SensitiveField]; found {
		t.Errorf("%+v", r)
	}
}

func TestAnAccountIsDemandedByThePageAndNotByItsHeader(t *testing.T) {
	t.Parallel()
	password := walk.Element{Role: "textbox", InputType: "password", Name: "Password", Selector: "#pw", Region: 0}
	in := func(region string) walk.Page {
		p := look("/checkout")
		p.Regions, p.Elements = []walk.Region{{Kind: region}}, []walk.Element{password}
		return p
	}
	away := move(in("main"), walk.Navigate, walk.Click, 1000, walk.Effect{Navigated: true})
	away.Decision.Target = &walk.Element{Role: "link", Name: "Contact us", Selector: "#contact"}
	if _, found := met("Buy a red mug", move(look("/"), walk.Navigate, walk.Click, 4000, walk.Effect{Navigated: true, Mutated: true}), away)[ForcedAccount]; !found {
		t.Error("who goes elsewhere from it has met it too")
	}
	for region, demanded := range map[string]bool{"main": true, "banner": false, "complementary": false} {
		for _, inputs := range [][]string{nil, {"postcode"}, {"password"}} {
			w := walk.NewWalk(task.Parse("Buy a red mug", inputs), persona.Persona{})
			for _, s := range []walk.StepRecord{
				move(look("/"), walk.Navigate, walk.Click, 4000, walk.Effect{Navigated: true, Mutated: true}), move(in(region), walk.Return, walk.Back, 1000, walk.Effect{Navigated: true}),
			} {
				w.Record(s.Page, s.Decision, s.Effect)
			}
			want := demanded && (len(inputs) == 0 || inputs[0] != "password")
			if got := slices.Contains(risks(w.Result(walk.Completion{})), ForcedAccount); got != want {
				t.Errorf("%s, inputs %v: %t", region, inputs, got)
			}
		}
	}
}
