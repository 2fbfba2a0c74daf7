package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/access"
	"understudy/domain/walk"
	"understudy/test/harness"
	"understudy/test/patience"
	"understudy/test/sites"
)

// owns signs the owner in.
func (p person) owns() {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.s.Data(), "keys.json"))
	var owner struct{ Email, Password string }
	if err == nil {
		err = json.Unmarshal(raw, &owner)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.signsIn(owner.Email, owner.Password, "Tests")
}

// waits until the page that is open says something, without loading it again.
func (p person) waits(what string) {
	p.t.Helper()
	patience.Eventually(p.t, liveLimit, p.name+" reads "+what, func() bool {
		page, err := p.b.Look(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		return strings.Contains(words(page), what)
	})
}

// at is where a page is, below the service's address.
func at(t *testing.T, page walk.Page) string {
	t.Helper()
	u, err := url.Parse(page.URL)
	if err != nil {
		t.Fatal(err)
	}
	if u.Fragment != "" {
		return u.Path + "#" + u.Fragment
	}
	return u.Path
}

// offers reports whether something can be done on a page that has a name that begins so.
func offers(page walk.Page, what string) bool {
	return slices.ContainsFunc(page.Elements, func(e walk.Element) bool { return strings.HasPrefix(e.Name, what) })
}

// TestPagesOfATest: what people see of a test while it goes on and of what comes of it, in
// Chromium, on a desk and on a phone.
func TestPagesOfATest(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	come := people(t, s)
	desk, phone := come("The owner", browser.Desktop), come("The owner with a phone", browser.Mobile)
	desk.owns()
	phone.owns()
	const task = "Find the prices <b>"
	site := serveSite(t, sites.SaaS)
	wish := map[string]any{"url": site + "/", "task": task, "sessions": 4, "seed": 3, "max_steps": 4, "viewport": []string{"desktop", "mobile"}, "quality_gate": map[string]any{"threshold": 0.99}}
	first := s.live().create(t, wish)

	// Both watch, from its beginning to its end.
	desk.goes("/tests/"+first.ID, task)
	phone.reads(phone.goes("/tests/"+first.ID, task), "of 4 sessions")
	for _, who := range []person{desk, phone} {
		who.waits("Quality gate at 99 %")
		who.reads(who.sees(task), "Overall")
	}

	// Sessions are narrowed, and going back widens them again.
	desk.reads(desk.clicks("Mobile", task), "mobile")
	desk.types("By name", "nobody is called so")
	desk.reads(desk.clicks("Find", task), "No session fits.")
	desk.clicks("Show all", task)

	// The report, a session in it, and its steps by keys.
	desk.does(walk.Click, "Read the report", "")
	report := desk.beholds("Report: " + task)
	if !offers(report, "Settings") || strings.Contains(report.URL, "token") {
		t.Errorf("the report is at %s, or not within the dashboard", report.URL)
	}
	walked := s.live().sessions(t, first.ID)[0]
	desk.does(walk.Click, walked.Persona.Name, "")
	title := walked.Persona.Name + ": " + task
	desk.reads(desk.beholds(title), "Frustration")
	for _, key := range []struct{ key, step string }{{"j", "#step-1"}, {"j", "#step-2"}, {"k", "#step-1"}} {
		desk.presses(key.key)
		if page := desk.beholds(title); at(t, page) != "/sessions/"+walked.ID+key.step {
			t.Errorf("%s is at %s", key.key, page.URL)
		}
	}
	if _, err := desk.b.Goto(t.Context(), "http://"+s.Addr+"/sessions/"+walked.ID); err != nil {
		t.Fatal(err)
	}
	phone.does(walk.Click, walked.Persona.Name, "")
	phone.reads(phone.beholds(title), "Recording")

	var ended []string
	for _, session := range s.live().sessions(t, first.ID) {
		ended = append(ended, session.ID)
	}
	s.goesWell(t, "film.mjs", map[string]any{"sessions": ended})

	// Another test of the same task, against the first.
	desk.reads(desk.goes("/comparisons", "Comparisons"), "Nothing has been compared yet.")
	desk.goes("/comparisons/new?a="+first.ID, "New comparison")
	second := s.live().create(t, wish)
	s.live().completed(t, second.ID, liveLimit)
	desk.goes("/tests/"+first.ID, task)
	desk.clicks("Compare with", "New comparison")
	desk.does(walk.Check, site+"/", "")
	desk.does(walk.Click, "Compare", "")
	patience.Eventually(t, liveLimit, "the comparison is told", func() bool {
		page, err := desk.b.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(words(page), "There is no result yet") {
			_, err = desk.b.Goto(t.Context(), page.URL)
		}
		return err == nil && strings.Contains(words(page), "By criterion")
	})
	desk.beholds("Comparison: " + task)
	desk.reads(desk.goes("/comparisons", "Comparisons"), site)

	// Over time.
	phone.goes("/trend", "Trend")
	phone.reads(phone.clicks(task, "Trend"), "Overall")

	// A viewer looks and does nothing else; what they may not do is not offered.
	const reads = "reader@example.com"
	s.invited(t, s.live(), reads, access.Viewer)
	viewer := come("A viewer", browser.Mobile)
	viewer.signsIn(reads, somePassword, "Tests")
	seen := viewer.goes("/tests/"+second.ID, task)
	viewer.reads(seen, "Overall")
	for _, what := range []string{"Run again", "Compare with", "Cancel"} {
		viewer.lacks(seen, what)
	}

	// The service goes away under them, and what they see goes on.
	wish["sessions"] = 200
	long := s.live().create(t, wish)
	viewer.lacks(viewer.goes("/tests/"+long.ID, task), "Cancel")
	desk.goes("/tests/"+long.ID, task)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, who := range []person{desk, viewer} {
		who.waits("The service cannot be reached.")
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	patience.Eventually(t, liveLimit, "the service is reached again", func() bool {
		page, err := desk.b.Look(t.Context())
		return err == nil && !strings.Contains(words(page), "cannot be reached")
	})

	// One is cancelled, which asks once more.
	desk.does(walk.Click, "Cancel this test", "")
	desk.sees(task)
	desk.reads(desk.clicks("Cancel the test", task), "The test is cancelled.")
	viewer.waits("The test was cancelled.")
	if got := get[struct{ Status string }](t, s.live(), "/tests/"+long.ID); got.Status != "cancelled" {
		t.Errorf("the test is %s", got.Status)
	}
	a := s.live().send(t, http.MethodGet, "/tests/"+long.ID+"/sessions?limit=1", nil)
	a.wants(t, http.StatusOK, "")
}
