package e2e

import (
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/harness"
	"understudy/test/patience"
)

// person is somebody at the pages with a browser of their own. Whatever they look at must
// write no error to the console and break no rule of axe-core's.
type person struct {
	t    *testing.T
	s    *service
	b    *browser.Session
	name string
}

// people make persons with real browsers.
func people(t *testing.T, s *service) func(name, viewport string) person {
	t.Helper()
	programs, err := browser.Locate(browser.Config{DriverDir: filepath.Join(harness.Root(), ".cache", "playwright")})
	if err != nil {
		t.Fatal(err)
	}
	programs.AuditLimit, programs.HangLimit = patience.Scaled(liveLimit), patience.Scaled(liveLimit) // beside other tests
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	return func(name, viewport string) person {
		session, err := b.Open(t.Context(), browser.SessionOptions{Viewport: viewport})
		if err != nil {
			t.Fatal(err)
		}
		return person{t, s, session, name}
	}
}

// goes to a path of the service, or a whole address.
func (p person) goes(to, title string) walk.Page {
	p.t.Helper()
	if strings.HasPrefix(to, "/") {
		to = "http://" + p.s.Addr + to
	}
	e, err := p.b.Goto(p.t.Context(), to)
	if err != nil {
		p.t.Fatalf("%s goes to %s: %v", p.name, to, err)
	}
	p.quiet(e)
	return p.sees(title)
}

func (p person) quiet(e walk.Effect) {
	p.t.Helper()
	if len(e.Console)+len(e.Errors) > 0 || e.Failed != "" {
		p.t.Errorf("%s at %s: console %q, errors %q, %s", p.name, e.URL, e.Console, e.Errors, e.Failed)
	}
}

// sees a page of the dashboard of this title.
func (p person) sees(title string) walk.Page {
	p.t.Helper()
	return p.beholds(title + " · Understudy")
}

