package browser_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

func TestLookPerceivesNames(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/facts.html"))
	for _, want := range []struct{ name, source, role string }{
		{"Pricing", "text", "link"},
		{"E-mail address", "label", "textbox"},
		{"Phone number", "aria", "textbox"},
		{"Postcode", "aria", "textbox"},
		{"Coupon", "placeholder", "textbox"},
		{"Floor", "title", "textbox"},
		{"Create account", "text", "button"},
		{"Go", "value", "button"},
		{"I accept the terms", "label", "checkbox"},
		{"Close", "aria", "button"},
		{"Home page", "alt", "link"},
		{"Open the card", "text", "clickable"},
		{"Inner", "text", "button"},
		{"In the shadow", "text", "button"},
		{"Framed button", "text", "button"},
		{"Scroll for me", "text", "button"},
		{"More", "text", "button"},
	} {
		e := element(t, p, want.name)
		if e.NameSource != want.source || e.Role != want.role {
			t.Errorf("%s: named by %q as %q, want %q as %q", want.name, e.NameSource, e.Role, want.source, want.role)
		}
	}
	nameless := 0
	for _, e := range p.Elements {
		if e.Name == "" && e.InputType == "text" {
			nameless++
		}
		if e.Name == "Clipped away" || e.Name == "Card with words Inner" {
			t.Errorf("perceived %q, which nobody sees as a control", e.Name)
		}
	}
	if nameless != 1 {
		t.Errorf("%d text fields without a name, want 1", nameless)
	}
	if p.Title != "Facts" || p.Lang != "en" || p.Status != 200 || p.Viewport != (walk.Size{Width: 1280, Height: 800}) || p.Truncated {
		t.Errorf("page: %q %q %d %v %v", p.Title, p.Lang, p.Status, p.Viewport, p.Truncated)
	}
}

func TestLookPerceivesFacts(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/facts.html"))
	mail := element(t, p, "E-mail address")
	if !mail.Required || mail.Autocomplete != "email" || mail.InputType != "email" || mail.Form != 1 || mail.Selector != "#mail" {
		t.Errorf("e-mail field: %+v", mail)
	}
	if b := element(t, p, "Create account"); !b.Submit || b.Form != 1 || b.Icon {
		t.Errorf("submit button: %+v", b)
	}
	if b := element(t, p, "Locked"); !b.Disabled {
		t.Error("the disabled button is perceived as enabled")
	}
	for _, name := range []string{"Close", "Home page"} {
		if !element(t, p, name).Icon {
			t.Errorf("%s is not perceived as an icon", name)
		}
	}
	if b := element(t, p, "Far below"); b.InViewport || b.Box.Y < 800 {
		t.Errorf("below the fold: %+v", b.Box)
	}
	if b := element(t, p, "Scroll for me"); b.InViewport {
		t.Error("scrolled out of its box, yet seen")
	}
	if b := element(t, p, "Under the banner"); b.CoveredBy != "layer 'Cookies'" {
		t.Errorf("the button under the banner is covered by %q", b.CoveredBy)
	}
	for name, want := range map[string]string{"► Lists": "false", "▼ Indexes": "true"} {
		if s := element(t, p, name); s.Expanded != want {
			t.Errorf("%s is %q", name, s.Expanded)
		}
	}
	if s := element(t, p, "More"); s.Expanded != "false" {
		t.Errorf("details are %q", s.Expanded)
	} else if len(s.Holds) != 1 || s.Holds[0].Name != "In the drawer" || !strings.HasSuffix(s.Holds[0].Href, "/drawer") {
		t.Errorf("the details hold %+v", s.Holds)
	}
	if l := element(t, p, "Pricing"); !strings.HasSuffix(l.Href, "/pricing") || p.Regions[l.Region].Heading != "Main" {
		t.Errorf("link: %+v", l)
	}
	if m := mail; p.Regions[m.Region].Kind != "heading" && p.Regions[m.Region].Kind != "form" {
		t.Errorf("region of the field: %+v", p.Regions[m.Region])
	}
	for _, want := range []struct{ words, kind string }{
		{"Welcome to the shop", "heading"}, {"See the terms for more.", "paragraph"}, {"First item", "item"},
		{"A cell", "cell"}, {"Shadow words", "paragraph"}, {"Framed words", "paragraph"}, {"Card with words", "paragraph"},
		{"E-mail address", "label"},
	} {
		x, ok := text(p, want.words)
		if !ok || x.Kind != want.kind {
			t.Errorf("text %q: found %v, kind %q, want %q", want.words, ok, x.Kind, want.kind)
		}
	}
	for _, words := range []string{"Only for screen readers", "Not there", "Nor this", "Inside", "Open the card"} {
		if _, ok := text(p, words); ok {
			t.Errorf("perceived the words %q", words)
		}
	}
	for i := 1; i < len(p.Elements); i++ {
		a, b := p.Elements[i-1].Box, p.Elements[i].Box
		if b.Y+b.H < a.Y {
			t.Errorf("out of visual order: %q before %q", p.Elements[i-1].Name, p.Elements[i].Name)
		}
	}
}

