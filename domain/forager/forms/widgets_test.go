package forms

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/domain/language"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// suggest lets a list come up below the first field while it is typed into: the
// names that begin with what it holds.
func suggest(names ...string) func(*walk.Page, Move) {
	return func(p *walk.Page, m Move) {
		f := &p.Elements[0]
		if m.Want != nil || m.Action.Type == walk.Wait {
			return
		}
		if m.Target.Ref != f.Ref {
			if m.Target.Role == "option" {
				f.Value, f.Expanded = m.Target.Name, "false"
			}
			p.Elements = keep(p.Elements, func(e walk.Element) bool { return e.Role != "option" })
			return
		}
		p.Elements = keep(p.Elements, func(e walk.Element) bool { return e.Role != "option" })
		for i, n := range names {
			if m.Action.Type == walk.Click || strings.HasPrefix(strings.ToLower(n), strings.ToLower(f.Value)) {
				p.Elements = append(p.Elements, walk.Element{Role: "option", Name: n, Ref: "o" + strconv.Itoa(i), InViewport: true, Box: walk.Box{X: f.Box.X, Y: f.Box.Y + float64(24*(i+1)), W: 200, H: 24}})
			}
		}
	}
}

func keep(all []walk.Element, ok func(walk.Element) bool) []walk.Element {
	return slices.DeleteFunc(slices.Clone(all), func(e walk.Element) bool { return !ok(e) })
}

// calendar draws a month for the first field once it was pressed, and turns it.
func calendar(month, year int) func(*walk.Page, Move) {
	open := false
	return func(p *walk.Page, m Move) {
		f := &p.Elements[0]
		switch {
		case m.Target == nil:
			return
		case m.Target.Ref == f.Ref:
			open = true
		case m.Target.Name == "Next month":
			month++
		case m.Target.Name == "Previous month":
			month--
		case strings.HasPrefix(m.Target.Ref, "d"):
			open, f.Value = false, strconv.Itoa(month)+"/"+m.Target.Name+"/"+strconv.Itoa(year)
		}
		switch month {
		case 13:
			month, year = 1, year+1
		case 0:
			month, year = 12, year-1
		}
		p.Elements = keep(p.Elements, func(e walk.Element) bool { return !strings.HasPrefix(e.Ref, "d") && !strings.HasPrefix(e.Ref, "t") })
		p.Texts = nil
		if !open {
			return
		}
		top := f.Box.Y + 30
		p.Texts = []walk.Text{{Text: called[language.English][month-1] + " " + strconv.Itoa(year), InViewport: true, Box: walk.Box{X: 140, Y: top, W: 100, H: 20}}}
		for i, n := range []string{"Previous month", "Next month"} {
			p.Elements = append(p.Elements, walk.Element{Role: "button", Name: n, Ref: "t" + strconv.Itoa(i), InViewport: true, Box: walk.Box{X: 100 + float64(180*i), Y: top, W: 20, H: 20}})
		}
		for i := range 33 { // two days of the month before stand in the first week
			n := i - 1
			if n < 1 {
				n += 30
			}
			p.Elements = append(p.Elements, walk.Element{Role: "button", Name: strconv.Itoa(n), Ref: "d" + strconv.Itoa(i), InViewport: true, Box: walk.Box{X: 100 + float64(28*(i%7)), Y: top + 24*float64(1+i/7), W: 24, H: 20}})
		}
	}
}

