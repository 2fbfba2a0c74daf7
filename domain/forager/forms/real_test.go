package forms

import (
	"strconv"
	"strings"
	"testing"

	"understudy/domain/task"
	"understudy/domain/walk"
)

func TestWhatRealPagesDo(t *testing.T) {
	choose := func(text string) task.Value { return task.Value{Text: text, Choose: true} }
	row := func(text string, y float64) thing {
		return thing{t: &walk.Text{Text: text, InViewport: true, Region: -1, Box: walk.Box{X: 100, Y: y, W: 120, H: 20}}}
	}
	guests := 1
	stepped := func(p *walk.Page, m Move) { // it takes no typing, only its arrow keys
		if m.Action.Type == walk.Press {
			guests++
		}
		p.Elements[0].Value = strconv.Itoa(guests)
	}
	for _, c := range []struct {
		name  string
		goal  *task.Goal
		page  *walk.Page
		react func(*walk.Page, Move)
		want  string
	}{
		{"a field is gone to with a click when nothing is to be entered", act("type", "", task.Value{Ordinal: 2}), page(box("Name"), box("Town")),
			func(p *walk.Page, m Move) { p.Elements[1].Focused = true }, "click Town"},
		{"a spinner that takes no typing is pressed", act("type", "", task.Value{Text: "3", Kind: "number"}), page(el("spinbutton", "Guests", hint("1"), typ("number"))), stepped,
			"type Guests = 3; press Guests = ArrowUp; press Guests = ArrowUp"},
		{"a control beside a name takes it", act("choose", "", choose("Olives")), page(row("Cheese", 40), button("Add", at(walk.Box{X: 300, Y: 40, W: 20, H: 20})), row("Olives", 80), button("+", at(walk.Box{X: 300, Y: 80, W: 20, H: 20}))), nil,
			"click +"},
		{"copied text is not put back", &task.Goal{Subgoals: []task.Subgoal{{Kind: task.Act, Deed: "copy", Object: word("text")}, {Kind: task.Act, Deed: "type", Object: word("text")}}},
			page(box("", holds("Grey geese")), box("")), nil, "type (textbox e1) = Grey geese"},
		{"less is typed only so often", act("type", "", task.Value{Text: "Faro Airport", Hint: word("place")}), page(el("combobox", "Place", typ("text"))), nil,
			"type Place = Faro Airport; wait; type Place = Faro; wait; type Place = Far; wait; type Place = Faro Airport"},
		{"what a password is to be", act("signup", "account"), page(box("Password", typ("password"), in(1), must, help("At most 8 characters, letters and numbers only")), button("Sign up", submit(1))), nil,
			"type Password = Walnut47; click Sign up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, _ := drive(t, c.goal, c.page, c.react, Sight{})
			if line := strings.Join(got, "; "); line != c.want {
				t.Errorf("\n got %s\nwant %s", line, c.want)
			}
		})
	}
}
