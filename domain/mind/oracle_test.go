package mind

import "testing"

func judge(task string, c SuccessConditions, start Page, looks ...func(*Page) Effect) Completion {
	o := NewOracle(ParseTask(task, nil), c, start)
	o.Observe(start, Effect{})
	for _, l := range looks {
		p := start
		eff := l(&p)
		o.Observe(p, eff)
	}
	return o.Verdict()
}

func heading1(s string) Text { return Text{Text: s, Kind: "heading", Level: 1} }

var post = []Request{{Method: "POST", URL: "https://example.com/join", Status: 303, Kind: "document"}}

func TestOracleOnActs(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Welcome to Example"), Text{Text: "Thank you for visiting"}, a("Sign up", "/join"))
	thanks := func(requests []Request) func(*Page) Effect {
		return func(p *Page) Effect {
			*p = pageOf(heading1("Thank you"), Text{Text: "Your account has been created."})
			p.URL = "https://example.com/x"
			return Effect{Navigated: true, URL: p.URL, Requests: requests}
		}
	}
	cases := []struct {
		name   string
		looks  []func(*Page) Effect
		status string
	}{
		{"nothing happened", nil, NotReached},
		{"words that were there before", []func(*Page) Effect{func(*Page) Effect { return Effect{Mutated: true} }}, NotReached},
		{"words and an accepted request", []func(*Page) Effect{thanks(post)}, Verified},
		{"words with the goal's own", []func(*Page) Effect{func(p *Page) Effect {
			*p = pageOf(heading1("Success"), Text{Text: "Thank you for signing up."})
			return Effect{Mutated: true}
		}}, Verified},
		{"a request alone", []func(*Page) Effect{func(p *Page) Effect {
			return Effect{Mutated: true, Requests: post}
		}}, NotReached},
		{"a refused request", []func(*Page) Effect{func(p *Page) Effect {
			*p = pageOf(heading1("Sign up"), Text{Text: "Something went wrong, try again", Kind: "alert"}, Text{Text: "Thank you for your patience"})
			return Effect{Mutated: true, Requests: []Request{{Method: "POST", URL: "https://example.com/join", Status: 500, Kind: "fetch"}}}
		}}, NotReached},
		{"thanks on a page with validation errors", []func(*Page) Effect{func(p *Page) Effect {
			*p = pageOf(heading1("Thank you for your interest"), Element{Role: "textbox", Name: "Email", Error: "Please enter an address"})
			return Effect{Navigated: true, Requests: post}
		}}, NotReached},
		{"thanks on an error page", []func(*Page) Effect{func(p *Page) Effect {
			eff := thanks(post)(p)
			p.Status = 500
			return eff
		}}, NotReached},
		{"analytics do not count", []func(*Page) Effect{func(p *Page) Effect {
			*p = pageOf(heading1("Our prices"), Text{Text: "Congratulations, you found us"})
			return Effect{Navigated: true, Requests: []Request{{Method: "POST", URL: "https://example.com/analytics/collect", Status: 204, Kind: "fetch"}}}
		}}, Unverified},
	}
	for _, c := range cases {
		got := judge("Sign up", SuccessConditions{}, start, c.looks...)
		if got.Status != c.status {
			t.Errorf("%s: %+v, want %s", c.name, got, c.status)
		}
		if (got.Status == Verified) != (got.Confidence >= 0.8) {
			t.Errorf("%s: %s with confidence %.2f", c.name, got.Status, got.Confidence)
		}
		if got.Evidence == "" {
			t.Errorf("%s: no evidence", c.name)
		}
	}
}