func TestWidgetsThatAnswerAreWorked(t *testing.T) {
	v := func(text, hint string) task.Value { return task.Value{Text: text, Hint: word(hint)} }
	for _, c := range []struct {
		name  string
		goal  *task.Goal
		page  *walk.Page
		react func(*walk.Page, Move)
		want  string
	}{
		{"a suggestion is taken", act("type", "", v("Lisbon", "city")), page(el("combobox", "City", typ("text"))), suggest("Lima", "Lisbon", "London"),
			"type City = Lisbon; click Lisbon"},
		{"a suggestion of a plain box", act("type", "", v("Lisbon", "city")), page(box("City")), suggest("Lima", "Lisbon (LIS)", "London"),
			"type City = Lisbon; click Lisbon (LIS)"},
		{"less is typed where nothing comes up", act("type", "", v("Lisbon Portela", "airport")), page(el("combobox", "Airport", typ("text"), popup("listbox"))), suggest("Lima", "Lisbon, Portela", "London"),
			"type Airport = Lisbon Portela; wait; type Airport = Lisbon; click Lisbon, Portela"},
		{"what is in no list stays as typed", act("type", "", v("Faro", "city")), page(el("combobox", "City", typ("text"))), suggest("Lima"),
			"type City = Faro; wait; type City = Far; wait; type City = Faro"},
		{"a list is opened to choose", act("choose", "", task.Value{Text: "Blue", Choose: true}), page(el("combobox", "Colour", popup("listbox"))), suggest("Red", "Blue"),
			"click Colour; click Blue"},
		{"a day in a calendar to come", act("type", "", task.Value{Text: "3 May 2031", Kind: "date"}), page(box("Date", fixed, popup("dialog"))), calendar(2, 2031),
			"click Date; click Next month; click Next month; click Next month; click 3"},
		{"a day in a calendar that is past", act("type", "", task.Value{Text: "11/30/2016", Kind: "date"}), page(box("", hint("Date"), fixed)), calendar(1, 2017),
			"click (textbox e0); click Previous month; click Previous month; click 30"},
		{"a day that names no year", act("type", "", task.Value{Text: "3 May", Kind: "date"}), page(box("Due", fixed, popup("grid"))), calendar(4, 2029),
			"click Due; click Next month; click 3"},
		{"a spinner is pressed until it stands", act("type", "", task.Value{Text: "3", Kind: "number"}),
			page(el("spinbutton", "Guests", fixed, holds("1"), at(walk.Box{X: 100, Y: 40, W: 40, H: 24})), button("▲", at(walk.Box{X: 142, Y: 40, W: 14, H: 12})), button("▼", at(walk.Box{X: 142, Y: 52, W: 14, H: 12}))),
			func(p *walk.Page, m Move) {
				n, _ := strconv.Atoi(p.Elements[0].Value)
				p.Elements[0].Value = strconv.Itoa(n + map[string]int{"▲": 1, "▼": -1}[m.Target.Name])
			}, "click ▲; click ▲"},
		{"a slider is moved with the arrows", act("choose", "", task.Value{Text: "2", Hint: word("volume")}), page(el("slider", "Volume", holds("4"))),
			func(p *walk.Page, m Move) {
				n, _ := strconv.Atoi(p.Elements[0].Value)
				p.Elements[0].Value = strconv.Itoa(n + map[string]int{"ArrowRight": 1, "ArrowLeft": -1}[m.Action.Text])
			}, "press Volume = ArrowLeft; press Volume = ArrowLeft"},
		{"a slider of the browser takes the number", act("type", "", v("70", "volume")), page(el("slider", "Volume", typ("range"), holds("4"))), nil, "type Volume = 70"},
		{"a number goes into a number", act("edit", "quantity blue mug", task.Value{Text: "3", New: true}),
			page(el("spinbutton", "Quantity", typ("number"), holds("1"), row(1)), el("link", "Red mug", row(1)), el("spinbutton", "Quantity", typ("number"), holds("1"), row(2)), el("link", "Blue mug", row(2))), nil,
			"type Quantity = 3; press Quantity = Tab"},
		{"tags are taken with Enter", act("create", "tags", v("red", "tag"), v("blue", "tag")), page(box("Tags", in(1)), button("Save", submit(1))),
			func(p *walk.Page, m Move) {
				if m.Action.Type == walk.Press {
					p.Elements[0].Value = ""
				}
			}, "type Tags = red; press Tags = Enter; type Tags = blue; press Tags = Enter; click Save"},
		{"a date in three boxes", act("type", "", task.Value{Text: "3 May 2031", Kind: "date"}), page(box("Day"), el("combobox", "Month", list("April", "May", "June")), box("Year")), nil,
			"type Day = 3; select Month = May; type Year = 2031"},
		{"a date as a hint shows it", act("type", "", task.Value{Text: "3 May 2031", Kind: "date"}), page(box("Date", hint("dd.mm.yyyy"))), nil, "type Date = 03.05.2031"},
		{"a date of the browser", act("type", "", task.Value{Text: "May 3rd, 2031", Kind: "date"}), page(box("Starts", typ("date"))), nil, "type Starts = 2031-05-03"},
		{"a journey", act("book", "flight", v("Oslo", "from"), v("Rome", "to"), task.Value{Text: "11/30/2031", Kind: "date", Hint: word("on")}),
			page(box("From", in(1)), box("To", in(1)), box("Depart", typ("date"), in(1)), button("Search", submit(1))), nil,
			"type From = Oslo; type To = Rome; type Depart = 2031-11-30; click Search"},
		{"a full name in two boxes", act("type", "", task.Value{Text: "Ada Lovelace", Kind: "name"}), page(box("First name"), box("Last name")), nil,
			"type First name = Ada; type Last name = Lovelace"},
		{"one word is put in the place of another", act("edit", "", task.Value{Text: "tea", Old: true}, task.Value{Text: "milk", New: true}), page(box("", long, holds("Buy tea today"), in(1)), button("Save", submit(1))), nil,
			"type (textbox e0) = Buy milk today; click Save"},
		{"labels that only stand beside", act("type", "", v("Ada", "name")),
			page(box("", at(walk.Box{X: 200, Y: 40, W: 100, H: 20})), thing{t: &walk.Text{Text: "Town", InViewport: true, Region: -1, Box: walk.Box{X: 100, Y: 42, W: 60, H: 16}}},
				box("", at(walk.Box{X: 200, Y: 80, W: 100, H: 20})), thing{t: &walk.Text{Text: "Name", InViewport: true, Region: -1, Box: walk.Box{X: 100, Y: 82, W: 60, H: 16}}}), nil,
			"type (textbox e2) = Ada"},
		{"an option by how it begins and ends", &task.Goal{Subgoals: []task.Subgoal{{Text: `Choose the country that starts with "Bel" and ends with "ium"`, Kind: task.Act, Deed: "type", Values: []task.Value{{Text: "Bel"}, {Text: "ium"}}}}},
			page(el("combobox", "Country", typ("text"))), suggest("Belarus", "Belgium", "Belize"), "type Country = Bel; click Belgium"},
		{"a slot that is a button", act("choose", "", task.Value{Text: "10:00", Kind: "time", Choose: true}), page(button("9:30"), button("10:00 AM"), button("11:00")), nil, "click 10:00 AM"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, clerk, goal := drive(t, c.goal, c.page, c.react, Sight{})
			if line := strings.Join(got, "; "); line != c.want {
				t.Errorf("\n got %s\nwant %s", line, c.want)
			}
			if c.name != "what is in no list stays as typed" && !clerk.Done(&goal.Subgoals[0]) {
				t.Error("not done")
			}
		})
	}
}

