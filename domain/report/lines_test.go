package report_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/domain/report"
)

func TestEverySessionHasALine(t *testing.T) {
	t.Parallel()
	sessions := five()
	sessions = append(sessions, walked("f", false, 5, 0, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"), walked("g", false, 1, 0))
	lines := build(t, report.Input{Sessions: sessions, Failed: 1}).SessionList
	if len(lines) != 7 {
		t.Fatalf("%d lines of seven completed sessions", len(lines))
	}
	want := report.SessionLine{
		SessionID: "d", Persona: "Somebody d", Viewport: "desktop", Outcome: "gave_up", SimulatedSeconds: 90, Steps: 2, Length: 2,
		Pages: []report.Page{{Address: "shop.example/home", Heading: "home"}, {Address: "shop.example/plans", Heading: "plans"}},
	}
	if diff := cmp.Diff(want, lines[3]); diff != "" {
		t.Errorf("the fourth line (-want +got):\n%s", diff)
	}
	if long := lines[5]; len(long.Pages) != 6 || long.Length != 10 {
		t.Errorf("ten pages are told as %d of %d", len(long.Pages), long.Length)
	}
	if none := lines[6]; none.Pages == nil || len(none.Pages) != 0 {
		t.Errorf("who saw no page came by %v", none.Pages)
	}
	var many []report.Session
	for i := range 120 {
		many = append(many, walked(fmt.Sprint(i), true, 1, 1, "home"))
	}
	if n := len(build(t, report.Input{Sessions: many}).SessionList); n != 100 {
		t.Errorf("a report lists %d of 120 sessions", n)
	}
}

// step is one on a page of the shop, 1280 px wide, whose target is 40 × 20 px
// large.
func step(page, action, name string, x, y float64, scrolled int) report.Step {
	return report.Step{
		URL: "https://shop.example/" + page, Title: page, Action: action, ViewportWidth: 1280, ScrollY: scrolled,
		ScreenshotID: fmt.Sprint("art_", page, "_", scrolled), Target: &report.Element{Role: "link", Name: name, Selector: "#" + name, Box: report.Box{X: x, Y: y, W: 40, H: 20}},
	}
}

func TestClickMapsShowWhereSessionsClicked(t *testing.T) {
	t.Parallel()
	a, b, phone := walked("a", true, 10, 1, "home"), walked("b", false, 10, 0, "home"), walked("c", false, 10, 0, "home")
	a.Steps = []report.Step{
		step("home", "click", "Plans", 100, 50, 0), step("plans", "scroll", "", 0, 0, 0), step("plans", "click", "Basic", 10, 10, 400),
		step("plans", "back", "", 0, 0, 400), step("home", "click", "Plans", 100, 50, 0),
	}
	b.Steps = []report.Step{
		step("home", "click", "About", 300, 50, 0), step("home", "click", "About", 300, 50, 0), step("home", "click", "Plans", 100, -20, 70),
		step("home", "click", "Plans", 100, 50, 0), step("home", "wait", "", 0, 0, 0), step("home", "type", "Search", 5, 5, 0),
	}
	phone.Steps = []report.Step{step("home", "click", "Plans", 10, 500, 0), step("home", "click", "Plans", 10, 500, 0)}
	for i := range phone.Steps {
		phone.Steps[i].ViewportWidth = 390
	}
	maps := build(t, report.Input{Sessions: []report.Session{a, b, phone}}).Clicks
	want := []report.ClickMap{
		{
			Page: report.Page{Address: "shop.example/home", Heading: "home"}, ScreenshotID: "art_home_0", ViewportWidth: 1280, Sessions: 2, Clicks: 5, Elsewhere: 1,
			Spots: []report.Spot{
				{Role: "link", Name: "Plans", X: 120, Y: 60, Clicks: 3, Sessions: 2, Succeeded: 1},
				{Role: "link", Name: "About", X: 320, Y: 60, Clicks: 2, Sessions: 1},
			},
		},
		{
			Page: report.Page{Address: "shop.example/home", Heading: "home"}, ScreenshotID: "art_home_0", ViewportWidth: 390, Sessions: 1, Clicks: 2,
			Spots: []report.Spot{{Role: "link", Name: "Plans", X: 30, Y: 510, Clicks: 2, Sessions: 1}},
		},
		{
			Page: report.Page{Address: "shop.example/plans", Heading: "plans"}, ScreenshotID: "art_plans_400", ViewportWidth: 1280, ScrollY: 400, Sessions: 1, Clicks: 1,
			Spots: []report.Spot{{Role: "link", Name: "Basic", X: 30, Y: 20, Clicks: 1, Sessions: 1, Succeeded: 1}},
		},
	}
	if diff := cmp.Diff(want, maps); diff != "" {
		t.Errorf("click maps (-want +got):\n%s", diff)
	}
}
