package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

func TestLookPerceivesWidgets(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/widgets.html"))
	for name, role := range map[string]string{
		"First part": "tab", "Second part": "tab", "Note": "textbox", "Letter": "textbox", "Remarks": "textbox",
		"Animals": "clickable", "Can I pay later?": "clickable", "trash": "button", "pencil": "button",
		"red circle": "clickable", "blue square": "clickable", "green triangle": "clickable", "yellow square": "clickable",
		"Fruits": "listbox", "Apple": "option", "Pear": "option", "Town": "combobox", "North": "clickable", "South": "clickable",
	} {
		if e := element(t, p, name); e.Role != role {
			t.Errorf("%s is a %s, want %s", name, e.Role, role)
		}
	}
	for name, holds := range map[string]func(walk.Element) bool{
		"First part":       func(e walk.Element) bool { return e.Selected },
		"Second part":      func(e walk.Element) bool { return !e.Selected },
		"Note":             func(e walk.Element) bool { return e.Rich && e.Multiline && e.Value == "Old words" },
		"Letter":           func(e walk.Element) bool { return e.Rich && e.Value == "Dear all" },
		"Remarks":          func(e walk.Element) bool { return !e.Rich && e.Multiline },
		"Animals":          func(e walk.Element) bool { return e.Expanded == "false" && e.Level == 1 && len(e.Holds) == 1 },
		"Plants":           func(e walk.Element) bool { return e.Expanded == "true" },
		"Trees":            func(e walk.Element) bool { return e.Level == 2 },
		"Can I pay later?": func(e walk.Element) bool { return e.Expanded == "false" },
		"Do you deliver?":  func(e walk.Element) bool { return e.Expanded == "true" },
		"trash":            func(e walk.Element) bool { return e.Icon && e.NameSource == "icon" },
		"send":             func(e walk.Element) bool { return e.Icon && e.NameSource == "icon" && e.Role == "clickable" },
		"red circle":       func(e walk.Element) bool { return e.NameSource == "shape" },
		"Town":             func(e walk.Element) bool { return e.Popup == "listbox" },
		"Options":          func(e walk.Element) bool { return e.Popup == "menu" },
		"Fixed":            func(e walk.Element) bool { return e.ReadOnly },
		"Here":             func(e walk.Element) bool { return e.Selected && e.Tip == "Where you are" },
		"up":               func(e walk.Element) bool { return e.Role == "button" && !e.Draggable },
		"down":             func(e walk.Element) bool { return e.NameSource == "icon" },
	} {
		if e := element(t, p, name); !holds(e) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	sliders := 0
	for _, e := range p.Elements {
		if e.Role == "slider" {
			sliders++
			if e.Value != "50%" || !e.Draggable {
				t.Errorf("handle: %+v", e)
			}
		}
	}
	if sliders != 1 {
		t.Errorf("%d sliders, want 1", sliders)
	}
	if _, ok := text(p, "Map"); !ok {
		t.Error("the words of a drawing are not read")
	}
}

// TestRowsThatReactKeepTheirWords: they can be pressed and read, and what stands
// in them is told apart by its row.
func TestRowsThatReactKeepTheirWords(t *testing.T) {
	t.Parallel()
	s := visit(t, "/widgets.html")
	p := look(t, s)
	var ann, bob walk.Element
	stars := map[int]int{}
	for _, e := range p.Elements {
		switch {
		case strings.HasPrefix(e.Name, "Ann Lee"):
			ann = e
		case strings.HasPrefix(e.Name, "Bob Fox"):
			bob = e
		case e.Tip == "Mark" || e.Name == "Mark":
			stars[e.Row]++
		}
	}
	if ann.Role != "clickable" || bob.Role != "clickable" || ann.Row == 0 || ann.Row == bob.Row || ann.Selected || !bob.Selected {
		t.Errorf("rows: %+v, %+v", ann, bob)
	}
	if stars[ann.Row] != 1 || stars[bob.Row] != 1 {
		t.Errorf("stars by row: %v, rows %d and %d", stars, ann.Row, bob.Row)
	}
	for words, want := range map[string]struct {
		row  int
		head string
	}{"Holiday plans": {ann.Row, "Subject"}, "Bob Fox": {bob.Row, "From"}, "Nine to five": {0, "Opening hours"}} {
		if x, ok := text(p, words); !ok || x.Row != want.row || x.Head != want.head {
			t.Errorf("%s: found %v, row %d, head %q, want %+v", words, ok, x.Row, x.Head, want)
		}
	}
	if e, err := s.Act(t.Context(), walk.Action{Type: walk.Click, Ref: bob.Ref}, ""); err != nil || !e.Arrived || look(t, s).Title != "Bob Fox" {
		t.Errorf("pressed a row: %+v, %v", e, err)
	}
}

func TestWidgetsAreUsed(t *testing.T) {
	t.Parallel()
	s := visit(t, "/widgets.html")
	for _, c := range []struct {
		kind        walk.ActionType
		name, value string
		holds       func(walk.Page) bool
	}{
		{walk.Click, "Second part", "", func(p walk.Page) bool { return element(t, p, "Second part").Selected }},
		{walk.Append, "Note", " and new", func(p walk.Page) bool { return element(t, p, "Note").Value == "Old words and new" }},
		{walk.Type, "Note", "Only new", func(p walk.Page) bool { e := element(t, p, "Note"); return e.Value == "Only new" && e.Focused }},
		{walk.Append, "Letter", ", hello", func(p walk.Page) bool { return element(t, p, "Letter").Value == "Dear all, hello" }},
		{walk.Type, "Letter", "Bye", func(p walk.Page) bool { return element(t, p, "Letter").Value == "Bye" }},
		{walk.Append, "Remarks", "!", func(p walk.Page) bool { return element(t, p, "Remarks").Value == "Old remarks!" }},
		{walk.Click, "up", "", func(p walk.Page) bool { return p.Title == "more" }},
		{walk.Click, "green triangle", "", func(p walk.Page) bool { return p.Title == "polygon" }},
		{walk.Click, "South", "", func(p walk.Page) bool { return p.Title == "South" }},
		{walk.Click, "Pear", "", func(p walk.Page) bool { return element(t, p, "Pear").Selected }},
		{walk.Click, "Plum", "", func(p walk.Page) bool { return element(t, p, "Fruits").Value == "Pear, Plum" }},
		{walk.Click, "Animals", "", func(p walk.Page) bool { return true }},
		{walk.Type, "City", "Li", func(p walk.Page) bool { return element(t, p, "Lima").Role == "option" }},
		{walk.Click, "Lima", "", func(p walk.Page) bool { return element(t, p, "City").Value == "Lima" }},
		{walk.Press, "", "Escape", func(p walk.Page) bool { return p.Title == "escaped" }},
	} {
		e := act(t, s, c.kind, c.name, c.value)
		if e.Failed != "" || e.Arrived != (c.name != "") {
			t.Errorf("%s %s: %+v", c.kind, c.name, e)
		}
		if p := look(t, s); !c.holds(p) {
			t.Errorf("%s %s %q did not do it: title %q", c.kind, c.name, c.value, p.Title)
		}
	}
	for _, e := range look(t, s).Elements {
		if e.Role != "slider" {
			continue
		}
		if _, err := s.Act(t.Context(), walk.Action{Type: walk.Press, Ref: e.Ref}, "ArrowRight"); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range look(t, s).Elements {
		if e.Role == "slider" && e.Value != "75%" {
			t.Errorf("the handle stands at %s", e.Value)
		}
	}
}

// TestATinyPageIsPerceivedWhole: 160×210 px with letters and shapes of a few.
func TestATinyPageIsPerceivedWhole(t *testing.T) {
	t.Parallel()
	s := visit(t, "/tiny.html")
	if _, ok := text(look(t, s), "Click on the small blue square"); !ok {
		t.Error("the task is not read")
	}
	for _, name := range []string{"blue square", "red circle", "No", "Go"} {
		if e := act(t, s, walk.Click, name, ""); !e.Arrived {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if title := look(t, s).Title; title != "Tiny s circle no go" {
		t.Errorf("pressed %q", title)
	}
}

// TestFrameworksListenForTheirElements: what a framework keeps for itself is
// found: React's properties, jQuery's selectors and others' names.
func TestFrameworksListenForTheirElements(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/frameworks.html"))
	for _, name := range []string{"By a property", "By a store", "By a name"} {
		if e := element(t, p, name); e.Role != "clickable" {
			t.Errorf("%s: %s", name, e.Role)
		}
	}
	if x, ok := text(p, "Not this"); !ok {
		t.Errorf("what does not react is no text: %+v", x)
	}
}

func TestLookTellsWhatItCannotSee(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/limits.html"))
	var kinds []string
	for _, l := range p.Limits {
		kinds = append(kinds, l.Kind+" "+l.Name)
	}
	want := "canvas Board, frame Map of others, captcha hCaptcha challenge, shadow , media "
	if got := strings.Join(kinds, ", "); got != want {
		t.Errorf("limits: %s, want %s", got, want)
	}
}

func TestLookPerceivesBoxes(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/boxes.html"))
	order := []string{"Strong", "Outlined", "Pale", "Bare"}
	for i := 1; i < len(order); i++ {
		a, b := element(t, p, order[i-1]), element(t, p, order[i])
		if a.Salience <= b.Salience {
			t.Errorf("%s stands out %v, %s %v", a.Name, a.Salience, b.Name, b.Salience)
		}
	}
	strong, small, sunk := element(t, p, "Strong"), element(t, p, "S"), element(t, p, "Sunk")
	if strong.Salience < 0.5 || strong.Salience > 1 || small.Salience >= strong.Salience || sunk.Salience > 0.1 {
		t.Errorf("strong %v, small %v, sunk %v", strong.Salience, small.Salience, sunk.Salience)
	}
	blue, _ := text(p, "Blue mug")
	red, _ := text(p, "Holds milk")
	buys := map[int]bool{}
	for _, e := range p.Elements {
		if e.Name == "Buy" {
			buys[e.Row] = true
		}
	}
	if blue.Row == 0 || blue.Row == red.Row || !buys[blue.Row] || !buys[red.Row] || len(buys) != 3 {
		t.Errorf("cards: blue in %d, red in %d, buttons in %v", blue.Row, red.Row, buys)
	}
}

// TestWhatIsPressedLiesOnTop: a press goes to a part that can be reached, and
// nothing is pressed in its stead where there is none.
func TestWhatIsPressedLiesOnTop(t *testing.T) {
	t.Parallel()
	s := visit(t, "/reach.html")
	for _, c := range []struct {
		name, title, missed string
		moved               bool
	}{
		{"Half covered", "half", "", false}, {"All covered", "half", "layer 'Veil'", false}, {"Shy", "half", "layer 'Preview'", false},
		{"Deep inside", "deep", "", true}, {"Far below", "below", "", true},
	} {
		e := act(t, s, walk.Click, c.name, "")
		if e.Missed != c.missed || e.Arrived != (c.missed == "") || (e.Failed != "") != (c.missed != "") || e.Moved != c.moved {
			t.Errorf("%s: %+v", c.name, e)
		}
		if title := look(t, s).Title; title != c.title {
			t.Errorf("%s: title %q, want %q", c.name, title, c.title)
		}
	}
}

func TestCoveredWords(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/reach.html"))
	for words, want := range map[string]bool{"Under paint": true, "Under glass": false, "Top of the box": false} {
		if x, ok := text(p, words); !ok || x.Covered != want {
			t.Errorf("%s: found %v, covered %v", words, ok, x.Covered)
		}
	}
}

// TestAGlidingPageIsSeenWhereItComesToRest: one that begins to move late, and moves for a
// while. One that a busy machine stops on its way for as long as a page rests, or that is
// left, may be seen there.
func TestAGlidingPageIsSeenWhereItComesToRest(t *testing.T) {
	t.Parallel()
	s := visit(t, "/glides.html")
	for _, c := range []struct {
		name, direction string
		there           func(walk.Page) bool
	}{
		{"", "down", func(p walk.Page) bool { return p.ScrollY >= float64(p.Viewport.Height)-1 }},
		{"", "up", func(p walk.Page) bool { return p.ScrollY <= 1 }},
		{"To the end", "", func(p walk.Page) bool { return p.ScrollY >= p.Height-float64(p.Viewport.Height)-2 }},
	} {
		kind := walk.Scroll
		if c.name != "" {
			kind = walk.Click
		}
		began := time.Now()
		if e := act(t, s, kind, c.name, c.direction); !e.Scrolled {
			t.Errorf("%s%s: %+v", c.name, c.direction, e)
		}
		left := wasLeft(began)
		p, pause := look(t, s), 0
		eventually(t, "the page is there and says how it came", func() bool {
			now := look(t, s)
			n, _ := fmt.Sscanf(now.Title, "Paused %d", &pause)
			return n == 1 && c.there(now)
		})
		if !c.there(p) && !left && pause < 150 {
			t.Errorf("%s%s: the page of %v px is seen at %v, and paused for %d ms at most", c.name, c.direction, p.Height, p.ScrollY, pause)
		}
	}
}

func TestScrollingToAnElement(t *testing.T) {
	t.Parallel()
	for _, viewport := range []string{browser.Desktop, browser.Mobile} {
		t.Run(viewport, func(t *testing.T) {
			t.Parallel()
			s := open(t, browser.SessionOptions{Viewport: viewport})
			if _, err := s.Goto(t.Context(), site.URL+"/reach.html"); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Deep and far", "Half covered", "Deep inside", "Far below"} {
				if e := act(t, s, walk.Scroll, name, ""); e.Failed != "" || !e.Scrolled {
					t.Errorf("%s: %+v", name, e)
				}
				if e := element(t, look(t, s), name); !e.InViewport {
					t.Errorf("%s is not in view: %+v", name, e.Box)
				}
			}
			before := look(t, s)
			act(t, s, walk.Scroll, "Half covered", "")
			act(t, s, walk.Scroll, "Deep inside", "")
			page := look(t, s)
			if e := act(t, s, walk.Scroll, "Deep inside", "up"); !e.Scrolled {
				t.Errorf("scrolled a box: %+v", e)
			}
			after := look(t, s)
			if after.ScrollY != page.ScrollY || element(t, after, "Deep inside").Box.Y <= element(t, page, "Deep inside").Box.Y {
				t.Errorf("the page went from %v to %v (%v)", page.ScrollY, after.ScrollY, before.ScrollY)
			}
		})
	}
}
