package mind

import (
	"strings"
	"testing"

	"understudy/domain/persona"
)

// jump is a look at another part of the page start, which a link led to.
func jump(href string, things ...any) func(*Page) Effect {
	return func(p *Page) Effect {
		*p = pageOf(things...)
		p.URL = href
		return Effect{Navigated: true, Scrolled: true, URL: href}
	}
}

// TestArrivingBySectionLink: whoever was led to a section by a link that is
// called what they look for has found it, though the section does not say the
// word again.
func TestArrivingBySectionLink(t *testing.T) {
	t.Parallel()
	link := func(name, section string) Element { return a(name, "https://example.com/#"+section) }
	start := pageOf(heading1("Show your app"), link("Features", "features"), link("Projects", "projects"), link("Imprint", "!"), link("Jobs", "jobs"), link("Get started", "services"), link("Services", "services"), link("Data transfer", "data"))
	pictures := []any{Text{Text: "Shoreline", Kind: "heading", Level: 4}, Text{Text: "A lake in the evening."}, Text{Text: "Misty", Kind: "heading", Level: 4}}
	cases := []struct {
		name, task string
		look       func(*Page) Effect
		found      bool
	}{
		{"a section to look at", "look at the projects", jump("https://example.com/#projects", pictures...), true},
		{"a list under a word that only the link says", "find out what features the app has", jump("https://example.com/#features", append([]any{heading1("Show your app")}, pictures...)...), true},
		{"a list of what has a vague name", "find out which services the company offers", jump("https://example.com/#services", append([]any{heading1("Show your app")}, pictures...)...), true},
		{"a section of half the name", "find out which data types Lampware has", jump("https://example.com/#data", append([]any{heading1("What Lampware is for")}, pictures...)...), false},
		{"another section", "look at the projects", jump("https://example.com/#features", pictures...), false},
		{"an empty section", "look at the projects", jump("https://example.com/#projects"), false},
		{"an address that a script takes", "look at the imprint", jump("https://example.com/#!", pictures...), false},
		{"a kind of answer that is not there", "find out how much the projects cost", jump("https://example.com/#projects", pictures...), false},
	}
	for _, c := range cases {
		got := judge(c.task, SuccessConditions{}, start, c.look)
		if (got.Status == Verified) != c.found {
			t.Errorf("%s: %+v, found should be %v", c.name, got, c.found)
		}
		if c.found && !strings.Contains(got.Evidence, "” led to its section, where “S") {
			t.Errorf("%s: evidence %q", c.name, got.Evidence)
		}
	}
}

// TestArrivingAtPictures: pictures that are links are something to look at, but
// tell nothing.
func TestArrivingAtPictures(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Show your app"), a("Portfolio", "https://example.com/#portfolio"))
	pictures := jump("https://example.com/#portfolio", a("A lake", "https://example.com/1.jpg"), a("A wood", "https://example.com/2.jpg"))
	if got := judge("look at the portfolio", SuccessConditions{}, start, pictures); got.Status != Verified {
		t.Errorf("to look at: %+v", got)
	}
	if got := judge("find out what the portfolio holds", SuccessConditions{}, start, pictures); got.Status == Verified {
		t.Errorf("to find out: %+v", got)
	}
	elsewhere := jump("https://example.com/#portfolio", a("Services", "https://example.com/#services"), a("Features", "https://example.com/#features"))
	if got := judge("look at the portfolio", SuccessConditions{}, start, elsewhere); got.Status == Verified {
		t.Errorf("only ways elsewhere: %+v", got)
	}
}

// TestWhereThingsAre: a control in sight that is called what is asked for says
// where it is; what stands in the world wants an address.
func TestWhereThingsAre(t *testing.T) {
	t.Parallel()
	cases := []struct {
		task  string
		page  Page
		found bool
	}{
		{"find out where the new arrivals are", pageOf(heading1("Shop"), a("New Arrivals", "/new")), true},
		{"find out where the new arrivals are", pageOf(heading1("Shop"), a("All Products", "/all")), false},
		{"find out where the offices are", pageOf(heading1("About"), a("Offices", "/offices")), false},
		{"find out in which street the company is", pageOf(heading1("Grey"), Text{Text: "Address", Kind: "heading", Level: 4}, Text{Text: "12 Market Street, Springfield"}), true},
		{"find out in which street the company is", pageOf(heading1("Grey"), Text{Text: "Address", Kind: "heading", Level: 4}, Text{Text: "Write to us."}), false},
		{"find out which licence the theme has", pageOf(heading1("New"), Text{Text: "Free", Kind: "heading", Level: 3}, Text{Text: "Since this theme is MIT licensed, you can use it!"}), true},
	}
	for _, c := range cases {
		got := judge(c.task, SuccessConditions{}, pageOf(heading1("Start")), func(p *Page) Effect {
			*p = c.page
			return Effect{Navigated: true}
		})
		if (got.Status == Verified) != c.found {
			t.Errorf("%s: %+v, found should be %v", c.task, got, c.found)
		}
	}
}

// TestEvidenceReadsWell: it is shown to people.
func TestEvidenceReadsWell(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"the page shows “Call us”":      "The page shows “Call us”.",
		"the page shows “Call us.”":     "The page shows “Call us.”",
		"the page shows “A long text…”": "The page shows “A long text…”",
		"":                              "",
	} {
		if got := sentence(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestReadsOnInSection: who has jumped to a section reads on there before
// another link is tried.
func TestReadsOnInSection(t *testing.T) {
	t.Parallel()
	here := a("Contact", "https://example.com/#contact")
	page := pageOf(heading1("Grey"), here, a("About", "https://example.com/#about"))
	page.Height = 800 // all in sight: the rest is still to come
	quick := persona.Persona{Name: "Test", Facets: persona.Facets{InformationProcessing: persona.Selective, RiskAttitude: persona.Tolerant}}
	m := New(quick, ParseTask("find out the phone number of the company", nil), 1, Tuning{})
	d := m.Step(page, Effect{})
	if d.Action.Type != Click || d.Target.Name != "Contact" {
		t.Fatalf("on the start page: %v %q, want the click on Contact", d.Action.Type, d.Thought)
	}
	page.URL, page.ScrollY, page.Height = here.Href, 2000, 4000
	if d = m.Step(page, Effect{Navigated: true, Scrolled: true, URL: page.URL}); d.Action.Type != Scroll {
		t.Errorf("at the section: %v %q, want to read on", d.Action.Type, d.Thought)
	}
}