func TestOracleOnQuestions(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Example"), Text{Text: "We make lamps."}, a("Contact", "/contact"), a("Library of lamps", "/library"))
	show := func(visible bool, texts ...Text) func(*Page) Effect {
		return func(p *Page) Effect {
			var things []any
			for _, tx := range texts {
				things = append(things, tx)
			}
			*p = pageOf(things...)
			for i := range p.Texts {
				p.Texts[i].InViewport = visible
			}
			return Effect{Navigated: true}
		}
	}
	cases := []struct {
		name, task, status string
		look               func(*Page) Effect
	}{
		{"contact with an address", "find out how to contact the company", Verified, show(true, heading1("Contact us"), Text{Text: "Write to hello@example.com"})},
		{"by another name", "find out how to contact the company", Verified, show(true, heading1("Get in touch"), Text{Text: "Call +1 202 555 0143"})},
		{"a promise without an answer", "find out how to contact the company", NotReached, show(true, heading1("Contact us"), Text{Text: "We are here for you."})},
		{"not on the screen", "find out how to contact the company", NotReached, show(false, heading1("Contact us"), Text{Text: "Write to hello@example.com"})},
		{"whose site it is", "find out how to contact the shop", Verified, show(true, heading1("Contact us"), Text{Text: "Write to hello@example.com"})},
		{"the owner's hours", "Find out when the restaurant is open", Verified, show(true, heading1("Opening hours"), Text{Text: "Monday to Friday 9 am to 5 pm"})},
		{"the owner's address", "Find out where the museum is", Verified, show(true, heading1("Visit us"), Text{Text: "12 Harbour Street, 20457 Hamburg"})},
		{"others' hours", "Find out when the library is open", NotReached, show(true, heading1("Opening hours"), Text{Text: "Monday to Friday 9 am to 5 pm"})},
		{"how to, in one sentence", "find out how to undo the last commit", Verified, show(true, heading1("FAQ"), Text{Text: "To undo the last commit, run git reset."})},
		{"how to, by a synonym", "find out how to undo the last commit", Verified, show(true, heading1("git-revert(1)"), Text{Text: "git-revert - Revert some existing commits"})},
		{"another how-to", "find out how to undo the last commit", NotReached, show(true, heading1("git-commit(1)"), Text{Text: "git-commit - Record changes to the repository"})},
		{"a synopsis is no answer", "find out how to undo the last commit", NotReached, show(true, heading1("git-commit(1)"), Text{Text: "git commit [-a | --amend] [--reset-author] [-m <msg>]"})},
		{"how to, in passing", "find out how to back up a database", NotReached, show(true, heading1("Command Line Shell"), Text{Text: "7. Opening Database Files", Kind: "heading", Level: 2},
			Text{Text: "If the database is large, changes to it will not be saved back to disk unless you explicitly save them using the “save” or “backup” commands."})},
		{"how to, of it for short", "find out how to back up a database", Verified, show(true, heading1("Command Line Shell"), Text{Text: "Special commands", Kind: "heading", Level: 2},
			Text{Text: ".auth ON|OFF  Show authorizer callbacks\n.backup ?DB? FILE  Backup DB (default \"main\") to FILE\n.bail on|off  Stop after hitting an error"})},
		{"how to, under its heading", "find out how to back up a database", Verified, show(true, heading1("Command Line Shell"), Text{Text: "Backup", Kind: "heading", Level: 2}, Text{Text: "Copy the database file while nobody writes."})},
		{"how to, as an instruction", "find out how to back up a database", Verified, show(true, heading1("Command Line Shell"), Text{Text: "Database files", Kind: "heading", Level: 2}, Text{Text: "Use it to back up the main database."})},
		{"how to, of a deed we have no word for", "find out how to compile Lampware", NotReached, show(true, heading1("Lampware copyright"), Text{Text: "Anyone is free to use, compile, sell or give away the Lampware code."})},
		{"how to, elsewhere", "find out how to compile Lampware", NotReached, show(true, heading1("Lampware for phones"), Text{Text: "There is a description of how to compile Lampware for Android."})},
		{"how to, in another clause", "find out how to compile Lampware", NotReached, show(true, heading1("Locks"), Text{Text: "Switch them off at compile time since Lampware tests them at run time."})},
		{"how to, when it is done", "find out how to compile Lampware", NotReached, show(true, heading1("Lamps"), Text{Text: "After you compile Lampware you may wish to light a lamp. Use it for all lamps."})},
		{"how to, what was done", "find out how to compile Lampware", NotReached, show(true, heading1("Lamps"), Text{Text: "You can run compiled Lampware on any lamp."})},
		{"how to, that deed", "find out how to compile Lampware", Verified, show(true, heading1("How to compile Lampware"), Text{Text: "Unpack the archive and type make."})},
		{"whose the page is", "find out what the company is about", NotReached, show(true, heading1("Example"), Text{Text: "Copyright © 2023 - Company Name"})},
		{"an address for mails", "Find the email address", Verified, show(true, heading1("Example"), Text{Text: "Email", Kind: "heading", Level: 4}, Text{Text: "hello@example.com"})},
		{"an address that is a link", "Find the email address", Verified, func(p *Page) Effect {
			*p = pageOf(heading1("Example"), Text{Text: "Email", Kind: "heading", Level: 4, InViewport: true}, a("hello@example.com", "#!"))
			return Effect{Navigated: true}
		}},
		{"an address on a street", "Find the email address", NotReached, show(true, heading1("Example"), Text{Text: "Address", Kind: "heading", Level: 4}, Text{Text: "12 Market Street"})},
		{"a price", "How much does the team plan cost?", Verified, show(true, heading1("Plans and pricing"), Text{Text: "The team plan costs $29 a month."})},
		{"a place", "Find the pricing page", Verified, show(true, heading1("Pricing"), Text{Text: "Basic is $9."})},
		{"another place", "Find the careers page", NotReached, show(true, heading1("Pricing"), Text{Text: "Basic is $9."})},
	}
	for _, c := range cases {
		got := judge(c.task, SuccessConditions{}, start, c.look)
		if (got.Status == Verified) != (c.status == Verified) {
			t.Errorf("%s: %+v, want %s", c.name, got, c.status)
		}
	}
}