func TestAFormGetsWhatItDoesNotGoWithout(t *testing.T) {
	p := func() *walk.Page {
		return page(words("heading", "Create an account"), box("First name", in(1), must), box("Company", in(1)), box("E-mail", typ("email"), in(1), must), box("Date of birth", in(1), hint("dd/mm/yyyy"), must),
			box("Password", typ("password"), in(1), must, help("At least 20 characters")), box("Repeat password", typ("password"), in(1), must),
			el("radio", "Other", in(1), group("Title"), must), el("radio", "Ms", in(1), group("Title"), must),
			el("combobox", "Country", in(1), list("Please choose", "Germany", "United States"), must),
			el("checkbox", "I agree to the terms", in(1), must), el("checkbox", "Send me offers", in(1)), button("Create account", submit(1)), button("Cancel", in(1)))
	}
	got, c, goal := run(t, "Sign up for an account.", nil, p(), nil, Sight{})
	if len(got) != 9 || !strings.HasPrefix(got[len(got)-1], "click Create account") {
		t.Fatal(strings.Join(got, "\n"))
	}
	line := strings.Join(got, "\n")
	for _, want := range []string{"check Ms", "select Country = United States", "check I agree", "@example.com", "type Date of birth = "} {
		if !strings.Contains(line, want) {
			t.Errorf("no %q in\n%s", want, line)
		}
	}
	for _, never := range []string{"Company", "offers", "Cancel"} {
		if strings.Contains(line, never) {
			t.Errorf("%q in\n%s", never, line)
		}
	}
	_, first, _ := strings.Cut(got[3], " = ")
	_, again, _ := strings.Cut(got[4], " = ")
	if first != again || len(first) < 20 {
		t.Errorf("%q is repeated as %q", first, again)
	}
	if !c.Done(&goal.Subgoals[0]) {
		t.Error("not done")
	}
	again2, _, _ := run(t, "Sign up for an account.", nil, p(), nil, Sight{})
	if strings.Join(again2, "\n") != line {
		t.Error("the same person enters something else the second time")
	}
}

