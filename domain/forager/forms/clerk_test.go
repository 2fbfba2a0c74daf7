package forms

import (
	"strconv"
	"strings"
	"testing"

	"understudy/domain/language"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// thing is an element or a text of a page that a test invents.
type thing struct {
	e *walk.Element
	t *walk.Text
}

func el(role, name string, with ...func(*walk.Element)) thing {
	e := &walk.Element{Role: role, Name: name, NameSource: "label", Region: -1, InViewport: true}
	if name == "" {
		e.NameSource = ""
	}
	for _, w := range with {
		w(e)
	}
	return thing{e: e}
}

func box(name string, with ...func(*walk.Element)) thing { return el("textbox", name, with...) }
func button(name string, with ...func(*walk.Element)) thing {
	return el("button", name, with...)
}
func words(kind, text string) thing {
	return thing{t: &walk.Text{Kind: kind, Text: text, InViewport: true, Region: -1}}
}

func in(form int) func(*walk.Element)      { return func(e *walk.Element) { e.Form = form } }
func typ(t string) func(*walk.Element)     { return func(e *walk.Element) { e.InputType = t } }
func holds(v string) func(*walk.Element)   { return func(e *walk.Element) { e.Value = v } }
func hint(v string) func(*walk.Element)    { return func(e *walk.Element) { e.Placeholder = v } }
func help(v string) func(*walk.Element)    { return func(e *walk.Element) { e.Help = v } }
func group(v string) func(*walk.Element)   { return func(e *walk.Element) { e.Group = v } }
func popup(v string) func(*walk.Element)   { return func(e *walk.Element) { e.Popup = v } }
func row(n int) func(*walk.Element)        { return func(e *walk.Element) { e.Row = n } }
func at(b walk.Box) func(*walk.Element)    { return func(e *walk.Element) { e.Box = b } }
func list(o ...string) func(*walk.Element) { return func(e *walk.Element) { e.Options = o } }
func submit(form int) func(*walk.Element) {
	return func(e *walk.Element) { e.Form, e.Submit = form, true }
}
func must(e *walk.Element)   { e.Required = true }
func ticked(e *walk.Element) { e.Checked = true }
func off(e *walk.Element)    { e.Disabled = true }
func long(e *walk.Element)   { e.Multiline = true }
func rich(e *walk.Element)   { e.Rich = true }
func fixed(e *walk.Element)  { e.ReadOnly = true }
func away(e *walk.Element)   { e.InViewport = false }
func dialog(e *walk.Element) { e.InDialog = true }

// page puts things below each other, one every 40 px, where they say no place.
func page(things ...thing) *walk.Page {
	p := &walk.Page{URL: "http://invented.example/form", Viewport: walk.Size{Width: 1280, Height: 800}, Height: 2000}
	for i, x := range things {
		place := walk.Box{X: 100, Y: float64(40 * (i + 1)), W: 200, H: 24}
		if x.t != nil {
			if x.t.Box == (walk.Box{}) {
				x.t.Box = place
			}
			p.Texts = append(p.Texts, *x.t)
			continue
		}
		if x.e.Box == (walk.Box{}) {
			x.e.Box = place
		}
		x.e.Ref = "e" + strconv.Itoa(i)
		p.Elements = append(p.Elements, *x.e)
	}
	return p
}

// told is a move in a line.
func told(m Move) string {
	name := func(e *walk.Element) string {
		if e.Name == "" {
			return "(" + e.Role + " " + e.Ref + ")"
		}
		return e.Name
	}
	switch {
	case m.Stuck != "":
		return "stuck: " + m.Stuck
	case m.Want != nil:
		return "want " + name(m.Want)
	case m.Action.Type == walk.Wait:
		return "wait"
	}
	out := string(m.Action.Type) + " " + name(m.Target)
	if m.Action.Text != "" || m.Action.Secret != "" {
		out += " = " + m.Action.Text
		if m.Action.Secret != "" {
			out += "{{" + m.Action.Secret + "}}"
		}
	}
	return out
}

// happen does to a page what a browser would: fields take what is entered.
func happen(p *walk.Page, m Move) {
	if m.Want != nil {
		for i := range p.Elements {
			if p.Elements[i].Ref == m.Want.Ref {
				p.Elements[i].InViewport = true
			}
		}
		return
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		if m.Target == nil || e.Ref != m.Target.Ref {
			continue
		}
		switch m.Action.Type {
		case walk.Type, walk.Select:
			if e.Value = m.Action.Text; m.Action.Secret != "" {
				e.Value = "•••"
			}
		case walk.Append:
			e.Value += m.Action.Text
		case walk.Upload:
			e.Value = m.Action.Text
		case walk.Check:
			for j := range p.Elements {
				if o := &p.Elements[j]; e.Role == "radio" && o.Role == "radio" && o.Group == e.Group && o.Form == e.Form {
					o.Checked = false
				}
			}
			e.Checked = true
		case walk.Click:
			if e.Role == "checkbox" || e.Role == "switch" {
				e.Checked = !e.Checked
			}
		default: // changes no field
		}
	}
}

// run lets a clerk work through the subgoals of a task on a page, and tells what it
// did. react changes the page after each move.
func run(t *testing.T, text string, inputs []string, p *walk.Page, react func(*walk.Page, Move), sight Sight) ([]string, *Clerk, task.Goal) {
	t.Helper()
	goal := task.Parse(text, inputs)
	return drive(t, &goal, p, react, sight)
}

func drive(t *testing.T, goal *task.Goal, p *walk.Page, react func(*walk.Page, Move), sight Sight) ([]string, *Clerk, task.Goal) {
	t.Helper()
	c := New(goal, persona.Draft{Name: "Ada"}.Persona("p"), 7)
	var out []string
	for i := range goal.Subgoals {
		for n := 0; ; n++ {
			if n > 200 {
				t.Fatalf("no end: %v", out[:20])
			}
			sight.Page, sight.Subgoal = p, &goal.Subgoals[i]
			m, ok := c.Next(sight)
			if !ok {
				break
			}
			out = append(out, told(m))
			happen(p, m)
			if react != nil {
				react(p, m)
			}
			c.Felt(m, walk.Effect{Mutated: true})
		}
	}
	return out, c, *goal
}

func word(s string) []language.Word { return language.Read(s).Content() }

// act is a task of one subgoal as the language of tasks may not say it yet.
func act(deed string, object string, values ...task.Value) *task.Goal {
	g := &task.Goal{Task: deed, Values: values}
	g.Subgoals = []task.Subgoal{{Text: deed, Kind: task.Act, Deed: deed, Verb: deed, Object: word(object), Values: values}}
	return g
}

func login() *walk.Page {
	return page(box("E-mail address", typ("email"), in(1)), box("Password", typ("password"), in(1)), el("checkbox", "Remember me", in(1)), button("Log in", submit(1)))
}

func contact(with ...func(*walk.Element)) *walk.Page {
	return page(words("heading", "Contact us"), box("Your name", in(1)), box("E-mail", append(with, in(1), typ("email"))...),
		box("Company", in(1)), box("Message", long, in(1), must), el("checkbox", "Send me your newsletter", in(1)), button("Send message", submit(1)))
}

func TestWhatIsAskedIsEnteredAndSent(t *testing.T) {
	for _, c := range []struct {
		name, task string
		page       *walk.Page
		want       string
	}{
		{"a log-in takes what is given and nothing else", `Log in with the e-mail address ada@example.org and the password Moon-17`, login(),
			"type E-mail address = ada@example.org; type Password = Moon-17; click Log in"},
		{"a secret is typed by its name", `Log in with the username {{user}} and the password {{pass}}`,
			page(box("User name", in(1)), box("Password", typ("password"), in(1)), button("Sign in", submit(1))),
			"type User name = {{user}}; type Password = {{pass}}; click Sign in"},
		{"the same password goes into both fields", `Enter the password "x7" into both text fields and press send.`,
			page(box("Password", typ("password")), box("Verify password", typ("password")), button("Send")),
			"type Password = x7; type Verify password = x7"},
		{"a newsletter is no log-in", `Log in with the e-mail address ada@example.org and the password Moon-17`,
			page(box("Your e-mail", typ("email"), in(1)), button("Subscribe", submit(1))), ""},
		{"the first page of a log-in in two steps", `Log in with the e-mail address ada@example.org and the password Moon-17`,
			page(box("E-mail", typ("email"), in(1)), button("Next", submit(1))),
			"type E-mail = ada@example.org; click Next"},
		{"a search box", `Search for "red kayak"`, page(el("searchbox", "Search", in(1)), button("Go", submit(1)), box("E-mail", in(2)), button("Subscribe", submit(2))),
			"type Search = red kayak; click Go"},
		{"a search box without a button", `Search for "red kayak"`, page(el("searchbox", "", hint("Find anything"))),
			"type (searchbox e0) = red kayak; press (searchbox e0) = Enter"},
		{"a question fills in nothing", `Find out how much children pay.`, contact(), ""},
		{"a click fills in nothing", `Click on the "Yes" button.`, page(box("Name", must), button("Yes"), button("No")), ""},
		{"a box by its number, as given", `Enter the number "14" into the 2nd textbox and press Submit.`, page(box(""), box(""), box(""), button("Submit")),
			"type (textbox e1) = 14"},
		{"a radio button by its number", `Check the 3rd radio button.`, page(el("radio", ""), el("radio", ""), el("radio", "")), "check (radio e2)"},
		{"boxes by their names", `Select Anna, Bo and click Done.`, page(el("checkbox", "Anna"), el("checkbox", "Carl"), el("checkbox", "Bo"), button("Done")),
			"check Anna; check Bo"},
		{"an option of a list", `Select Green from the list and click Submit.`, page(el("combobox", "Colour", list("Red", "Green", "Blue"), holds("Red")), button("Submit")),
			"select Colour = Green"},
		{"several options of a list", `Select Ada, Cleo and click Submit.`, page(el("listbox", "People", list("Ada", "Bo", "Cleo")), button("Submit")),
			"select People = Ada; select People = Cleo"},
		{"a list that the page draws, open", `Select "Large"`, page(el("option", "Small"), el("option", "Large")), "click Large"},
		{"what is named so already is left", `Select Green from the list`, page(el("combobox", "Colour", list("Red", "Green"), holds("Green"))), ""},
		{"a switch is turned on", `Turn on the dark theme.`, page(el("switch", "E-mail alerts"), el("switch", "Dark theme")), "check Dark theme"},
		{"a switch that is on is left", `Turn on the dark theme.`, page(el("switch", "Dark theme", ticked)), ""},
		{"a box is cleared, and saved where it can be", `Turn off the weekly digest.`, page(el("checkbox", "Weekly digest", ticked, in(1)), el("checkbox", "Replies", ticked, in(1)), button("Save changes", submit(1))),
			"click Weekly digest; click Save changes"},
		{"a theme is one of a list", `Turn on the dark theme.`, page(el("combobox", "Theme", list("Light theme", "Dark theme"), holds("Light theme"))), "select Theme = Dark theme"},
		{"renaming replaces the old name", `Rename the list "Trip" to "Holiday"`, page(el("searchbox", "Search"), box("Name", holds("Trip"), dialog), button("Cancel", dialog), button("Rename", dialog)),
			"type Name = Holiday; click Rename"},
		{"renaming does not make a new thing", `Rename the list "Trip" to "Holiday"`, page(box("", hint("Add a new list")), el("link", "Trip")), ""},
		{"a new thing in a bare box", `Create a task called "Milk"`, page(box("", hint("What needs to be done? Add a task")), el("searchbox", "Search")),
			"type (textbox e0) = Milk; press (textbox e0) = Enter"},
		{"a title is no description", `Create a task called "Buy oat milk"`, page(box("Title", in(1), must), box("Description", long, in(1)), button("Cancel", in(1)), button("Create task", submit(1))),
			"type Title = Buy oat milk; click Create task"},
		{"text is added to what is there, the next sentence saves", `Add the sentence "No dogs." to the page about the rules and save the page.`,
			page(box("Title", holds("Rules"), in(1)), box("Body", long, holds("Be kind."), in(1)), box("Summary", in(1)), button("Preview", in(1)), button("Save page", submit(1))),
			"append Body = \nNo dogs.; click Save page"},
		{"text is added in a rich editor", `Add the sentence "No dogs." to the page about the rules and save the page.`,
			page(box("", rich, holds("Be kind.")), button("Bold"), button("Save")), "append (textbox e0) = \nNo dogs.; click Save"},
		{"a comment box is no page", `Add the sentence "No dogs." to the page about the rules`, page(box("Leave a comment", long, in(1)), button("Post comment", submit(1))), ""},
		{"a file", `Upload the file "plan.pdf"`, page(el("file", "Attachment", in(1)), button("Upload", submit(1))), "upload Attachment = plan.pdf; click Upload"},
		{"a time as the field wants it", `Enter 8:42 PM as the time and press submit.`, page(box("Time", typ("time")), button("Submit")), "type Time = 20:42"},
		{"a time as it is said", `Enter 8:42 PM as the time and press submit.`, page(box("Time", hint("hh:mm am")), button("Submit")), "type Time = 8:42 PM"},
		{"what is out of sight is asked for first", `Enter the password "x7" into the text field.`, page(box("Password", typ("password"), away)),
			"want Password; type Password = x7"},
		{"a covered button is brought into view", `Log in with the e-mail address ada@example.org and the password Moon-17`,
			page(box("E-mail", typ("email"), in(1)), box("Password", typ("password"), in(1)), button("Log in", submit(1), away)),
			"type E-mail = ada@example.org; type Password = Moon-17; want Log in; click Log in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, _ := run(t, c.task, []string{}, c.page, nil, Sight{})
			line := strings.Join(got, "; ")
			if line != c.want {
				t.Errorf("\n got %s\nwant %s\n%+v", line, c.want, task.Parse(c.task, nil).Subgoals)
			}
		})
	}
}