// beholds any page of this title.
func (p person) beholds(title string) walk.Page {
	p.t.Helper()
	page, err := p.b.Look(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	if page.Title != title {
		p.t.Fatalf("%s sees %q at %s, not %q: %s", p.name, page.Title, page.URL, title, words(page))
	}
	broken, err := p.b.Audit(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	for _, v := range broken {
		p.t.Errorf("%s at %q: %s (%s) at %v", p.name, title, v.Rule, v.Impact, v.Selectors)
	}
	return page
}

// words are all that a page says.
func words(page walk.Page) string {
	var all []string
	for _, text := range page.Texts {
		all = append(all, text.Text)
	}
	return strings.Join(all, " ")
}

// reads a page that says something.
func (p person) reads(page walk.Page, what string) {
	p.t.Helper()
	if !strings.Contains(words(page), what) {
		p.t.Errorf("%s reads no %q in %q", p.name, what, words(page))
	}
}

// does something with what has a name that begins so. Who misses a field because something
// came just then and pushed it away looks again.
func (p person) does(kind walk.ActionType, name, text string) {
	p.t.Helper()
	for missed := 0; ; missed++ {
		element := p.spots(name)
		e, err := p.b.Act(p.t.Context(), walk.Action{Type: kind, Ref: element.Ref, Text: text}, text)
		if err != nil {
			p.t.Fatal(err)
		}
		if missed == 3 || !strings.Contains(e.Failed, "did not take the cursor") {
			p.quiet(e)
			return
		}
	}
}

// spots what has a name that begins so.
func (p person) spots(name string) walk.Element {
	p.t.Helper()
	page, err := p.b.Look(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	var names []string
	for _, element := range page.Elements {
		if names = append(names, element.Name); strings.HasPrefix(element.Name, name) {
			return element
		}
	}
	p.t.Fatalf("%s finds no %q among %q at %s", p.name, name, names, page.URL)
	return walk.Element{}
}

// presses keys, one after the other.
func (p person) presses(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		if _, err := p.b.Act(p.t.Context(), walk.Action{Type: walk.Press, Text: key}, key); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p person) types(name, text string) { p.t.Helper(); p.does(walk.Type, name, text) }

// clicks on something and sees a page of this title.
func (p person) clicks(name, title string) walk.Page {
	p.t.Helper()
	p.does(walk.Click, name, "")
	return p.sees(title)
}

// signsIn up to the page that asks for a code.
func (p person) signsIn(email, password, title string) {
	p.t.Helper()
	p.goes("/sign-in", "Sign in")
	p.types("Mail address", email)
	p.types("Password", password)
	p.clicks("Sign in", title)
}

var generatorSecret = regexp.MustCompile(`\b[A-Z2-7]{26,}\b`)

// TestPeopleAtThePages: what people do from signing up to the end of a session, in
// Chromium, on a desk and on a phone.
func TestPeopleAtThePages(t *testing.T) {
	t.Parallel()
	s := own(t)
	come := people(t, s)
	const adas, first, second, third = "ada@example.com", "analytical engine", "difference engine", "a store and a mill"
	ada := come("Ada", browser.Desktop)

	ada.goes("/account", "Sign in")
	ada.clicks("Sign up", "Sign up")
	ada.types("Your name", "Ada Lovelace")
	ada.types("Mail address", adas)
	ada.types("Password", first)
	ada.clicks("Sign up", "Look into your mail")
	verify := s.mailed(t, adas)
	ada.goes(verify.String(), "Confirm your address")
	ada.types("Password", "not the password")
	ada.reads(ada.clicks("Confirm and sign in", "Error: Confirm your address"), "The address or the password is wrong.")
	ada.types("Password", first)
	ada.clicks("Confirm and sign in", "Tests")
	ada.reads(ada.clicks("Settings", "Your organization"), "You are Owner here.")

	// A second factor.
	ada.clicks("Your account", "Your account")
	ada.clicks("Set up a second factor", "Set up a second factor")
	ada.does(walk.Click, "It cannot be scanned", "")
	secret := generatorSecret.FindString(words(ada.sees("Set up a second factor")))
	code := func(in time.Duration) string {
		made, err := totp.GenerateCode(secret, time.Now().Add(in))
		if err != nil {
			t.Fatalf("the secret %q: %v", secret, err)
		}
		return made
	}
	ada.types("The code", code(0))
	ada.does(walk.Click, "Ask me for codes", "")
	page, err := ada.b.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var recovery []string
	for _, text := range page.Texts {
		if recoveryCode.MatchString(text.Text) {
			recovery = append(recovery, text.Text)
		}
	}
	if len(recovery) != 10 {
		t.Fatalf("the recovery codes are %q on %q: %s", recovery, page.Title, words(page))
	}
	ada.clicks("I have kept them", "Your account")
	ada.clicks("Sign out", "Sign in")
	ada.signsIn(adas, first, "Enter your code")
	ada.types("Code", "000000x")
	ada.clicks("Sign in", "Error: Enter your code")
	ada.types("Code", code(30*time.Second)) // that of now has set it up
	ada.clicks("Sign in", "Tests")
	phone := come("Ada with a phone", browser.Mobile)
	phone.signsIn(adas, first, "Enter your code")
	phone.types("Code", recovery[0])
	phone.clicks("Sign in", "Tests")

	// A session is ended from elsewhere.
	ada.reads(ada.goes("/account", "Your account"), "with a recovery code")
	ada.clicks("End the session", "Your account")
	phone.goes("/members", "Sign in")

	// Another password, which does not get around the second factor.
	phone.clicks("Forgotten the password?", "Choose another password")
	phone.types("Mail address", adas)
	phone.clicks("Send the link", "Look into your mail")
	phone.goes(s.mailed(t, adas, verify).String(), "Choose another password")
	phone.types("New password", second)
	phone.clicks("Change the password", "Sign in")
	ada.goes("/account", "Sign in") // which has ended all sessions
	ada.signsIn(adas, second, "Enter your code")
	ada.types("Code", recovery[1])
	ada.clicks("Sign in", "Tests")

	// Somebody is invited and joins with a phone.
	const bobs = "bob@example.com"
	ada.clicks("Settings", "Your organization")
	ada.clicks("Members", "Members")
	ada.types("Mail address", bobs)
	ada.reads(ada.clicks("Invite", "Members"), bobs)
	bob := come("Bob", browser.Mobile)
	bobsLink := s.mailed(t, bobs)
	bob.goes(bobsLink.String(), "Join My organization")
	bob.types("Your name", "Bob")
	bob.types("Choose a password", second)
	bob.clicks("Make an account and join", "Tests")
	bob.reads(bob.goes("/organization", "Your organization"), "You are Member here.")
	ada.reads(ada.goes("/members", "Members"), bobs)

	// An application is registered, allowed and taken back.
	ada.clicks("Applications", "Applications")
	ada.types("Name", "Board")
	ada.types("Redirect URIs", "http://board.example/back")
	ada.reads(ada.clicks("Register", "Error: Applications"), "https")
	ada.types("Redirect URIs", "https://board.example/back")
	ada.reads(ada.clicks("Register", "Board"), "shown only now")
	ada.reads(ada.clicks("Make another secret", "Board"), "the one before counts until")
	ada.does(walk.Click, "Delete this application", "")
	ada.sees("Board")
	ada.reads(ada.clicks("Delete Board", "Applications"), "The application is deleted.")
	patience.Eventually(t, 30*time.Second, "the application is listed no longer", func() bool {
		a, err := s.live().Send(t.Context(), http.MethodGet, "/oauth/clients", nil)
		return err == nil && strings.Contains(string(a.Body), `"data":[]`)
	})

	// Without the second factor, and with another password, which ends other sessions.
	ada.goes("/account", "Your account")
	ada.clicks("End the second factor", "Second factor")
	ada.types("Your password", second)
	ada.reads(ada.clicks("End the second factor", "Your account"), "The password alone is enough again.")
	phone.signsIn(adas, second, "Tests")
	ada.clicks("Change your password", "Change your password")
	ada.types("Your password now", second)
	ada.types("New password", third)
	ada.reads(ada.clicks("Change it", "Your account"), "Your password is changed.")
	phone.goes("/account", "Sign in")
	phone.signsIn(adas, third, "Tests")

	// An invitation is taken back, and a role is changed.
	const eves = "eve@example.com"
	ada.goes("/members", "Members")
	ada.types("Mail address", eves)
	ada.clicks("Invite", "Members")
	link := s.mailed(t, eves)
	page = ada.clicks("Take back", "Members")
	ada.reads(page, "The invitation is taken back.")
	ada.lacks(page, eves)
	if text, _, _ := s.visitor(t).page(http.NewRequestWithContext(t.Context(), http.MethodGet, link.String(), nil)); strings.Contains(text, "You are invited") {
		t.Errorf("an invitation that was taken back leads to\n%s", text)
	}
	ada.does(walk.Select, "Role of Bob", "Viewer")
	ada.reads(ada.clicks("Change", "Members"), "The role is changed.")
	bob.reads(bob.goes("/organization", "Your organization"), "You are Viewer here.")

	// Bob joins Zoe's organization, and goes back to the one of before.
	zoe, service := s.visitor(t), "http://"+s.Addr
	zoe.submit(service+"/sign-up", url.Values{"name": {"Zoe"}, "email": {"zoe@example.com"}, "password": {first}})
	zoe.submit(service+"/verify", url.Values{"token": s.mailed(t, "zoe@example.com").Query()["token"], "password": {first}})
	zoe.submit(service+"/members/invitations", url.Values{"email": {bobs}, "role": {"member"}})
	bob.goes(s.mailed(t, bobs, bobsLink).String(), "Join My organization")
	bob.clicks("Join with the account", "Tests")
	bob.reads(bob.goes("/organization", "Your organization"), "You are Member here.")
	bob.clicks("You belong to 2 organizations", "Your account")
	bob.reads(bob.clicks("Show this one", "Tests"), "You now see that organization.")
	bob.reads(bob.goes("/organization", "Your organization"), "You are Viewer here.")

	// He is made its owner, removes who was it, and leaves the other one.
	ada.goes("/members", "Members")
	ada.does(walk.Click, "Make owner", "")
	ada.reads(ada.clicks("Transfer the ownership", "Members"), "They own the organization now; you are an admin.")
	ada.reads(ada.goes("/organization", "Your organization"), "You are Admin here.")
	bob.goes("/members", "Members")
	bob.does(walk.Click, "Remove Ada", "")
	bob.presses("Tab", "Enter") // which it asks once more for
	page = bob.sees("Members")
	bob.reads(page, "They belong to the organization no longer.")
	bob.lacks(page, adas)
	ada.goes("/account", "Sign in")
	ada.signsIn(adas, third, "Your organization")
	ada.reads(ada.sees("Your organization"), "You belong to no organization.")
	bob.goes("/account", "Your account")
	bob.clicks("Show this one", "Tests")
	bob.goes("/members", "Members")
	bob.does(walk.Click, "Leave", "")
	bob.reads(bob.clicks("Leave the organization", "Sign in"), "You have left the organization.")
	bob.signsIn(bobs, second, "Tests")
	page = bob.goes("/organization", "Your organization")
	bob.reads(page, "You are Owner here.")
	bob.lacks(page, "You belong to")

	ada.goes("/account", "Your account")
	ada.does(walk.Click, "Sign out", "")
	patience.Eventually(t, 30*time.Second, "what she did is in the log", func() bool {
		out := s.Output()
		return strings.Contains(out, "path=/sign-out") && strings.Contains(out, "path=/clients") && !strings.Contains(out, "token="+verify.Query().Get("token")+" ")
	})
}

var recoveryCode = regexp.MustCompile(`^[a-z0-9]{4,}(-[a-z0-9]{4,})+$`)