func TestOracleExplicitConditions(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Example"))
	arrive := func(p *Page) Effect {
		*p = pageOf(heading1("All Done"))
		p.URL = "https://example.com/done?x=1"
		p.SelectorsVisible = []string{"#ok"}
		return Effect{Navigated: true, Requests: []Request{{Method: "PUT", URL: "https://example.com/api/save", Status: 200, Kind: "fetch"}}}
	}
	cases := []struct {
		c  SuccessConditions
		ok bool
	}{
		{SuccessConditions{URLMatches: `/done(\?|$)`}, true},
		{SuccessConditions{URLMatches: "done?x=1"}, false},
		{SuccessConditions{URLMatches: "example.com/(done"}, false},
		{SuccessConditions{URLMatches: "^/done"}, false},
		{SuccessConditions{TextVisible: "all  done"}, true},
		{SuccessConditions{TextVisible: "finished"}, false},
		{SuccessConditions{SelectorVisible: "#ok"}, true},
		{SuccessConditions{SelectorVisible: "#no"}, false},
		{SuccessConditions{RequestMade: "PUT /api/save"}, true},
		{SuccessConditions{RequestMade: "POST /api/save"}, false},
		{SuccessConditions{RequestMade: "/api/save", TextVisible: "finished"}, false},
	}
	for _, c := range cases {
		got := judge("Sign up", c.c, start, arrive)
		if (got.Status == Verified) != c.ok {
			t.Errorf("%+v: %+v", c.c, got)
		}
	}
}

func TestOracleCountsSubgoals(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Example"))
	pricing := func(p *Page) Effect {
		*p = pageOf(heading1("Pricing"), Text{Text: "Basic is $9."})
		return Effect{Navigated: true}
	}
	got := judge("Find the pricing page, then sign up", SuccessConditions{}, start, pricing)
	if got.SubgoalsDone != 1 || got.SubgoalsTotal != 2 || got.Status != NotReached {
		t.Errorf("%+v", got)
	}
}

// TestAYesOrNoIsAnsweredByWhatSaysTheRest: on the page of the thing itself, by
// the kinds of what is asked for too, and not by a promise or another thing.
func TestAYesOrNoIsAnsweredByWhatSaysTheRest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Contains wheat, milk and hazelnuts": true,
		"Contains no nuts":                   true,
		"Contains wheat and milk":            false,
		"Ingredients and allergens":          false,
	} {
		for heading, about := range map[string]bool{"Plum Crumble": true, "Our bakery": false} {
			got := judge("Find out whether the Plum Crumble contains nuts", SuccessConditions{}, pageOf(heading1("Menu")), func(p *Page) Effect {
				*p = pageOf(heading1(heading), Text{Text: text})
				p.URL = "https://example.com/item"
				return Effect{Navigated: true, URL: p.URL}
			})
			if (got.Status == Verified) != (want && about) {
				t.Errorf("%q under %q: %+v", text, heading, got)
			}
		}
	}
}

