package mind

import (
	"slices"
	"strings"
	"testing"

	"understudy/domain/persona"
)

// These are the mistakes that walks on real pages showed.

func TestTasksAreReadForWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"Order a Tidepool Mug and have it sent to your home":             "buy tidepool mug",
		"Find out how many days you have to return something you bought": "day return",
		"Send the shop a message asking about a broken plate":            "contact broken plate",
		"Tell the authors that the installation page was helpful":        "comment installation helpful",
		"Find out how to make a backup every night":                      "backup night",
		"Find out what exit code 3 means":                                "exit code 3",
		"Find out when the clinic is open on Saturday":                   "clinic hour saturday",
	} {
		s := ParseTask(task, nil).Subgoals[0]
		if got := strings.TrimSpace(s.Verb + " " + strings.Join(s.Object, " ")); got != want {
			t.Errorf("%q is about %q, want %q", task, got, want)
		}
	}
	g := ParseTask("Log in as demo@tidewater.example with the password tideline-demo", nil)
	if len(g.Values) != 2 || g.Values[1].Text != "tideline-demo" {
		t.Errorf("bare values are not taken: %+v", g.Values)
	}
}

func TestSearchesForTheThing(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Order a Tidepool Mug and have it sent to your home", nil), 1, Tuning{})
	if first, second := m.searchWords(0), m.searchWords(1); first != "tidepool mug" || second != "mug" {
		t.Errorf("searches for %q, then %q", first, second)
	}
}

