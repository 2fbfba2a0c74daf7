package reading

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// read are the passages of a page, each as "kind: text".
func read(p *walk.Page) []string {
	var out []string
	for _, one := range Passages(p) {
		out = append(out, one.Kind+": "+one.Text)
	}
	return out
}

func TestAPageIsReadAsPeopleReadIt(t *testing.T) {
	card := func(row int, kind, text string) walk.Text {
		return walk.Text{Text: text, Kind: kind, Row: row, InViewport: true, Region: -1, Box: walk.Box{X: float64(300 * row), Y: 40, W: 200, H: 20}}
	}
	for name, c := range map[string]struct {
		page *walk.Page
		want []string
	}{
		"cells have the heads of their columns": {
			laid("", "| Boat | Length | Owner", "| Tern | 9 m | Ida Moss", "| Gull | 7 m | Jon Berg"),
			[]string{"row: Boat; Length; Owner", "row: Boat: Tern; Length: 9 m; Owner: Ida Moss", "row: Boat: Gull; Length: 7 m; Owner: Jon Berg"}},
		"a table of two columns without heads is labels with values": {
			laid("", "| Address | 12 Mill Lane", "| Phone | 555-0134"),
			[]string{"pair: Address: 12 Mill Lane", "pair: Phone: 555-0134"}},
		"heads that the page gives are taken": {
			&walk.Page{Texts: []walk.Text{{Text: "9", Kind: "cell", Row: 1, Head: "Monday, Opens"}, {Text: "17", Kind: "cell", Row: 1, Head: "Monday, Closes"}}},
			[]string{"row: Monday, Opens: 9; Monday, Closes: 17"}},
		"two tables have their own heads": {
			laid("", "| Boat | Length", "| Tern | 9 m", "# Crew", "| Name | Age", "| Ida | 31"),
			[]string{"row: Boat; Length", "row: Boat: Tern; Length: 9 m", "heading: Crew", "row: Name; Age", "row: Name: Ida; Age: 31"}},
		"a term has its definition, a label its value": {
			laid("", "Keel :: The beam along the bottom.", "Price: => £8"),
			[]string{"pair: Keel: The beam along the bottom.", "pair: Price: £8"}},
		"the texts of a card are read at once": {
			&walk.Page{Texts: []walk.Text{card(1, "heading", "Blue mug"), card(1, "paragraph", "£8"), card(2, "heading", "Red mug"), card(2, "paragraph", "£9")}},
			[]string{"row: Blue mug; £8", "row: Red mug; £9"}},
		"a link in a row is one of its cells": {
			&walk.Page{Texts: []walk.Text{{Text: "Engineer", Kind: "cell", Row: 3, Head: "Position"}},
				Elements: []walk.Element{{Role: "link", Name: "Mona Keller", Row: 3}, {Role: "button", Name: "Edit", Row: 3}}},
			[]string{"row: Mona Keller; Position: Engineer"}},
		"whose page it is answers nothing": {
			laid("", "We sail on Tuesdays.", "© 2027 The sailing club", "Last modified on 3 May 2027"),
			[]string{"paragraph: We sail on Tuesdays."}},
		"controls say what they hold, passwords do not": {
			&walk.Page{Elements: []walk.Element{
				{Role: "switch", Name: "Newsletter", Checked: true}, {Role: "combobox", Name: "Language", Value: "German"},
				{Role: "textbox", Name: "Password", InputType: "password", Value: "Moon-1"}, {Role: "link", Name: "Write to us", Href: "mailto:crew@example.org"},
				{Role: "button", Name: "Save"}, {Role: "link", Name: "How we built the boat"}}},
			[]string{"control: Newsletter: on", "control: Language: German", "control: Write to us: crew@example.org", "control: How we built the boat"}},
	} {
		if got := read(c.page); !slices.Equal(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
}

func TestWhatIsCoveredOrBelowIsNotInView(t *testing.T) {
	p := laid("", "| Tern | 9 m", "Seen", "Below")
	p.Texts[1].Covered, p.Texts[3].InViewport = true, false
	for i, want := range []bool{false, true, false} {
		if got := Passages(p)[i]; got.InView != want {
			t.Errorf("%q is in view: %v", got.Text, got.InView)
		}
	}
}

func TestHeadingsStandAboveTheirTexts(t *testing.T) {
	p := laid("", "# Boats", "## Rowing", "Two oars.", "## Sailing", "One mast.", "# Crew", "Four people.")
	want := map[string]string{"Two oars.": "Boats Rowing", "One mast.": "Boats Sailing", "Four people.": "Crew"}
	for _, one := range Passages(p) {
		if path, ok := want[one.Text]; ok && strings.Join(one.Path, " ") != path {
			t.Errorf("%q stands below %q", one.Text, one.Path)
		}
	}
}

func TestWhatAPageIsAbout(t *testing.T) {
	words := language.Read("opening hours").Content()
	hours := laid("Opening hours – Fenwick Library", "# Opening hours")
	plain := laid("Fenwick Library", "# Welcome")
	by := laid("Fenwick Library", "# Welcome")
	by.URL = "https://library.example/visit/opening-hours.html?x=1"
	if a, b, c, d := About(words, hours, ""), About(words, plain, "Opening hours"), About(words, by, ""), About(words, plain, ""); a < 0.99 || b < 0.8 || c < 0.5 || d > 0.3 || a < b || b < c {
		t.Errorf("by its title %.2f, by the link %.2f, by its address %.2f, by nothing %.2f", a, b, c, d)
	}
	if About(nil, hours, "") != 0 {
		t.Error("a page is about nothing")
	}
}

func TestTheSentenceThatAnswersIsTold(t *testing.T) {
	s := task.Parse("Find out how much children pay for a day ticket.", nil).Subgoals[0]
	p := laid("Park", "# Prices", "Children love the park. A day ticket is £9 for children. Dogs are welcome.")
	if found := Answers(&s, p, Passages(p), ""); len(found) == 0 || found[0].Sentence != "A day ticket is £9 for children." {
		t.Errorf("%+v", found)
	}
}

// FuzzReading reads pages of any texts in any places: nothing panics, what is read
// is bounded, and every score lies between 0 and 1, the best first.
func FuzzReading(f *testing.F) {
	f.Add("Find out who leads", "| a | b\n| c | 1\n# x\nA: => b\n", uint8(3))
	f.Add("is it?", "\xff\n| \n| | |\n# ", uint8(200))
	f.Fuzz(func(t *testing.T, question, text string, seed uint8) {
		p := laid(question, strings.Split(text, "\n")...)
		for i := range p.Texts {
			p.Texts[i].Row = i * int(seed) % 5
			p.Texts[i].Box.X -= float64(seed) * float64(i%3)
		}
		for i := range 3 {
			p.Elements = append(p.Elements, walk.Element{Role: "link", Name: question, Row: i, Href: "mailto:" + fmt.Sprint(seed), Region: int(seed)})
		}
		ps := Passages(p)
		if len(ps) > maxPassages {
			t.Fatalf("%d passages", len(ps))
		}
		s := task.Parse(question, nil).Subgoals[0]
		found, last := Answers(&s, p, ps, text), 1.0
		if len(found) > bestOf {
			t.Fatal(len(found))
		}
		for _, one := range found {
			if !(one.Score >= 0 && one.Score <= last) {
				t.Fatalf("%v after %v", one.Score, last)
			}
			last = one.Score
		}
		if a := About(s.Wanted(), p, text); !(a >= 0 && a <= 1) {
			t.Fatal(a)
		}
	})
}