// TestInstructionsNameTheDeed: the page of the thing is no instruction for what is
// to be done to it; the section that says how is.
func TestInstructionsNameTheDeed(t *testing.T) {
	t.Parallel()
	about := []any{heading1("Write-Ahead Logging"), Text{Text: "Small. Fast. Reliable. Choose any three."}}
	section := []any{Text{Text: "Activating And Configuring WAL Mode", Kind: "heading", Level: 2}, Text{Text: "To convert to WAL mode, use the following pragma: PRAGMA journal_mode=WAL;"}}
	for want, shown := range map[string][]any{NotReached: about, Verified: append(about[:1:1], section...)} {
		got := judge("Find out how to switch on write-ahead logging", SuccessConditions{}, pageOf(heading1("Documentation")), func(p *Page) Effect {
			*p = pageOf(shown...)
			p.URL = "https://example.com/wal.html"
			return Effect{Navigated: true, URL: p.URL}
		})
		if (got.Status == Verified) != (want == Verified) {
			t.Errorf("want %s: %+v", want, got)
		}
	}
}

// TestWhatWasOrderedIsWhatWasWanted: an order of something else is no success,
// whatever the site says; of a thing that the task gives no name to, who ordered
// it knows best.
func TestWhatWasOrderedIsWhatWasWanted(t *testing.T) {
	t.Parallel()
	order := func(task, before, after string) Completion {
		thing := func(name string) func(*Page) Effect {
			return func(p *Page) Effect {
				*p = pageOf(heading1(name))
				p.URL = "https://example.com/item/" + name
				return Effect{Navigated: true, URL: p.URL}
			}
		}
		told := func(path, heading, line string) func(*Page) Effect {
			return func(p *Page) Effect {
				*p = pageOf(heading1(heading), Text{Text: line, Kind: "listitem"})
				p.URL = "https://example.com" + path
				return Effect{Navigated: true, URL: p.URL, Requests: post}
			}
		}
		return judge(task, SuccessConditions{}, pageOf(heading1("Our bakery")), thing("Seeded Sourdough"), thing("White Sourdough"), thing("Pizza with mushrooms"),
			told("/details", "Who picks it up?", before), told("/done", "Your order is placed", after))
	}
	for _, c := range []struct {
		task, before, after string
		want                bool
	}{
		{"Pre-order a Seeded Sourdough", "", "1 × Seeded Sourdough", true},
		{"Pre-order a Seeded Sourdough", "", "1 × White Sourdough", false},
		{"Pre-order a Seeded Sourdough", "", "White Sourdough x 2, £4.60", false},
		{"Pre-order a Seeded Sourdough", "1 × White Sourdough", "Thank you, Rosa.", false},
		{"Pre-order a Seeded Sourdough", "1 × White Sourdough", "1 × Seeded Sourdough", true},
		{"Pre-order a Seeded Sourdough", "", "We open at 8.", true},
		{"Order a pizza with mushrooms", "", "1 × Pizza Funghi", true},
	} {
		if got := order(c.task, c.before, c.after); (got.Status == Verified) != c.want {
			t.Errorf("%s: %q, then %q: %+v", c.task, c.before, c.after, got)
		}
	}
}

// TestThanksForSomethingElse: thanks for a deed that nobody asked for is no
// success of the one that was, wherever it is told.
func TestThanksForSomethingElse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Thank you. Your comment appears once somebody here has read it.": false,
		"Thank you. Look into your inbox.":                                true,
		"Thank you. Your newsletter comes on Fridays.":                    true,
	} {
		got := judge("Subscribe to the weekly newsletter", SuccessConditions{}, pageOf(heading1("The weekly newsletter")), func(p *Page) Effect {
			*p = pageOf(heading1("The weekly newsletter"), Text{Text: text, Kind: "status"})
			p.URL = "https://example.com/thanks"
			return Effect{Navigated: true, URL: p.URL, Requests: post}
		})
		if (got.Status == Verified) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
