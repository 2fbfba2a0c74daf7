package mind

import (
	"slices"
	"strings"
	"testing"
)

// walkForm lets a persona work on a page until it sends a form, and lists what
// it did to each field: the text, the option, "on" or "off".
func walkForm(t *testing.T, task string, page Page) map[string]string {
	t.Helper()
	m := New(plain, ParseTask(task, nil), 1, Tuning{})
	page.Elements = slices.Clone(page.Elements)
	did := map[string]string{}
	for range 30 {
		d := m.Step(page, Effect{Mutated: true})
		if d.Target == nil || d.Purpose != Fill {
			if d.Target != nil {
				did["then"] = d.Target.Name
			}
			break
		}
		for i := range page.Elements {
			e := &page.Elements[i]
			if e.Ref != d.Target.Ref {
				continue
			}
			key := strings.TrimSpace(e.Group + " " + e.Name)
			switch d.Action.Type {
			case Check:
				e.Checked, did[key] = true, "on"
			case Click:
				e.Checked, did[key] = !e.Checked, "off"
			default:
				e.Value, did[key] = d.Action.Text, d.Action.Text
			}
		}
	}
	return did
}

func send(name string) Element { return Element{Role: "button", Name: name, Submit: true, Form: 1} }

func TestValuesOfTheTaskReachTheirFields(t *testing.T) {
	t.Parallel()
	text := func(name string) Element {
		return Element{Role: "textbox", InputType: "text", Name: name, Required: true, Form: 1}
	}
	for _, c := range []struct {
		task  string
		page  Page
		field string
		want  string
	}{
		{"Send £50 to Ines Calder", pageOf(heading1("Make a payment"), text("Payee name"), text("Amount in pounds"), send("Continue")), "Amount in pounds", "50"},
		{"Send £50 to Ines Calder", pageOf(heading1("Make a payment"), text("Payee name"), text("Amount in pounds"), send("Continue")), "Payee name", "Ines Calder"},
		{"Apply for a parking permit for the car LK19 XYZ at LA9 4AB", pageOf(heading1("Apply for a parking permit"), text("Postcode"), text("Vehicle registration"), send("Continue")), "Vehicle registration", "LK19 XYZ"},
		{"Apply for a parking permit for the car LK19 XYZ at LA9 4AB", pageOf(heading1("Apply for a parking permit"), text("Postcode"), text("Vehicle registration"), send("Continue")), "Postcode", "LA9 4AB"},
		{"Book a table for 4 people on 3 August 2031", pageOf(heading1("Book a table"), Element{Role: "textbox", InputType: "date", Name: "Date", Required: true, Form: 1}, Element{Role: "spinbutton", InputType: "number", Name: "Number of guests", Required: true, Form: 1}, send("Book")), "Date", "2031-08-03"},
		{"Book a table for 4 people on 3 August 2031", pageOf(heading1("Book a table"), Element{Role: "spinbutton", InputType: "number", Name: "Number of guests", Required: true, Form: 1}, send("Book")), "Number of guests", "4"},
		{"Book a table for tomorrow", pageOf(heading1("Book a table"), Element{Role: "textbox", InputType: "date", Min: "2026-05-01", Name: "Date", Required: true, Form: 1}, send("Book")), "Date", "2026-05-02"},
		{"Change your phone number to 07700 900456", pageOf(heading1("Your phone number"), Element{Role: "textbox", InputType: "tel", Name: "Phone number", Value: "01632 960000", Form: 1}, send("Save")), "Phone number", "07700 900456"},
		{"Transfer £20 from savings to your current account", pageOf(heading1("Transfer money"), Element{Role: "combobox", Name: "From", Options: []string{"Current account", "Savings"}, Required: true, Form: 1},
			Element{Role: "combobox", Name: "To", Options: []string{"Savings", "Current account"}, Required: true, Form: 1}, send("Transfer")), "From", "Savings"},
		{"Transfer £20 from savings to your current account", pageOf(heading1("Transfer money"), Element{Role: "combobox", Name: "From", Options: []string{"Current account", "Savings"}, Required: true, Form: 1},
			Element{Role: "combobox", Name: "To", Options: []string{"Savings", "Current account"}, Required: true, Form: 1}, send("Transfer")), "To", "Current account"},
		{"Find out when the bins are collected at LA9 4AB", pageOf(heading1("Bin collections"), text("Postcode"), send("Look up")), "Postcode", "LA9 4AB"},
	} {
		if got := walkForm(t, c.task, c.page); got[c.field] != c.want {
			t.Errorf("%s: %s is %q, want %q (%v)", c.task, c.field, got[c.field], c.want, got)
		}
	}
}

