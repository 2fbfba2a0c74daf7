package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/adapters/demosite"
	"understudy/domain/access"
	"understudy/domain/walk"
	"understudy/test/harness"
	"understudy/test/patience"
)

// allSaid are all words of a page, those of its controls too.
func allSaid(page walk.Page) string {
	all := words(page)
	for _, e := range page.Elements {
		all += " " + e.Name
	}
	return all
}

// meets a page that says something, be it on a control.
func (p person) meets(page walk.Page, what string) {
	p.t.Helper()
	if !strings.Contains(allSaid(page), what) {
		p.t.Errorf("%s finds no %q in %q", p.name, what, allSaid(page))
	}
}

// soon reads what a page says after a moment.
func (p person) soon(what string) {
	p.t.Helper()
	patience.Eventually(p.t, 30*time.Second, p.name+" reads "+what, func() bool {
		page, err := p.b.Look(p.t.Context())
		return err == nil && strings.Contains(allSaid(page), what)
	})
}

// tries the page with a button of the form, and is told something.
func (p person) tries(button, told string) {
	p.t.Helper()
	patience.Eventually(p.t, 3*time.Minute, p.name+" tries until it "+told, func() bool {
		p.does(walk.Click, button, "")
		for waiting := patience.For(time.Minute); !waiting.Lost(); { // a page may not come in time on a busy machine
			page, err := p.b.Look(p.t.Context())
			if said := words(page); err == nil && (strings.Contains(said, told) || strings.Contains(said, "gain in a moment")) {
				return strings.Contains(said, told)
			}
		}
		return false
	})
}

