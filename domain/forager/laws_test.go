package forager

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// tasks are of every kind of goal.
var tasks = []string{
	"Find out who the treasurer is", "Open the prices", "Sign up with the email ada@example.com", "Click on the 5th result",
	"Delete the note \"Milk\"", "Find the page about Ada Lovelace", "Look up in the glossary what a decorator is",
	"Add the sentence \"It opened in 1911.\" to the page about the Bridge", "Open the cheapest boat", "Choose \"Red\" as the colour and press Save",
	"Switch between the tabs and click on the link \"egestas\"", "Log in as ada with the password lovelace, then log out", "",
}

var labels = []string{
	"", "Prices", "Menu", "Close", "Search", "Milk", "Delete", "Edit", "Next", ">", "Glossary", "Bridge", "Treasurer", "Email", "Password",
	"Colour", "Save", "Cancel", "Accept all cookies", "We use cookies to make this site better.", "Ada Lovelace", "Log in", "Sign up", "The treasurer is Maria Gomez.",
	"A boat is 90 pounds.", "egestas", "More", "Read more", "Send", "Content", "Red", "decorator",
}

func oneOf(t *rapid.T, of []string, what string) string { return rapid.SampledFrom(of).Draw(t, what) }

func flag(t *rapid.T, what string, oneIn int) bool {
	return rapid.IntRange(1, oneIn).Draw(t, what) == 1
}

func drawBox(t *rapid.T) walk.Box {
	at := func(what string, most int) float64 { return float64(rapid.IntRange(0, most).Draw(t, what)) }
	return walk.Box{X: at("x", 1200), Y: at("y", 2000) - 300, W: at("w", 400), H: at("h", 60)}
}

var allRoles = []string{"link", "button", "clickable", "row", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option", "tab", "menuitem", "switch", "slider", "spinbutton", "file", "dropzone"}

func drawElement(t *rapid.T, n int) walk.Element {
	e := walk.Element{
		Ref: fmt.Sprint("e", n), Selector: fmt.Sprint("#s", n), Role: oneOf(t, allRoles, "role"), Name: oneOf(t, labels, "name"), Box: drawBox(t),
		Contrast: rapid.SampledFrom([]float64{0, 1.2, 2.5, 12}).Draw(t, "contrast"), FontSize: rapid.SampledFrom([]float64{0, 7, 16, 30}).Draw(t, "font"),
		Region: rapid.IntRange(-1, 2).Draw(t, "region"), Row: rapid.IntRange(0, 3).Draw(t, "row"), Form: rapid.IntRange(0, 2).Draw(t, "form"),
		Disabled: flag(t, "disabled", 8), MouseOnly: flag(t, "mouse", 6), InDialog: flag(t, "dialog", 8), Icon: flag(t, "icon", 6),
		Submenu: flag(t, "submenu", 10), Selected: flag(t, "selected", 6), Required: flag(t, "required", 4), Checked: flag(t, "checked", 4),
		Expanded: oneOf(t, []string{"", "", "true", "false"}, "expanded"), Popup: oneOf(t, []string{"", "", "", "menu", "dialog"}, "popup"),
		Value: oneOf(t, []string{"", "", "Milk", "ada lovelace"}, "value"), Error: oneOf(t, []string{"", "", "", "Please enter this"}, "error"),
	}
	switch e.Role {
	case "link":
		e.Href = oneOf(t, []string{"", host + "/", host + "/a", host + "/b#c", host + "/b", "https://other.example/", "#", "::"}, "href")
	case "button":
		e.Submit = flag(t, "submit", 3)
	case "combobox", "listbox":
		e.Options = labels[:rapid.IntRange(0, 4).Draw(t, "options")]
	}
	y := e.Box.Y + e.Box.H/2
	e.InViewport = y >= 0 && y < height
	if flag(t, "covered", 8) {
		e.CoveredBy = "something"
	}
	return e
}

func drawPage(t *rapid.T) walk.Page {
	p := walk.Page{
		URL: oneOf(t, []string{host + "/", host + "/a", host + "/b", host + "/b?q=ada+lovelace", "about:blank", ""}, "url"), Title: oneOf(t, labels, "title"),
		Status: rapid.SampledFrom([]int{0, 200, 200, 200, 200, 404, 422, 500}).Draw(t, "status"), Viewport: walk.Size{Width: width, Height: height},
		ScrollY: float64(rapid.IntRange(0, 2).Draw(t, "scroll") * 600), Height: 2600,
	}
	for range rapid.IntRange(0, 3).Draw(t, "regions") {
		p.Regions = append(p.Regions, walk.Region{Kind: oneOf(t, []string{"navigation", "main", "dialog", "form", "search", "contentinfo"}, "kind"), Heading: oneOf(t, labels, "heading")})
	}
	for range rapid.IntRange(0, 6).Draw(t, "texts") {
		x := walk.Text{
			Text: oneOf(t, labels, "text"), Kind: oneOf(t, []string{"heading", "paragraph", "item", "cell", "label", "alert", "status"}, "kind"), Box: drawBox(t),
			Level: rapid.IntRange(0, 3).Draw(t, "level"), Contrast: 12, FontSize: 16, Region: rapid.IntRange(-1, 2).Draw(t, "region"),
			Row: rapid.IntRange(0, 3).Draw(t, "row"), InDialog: flag(t, "dialog", 8), Covered: flag(t, "covered", 8),
		}
		x.InViewport = x.Box.Y >= 0 && x.Box.Y < height
		p.Texts = append(p.Texts, x)
	}
	for n := range rapid.IntRange(0, 9).Draw(t, "elements") {
		p.Elements = append(p.Elements, drawElement(t, n))
	}
	return p
}

func drawEffect(t *rapid.T) walk.Effect {
	e := walk.Effect{
		Navigated: flag(t, "navigated", 2), Mutated: flag(t, "mutated", 2), Scrolled: flag(t, "scrolled", 2), NewTab: flag(t, "tab", 10), Download: flag(t, "download", 12),
		Failed: oneOf(t, []string{"", "", "", "", "not there"}, "failed"), Missed: oneOf(t, []string{"", "", "", "", "dialog"}, "missed"),
		Arrived: true, SettleMS: rapid.SampledFrom([]int{0, 300, 9000}).Draw(t, "settle"),
	}
	if flag(t, "sent", 4) {
		e.Requests = []walk.Request{{Method: "POST", URL: host, Status: rapid.SampledFrom([]int{0, 200, 422}).Draw(t, "answer"), Kind: "fetch", Caused: true}}
	}
	return e
}

func drawFacets(t *rapid.T) persona.Facets {
	return persona.Facets{
		AgeBand: oneOf(t, append([]string{""}, persona.AgeBands...), "age"), InformationProcessing: oneOf(t, []string{persona.Comprehensive, persona.Selective}, "processing"),
		RiskAttitude: oneOf(t, []string{persona.Averse, persona.Neutral, persona.Tolerant}, "risk"), LearningStyle: oneOf(t, []string{persona.Process, persona.Tinkering}, "style"),
		Patience: rapid.SampledFrom([]float64{0, 0.2, 5}).Draw(t, "patience"), MotorPrecision: rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "motor"),
		KeyboardOnly: flag(t, "keys", 4), ScreenReader: flag(t, "reader", 4), Zoom: rapid.SampledFrom([]float64{0, 1, 4}).Draw(t, "zoom"),
	}
}

