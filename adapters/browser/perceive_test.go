package browser_test

import (
	"slices"
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

func TestLookPerceivesWhatPointersNeed(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/menus.html"))
	for name, want := range map[string]bool{
		"Plain box": true, "Pointed box": true, "Tabbed box": false, "Button by role": true, "Large": false,
		"Photo": true, "Native": false, "Agree": false, "Shop": false,
	} {
		if e := element(t, p, name); e.MouseOnly != want {
			t.Errorf("%s: mouse only %v, want %v (%s)", name, e.MouseOnly, want, e.Role)
		}
	}
	for name, want := range map[string]bool{"Shop": true, "Services": true, "About": false, "Share": true, "Native": false} {
		if e := element(t, p, name); e.Submenu != want {
			t.Errorf("%s: submenu %v, want %v", name, e.Submenu, want)
		}
	}
	for name, want := range map[string]string{"Card one": "draggable", "Knob": "draggable", "Done column": "dropzone", "Drop here": "dropzone"} {
		if e := element(t, p, name); e.Role != want || e.Draggable != (want == "draggable") {
			t.Errorf("%s: %s, draggable %v, want %s", name, e.Role, e.Draggable, want)
		}
	}
	for _, e := range p.Elements {
		if e.Name == "Cups" || e.Name == "Repair" || e.Name == "Copy link" {
			t.Errorf("%s is perceived in a closed menu", e.Name)
		}
	}
}

// TestHeadsSayWhatIsRead: the head of a column or a definition, without scripts and what is hidden in it.
func TestHeadsSayWhatIsRead(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/heads.html"))
	for text, want := range map[string]string{"Kittiwake": "Name", "4": "Seats", "in Poole": "Built"} {
		at := slices.IndexFunc(p.Texts, func(x walk.Text) bool { return x.Text == text })
		if at < 0 || p.Texts[at].Head != want {
			t.Errorf("%q is not headed by %q: %+v", text, want, p.Texts)
		}
	}
}

// TestLookShowsALongText: whole, so that a word of it can be changed; a line is cut.
func TestLookShowsALongText(t *testing.T) {
	t.Parallel()
	s := visit(t, "/form.html")
	text := strings.Repeat("The tide turns twice a day.\n", 60)
	for name, want := range map[string]int{"About": len(text), "Name": 200} {
		if _, err := s.Act(t.Context(), walk.Action{Type: walk.Type, Ref: element(t, look(t, s), name).Ref}, text); err != nil {
			t.Fatal(err)
		}
		if e := element(t, look(t, s), name); len(e.Value) != want || e.ValueCut() != (name == "Name") {
			t.Errorf("%s: %d characters are shown, cut %v; wanted %d", name, len(e.Value), e.ValueCut(), want)
		}
	}
}

func TestLookPerceivesFields(t *testing.T) {
	t.Parallel()
	s := visit(t, "/fields.html")
	p := look(t, s)
	for name, want := range map[string]struct{ help, err string }{
		"User name":    {"Letters and digits only", ""},
		"Phone":        {"With the country code", ""},
		"Postcode":     {"", "Four digits, please"},
		"Age":          {"", "This is not a valid number"},
		"Nickname":     {"", ""},
		"First needed": {"", ""},
	} {
		if e := element(t, p, name); e.Help != want.help || e.Error != want.err {
			t.Errorf("%s: help %q, error %q, want %+v", name, e.Help, e.Error, want)
		}
	}
	if e := element(t, p, "User name"); e.MaxLength != 12 {
		t.Errorf("at most %d characters, want 12", e.MaxLength)
	}
	if e := element(t, p, "Document"); e.Accept != ".pdf,image/*" {
		t.Errorf("a file of %q", e.Accept)
	}
	// Placeholders are #757575 on white: 4.61 (WCAG 2.2's formula).
	if e := element(t, p, "Nickname"); e.Contrast < 4.4 || e.Contrast > 4.8 {
		t.Errorf("contrast of a placeholder: %v", e.Contrast)
	}
	if e := element(t, p, "Fruit"); len(e.Options) != 2 || e.Options[1] != "Pear" {
		t.Errorf("suggestions: %q", e.Options)
	}
	// The browser's own bubble stands at the first wrong field alone.
	e := act(t, s, walk.Click, "Send it", "")
	p = look(t, s)
	if first, second := element(t, p, "First needed"), element(t, p, "Second needed"); !e.Mutated || first.Error == "" || second.Error != "" {
		t.Errorf("refused: %+v, first %q, second %q", e, first.Error, second.Error)
	}
	act(t, s, walk.Type, "First needed", "x")
	if e := element(t, look(t, s), "First needed"); e.Error != "" {
		t.Errorf("the field is right now, yet says %q", e.Error)
	}
}

func TestLookTellsSpeedAndSelectors(t *testing.T) {
	t.Parallel()
	s := visit(t, "/facts.html")
	eventually(t, "the largest paint is measured", func() bool { return look(t, s).Vitals.LCPMS > 0 })
	p, err := s.Look(t.Context(), "#mail", "#host + p.none", "::no selector", "details p")
	if err != nil || len(p.SelectorsVisible) != 1 || p.SelectorsVisible[0] != "#mail" {
		t.Errorf("visible: %q, %v", p.SelectorsVisible, err)
	}
}

func TestFailedNavigationsLeaveAPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ link, want string }{
		{"HTTP loop", "ERR_TOO_MANY_REDIRECTS"}, {"Script loop", "ERR_TOO_MANY_REDIRECTS"}, {"Meta loop", "ERR_TOO_MANY_REDIRECTS"},
		{"Nobody there", "ERR_CONNECTION_REFUSED"},
	} {
		t.Run(c.link, func(t *testing.T) {
			t.Parallel()
			s := visit(t, "/leads.html")
			e := act(t, s, walk.Click, c.link, "")
			if e.NetError != c.want || !e.Navigated || e.Failed != "" {
				e.Requests = nil
				t.Errorf("effect: %+v", e)
			}
			if p := look(t, s); p.URL == "" || p.URL[:4] != "http" {
				t.Errorf("the page is %q", p.URL)
			}
			if _, _, _, err := s.Screenshot(t.Context()); err != nil {
				t.Error(err)
			}
			// Going back out is what people do; a loop may take several goes.
			for range 25 {
				if e = act(t, s, walk.Back, "", ""); e.URL == site.URL+"/leads.html" {
					break
				}
			}
			if _, ok := text(look(t, s), "Ways out"); !ok || e.NetError != "" {
				if _, err := s.Goto(t.Context(), site.URL+"/leads.html"); err != nil {
					t.Errorf("the session does not go on: %+v, %v", e, err)
				}
			}
		})
	}
}