// refusing hands a form back with an error against its second field until it holds what is
// accepted.
func refusing(message string, ok func(string) bool) func(*walk.Page, Move) {
	return func(p *walk.Page, m Move) {
		if m.Target == nil || !m.Target.Submit || m.Action.Type != walk.Click {
			return
		}
		p.Elements[1].Error = message
		if ok(p.Elements[1].Value) {
			p.Elements = nil
		}
	}
}

// overhead hands a form back with a message above it, at no field, until its second field
// holds what is accepted.
func overhead(message string, ok func(string) bool) func(*walk.Page, Move) {
	return func(p *walk.Page, m Move) {
		if m.Target == nil || !m.Target.Submit || m.Action.Type != walk.Click {
			return
		}
		p.Texts = []walk.Text{{Kind: "alert", Text: message, InViewport: true}}
		if ok(p.Elements[1].Value) {
			p.Elements = nil
		}
	}
}

func TestWhatIsRefusedIsCorrected(t *testing.T) {
	signup := func(with ...func(*walk.Element)) *walk.Page {
		return page(box("E-mail", typ("email"), in(1), must), box("Phone", append(with, in(1))...), button("Sign up", submit(1)))
	}
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	for _, c := range []struct {
		name  string
		page  *walk.Page
		react func(*walk.Page, Move)
		want  string // the last act, and how many there are
	}{
		{"a field that was left empty", signup(), refusing("Phone is required", func(s string) bool { return s != "" }), "click Sign up 4"},
		{"a number in another form", signup(must), refusing("Only digits, please", digits), "click Sign up 5"},
		{"nothing helps", signup(must), refusing("This number is not valid", func(string) bool { return false }), "stuck: This number is not valid 8"},
		{"a field named by a message above", signup(must), overhead("The phone number is invalid.", func(s string) bool { return strings.HasPrefix(s, "+") }), "click Sign up 5"},
		{"an empty field named by a message above", signup(), overhead("A phone number is required.", func(s string) bool { return s != "" }), "click Sign up 4"},
		{"a message above that names no field", signup(must), overhead("Invalid request", digits), "stuck: Invalid request 4"},
		{"a button that stays grey", page(box("E-mail", typ("email"), in(1), must), box("Nickname", in(1)), button("Sign up", submit(1), off)), nil, "stuck: Sign up 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := act("signup", "account")
			got, _, _ := drive(t, g, c.page, c.react, Sight{Form: 1})
			if line := got[len(got)-1] + " " + strconv.Itoa(len(got)); line != c.want {
				t.Errorf("%s\nwant %s", strings.Join(got, "\n"), c.want)
			}
		})
	}
	t.Run("a given value is not exchanged for another", func(t *testing.T) {
		got, c, g := run(t, `Log in with the e-mail address ada@example.org and the password Moon-17`, nil, login(), refusing("Wrong password", func(string) bool { return false }), Sight{})
		if line := strings.Join(got, "; "); line != "type E-mail address = ada@example.org; type Password = Moon-17; click Log in; stuck: Wrong password" || c.Done(&g.Subgoals[0]) {
			t.Error(line)
		}
	})
	t.Run("a message that refuses it all", func(t *testing.T) {
		got, _, _ := run(t, `Log in with the e-mail address ada@example.org and the password Moon-17`, nil, login(), func(p *walk.Page, m Move) {
			if m.Target != nil && m.Target.Submit {
				p.Texts = []walk.Text{{Kind: "alert", Text: "Invalid credentials", InViewport: true}}
			}
		}, Sight{})
		if got[len(got)-1] != "stuck: Invalid credentials" {
			t.Error(got)
		}
	})
}