func TestADateInThreePartsAndRadiosByTheirQuestion(t *testing.T) {
	t.Parallel()
	part := func(name string) Element {
		return Element{Role: "textbox", InputType: "text", Name: name, Group: "What is your date of birth?", Required: true, Form: 1}
	}
	radio := func(group, name string) Element {
		return Element{Role: "radio", Group: group, Name: name, Required: true, Form: 1}
	}
	got := walkForm(t, "Apply for a parking permit", pageOf(heading1("Apply for a parking permit"),
		radio("Do you live in the town?", "No"), radio("Do you live in the town?", "Yes"), radio("Do you have a blue badge?", "Yes"), radio("Do you have a blue badge?", "No"),
		part("Day"), part("Month"), part("Year"), Element{Role: "checkbox", Name: "I declare that this is true", Form: 1}, Element{Role: "checkbox", Name: "Send me offers", Form: 1}, send("Continue")))
	year := got["What is your date of birth? Year"]
	if got["Do you live in the town? Yes"] != "on" || got["Do you have a blue badge? No"] != "on" || len(year) != 4 || year < "1981" || year > "1991" ||
		got["What is your date of birth? Day"] == "" || got["I declare that this is true"] != "on" || got["Send me offers"] != "" || got["then"] != "Continue" {
		t.Errorf("%v", got)
	}
}

func TestSwitchesAreTurnedOff(t *testing.T) {
	t.Parallel()
	got := walkForm(t, "Turn off marketing emails", pageOf(heading1("Notifications"),
		Element{Role: "switch", Name: "Security alerts", Checked: true, Region: 0}, Element{Role: "switch", Name: "Marketing emails", Checked: true, Region: 0}))
	among := walkForm(t, "Turn off the notifications about offers", pageOf(heading1("Notifications"),
		Element{Role: "switch", Name: "Orders", Checked: true, Region: 0}, Element{Role: "switch", Name: "Offers and news", Checked: true, Region: 0}))
	if among["Offers and news"] != "off" || among["Orders"] != "" {
		t.Errorf("%v", among)
	}
	if got["Marketing emails"] != "off" || got["Security alerts"] != "" {
		t.Errorf("%v", got)
	}
}

func TestFilesAreChosen(t *testing.T) {
	t.Parallel()
	got := walkForm(t, "Upload a proof of address", pageOf(heading1("Proof of address"), Element{Role: "file", Name: "Your document", Accept: ".pdf", Required: true, Form: 1}, send("Upload")))
	if got["Your document"] != "document.pdf" || got["then"] != "Upload" {
		t.Errorf("%v", got)
	}
}

func TestPasswordsKeepTheRulesOfThePage(t *testing.T) {
	t.Parallel()
	for help, ok := range map[string]func(string) bool{
		"Between 6 and 10 characters": func(s string) bool { return len(s) >= 6 && len(s) <= 10 },
		"At least 20 characters":      func(s string) bool { return len(s) >= 20 },
		"A PIN of 6 digits":           func(s string) bool { return len(s) == 6 && strings.Trim(s, "0123456789") == "" },
		"Letters and numbers only":    func(s string) bool { return !strings.ContainsAny(s, "-!") },
	} {
		got := walkForm(t, "Sign up", pageOf(heading1("Sign up"), Element{Role: "textbox", InputType: "password", Name: "Password", Help: help, Required: true, Form: 1},
			Element{Role: "textbox", InputType: "password", Name: "Confirm password", Required: true, Form: 1}, send("Sign up")))
		if !ok(got["Password"]) || got["Confirm password"] != got["Password"] {
			t.Errorf("%s: %v", help, got)
		}
	}
}

func TestARefusedFormatIsWrittenAnotherWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		task  string
		field Element
		error string
		want  string
	}{
		{"Change your phone number to 07700 900456", Element{Role: "textbox", InputType: "tel", Name: "Phone number", Required: true, Form: 1}, "Leave out spaces", "07700900456"},
		{"Apply for a card", Element{Role: "textbox", InputType: "text", Name: "Date of birth", Required: true, Form: 1}, "Enter a date like 27.03.1990", "."},
		{"Apply for a card", Element{Role: "textbox", InputType: "text", Name: "Sort code", Required: true, Form: 1}, "Enter six digits, such as 60-83-01", "60-83-01"},
	} {
		m := New(plain, ParseTask(c.task, nil), 1, Tuning{})
		page := pageOf(heading1(strings.TrimSuffix(c.task, " to 07700 900456")), c.field, send("Continue"))
		m.Step(page, Effect{})
		filled := page
		filled.Elements = slices.Clone(page.Elements)
		filled.Elements[0].Value = "x"
		m.Step(filled, Effect{Mutated: true})
		refused := filled
		refused.Elements = slices.Clone(filled.Elements)
		refused.Elements[0].Error = c.error
		var tried []string
		for range 3 {
			d := m.Step(refused, Effect{Navigated: true, Requests: post})
			tried = append(tried, d.Action.Text)
		}
		if !slices.ContainsFunc(tried, func(s string) bool { return strings.Contains(s, c.want) }) {
			t.Errorf("%s: tried %q, want one like %q", c.field.Name, tried, c.want)
		}
	}
}

func TestNeverPaysWithARealCard(t *testing.T) {
	t.Parallel()
	got := walkForm(t, "Buy a lamp", pageOf(heading1("Buy a lamp"), Element{Role: "textbox", Autocomplete: "cc-number", Name: "Card number", Required: true, Form: 1}, send("Pay now")))
	if got["Card number"] != "4111111111111111" {
		t.Errorf("%v", got)
	}
}