func TestAFormThatStillAsksIsNoSuccess(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Tidepool Mug"), btn("Add to basket"))
	required := Element{Role: "textbox", Name: "Full name", Required: true, Form: 1}
	for name, texts := range map[string][]any{
		"a noun of the goal":       {heading1("Checkout"), Text{Text: "Your order", Kind: "heading", Level: 2}, required},
		"words of what is to come": {heading1("Checkout"), Text{Text: "Your order is confirmed by email once you have paid for the mug"}, required},
	} {
		got := judge("Order a Tidepool Mug", SuccessConditions{}, start, func(p *Page) Effect {
			*p = pageOf(texts...)
			p.URL = "https://example.com/checkout"
			return Effect{Navigated: true, URL: p.URL}
		})
		if got.Status == Verified {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := judge("Order a Tidepool Mug", SuccessConditions{}, start, func(p *Page) Effect {
		*p = pageOf(heading1("Thank you for your order"))
		p.URL = "https://example.com/done"
		return Effect{Navigated: true, URL: p.URL, Requests: post}
	})
	if got.Status != Verified {
		t.Errorf("a placed order: %+v", got)
	}
}

func TestSuccessOfAnotherDeedDoesNotCount(t *testing.T) {
	t.Parallel()
	thanks := func(texts ...any) func(*Page) Effect {
		return func(p *Page) Effect {
			*p = pageOf(texts...)
			p.URL = "https://example.com/done"
			return Effect{Navigated: true, URL: p.URL, Requests: post}
		}
	}
	for _, c := range []struct {
		task  string
		start Page
		look  func(*Page) Effect
	}{
		{"Order a Tidepool Mug", pageOf(heading1("Contact us")), thanks(heading1("Thank you, we have your message"))},
		{"Log in", pageOf(heading1("Create your account")), thanks(heading1("Welcome aboard"))},
		{"Send the shop a message about a plate", pageOf(heading1("Checkout")), thanks(heading1("Thank you for your order"))},
		{"Put a vase into your basket", pageOf(heading1("Tidepool Mug"), Text{Text: "Vases", Kind: "heading", Level: 2}), thanks(heading1("Your basket"), Text{Text: "Tidepool Mug was added to your basket.", Kind: "status"})},
	} {
		if got := judge(c.task, SuccessConditions{}, c.start, c.look); got.Status == Verified {
			t.Errorf("%s: %+v", c.task, got)
		}
	}
}

func TestResultsOfASearchAreNoAnswer(t *testing.T) {
	t.Parallel()
	page := pageOf(heading1("Search: restore deleted file"), Text{Text: "2 pages hold these words."})
	page.URL = "https://example.com/search?q=restore+deleted+file"
	got := judge("Find out how to restore a deleted file", SuccessConditions{}, pageOf(heading1("Documentation")), func(p *Page) Effect {
		*p = page
		return Effect{Navigated: true, URL: p.URL}
	})
	if got.Status == Verified {
		t.Errorf("the seeker's own words count as the answer: %+v", got)
	}
}

func TestCardsSideBySideStayApart(t *testing.T) {
	t.Parallel()
	page := pageOf(Text{Text: "Plans and prices", Kind: "heading", Level: 1},
		Text{Text: "Cove", Kind: "heading", Level: 2, Region: 1}, Text{Text: "Harbour", Kind: "heading", Level: 2, Region: 2},
		Text{Text: "£9 a month", Region: 1}, Text{Text: "£24 a month", Region: 2})
	page.Regions = []Region{{Kind: "main", Heading: "Plans and prices"}, {Kind: "heading", Heading: "Cove"}, {Kind: "heading", Heading: "Harbour"}}
	answered := func(task string) Completion {
		return judge(task, SuccessConditions{}, pageOf(heading1("Start")), func(p *Page) Effect {
			*p = page
			return Effect{Navigated: true}
		})
	}
	if got := answered("Find out what the Harbour plan costs per month"); got.Status != Verified {
		t.Errorf("the price of a card: %+v", got)
	}
	if got := answered("Find out what the Ocean plan costs per month"); got.Status == Verified {
		t.Errorf("the price of a card that is not there: %+v", got)
	}
}

func TestPressesOnInTheBasket(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Order a Tidepool Mug", nil), 1, Tuning{})
	product := pageOf(heading1("Tidepool Mug"), Element{Role: "spinbutton", Name: "Quantity", Value: "1", Form: 1},
		Element{Role: "button", Name: "Add to basket", Submit: true, Form: 1})
	product.URL = "https://example.com/p/tidepool-mug"
	if d := m.Step(product, Effect{}); d.Target == nil || d.Target.Name != "Add to basket" {
		t.Fatalf("on the product's page: %+v", d)
	}
	basket := pageOf(heading1("Your basket"), a("Tidepool Mug", "https://example.com/p/tidepool-mug"),
		Element{Role: "spinbutton", Name: "Quantity", Value: "1", Form: 1}, Element{Role: "button", Name: "Update", Submit: true, Form: 1},
		a("Go to checkout", "https://example.com/checkout"))
	basket.URL = "https://example.com/basket"
	d := m.Step(basket, Effect{Navigated: true, URL: basket.URL, Requests: []Request{{Method: "POST", URL: "https://example.com/basket/add", Status: 303, Kind: "document"}}})
	if d.Target == nil || d.Target.Name != "Go to checkout" {
		t.Errorf("in the basket: %s: %s", d.Action.Type, d.Thought)
	}
}

// pageAt is a page of example.com at a path.
func pageAt(path string, things ...any) Page {
	return at(pageOf(things...), "https://example.com"+path)
}

// TestAWrongTurnIsTakenBack: who has something in the basket and lands on
// another page goes back to it rather than searching for the thing again.
func TestAWrongTurnIsTakenBack(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Order a Tidepool Mug", nil), 1, Tuning{})
	m.Step(pageAt("/p/tidepool-mug", heading1("Tidepool Mug"), Element{Role: "spinbutton", Name: "Quantity", Value: "1", Form: 1},
		Element{Role: "button", Name: "Add to basket", Submit: true, Form: 1}), Effect{})
	m.Step(pageAt("/basket", heading1("Your basket"), a("Go to checkout", "https://example.com/returns"), a("Go to checkout now", "https://example.com/checkout")),
		Effect{Navigated: true, Requests: []Request{{Method: "POST", URL: "https://example.com/basket/add", Status: 303, Kind: "document"}}})
	search := []any{Element{Role: "searchbox", Name: "Search the shop", Form: 2}, Element{Role: "button", Name: "Search", Submit: true, Form: 2}}
	returns := pageAt("/returns", append([]any{heading1("Returns and refunds"), Element{Role: "link", Name: "Mugs and cups", Href: "https://example.com/c/mugs", Region: 1}, Text{Text: "Send it back within 30 days."}}, search...)...)
	returns.Regions = []Region{{Kind: "main"}, {Kind: "navigation"}}
	returns.Viewport, returns.Height = Size{Width: 1280, Height: 800}, 1200
	d := m.Step(returns, Effect{Navigated: true})
	if d.Action.Type == Scroll {
		returns.ScrollY = 400
		d = m.Step(returns, Effect{Scrolled: true})
	}
	if d.Action.Type != Back {
		t.Errorf("on the wrong page: %s: %s", d.Action.Type, d.Thought)
	}
}

// TestLooksAgainWhereSomethingIsNow: a cart that was empty is gone to once
// something was put into it.
func TestLooksAgainWhereSomethingIsNow(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Order a Tidepool Mug", nil), 1, Tuning{})
	order := a("Order", "https://example.com/order")
	home := pageAt("/", heading1("Mugs and more"), order, a("Tidepool Mug", "https://example.com/p/tidepool-mug"))
	if d := m.Step(home, Effect{}); d.Target == nil {
		t.Fatalf("at the start: %s: %s", d.Action.Type, d.Thought)
	}
	m.links["https://example.com/order"] = true // looked into while it was empty
	product := pageAt("/p/tidepool-mug", heading1("Tidepool Mug"), Element{Role: "spinbutton", Name: "Quantity", Value: "1", Form: 1},
		Element{Role: "button", Name: "Add to order", Submit: true, Form: 1})
	if d := m.Step(product, Effect{Navigated: true, URL: product.URL}); d.Target == nil || d.Target.Name != "Add to order" {
		t.Fatalf("on the product's page: %s: %s", d.Action.Type, d.Thought)
	}
	added := pageAt("/p/tidepool-mug?said=added", heading1("Tidepool Mug"), a("See your order", "https://example.com/order"), Element{Role: "button", Name: "Care and washing", Expanded: "false"},
		Element{Role: "spinbutton", Name: "Quantity", Value: "1", Form: 1}, Element{Role: "button", Name: "Add to order", Submit: true, Form: 1})
	d := m.Step(added, Effect{Navigated: true, URL: added.URL, Requests: []Request{{Method: "POST", URL: "https://example.com/order/add", Status: 303, Kind: "document"}}})
	if d.Target == nil || d.Target.Name != "See your order" {
		t.Errorf("with something in it: %s: %s", d.Action.Type, d.Thought)
	}
}

func TestAFormHandedBackIsNoBrokenPage(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	form := pageOf(heading1("Sign up"), Element{Role: "textbox", Name: "Email", Required: true, Form: 1, Value: "x@example.com"}, Element{Role: "button", Name: "Sign up", Submit: true, Form: 1})
	m.Step(form, Effect{})
	again := form
	again.Status = 422
	again.Elements = slices.Clone(form.Elements)
	again.Elements[0].Error, again.Elements[0].Value = "This address is not valid", ""
	if d := m.Step(again, Effect{Navigated: true, Status: 422}); d.Action.Type != Type {
		t.Errorf("the form that came back is not corrected: %s: %s", d.Action.Type, d.Thought)
	}
}

func TestAnOfferThatComesUnaskedIsNotTheGoal(t *testing.T) {
	t.Parallel()
	page := pageOf(Text{Text: "Ten per cent off", Kind: "heading", Level: 2, InDialog: true},
		Element{Role: "textbox", InputType: "email", Name: "Email", Form: 1, InDialog: true}, Element{Role: "button", Name: "Join the list", Form: 1, InDialog: true},
		Element{Role: "button", Name: "Close", InDialog: true}, Element{Role: "link", Name: "Sign up", Href: "/join", CoveredBy: "dialog"})
	if d := firstStep(t, plain, "Sign up for a free trial", page); d.Purpose != Dismiss || d.Target == nil || d.Target.Name != "Close" {
		t.Errorf("%s: %s", d.Action.Type, d.Thought)
	}
}

func TestMostClickAStrongMatchAtOnce(t *testing.T) {
	t.Parallel()
	page := pageOf(heading1("Pots"), a("Tidepool Mug", "/p/mug"), a("Journal", "/journal"), 900.0, a("Vases", "/c/vases"))
	at := 0
	people := persona.AutoDiverse(5, 40)
	for i, who := range people {
		if d := New(who, ParseTask("Order a Tidepool Mug", nil), uint64(i), Tuning{}).Step(page, Effect{}); d.Action.Type == Click && d.Target.Name == "Tidepool Mug" {
			at++
		}
	}
	if at < 30 {
		t.Errorf("%d of %d click what is right there", at, len(people))
	}
}

func TestReadsTheWordsByAFieldWithoutALabel(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	form := pageOf(heading1("Create your account"), Text{Text: "Work email"}, Element{Role: "textbox", Form: 1},
		Element{Role: "textbox", InputType: "password", Name: "Password", Required: true, Form: 1}, Element{Role: "button", Name: "Create account", Submit: true, Form: 1})
	if d := m.Step(form, Effect{}); d.Action.Type != Type || !strings.Contains(d.Action.Text, "@") {
		t.Errorf("%s %q: %s", d.Action.Type, d.Action.Text, d.Thought)
	}
}

func TestFillsInAgainWhatCameBackEmpty(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	form := pageOf(heading1("Create your account"), Element{Role: "textbox", InputType: "password", Name: "Password", Required: true, Form: 1},
		Element{Role: "checkbox", Name: "I agree to the terms", Form: 1}, Element{Role: "button", Name: "Create account", Submit: true, Form: 1})
	filled := form
	filled.Elements = slices.Clone(form.Elements)
	filled.Elements[0].Value, filled.Elements[1].Checked = "set", true
	m.Step(form, Effect{})
	m.Step(form, Effect{Mutated: true})
	if d := m.Step(filled, Effect{Mutated: true}); d.Purpose != Submit {
		t.Fatalf("not sent: %s: %s", d.Action.Type, d.Thought)
	}
	back := form
	back.Status = 422
	back.Elements = slices.Clone(form.Elements)
	back.Elements[0].Error = "Choose a password"
	var did []string
	eff := Effect{Navigated: true, Status: 422}
	for range 3 {
		d := m.Step(back, eff)
		eff = Effect{Mutated: true}
		if d.Target != nil {
			did = append(did, d.Target.Name)
		}
	}
	if !slices.Contains(did, "Password") || !slices.Contains(did, "I agree to the terms") {
		t.Errorf("after the form came back: %v", did)
	}
}

func TestWordsInPassingAreNoSuccess(t *testing.T) {
	t.Parallel()
	got := judge("Log in", SuccessConditions{}, pageOf(heading1("Start")), func(p *Page) Effect {
		*p = pageOf(heading1("Privacy policy"), Text{Text: "We use one cookie, which keeps you logged in."})
		p.URL = "https://example.com/privacy"
		return Effect{Navigated: true, URL: p.URL}
	})
	if got.Status == Verified {
		t.Errorf("%+v", got)
	}
}

// TestLooksThroughThePageOfTheThing: what is to be done with a page is done at
// its end; it is not left at first sight for a link that promises as little.
func TestLooksThroughThePageOfTheThing(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Tell the authors that the installation page was helpful", nil), 1, Tuning{})
	home := pageOf(heading1("Documentation"), a("Install it", "https://example.com/install"), a("Questions and answers", "https://example.com/faq"))
	m.Step(home, Effect{})
	page := pageOf(heading1("Install it"), a("Install it", "https://example.com/install"), a("Questions and answers", "https://example.com/faq"))
	page.URL, page.Height = "https://example.com/install", 2400
	if d := m.Step(page, Effect{Navigated: true, URL: page.URL}); d.Action.Type != Scroll {
		t.Errorf("on the page of the thing: %s: %s", d.Action.Type, d.Thought)
	}
}

// TestADialogOnAnotherPageComesUnasked: who followed a link wanted the page.
func TestADialogOnAnotherPageComesUnasked(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Find out when the swimming pool reopens", nil), 1, Tuning{})
	list := pageOf(heading1("News"), a("Swimming pool reopens soon", "https://example.com/pool"))
	if d := m.Step(list, Effect{}); d.Target == nil {
		t.Fatalf("on the list: %s: %s", d.Action.Type, d.Thought)
	}
	story := pageOf(heading1("Swimming pool repairs enter their last weeks"), Text{Text: "Never miss a letter", Kind: "heading", Level: 2, InViewport: true, InDialog: true},
		Element{Role: "textbox", Name: "Your email", InputType: "email", InDialog: true, Form: 1}, Element{Role: "button", Name: "Join now", InDialog: true, Form: 1},
		Element{Role: "button", Name: "No, thank you", InDialog: true, Form: 1})
	story.URL = "https://example.com/pool"
	if d := m.Step(story, Effect{Navigated: true, URL: story.URL}); d.Target == nil || d.Target.Name != "No, thank you" {
		t.Errorf("under the dialog: %s: %s", d.Action.Type, d.Thought)
	}
}

// TestWhoIsInTheManualLooksForNoOther: where instructions are kept promises less
// to those who are there, and a question with "support" in it is no support.
func TestWhoIsInTheManualLooksForNoOther(t *testing.T) {
	t.Parallel()
	goal := ParseTask("Find out how to switch on write-ahead logging", nil)
	if p := goal.Promise(0, "Documentation"); p < 0.4 {
		t.Errorf("the manual promises %.2f", p)
	}
	if p := goal.Promise(0, "Does it support dates?"); p > 0.2 {
		t.Errorf("a question about dates promises %.2f", p)
	}
	m := New(plain, goal, 1, Tuning{})
	first := m.similar(m.subgoal(), "User manual")
	m.hubs++
	if then := m.similar(m.subgoal(), "User manual"); then >= first {
		t.Errorf("a second manual promises %.2f after %.2f", then, first)
	}
}
