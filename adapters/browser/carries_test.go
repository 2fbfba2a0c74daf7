package browser_test

import (
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// TestRequestsTellWhatTheyCarry: of three texts that were given, in whatever way
// the page writes them, and which request is the answer to a press.
func TestRequestsTellWhatTheyCarry(t *testing.T) {
	t.Parallel()
	s := visit(t, "/sends.html")
	act(t, s, walk.Type, "Note", "Two cups, & a pot")
	act(t, s, walk.Select, "Colour", "Sea green")
	secret := element(t, look(t, s), "Secret")
	if _, err := s.Act(t.Context(), walk.Action{Type: walk.Type, Ref: secret.Ref, Secret: "pin"}, "Geheim-77%"); err != nil {
		t.Fatal(err)
	}
	for button, want := range map[string]int{"JSON": 3, "Form": 3, "Parts": 3, "Query": 3, "Nothing": 0} {
		e := act(t, s, walk.Click, button, "")
		if len(e.Requests) != 1 || e.Requests[0].Carries != want || !e.Requests[0].Caused || strings.Contains(e.Requests[0].URL, "Geheim") {
			t.Errorf("%s: %+v", button, e.Requests)
		}
	}
}

// TestWhatAPageAsksByItselfIsNotCaused: a page that asks again and again would
// have done so without the act.
func TestWhatAPageAsksByItselfIsNotCaused(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{})
	if _, err := s.Goto(t.Context(), site.URL+"/sends.html"); err != nil {
		t.Fatal(err)
	}
	act(t, s, walk.Click, "Poll", "")
	for range 2 {
		act(t, s, walk.Wait, "", "")
	}
	e := act(t, s, walk.Click, "JSON", "")
	eventually(t, "the page asks by itself during an act", func() bool {
		for _, q := range e.Requests {
			if q.Method == "GET" && q.Caused {
				t.Fatalf("the page's own: %+v", q)
			}
			if q.Method == "GET" {
				return true
			}
		}
		e = act(t, s, walk.Click, "JSON", "")
		return false
	})
	for _, q := range e.Requests {
		if q.Method == "POST" && !q.Caused {
			t.Errorf("caused by the press: %+v", q)
		}
	}
}