// TestWhatAFieldLostIsEnteredAgain: a question that came in front of a field had what was
// typed into it.
func TestWhatAFieldLostIsEnteredAgain(t *testing.T) {
	const task = `Log in with the e-mail address ada@example.org and the password Moon-17`
	for _, c := range []struct {
		name  string
		loses int
		want  string
	}{
		{"once", 1, "type E-mail address = ada@example.org; type E-mail address = ada@example.org; type Password = Moon-17; click Log in"},
		{"always", 99, "type E-mail address = ada@example.org; type E-mail address = ada@example.org; type E-mail address = ada@example.org; type Password = Moon-17; click Log in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lost := 0
			got, _, _ := run(t, task, nil, login(), func(p *walk.Page, m Move) {
				if f := &p.Elements[0]; m.Target.Ref == f.Ref && lost < c.loses {
					f.Value, lost = "", lost+1
				}
			}, Sight{})
			if line := strings.Join(got, "; "); line != c.want {
				t.Errorf("%s\nwant %s", line, c.want)
			}
		})
	}
}

func TestAWizardIsFollowedToItsEnd(t *testing.T) {
	step := 1
	p := page(box("E-mail", typ("email"), in(1), must), button("Continue", submit(1)))
	got, c, g := run(t, "Sign up for an account.", nil, p, func(p *walk.Page, m Move) {
		if m.Target == nil || !m.Target.Submit {
			return
		}
		switch step++; step {
		case 2:
			*p = *page(box("City", in(1), must), box("Fax", in(1)), button("Continue", submit(1)))
			p.URL = "http://invented.example/second"
		case 3:
			*p = *page(words("heading", "Welcome"), el("searchbox", "Search", in(1)), box("Your e-mail", in(2)), button("Subscribe", submit(2)))
			p.URL = "http://invented.example/end"
		}
	}, Sight{Form: 1})
	if len(got) != 4 || got[3] != "click Continue" || !strings.HasPrefix(got[2], "type City = ") || !c.Done(&g.Subgoals[0]) {
		t.Error(strings.Join(got, "\n"))
	}
}

