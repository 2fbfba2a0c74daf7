package mind

import (
	"slices"
	"testing"
)

// after gives the look that follows an act.
func after(page Page, eff Effect) func(*Page) Effect {
	return func(p *Page) Effect {
		url := p.URL
		*p = page
		if p.URL == "" || p.URL == url {
			p.URL = url
		}
		return eff
	}
}

func at(page Page, url string) Page {
	page.URL = url
	return page
}

func TestOracleOnWhatDeedsLeaveBehind(t *testing.T) {
	t.Parallel()
	toggle := func(name string, on bool) Element {
		return Element{Role: "switch", Name: name, Checked: on, Selector: "#" + name}
	}
	taken := Effect{Navigated: true, Requests: post}
	quiet := Effect{Mutated: true}
	opened := Effect{Navigated: true}
	status := func(s string) Text { return Text{Text: s, Kind: "status"} }
	for _, c := range []struct {
		name, task string
		start      Page
		looks      []func(*Page) Effect
		verified   bool
	}{
		{"a switch that is off now", "Turn off marketing emails", pageOf(heading1("Notifications"), toggle("Marketing emails", true)),
			[]func(*Page) Effect{after(pageOf(heading1("Notifications"), toggle("Marketing emails", false)), quiet)}, true},
		{"a switch that is on now", "Turn off marketing emails", pageOf(heading1("Notifications"), toggle("Marketing emails", false)),
			[]func(*Page) Effect{after(pageOf(heading1("Notifications"), toggle("Marketing emails", true)), quiet)}, false},
		{"a choice in a form that was not sent", "Subscribe to the weekly newsletter",
			pageOf(heading1("Newsletters"), Element{Role: "radio", Name: "Weekly newsletter", Selector: "#w", Form: 1}, Element{Role: "textbox", Name: "Email address", InputType: "email", Form: 1}),
			[]func(*Page) Effect{after(pageOf(heading1("Newsletters"), Element{Role: "radio", Name: "Weekly newsletter", Selector: "#w", Form: 1, Checked: true}, Element{Role: "textbox", Name: "Email address", InputType: "email", Form: 1}), quiet)}, false},
		{"another switch", "Turn off marketing emails", pageOf(heading1("Notifications"), toggle("Security alerts", true)),
			[]func(*Page) Effect{after(pageOf(heading1("Notifications"), toggle("Security alerts", false)), quiet)}, false},
		{"a switch among others of its page", "Turn off the notifications about offers", pageOf(heading1("Notifications"), toggle("Orders", true), toggle("Offers and news", true)),
			[]func(*Page) Effect{after(pageOf(heading1("Notifications"), toggle("Orders", true), toggle("Offers and news", false)), quiet)}, true},
		{"the switch beside it", "Turn off the notifications about offers", pageOf(heading1("Notifications"), toggle("Orders", true), toggle("Offers and news", true)),
			[]func(*Page) Effect{after(pageOf(heading1("Notifications"), toggle("Orders", false), toggle("Offers and news", true)), quiet)}, false},
		{"something else was saved", "Turn off the notifications about offers", pageOf(heading1("Rye bread"), btn("Save")),
			[]func(*Page) Effect{after(pageOf(heading1("Rye bread"), status("Saved to your favourites")), Effect{Mutated: true, Requests: post})}, false},
		{"a card that can be unfrozen", "Freeze your debit card", pageOf(heading1("Debit card"), btn("Freeze card")),
			[]func(*Page) Effect{after(pageOf(heading1("Debit card"), btn("Unfreeze card")), Effect{Mutated: true, Requests: []Request{{Method: "POST", URL: "https://example.com/api/freeze", Status: 200, Kind: "fetch"}}})}, true},
		{"a payment that is on its way", "Send £50 to Ines Calder", pageOf(heading1("Check the details"), btn("Confirm")),
			[]func(*Page) Effect{after(at(pageOf(heading1("£50.00 is on its way to Ines Calder")), "https://example.com/done"), taken)}, true},
		{"a payment of another amount", "Send £50 to Ines Calder", pageOf(heading1("Check the details"), btn("Confirm")),
			[]func(*Page) Effect{after(at(pageOf(heading1("£5.00 is on its way to Ines Calder")), "https://example.com/done"), taken)}, false},
		{"a page to check the answers", "Apply for a parking permit", pageOf(heading1("Your details")),
			[]func(*Page) Effect{after(at(pageOf(heading1("Check your answers"), Text{Text: "A confirmation of your parking permit application will be sent to you."}, btn("Accept and send")), "https://example.com/check"), taken)}, false},
		{"an application with its number", "Apply for a parking permit", pageOf(heading1("Check your answers")),
			[]func(*Page) Effect{after(at(pageOf(heading1("Application complete"), Text{Text: "Your reference number is HDJ2123F."}), "https://example.com/complete"), taken)}, true},
		{"a page that was only opened", "Freeze your debit card", pageOf(heading1("Cards")),
			[]func(*Page) Effect{after(at(pageOf(heading1("How a frozen card works"), Text{Text: "A debit card that is frozen is refused."}), "https://example.com/help"), opened)}, false},
		{"a transaction of the past", "Transfer £20 to Ines Calder", pageOf(heading1("Accounts")),
			[]func(*Page) Effect{after(at(pageOf(heading1("Account"), Text{Text: "Payment, thank you", Kind: "cell"}), "https://example.com/account"), taken)}, false},
		{"a toast", "Save the article about seals", pageOf(heading1("Seals in the harbour"), btn("Save")),
			[]func(*Page) Effect{after(pageOf(heading1("Seals in the harbour"), btn("Saved"), status("Saved to your list")), quiet)}, true},
		{"a message box of the browser", "Send a message about a plate", pageOf(heading1("Contact")),
			[]func(*Page) Effect{after(pageOf(heading1("Contact")), Effect{Mutated: true, Dialogs: []string{"alert: Your message has been sent"}, Requests: post})}, true},
		{"a download", "Download the March statement", pageOf(heading1("Statements")),
			[]func(*Page) Effect{after(pageOf(heading1("Statements")), Effect{Download: true})}, true},
		{"an item that is on the list now", "Add oat milk to the shopping list", pageOf(heading1("Shopping list")),
			[]func(*Page) Effect{after(pageOf(heading1("Shopping list"), Text{Text: "Oat milk", Kind: "item"}), Effect{Mutated: true, Requests: post})}, true},
		{"a list that is sorted", "Sort the recipes by the quickest", pageOf(heading1("Recipes"), Element{Role: "combobox", Name: "Sort recipes by", Value: "Newest", Selector: "#s"}),
			[]func(*Page) Effect{after(pageOf(heading1("Recipes"), Element{Role: "combobox", Name: "Sort recipes by", Value: "Quickest", Selector: "#s"}), quiet)}, true},
		{"no password asked any more", "Log in as ada@example.org with the password secret-1", pageOf(heading1("Log in"), Element{Role: "textbox", InputType: "password", Name: "Password"}),
			[]func(*Page) Effect{after(pageOf(heading1("Log in"), Element{Role: "textbox", InputType: "password", Name: "Password"}), quiet), after(at(pageOf(heading1("Good to see you")), "https://example.com/home"), taken)}, true},
	} {
		c.start.URL = "https://example.com/"
		if got := judge(c.task, SuccessConditions{}, c.start, c.looks...); (got.Status == Verified) != c.verified {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestAnswersStandBesideWhatIsAsked(t *testing.T) {
	t.Parallel()
	cell := func(s string, row int) Text {
		return Text{Text: s, Kind: "cell", Box: Box{Y: float64(100 + 40*row), H: 20, W: 80}, InViewport: true, FontSize: 16}
	}
	p := func(s string) Text { return Text{Text: s} }
	for _, c := range []struct {
		name, task string
		page       Page
		verified   bool
	}{
		{"the price in a choice", "Find out what a dental check-up costs", pageOf(heading1("What do you need?"), Element{Role: "radio", Name: "Dental check-up £42, 30 minutes", InViewport: true}), true},
		{"another choice's price", "Find out what a dental check-up costs", pageOf(heading1("What do you need?"), Element{Role: "radio", Name: "Physiotherapy £60", InViewport: true}, Element{Role: "radio", Name: "Dental check-up", InViewport: true}), false},
		{"only the heading", "Look up what exit code 3 means", pageOf(heading1("Exit codes"), Text{Text: "Exit code 3", Kind: "heading", Level: 2}), false},
		{"another number", "Look up what exit code 3 means", pageOf(heading1("Exit codes"), p("2 The repository does not exist")), false},
		{"the row of a table", "Find out the interest rate of the savings account", pageOf(heading1("Rates"), cell("Savings account", 0), cell("4.15%", 0), cell("Credit card", 1), cell("34.9%", 1)), true},
		{"the row of something else", "Find out the interest rate of the savings account", pageOf(heading1("Interest rates"), cell("Credit card", 1), cell("34.9%", 1)), false},
		{"the date of the article", "Find out when the swimming pool reopens", pageOf(heading1("Swimming pool repairs in their last weeks"), p("By Tom Irving, 29 April 2026"), p("The tiles are nearly done and the water will be let in soon after that.")), false},
		{"the date that is asked for", "Find out when the swimming pool reopens", pageOf(heading1("Swimming pool repairs in their last weeks"), p("The pool opens again on Saturday 6 June at seven.")), true},
		{"where it can be found out", "Find out on which day the rubbish is collected", pageOf(heading1("Rubbish"), p("See on which day your rubbish is collected.")), false},
		{"on which day", "Find out on which day the rubbish is collected", pageOf(heading1("Your bins"), Text{Text: "Collections at LA9 4AB", Kind: "heading", Level: 2}, cell("Rubbish", 0), cell("Thursday 7 May", 0)), true},
		{"yes or no", "Find out whether dogs are allowed on the beach", pageOf(heading1("The beach"), p("Dogs are allowed on the beach from October to April.")), true},
		{"how many", "Find out how many books you can borrow", pageOf(heading1("Library card"), p("You can borrow up to twelve books at a time.")), true},
	} {
		for i := range c.page.Texts {
			c.page.Texts[i].InViewport = true
		}
		got := judge(c.task, SuccessConditions{}, pageOf(heading1("Start")), func(page *Page) Effect {
			*page = c.page
			page.URL = "https://example.com/x"
			return Effect{Navigated: true}
		})
		if (got.Status == Verified) != c.verified {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestDetailsOfTheSentence(t *testing.T) {
	t.Parallel()
	for task, want := range map[string][]Value{
		"Send £50 to Ines Calder":                                 {{Kind: ValueAmount, Text: "50"}, {Kind: ValueRecipient, Text: "Ines Calder"}},
		"Book a table for two for tomorrow morning":               {{Kind: ValueDate, Text: "tomorrow morning"}, {Kind: ValueQuantity, Text: "2"}},
		"Apply for a permit for the car LK19 XYZ at LA9 4AB":      {{Kind: ValueRegistration, Text: "LK19 XYZ"}, {Kind: ValuePostcode, Text: "LA9 4AB"}},
		"Check your application with the reference PR-10234":      {{Kind: ValueReference, Text: "PR-10234"}},
		"Move the appointment to 3 August 2027 at 10:30":          {{Kind: ValueDate, Text: "3 august 2027"}, {Kind: ValueTime, Text: "10:30"}},
		"Change the language to German":                           {{Kind: ValueTo, Text: "German"}},
		"Transfer £1,200.50 from savings to your current account": {{Kind: ValueAmount, Text: "1200.50"}, {Kind: ValueFrom, Text: "savings"}, {Kind: ValueTo, Text: "current"}},
		"Look up what exit code 3 means":                          nil,
		"Read today's news":                                       nil,
		"Buy two mugs":                                            {{Kind: ValueQuantity, Text: "2"}},
		"Find out when the clinic is open on Saturday":            {{Kind: ValueDate, Text: "saturday"}},
	} {
		g := ParseTask(task, nil)
		for _, w := range want {
			if !slices.ContainsFunc(g.Values, func(v Value) bool { return v.Kind == w.Kind && v.Text == w.Text }) {
				t.Errorf("%s: no %+v among %+v", task, w, g.Values)
			}
		}
		if len(want) == 0 && len(g.Values) > 0 {
			t.Errorf("%s: %+v", task, g.Values)
		}
	}
}