// The expected ratios are worked out by hand with the formula of WCAG 2.2:
// #767676 on white 4.54; white on #00f 8.59; half-transparent white on black is
// #808080 on #000 at 5.32; a card of black on white at half opacity over black is
// black on #808080, also 5.32; white over half-black on white is white on
// #808080, 3.95.
func TestLookPerceivesContrast(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/facts.html"))
	for words, want := range map[string]float64{
		"Grey words on white": 4.54, "White on blue": 8.59, "Half seen words": 5.32, "Faded card": 5.32,
		"Over a veil": 3.95, "On a picture": 0, "Modern colours": 21, "Imprint words": 21,
	} {
		x, ok := text(p, words)
		if !ok || math.Abs(x.Contrast-want) > 0.1 {
			t.Errorf("%s: contrast %v, want %v", words, x.Contrast, want)
		}
	}
	if e := element(t, p, "Pale"); e.Colours != "#aaaaaa on #ffffff" {
		t.Errorf("the colours of grey on white: %q", e.Colours)
	}
	if e := element(t, p, "Agree"); e.Contrast < 15 || e.Colours != "" {
		t.Errorf("black on a light button over a dark bar: %v", e.Contrast)
	}
}

func TestLookPerceivesWhatCovers(t *testing.T) {
	t.Parallel()
	s := visit(t, "/dialog.html")
	p := look(t, s)
	if b := element(t, p, "Buy"); b.CoveredBy != "dialog 'Cookies'" || b.InDialog {
		t.Errorf("covered by %q, in dialog %v", b.CoveredBy, b.InDialog)
	}
	if b := element(t, p, "Accept all"); b.CoveredBy != "" || !b.InDialog || p.Regions[b.Region].Heading != "Cookies" {
		t.Errorf("in the dialog: %+v", b)
	}
	act(t, s, walk.Click, "Buy", "")
	if title := look(t, s).Title; title != "Dialog" {
		t.Errorf("the click went through the dialog: %q", title)
	}
}

// TestAWindowAboveAVeilIsADialog sees layers that say nothing of what they are.
func TestAWindowAboveAVeilIsADialog(t *testing.T) {
	t.Parallel()
	p := look(t, visit(t, "/window.html"))
	for name, want := range map[string]bool{"Yes": true, "note": false, "Remove": false} {
		if got := element(t, p, name).InDialog; got != want {
			t.Errorf("%s in a dialog: %v", name, got)
		}
	}
}

