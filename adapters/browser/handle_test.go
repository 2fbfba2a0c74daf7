package browser_test

import (
	"regexp"
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

func TestPointingOpensMenus(t *testing.T) {
	t.Parallel()
	s := visit(t, "/menus.html")
	if e := act(t, s, walk.Hover, "Shop", ""); e.Failed != "" || e.Navigated {
		t.Errorf("pointed: %+v", e)
	}
	p := look(t, s)
	element(t, p, "Cups")
	if element(t, p, "Shop").Submenu {
		t.Error("the open menu is still said to be hidden")
	}
	act(t, s, walk.Hover, "Services", "")
	p = look(t, s)
	element(t, p, "Repair")
	for _, e := range p.Elements {
		if e.Name == "Cups" {
			t.Error("the menu stays open when the pointer is elsewhere")
		}
	}
	act(t, s, walk.Hover, "Shop", "")
	if e := act(t, s, walk.Click, "Cups", ""); !e.Navigated || !strings.HasSuffix(e.URL, "/shop/cups") {
		t.Errorf("an item of the menu: %+v", e)
	}
}

func TestOnlyAMouseTakesHoldOfThings(t *testing.T) {
	t.Parallel()
	s := visit(t, "/held.html")
	if e := act(t, s, walk.DoubleClick, "Salt", ""); e.Failed != "" || !e.Mutated || !e.Arrived {
		t.Errorf("double-clicked: %+v", e)
	}
	if v := element(t, look(t, s), "Name").Value; v != "Salt" {
		t.Errorf("%q is to be written over", v)
	}
	if e := act(t, s, walk.RightClick, "Soap", ""); e.Failed != "" || !e.Mutated {
		t.Errorf("asked for its menu: %+v", e)
	}
	element(t, look(t, s), "Rename Soap")
	finger := open(t, browser.SessionOptions{Viewport: browser.Mobile})
	if _, err := finger.Goto(t.Context(), site.URL+"/held.html"); err != nil {
		t.Fatal(err)
	}
	if e := act(t, finger, walk.DoubleClick, "Salt", ""); e.Failed == "" {
		t.Errorf("a finger double-clicked: %+v", e)
	}
}

func TestFingersCannotPoint(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{Viewport: browser.Tablet})
	if _, err := s.Goto(t.Context(), site.URL+"/menus.html"); err != nil {
		t.Fatal(err)
	}
	if e := act(t, s, walk.Hover, "Shop", ""); e.Failed == "" || e.Navigated {
		t.Errorf("a finger pointed at a link: %+v", e)
	}
	act(t, s, walk.Hover, "Services", "")
	element(t, look(t, s), "Repair")
}

func TestDragging(t *testing.T) {
	t.Parallel()
	s := visit(t, "/menus.html")
	drag := func(name, onto string) walk.Effect {
		t.Helper()
		p := look(t, s)
		e, err := s.Act(t.Context(), walk.Action{Type: walk.Drag, Ref: element(t, p, name).Ref, To: element(t, p, onto).Ref}, "")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := drag("Card one", "Done column"); !e.Mutated || look(t, s).Title != "dropped" {
		t.Errorf("the browser's own dragging: %+v, %s", e, look(t, s).Title)
	}
	if e := drag("Knob", "Drop here"); e.Failed != "" || look(t, s).Title != "binned" {
		t.Errorf("dragging by the page's script: %+v, %s", e, look(t, s).Title)
	}
}

func TestFieldsOfAllKinds(t *testing.T) {
	t.Parallel()
	s := visit(t, "/fields.html")
	for _, f := range []struct{ name, value string }{
		{"Day", "2031-05-17"}, {"Time", "14:30"}, {"Month", "2031-05"}, {"Week", "2031-W20"}, {"Colour", "#ff8800"},
		{"Level", "7"}, {"Moment", "2031-05-17T14:30"}, {"Note", "new words"}, {"Fruit", "Pear"},
	} {
		if e := act(t, s, walk.Type, f.name, f.value); e.Failed != "" {
			t.Errorf("%s: %s", f.name, e.Failed)
		}
		if got := element(t, look(t, s), f.name).Value; got != f.value {
			t.Errorf("%s is %q, want %q", f.name, got, f.value)
		}
	}
	for name, value := range map[string]string{"Day": "yesterday", "Colour": "blueish"} {
		if e := act(t, s, walk.Type, name, value); e.Failed == "" {
			t.Errorf("%s took %q", name, value)
		}
	}
	act(t, s, walk.Click, "Country", "")
	p := look(t, s)
	if e := element(t, p, "Austria"); e.Role != "option" {
		t.Errorf("an option of the open list: %+v", e)
	}
	act(t, s, walk.Click, "Country", "")
	if e := act(t, s, walk.Select, "Country", "Belgium"); e.Failed != "" {
		t.Errorf("choose of a drawn list: %s", e.Failed)
	}
	if _, ok := text(look(t, s), "country Belgium"); !ok {
		t.Error("the choice did not arrive")
	}
	if e := act(t, s, walk.Select, "Country", "Atlantis"); e.Failed == "" {
		t.Error("chose what is not on the list")
	}
}

func TestChoosingFiles(t *testing.T) {
	t.Parallel()
	s := visit(t, "/fields.html")
	for _, c := range []struct{ field, name, want string }{
		{"Document", "contract.pdf", `contract\.pdf application/pdf \d{3} %PDF-`},
		{"Document", "me.png", `me\.png image/png \d+ `},
		{"Document", "letter.docx", `letter\.pdf application/pdf \d{3} %PDF-`},
		{"Choose a table", "", `document\.csv text/csv \d+ name,`},
	} {
		if e := act(t, s, walk.Upload, c.field, c.name); e.Failed != "" {
			t.Errorf("%s: %s", c.name, e.Failed)
		}
		eventually(t, "the page has "+c.want, func() bool {
			for _, x := range look(t, s).Texts {
				if regexp.MustCompile(c.want).MatchString(x.Text) {
					return true
				}
			}
			return false
		})
	}
	if _, err := s.Goto(t.Context(), site.URL+"/fields.html?again"); err != nil {
		t.Fatal(err)
	}
	if e := act(t, s, walk.Click, "Choose a table", ""); e.Failed != "" || !e.Mutated {
		t.Errorf("a click that opens a chooser: %+v", e)
	}
	eventually(t, "a file is chosen after a click", func() bool {
		_, ok := text(look(t, s), "document.csv text/csv")
		return ok
	})
	if e := act(t, s, walk.Upload, "Send it", "x.pdf"); e.Failed == "" {
		t.Error("a button that asks for no file got one")
	}
}