func TestDisabledByTheKeyboard(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{KeyboardOnly: true})
	if _, err := s.Goto(t.Context(), site.URL+"/menus.html"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Plain box", "Pointed box", "Button by role", "Photo"} {
		kind := walk.Click
		if name == "Photo" {
			kind = walk.Hover
		}
		if e := act(t, s, kind, name, ""); e.Failed != "cannot be reached with the keyboard" || e.Mutated {
			t.Errorf("%s: %+v", name, e)
		}
	}
	for name, title := range map[string]string{"Native": "pressed", "Tabbed box": "tabbed"} {
		if e := act(t, s, walk.Click, name, ""); e.Failed != "" || look(t, s).Title != title {
			t.Errorf("%s: %+v, title %q", name, e, look(t, s).Title)
		}
	}
	if e := act(t, s, walk.Check, "Agree", ""); e.Failed != "" || !element(t, look(t, s), "Agree").Checked {
		t.Errorf("tick: %+v", e)
	}
	act(t, s, walk.Hover, "Shop", "")
	element(t, look(t, s), "Cups") // :focus-within opens what :hover does
	if e := act(t, s, walk.Click, "Plates", ""); !e.Navigated {
		t.Errorf("follow a link with the keyboard: %+v", e)
	}
}

// TestAlertsAreErrorsOfTheFieldsThatTheyRefuse: a page also praises in alerts.
func TestAlertsAreErrorsOfTheFieldsThatTheyRefuse(t *testing.T) {
	t.Parallel()
	s := visit(t, "/alerts.html")
	act(t, s, walk.Click, "Go on", "")
	p := look(t, s)
	for name, want := range map[string]string{
		"Search": "", "News": "", "Mail": "This is not a valid address", "Code": "Four digits, please",
		"Town": "Say where you live", "Name": "Tell us who you are",
	} {
		if e := element(t, p, name); e.Error != want {
			t.Errorf("%s: %q, want %q", name, e.Error, want)
		}
	}
}