func TestValuesThatThePageHolds(t *testing.T) {
	cell := func(row int, text string) walk.Text {
		return walk.Text{Kind: "cell", Text: text, Row: row, InViewport: true, Region: -1, Box: walk.Box{X: 100, Y: float64(40 * row), W: 100, H: 20}}
	}
	p := page(box("Answer"), button("Submit"))
	p.Texts = []walk.Text{cell(1, "Country"), cell(1, "Peru"), cell(2, "Gender"), cell(2, "Female")}
	for i := range p.Texts {
		p.Texts[i].Box.X += float64(120 * (i % 2))
	}
	got, _, _ := drive(t, act("type", "value of Gender"), p, nil, Sight{})
	if strings.Join(got, "; ") != "type Answer = Female; click Submit" {
		t.Error(got)
	}
	p = page(box(""), button("Submit"))
	p.Texts = []walk.Text{{Kind: "paragraph", Text: "7 - x = 12", InViewport: true, Region: -1}}
	sum := &task.Goal{Subgoals: []task.Subgoal{{Text: "Solve for x", Kind: task.Act, Deed: "solve", Object: word("x")}, {Text: "type your answer", Kind: task.Act, Deed: "type", Object: word("answer")}}}
	if got, _, _ = drive(t, sum, p, nil, Sight{}); strings.Join(got, "; ") != "type (textbox e0) = -5; click Submit" {
		t.Error(got)
	}
	p = page(box("", at(walk.Box{X: 300, Y: 200, W: 100, H: 14})), box("", at(walk.Box{X: 300, Y: 215, W: 100, H: 14})))
	for i, name := range []string{"Colour", "Town"} { // a table, and labels that stand left of the fields
		p.Texts = append(p.Texts, cell(i+1, name), cell(i+1, []string{"red", "Oslo"}[i]))
		p.Texts[len(p.Texts)-1].Box.X += 120
	}
	for i, name := range []string{"Town:", "Colour:"} {
		p.Texts = append(p.Texts, walk.Text{Kind: "label", Text: name, InViewport: true, Region: -1, Box: walk.Box{X: 100, Y: float64(201 + 15*i), W: 60, H: 11}})
	}
	each := act("type", "value label")
	each.Subgoals[0].Text, each.Subgoals[0].Widget = "Enter the value of each label into the form", "form"
	if got, _, _ = drive(t, each, p, nil, Sight{}); strings.Join(got, "; ") != "type (textbox e0) = Oslo; type (textbox e1) = red" {
		t.Error(got)
	}
	g := &task.Goal{Subgoals: []task.Subgoal{
		{Text: "Copy the text of the text area", Kind: task.Act, Deed: "copy", Object: word("text"), Widget: "textarea"},
		{Text: "paste it into the field", Kind: task.Act, Deed: "type", Object: word("text")}, {Kind: task.Act, Deed: "click", Literal: "Submit"}}}
	p = page(box("", long, holds("Grey geese")), box(""), button("Submit"))
	if got, _, _ = drive(t, g, p, nil, Sight{}); strings.Join(got, "; ") != "type (textbox e1) = Grey geese" {
		t.Error(got)
	}
	p = page(box("Number"), button("Submit"))
	if got, _, _ = drive(t, act("type", "number of the picture"), p, nil, Sight{Resolve: func([]language.Word) string { return "42" }}); strings.Join(got, "; ") != "type Number = 42; click Submit" {
		t.Error(got)
	}
}

// TestAButtonThatTurnsNothingIsLeft: after one press in vain the key is tried, and then
// nothing any more.
func TestAButtonThatTurnsNothingIsLeft(t *testing.T) {
	g := act("type", "", task.Value{Text: "5", Kind: "number"})
	p := page(el("spinbutton", "Guests", fixed, holds("1"), at(walk.Box{X: 100, Y: 40, W: 40, H: 24})), button("▲", at(walk.Box{X: 142, Y: 40, W: 14, H: 12})))
	c := New(g, persona.Persona{}, 1)
	var got []string
	for range 9 {
		m, ok := c.Next(Sight{Page: p, Subgoal: &g.Subgoals[0]})
		if !ok {
			break
		}
		got = append(got, strings.TrimSpace(string(m.Action.Type)+" "+m.Action.Text))
		c.Felt(m, walk.Effect{})
	}
	if line := strings.Join(got, "; "); line != "click; press ArrowUp; press ArrowUp" {
		t.Error(line)
	}
}

// TestWhatTheTaskNamesIsTurned: a spinner by its buttons where few presses do, else the
// number is typed.
func TestWhatTheTaskNamesIsTurned(t *testing.T) {
	for number, want := range map[string]walk.ActionType{"3": walk.Click, "300": walk.Type} {
		g := act("type", "", task.Value{Text: number, Kind: "number"})
		g.Subgoals[0].Widget = "spinner"
		p := page(el("spinbutton", "Guests", typ("number"), holds("1"), at(walk.Box{X: 100, Y: 40, W: 40, H: 24})), button("▲", at(walk.Box{X: 142, Y: 40, W: 14, H: 12})))
		if m, ok := New(g, persona.Persona{}, 1).Next(Sight{Page: p, Subgoal: &g.Subgoals[0]}); !ok || m.Action.Type != want {
			t.Errorf("%s: %v", number, m.Action)
		}
	}
}
