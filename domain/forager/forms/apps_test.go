package forms

import (
	"slices"
	"strings"
	"testing"

	"understudy/domain/walk"
)

func TestFormsOfApplications(t *testing.T) {
	line := func(x, y float64) func(*walk.Element) { return at(walk.Box{X: x, Y: y, W: 100, H: 20}) }
	label := words("label", "Lessons (pages):")
	label.t.Box = walk.Box{X: 205, Y: 100, W: 90, H: 20}
	enable := func(p *walk.Page, m Move) {
		for i := range p.Elements {
			e := &p.Elements[i]
			e.Disabled = e.Disabled && m.Action.Type != walk.Check
		}
	}
	tides := strings.Repeat("The tide turns twice a day.\n", 40)
	refuse := func(p *walk.Page, m Move) { // until one of its boxes is ticked
		said := "Choose what you receive"
		if slices.ContainsFunc(p.Elements, func(e walk.Element) bool { return e.Checked }) {
			said = ""
		}
		for i := range p.Elements {
			if e := &p.Elements[i]; m.Target != nil && m.Target.Name == "Send" && e.Group != "" {
				e.Error = said
			}
		}
	}
	each := func(p *walk.Page, _ Move) { // of its boxes says for itself that it is missing
		for i := range p.Elements {
			if e := &p.Elements[i]; e.Required {
				e.Error = map[bool]string{false: "This is required"}[e.Checked]
			}
		}
	}
	under := func(e *walk.Element) { e.CoveredBy = "dialog" }
	editor := page(box("Text", long, in(1), holds("In May it opens.")), button("Store", submit(1)))
	another := func(p *walk.Page, m Move) { // at the same address
		if m.Target != nil && m.Target.Name == "Log in" {
			p.Elements = editor.Elements
		}
	}
	for _, c := range []struct {
		name, task string
		page       *walk.Page
		react      func(*walk.Page, Move)
		want       string
	}{
		{"another form of the same address is filled in too", `Log in as hal with the password Reed-7. The page "Canoes" says that it opens in May. It is June: correct that.`,
			page(box("Username", in(1)), box("Password", typ("password"), in(1)), button("Log in", submit(1))), another,
			"type Username = hal; type Password = Reed-7; click Log in; type Text = In June it opens.; click Store"},
		{"what lies under a dialog is not chosen", `Move the file "Roof" into the folder Bills.`,
			page(el("button", "Bills", under), words("heading", "Move a file"), box("New directory", dialog), button("Move", dialog)), nil,
			"type New directory = Bills; click Move"},
		{"what renames a thing does not move it", `Move the file "Roof" into the folder Bills.`,
			page(box("", holds("Roof"), dialog), button("Rename file", dialog)), nil,
			""},
		{"a date with spaces is given in its parts", "Fill in the short form and send it. You were born on 20 11 1984.",
			page(words("heading", "When were you born?"), box("Day", in(1)), box("Month", in(1)), box("Year", in(1)), button("Send", submit(1))), nil,
			"type Day = 20; type Month = 11; type Year = 1984; click Send"},
		{"words are no part of a date", "Fill in the short form and send it. The visit is in Northern Ireland.",
			page(words("heading", "When was it?"), box("Month", in(1)), button("Send", submit(1))), nil,
			""},
		{"a unit tells one number from another", "This boat should carry no more than 300 KiB per voyage. Change that in the settings.",
			page(words("heading", "Settings"), box("Crew", holds("4"), in(1)), box("Hold limit (KiB)", holds("0"), in(1)), button("Save", submit(1))), nil,
			"type Hold limit (KiB) = 300; click Save"},
		{"one of the boxes of a question is enough", "Fill in the short form and send it. Your name is Ida Moor.",
			page(box("Name", in(1)), el("checkbox", "Wages", in(1), group("Your income")), el("checkbox", "Rent", in(1), group("Your income")), el("checkbox", "Other", in(1), group("Your income")), button("Send", submit(1))), refuse,
			"type Name = Ida Moor; click Send; check Wages; click Send"},
		{"each of a question's boxes that is required is ticked", "Fill in the short form and send it. Your name is Ida Moor.",
			page(box("Name", in(1)), el("checkbox", "I am of age", in(1), group("Before you send it"), must), el("checkbox", "I agree to the rules", in(1), group("Before you send it"), must), button("Send", submit(1))), each,
			"type Name = Ida Moor; check I am of age; check I agree to the rules; click Send"},
		{"a second line of an address is left to who has one", "Fill in the short form and send it. You live at 4 Oak Road, Bath, BA1 1AA, and the claim was made in Lower Saxony.",
			page(words("heading", "Your address"), box("Street", in(1)), box("Address line 2", in(1)), box("Town or city", in(1)), box("Postcode", in(1)), button("Send", submit(1))), nil,
			"type Street = 4 Oak Road; type Town or city = Bath; type Postcode = BA1 1AA; click Send"},
		{"what nobody says a use for goes in where it can", `Enter an item that starts with "Bra".`,
			page(box("Tags"), button("Submit")), nil,
			"type Tags = Bra; click Submit"},
		{"a word is replaced in a text of many lines", "Change the fare from 12 to 14.",
			page(box("Text", long, in(1), holds(tides+"The fare is 12.")), button("Save", submit(1))), nil,
			"type Text = " + tides + "The fare is 14.; click Save"},
		{"a number is replaced within a sentence", "Change the fare from 12 to 14.",
			page(box("Text", long, in(1), holds("The fare is 12.")), button("Save", submit(1))), nil,
			"type Text = The fare is 14.; click Save"},
		{"what is grey is switched on first", "Lessons should be no longer than 20 pages. Set that in the settings.",
			page(el("checkbox", "Lessons (pages):", line(100, 100)), label, el("textbox", "", line(300, 100), holds("5"), off), el("textbox", "Rooms:", line(300, 200), holds("5"))), enable,
			"check Lessons (pages):; type (textbox e2) = 20; press (textbox e2) = Enter"},
		{"what something may do is ticked", `Make a role with the name "Guide" that may only read diaries.`,
			page(words("heading", "New role"), box("Name", in(1)), el("checkbox", "See guests", in(1)), el("checkbox", "Read diaries", in(1)), el("checkbox", "Do everything", in(1)), button("Make the role", submit(1))), nil,
			"type Name = Guide; check Read diaries; click Make the role"},
		{"what something may do is ticked without a name as well", `Make a role that may only read diaries.`,
			page(words("heading", "New role"), el("checkbox", "See guests", in(1)), el("checkbox", "Read diaries", in(1)), el("checkbox", "Do everything", in(1)), button("Make the role", submit(1))), nil,
			"check Read diaries; click Make the role"},
		{"what shows some of a list is left as it is", `Send the failed parcels of the shop Reed again.`,
			page(words("heading", "Reed"), el("combobox", "Status", list("All", "came", "failed"), holds("All"), in(1)), box("Parcel", in(1)), button("Show", submit(1)), button("Send the failed parcels again")), nil,
			""},
		{"a thing without a name is named where its placeholder stands", `Write a new note with the title "Packing" and the text "Tent and rope", and keep it.`,
			page(box("", holds("New note")), box("Text", long), box("Field name", line(100, 300)), button("Add", line(210, 300)), button("Keep")), nil,
			"type (textbox e0) = Packing; type Text = Tent and rope; click Keep"},
		{"a thing that is done is ticked, and nothing cleared", `Tick off "Pay the rent".`,
			page(el("checkbox", "Pay the rent", row(1)), el("checkbox", "Buy stamps", row(2)), button("Clear completed")), nil,
			"check Pay the rent"},
		{"an address is given in its parts", "Fill in the short form and send it. You live at 4 Oak Road, Bath, BA1 1AA.",
			page(words("heading", "Your address"), box("Street", in(1)), box("Town or city", in(1)), box("Postcode", in(1)), button("Send", submit(1))), nil,
			"type Street = 4 Oak Road; type Town or city = Bath; type Postcode = BA1 1AA; click Send"},
		{"the number of an amount whose unit is chosen beside it", "Fill in the short form and send it. The amount is 3 litres.",
			page(box("Amount", in(1)), el("combobox", "Unit", list("Kilograms", "Litres"), in(1)), button("Send", submit(1))), nil,
			"type Amount = 3; select Unit = Litres; click Send"},
		{"the option that names what is wanted leads on", "Fill in the short form and send it. Your name is Ida Moor.",
			page(words("heading", "Which form?"), el("radio", "Short form", in(1), group("Which form?")), el("radio", "Long form", in(1), group("Which form?")), button("Continue", submit(1))), nil,
			"check Short form; click Continue"},
		{"an optional list stays at none", `Create a new shelf called "Poems".`,
			page(words("heading", "New shelf"), box("Name", in(1)), el("combobox", "Room", list("---", "Attic", "Cellar"), holds("---"), in(1)), button("Create", submit(1))), nil,
			"type Name = Poems; click Create"},
		{"what shows changes does not save them", `Change the title to "Waterways".`,
			page(box("Title", holds("Canals"), in(1)), button("Save it", submit(1)), button("Show changes", submit(1))), nil,
			"type Title = Waterways; click Save it"},
		{"the same for a form that is filled in up to a place", "Fill in the short form as far as the question where you live, and answer Wales. Your name is Ida Moor.",
			page(words("heading", "Which form?"), el("radio", "Short form", in(1), group("Which form?")), el("radio", "Long form", in(1), group("Which form?")), button("Continue", submit(1))), nil,
			"check Short form; click Continue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, _ := run(t, c.task, nil, c.page, c.react, Sight{Form: 1})
			if told := strings.Join(got, "; "); told != c.want {
				t.Errorf("\n got %s\nwant %s", told, c.want)
			}
		})
	}
}