// TestPagesOfTests: what leads to a test, in Chromium: the front door, the first test,
// the list and the form.
func TestPagesOfTests(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	come := people(t, s)
	site := httptest.NewServer(demosite.Handler())
	t.Cleanup(site.Close)
	const owner = "owner@understudy.local"
	var keys struct{ Password string }
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err == nil {
		err = json.Unmarshal(raw, &keys)
	}
	if err != nil {
		t.Fatal(err)
	}
	ada := come("Ada", browser.Desktop)

	// Nobody is signed in: what this is, and the way in.
	page := ada.goes("/", "Simulated users for your web pages")
	ada.meets(page, "who got there, who gave up, and why")
	ada.clicks("Sign in", "Sign in")
	ada.types("Mail address", owner)
	ada.types("Password", keys.Password)
	ada.clicks("Sign in", "Tests")
	ada.meets(ada.sees("Tests"), "Try it now")

	// Two fields are enough for a test.
	ada.clicks("Live: go to sandbox", "Tests")
	ada.types("Address of the page", "https://example.com/")
	ada.types("What people should try", "Find out the opening hours")
	ada.meets(ada.clicks("Start", "Find out the opening hours"), "The test has started.")
	ada.soon("Read the report")
	ada.clicks("Sandbox: go to live", "Tests")

	// An example to look around in, which is one test however often it is asked for.
	ada.does(walk.Click, "Show me an example", "")
	ada.soon("This is a test of the sandbox")
	ada.goes("/tests", "Tests")
	ada.soon("Example: a newsletter")
	ada.goes("/tests?q=NEWSLETTER&status=completed", "Tests")
	ada.soon("Example: a newsletter")
	ada.soon("gate")
	ada.meets(ada.goes("/tests?q=nothing+of+that", "Tests"), "No test fits.")
	ada.meets(ada.goes("/tests?to=2001-01-01", "Tests"), "No test fits.")

	// The form says what it understands before anything is started.
	ada.goes("/tests/new", "New test")
	ada.meets(ada.sees("New test"), "its site is made up")
	ada.clicks("Sandbox: go to live", "Tests")
	ada.meets(ada.sees("Tests"), "Try it now")
	ada.goes("/tests/new", "New test")
	ada.types("Address of the page", site.URL+"/")
	ada.soon("It answers: ")
	ada.tries("Show the page", "as it is now:")
	ada.types("Task", "Subscribe to a monthly delivery of coffee as {{name}}")
	ada.soon("what was entered is sent and accepted")
	ada.soon("The task mentions {{name}}")
	ada.types("Simulated users", "3")
	ada.soon("3 sessions")
	ada.does(walk.Click, "When it counts as done", "")
	ada.types("Address matches", "(")
	ada.soon("no regular expression")
	ada.does(walk.Click, "Try on the page as it is now", "")
	patience.Eventually(t, 30*time.Second, "Ada is led to the field of the wrong condition", func() bool {
		page, err := ada.b.Look(t.Context())
		return err == nil && slices.ContainsFunc(page.Elements, func(e walk.Element) bool { return e.Role == "link" && e.Name == "Address matches" })
	})
	ada.types("Address matches", "/thanks")
	ada.types("Text can be seen", "KITCHEN by Thursday")
	ada.tries("Try on the page as it is now", "does not hold Address matches /thanks")
	ada.soon("holds Text can be seen KITCHEN by Thursday")
	ada.meets(ada.sees("New test"), "Roasted on Monday. In your kitchen by Thursday.")
	ada.types("Address matches", "")
	ada.tries("Try on the page as it is now", "every session would count as done at once")
	ada.types("Text can be seen", "")
	ada.types("Address matches", "(")

	// What is wrong stands beside its field; a secret is not shown again.
	ada.does(walk.Click, "Secret values", "")
	ada.types("Name", "name")
	ada.types("Value", "Grace Hopper")
	page = ada.clicks("Start the test", "Error: New test")
	ada.meets(page, "Something has to be put right below.")
	for _, e := range page.Elements {
		if e.Value == "Grace Hopper" {
			t.Error("the secret value is shown again")
		}
	}
	ada.types("Address matches", "/thanks")
	ada.soon("the address matches /thanks")
	ada.types("Value", "Grace Hopper")
	ada.does(walk.Click, "Start the test", "")
	ada.goes("/tests", "Tests")
	ada.soon("Subscribe to a monthly delivery of coffee")
	ada.soon("running")

	// Those walk whom the form has shown.
	var walkers []sessionResource
	patience.Eventually(t, 30*time.Second, "all are cast", func() bool {
		walkers = s.live().sessions(t, all[harness.Test](t, s.live(), "/tests")[0].ID)
		return len(walkers) == 3
	})
	for _, walker := range walkers {
		ada.reads(page, walker.Persona.Name)
	}

	// It is run again, as it was.
	page = ada.clicks("Run again", "Run again")
	ada.meets(page, "type its secret values anew")
	if again := valueOf(page, "Address matches"); again != "/thanks" {
		t.Errorf("the condition is %q", again)
	}
	if again := valueOf(page, "Simulated users"); again != "3" {
		t.Errorf("the sessions are %q", again)
	}

	// With a phone.
	phone := come("Ada with a phone", browser.Mobile)
	phone.goes("/", "Simulated users for your web pages")
	phone.signsIn(owner, keys.Password, "Tests")
	phone.goes("/tests/new?url="+site.URL+"&task=Find+the+prices", "New test")
	phone.soon("It answers: ")
	phone.soon("Success will be recognised when")

	// An address that this installation does not connect to.
	ada.goes("/tests/new", "New test")
	ada.types("Address of the page", "http://169.254.169.254/")
	ada.soon("which this installation does not connect to")

	// The same people at two addresses, compared: it costs both, and what is wrong with the
	// other address stands beside it.
	ada.clicks("Live: go to sandbox", "Tests")
	ada.goes("/tests/new", "New test")
	ada.types("Address of the page", "https://now.example.com/")
	ada.types("Task", "Sign up for the newsletter")
	ada.types("Simulated users", "4")
	ada.does(walk.Click, "Compare with another address", "")
	ada.types("The other address", "http://169.254.169.254/")
	ada.soon("8 sessions")
	page = ada.clicks("Start the test", "Error: New test")
	ada.meets(page, "which this installation does not connect to")
	ada.types("The other address", "https://next.example.com/")
	ada.does(walk.Click, "Start the test", "")
	ada.soon("https://next.example.com/")
	ada.soon("https://now.example.com/")
	ada.soon("no difference") // the page says so by itself

	// Who may only look is offered nothing to start, and refused.
	s.invited(t, s.live(), "vera@example.com", access.Viewer)
	viewer := come("Vera", browser.Desktop)
	viewer.signsIn("vera@example.com", somePassword, "Tests")
	page = viewer.goes("/tests", "Tests")
	if strings.Contains(allSaid(page), "Run again") || strings.Contains(allSaid(page), "New test") {
		t.Errorf("a viewer is offered to start a test: %s", words(page))
	}
	if _, err := viewer.b.Goto(t.Context(), "http://"+s.Addr+"/tests/new"); err == nil || !strings.Contains(err.Error(), "403 Forbidden") {
		t.Errorf("a viewer comes to the form: %v", err)
	}
	if a, err := s.live().Send(t.Context(), http.MethodGet, "/tests", nil); err != nil || strings.Contains(string(a.Body), "Grace Hopper") {
		t.Errorf("the tests are %s, %v", a.Body, err)
	}
}

// valueOf is what a field holds whose name begins so.
func valueOf(page walk.Page, name string) string {
	for _, e := range page.Elements {
		if strings.HasPrefix(e.Name, name) {
			return e.Value
		}
	}
	return ""
}