// TestLookIsBoundedOnAHugePage: a look at 20,000 elements is broken off after a
// few seconds of the page's time (lookBudget) or 3,000 elements, and that is told.
func TestLookIsBoundedOnAHugePage(t *testing.T) {
	t.Parallel()
	s := visit(t, "/huge")
	bounded, done := patience.Context(t.Context(), 10*time.Second)
	defer done()
	p := look(t, s)
	if bounded.Err() != nil {
		t.Error("a look took long")
	}
	if !p.Truncated || len(p.Elements) > 3000 || len(p.Elements) < 100 {
		t.Errorf("%d elements, truncated %v", len(p.Elements), p.Truncated)
	}
	if !slices.ContainsFunc(p.Limits, func(l walk.Limit) bool { return l.Kind == walk.LimitSize }) {
		t.Errorf("that its end is not known is not told: %v", p.Limits)
	}
}

// Pages make names of random numbers: those of one page are not those of the page
// when it is loaded again, and a walk with the same seed gets all of them again.
func TestAPageThatIsLoadedAgainGetsOtherNumbers(t *testing.T) {
	t.Parallel()
	walked := func() (all []string) {
		s := open(t, browser.SessionOptions{Seed: 7})
		if _, err := s.Goto(t.Context(), site.URL+"/again"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			all = append(all, look(t, s).Texts[0].Text)
			act(t, s, walk.Click, "Again", "")
		}
		return all
	}
	first := walked()
	if first[0] == first[1] {
		t.Errorf("loaded twice, the page got %s twice", first[0])
	}
	if again := walked(); !slices.Equal(again, first) {
		t.Errorf("the same seed gave %s, then %s", first, again)
	}
}

func TestDevices(t *testing.T) {
	t.Parallel()
	said := func(o browser.SessionOptions) string {
		s := open(t, o)
		if _, err := s.Goto(t.Context(), site.URL+"/agent"); err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, x := range look(t, s).Texts {
			words = append(words, x.Text)
		}
		return strings.Join(words, " ")
	}
	desktop := said(browser.SessionOptions{Seed: 7, Zoom: 2})
	if strings.Contains(desktop, "Headless") || !strings.Contains(desktop, "en-US UTC 640 ") {
		t.Errorf("desktop at zoom 2: %s", desktop)
	}
	if again := said(browser.SessionOptions{Seed: 7, Zoom: 2}); again != desktop {
		t.Errorf("the same seed gave %s, then %s", desktop, again)
	}
	if other := said(browser.SessionOptions{Seed: 8, Zoom: 2}); other == desktop {
		t.Errorf("another seed gave the same: %s", other)
	}
	mobile := said(browser.SessionOptions{Viewport: browser.Mobile, Locale: "de-AT"})
	if !strings.Contains(mobile, "Mobile Safari") || !strings.Contains(mobile, "de-AT UTC") {
		t.Errorf("mobile: %s", mobile)
	}
}

// TestLookPerceivesControlsByWhatShowsOfThem: a link around what floats, is
// placed freely or stands in its stead has no box of its own.
func TestLookPerceivesControlsByWhatShowsOfThem(t *testing.T) {
	t.Parallel()
	s := visit(t, "/empty.html")
	p := look(t, s)
	for name, hash := range map[string]string{"Floating": "#float", "Without a box": "#contents", "Placed freely": "#placed"} {
		e := element(t, p, name)
		if e.Role != "link" || e.Box.W < 20 || !e.InViewport || e.CoveredBy != "" ||
			e.MouseOnly != (name == "Without a box") { // Chromium gives the focus to nothing without one
			t.Errorf("%s: %+v", name, e)
		}
		if done := act(t, s, walk.Click, name, ""); !strings.HasSuffix(done.URL, hash) {
			t.Errorf("%s led to %s", name, done.URL)
		}
	}
	if e := element(t, p, "Slotted"); e.Expanded != "false" {
		t.Errorf("details in a web component: %+v", e)
	}
	for _, e := range p.Elements {
		switch e.Href {
		case site.URL + "/empty.html#spoken", site.URL + "/empty.html#gone", site.URL + "/empty.html#shut", site.URL + "/empty.html#in":
			t.Errorf("perceived %q, of which nothing shows", e.Name)
		}
	}
}