func TestTimesAreChosenAsTheTaskSays(t *testing.T) {
	t.Parallel()
	page := pageOf(heading1("Choose a time"), btn("16:30"), btn("17:00 (full)"), btn("09:20"), btn("14:10"))
	if d := firstStep(t, plain, "Book an appointment for tomorrow morning", page); d.Target == nil || d.Target.Name != "09:20" {
		t.Errorf("%s: %s", d.Action.Type, d.Thought)
	}
}

func TestLeavesTheBrowsersErrorPages(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	start := pageOf(heading1("Start"), a("Join us", "https://example.com/join"), a("Create account", "https://example.com/new"))
	join := pageOf(heading1("Join"), a("Nothing", "https://example.com/n"))
	join.URL = "https://example.com/join"
	m.Step(start, Effect{})
	m.Step(join, Effect{Navigated: true, URL: join.URL})
	lost := Page{URL: "chrome-error://chromewebdata/", Viewport: Size{1280, 800}}
	for i := range 2 {
		if d := m.Step(lost, Effect{Navigated: true, NetError: "ERR_CACHE_MISS"}); d.Action.Type != Back {
			t.Fatalf("look %d: %s: %s", i, d.Action.Type, d.Thought)
		}
	}
	if d := m.Step(start, Effect{Navigated: true, URL: start.URL}); d.End != "" {
		t.Errorf("gives up on the page that came back: %s", d.Thought)
	}
}

func TestAChoiceMadeBeforehandIsNotKeptAgainstTheTask(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Book a physiotherapy appointment", nil), 1, Tuning{})
	radio := func(name string, checked bool) Element {
		return Element{Role: "radio", Name: name, Group: "Service", Checked: checked, Form: 1}
	}
	form := pageOf(heading1("Book an appointment"), radio("General practice A doctor who listens. £65, 20 minutes", true),
		radio("Physiotherapy Backs, knees, shoulders. £48, 40 minutes", false), Element{Role: "button", Name: "Continue", Submit: true, Form: 1})
	if d := m.Step(form, Effect{}); d.Target == nil || d.Target.Role != "radio" || d.Target.Checked {
		t.Errorf("another service is ticked: %s: %s", d.Action.Type, d.Thought)
	}
}

// TestScrollsAButtonOutFromUnderABar: bars that stay on the screen hide what
// lies under them only until one scrolls.
func TestScrollsAButtonOutFromUnderABar(t *testing.T) {
	t.Parallel()
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	form := pageOf(heading1("Sign up"), Element{Role: "textbox", Name: "Email", InputType: "email", Value: "x@example.com", Form: 1},
		Element{Role: "button", Name: "Sign up", Submit: true, Form: 1, CoveredBy: "a bar"})
	form.Height = 1000
	if d := m.Step(form, Effect{}); d.Action.Type != Scroll {
		t.Fatalf("under the bar: %s: %s", d.Action.Type, d.Thought)
	}
	form.ScrollY = 200
	form.Elements = slices.Clone(form.Elements)
	form.Elements[1].CoveredBy = ""
	if d := m.Step(form, Effect{Scrolled: true}); d.Target == nil || d.Target.Name != "Sign up" {
		t.Errorf("out of it: %s: %s", d.Action.Type, d.Thought)
	}
}

// TestAFieldThatRefusesAtOnceIsFilledInAgain: pages that check while one types
// keep the button grey until all is well.
func TestAFieldThatRefusesAtOnceIsFilledInAgain(t *testing.T) {
	t.Parallel()
	phone := Element{Ref: "phone", Role: "textbox", InputType: "tel", Name: "Phone", Required: true, Form: 1}
	button := send("Sign up")
	button.Disabled = true
	m := New(plain, ParseTask("Sign up", nil), 1, Tuning{})
	page := pageOf(heading1("Sign up"), phone, button)
	first := m.Step(page, Effect{Mutated: true})
	if first.Purpose != Fill || first.Action.Text == "" {
		t.Fatalf("%+v", first)
	}
	refused := func(value string) Page {
		e := phone
		e.Value, e.Error = value, "Use digits only, without spaces"
		return pageOf(heading1("Sign up"), e, button)
	}
	second := m.Step(refused(first.Action.Text), Effect{Mutated: true})
	if second.Purpose != Fill || second.Action.Text == first.Action.Text || strings.Contains(second.Action.Text, " ") {
		t.Fatalf("after %q and a refusal: %s %q", first.Action.Text, second.Purpose, second.Action.Text)
	}
	for last, tries := second, 0; last.Purpose == Fill; tries++ {
		if tries > 5 {
			t.Fatal("a field that refuses everything is filled in for ever")
		}
		if last = m.Step(refused(last.Action.Text), Effect{Mutated: true}); last.Purpose == Submit && !strings.Contains(last.Thought, "digits only") {
			t.Errorf("before a button that stays grey: %s", last.Thought)
		}
	}
}