// session is what a walker is shown.
type session struct {
	f       persona.Facets
	task    string
	seed    uint64
	pages   []walk.Page
	effects []walk.Effect
}

func drawSession(t *rapid.T) session {
	s := session{f: drawFacets(t), task: oneOf(t, tasks, "task"), seed: rapid.Uint64().Draw(t, "seed")}
	for range rapid.IntRange(1, 8).Draw(t, "looks") {
		page := drawPage(t)
		if n := len(s.pages); n > 0 && flag(t, "same page", 3) {
			page = s.pages[n-1]
		}
		s.pages, s.effects = append(s.pages, page), append(s.effects, drawEffect(t))
	}
	return s
}

// decisions are the walker's, up to its end.
func (s *session) decisions(p persona.Persona) (out []walk.Decision) {
	p.Facets = s.f
	m := New(p, task.Parse(s.task, nil), s.seed)
	var last walk.Effect
	for i := range s.pages {
		d := m.Step(s.pages[i], last)
		out = append(out, d)
		if d.End != "" {
			break
		}
		last = s.effects[i]
	}
	return out
}

// TestTheSameLooksGiveTheSameWalk, whoever the persona is called.
func TestTheSameLooksGiveTheSameWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSession(t)
		text := func(p persona.Persona) string {
			raw, err := json.Marshal(s.decisions(p))
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		first := text(persona.Persona{})
		if again := text(persona.Persona{}); again != first {
			t.Fatalf("another walk:\n%s\n%s", first, again)
		}
		if other := text(persona.Persona{ID: "p9", Name: "Grace", Summary: "A sailor who hurries."}); other != first {
			t.Fatalf("the name changes the walk:\n%s\n%s", first, other)
		}
	})
}

// TestActsAreOnWhatIsThere: what is acted on stands on that look, can be seen, lies
// under nothing and is enabled, and every step takes its time.
func TestActsAreOnWhatIsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSession(t)
		for i, d := range s.decisions(persona.Persona{}) {
			if wrong := faultOf(&s.pages[i], &d, s.f.ScreenReader); wrong != "" {
				t.Fatalf("step %d, %q: %s: %+v\n%+v", i, s.task, wrong, d.Action, d.Target)
			}
		}
	})
}

// faultOf is what is wrong with a decision about a page, "" for nothing.
func faultOf(p *walk.Page, d *walk.Decision, hears bool) string {
	at := slices.IndexFunc(p.Elements, func(e walk.Element) bool { return e.Ref == d.Action.Ref })
	switch {
	case d.SimulatedMS < 0 || d.SimulatedMS > longestStep:
		return fmt.Sprint("it takes ", d.SimulatedMS, " ms")
	case d.Scent < 0 || d.Scent > 1 || d.Frustration < 0 || d.Frustration > 1:
		return "a share is none"
	case d.Action.Type == "" || d.Purpose == "":
		return "there is no act or purpose"
	case (d.End != "") != (d.Action.Type == walk.Done || d.Action.Type == walk.GiveUp):
		return "the end is no end"
	case d.Action.Ref == "":
		return ""
	case at < 0:
		return "it is not there"
	case d.Target == nil || d.Target.Ref != d.Action.Ref:
		return "the target is another"
	case d.Action.Type == walk.Scroll:
		return ""
	}
	e := &p.Elements[at]
	switch {
	case e.Disabled:
		return "it is disabled"
	case e.CoveredBy != "" && !e.InDialog:
		return "it is covered"
	case !e.InViewport && !hears:
		return "it is off the screen"
	}
	return ""
}
