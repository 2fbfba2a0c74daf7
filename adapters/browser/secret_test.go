package browser_test

import (
	"encoding/json"
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

func keep(t *testing.T, s *browser.Session, name, secret string) {
	t.Helper()
	e, err := s.Act(t.Context(), walk.Action{Type: walk.Type, Ref: element(t, look(t, s), name).Ref, Secret: "it"}, secret)
	if err != nil || e.Failed != "" {
		t.Fatalf("type into %s: %+v, %v", name, e, err)
	}
}

// TestAFieldThatTookASecretIsNotRead: however the page writes it.
func TestAFieldThatTookASecretIsNotRead(t *testing.T) {
	t.Parallel()
	s := visit(t, "/secret.html")
	for name, secret := range map[string]string{"Phone": "5551234567", "Words": "open sesame", "Note": "xyz"} {
		keep(t, s, name, secret)
	}
	act(t, s, walk.Click, "Plain", "") // the cursor leaves the others
	p := look(t, s)
	for _, name := range []string{"Phone", "Words", "Note"} {
		if v := element(t, p, name).Value; v != "•••" {
			t.Errorf("%s is perceived as %q", name, v)
		}
	}
	if e := act(t, s, walk.Type, "Phone", ""); e.Failed != "" || element(t, look(t, s), "Phone").Value != "" {
		t.Errorf("the emptied field does not look empty: %+v", e)
	}
}

// TestASecretIsStruckFromEverythingThatIsTold: wherever the page repeats it.
func TestASecretIsStruckFromEverythingThatIsTold(t *testing.T) {
	t.Parallel()
	const secret = "hunter22"
	s := visit(t, "/secret.html")
	keep(t, s, "Plain", secret)
	act(t, s, walk.Press, "Plain", "Tab")
	p := look(t, s)
	if e := element(t, p, "Under"); !strings.Contains(e.CoveredBy, "•••") {
		t.Fatalf("the page does not repeat it: %+v", e)
	}
	found, err := s.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal([]any{p, found})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{secret, "HUNT-", "aHVudGVyMj", "68756e74657232"} {
		if at := strings.Index(string(told), form); at >= 0 {
			t.Errorf("told: %s", told[max(0, at-80):at+40])
		}
	}
	if !strings.Contains(string(told), "In groups: •••") {
		t.Error("the page does not write it in groups")
	}
	if !strings.Contains(string(told), "#i-•••") {
		t.Errorf("the picture without a text is not found: %+v", found)
	}
}

// TestASecretIsForItsSite: on a page of another origin nothing is typed, and the effect
// says so, unless that origin is listed.
func TestASecretIsForItsSite(t *testing.T) {
	t.Parallel()
	elsewhere := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	for _, c := range []struct {
		at    []string
		typed bool
	}{{[]string{site.URL + "/"}, false}, {[]string{site.URL + "/", elsewhere}, true}, {[]string{elsewhere + "/facts.html"}, true}} {
		s := open(t, browser.SessionOptions{SecretsAt: c.at})
		if _, err := s.Goto(t.Context(), elsewhere+"/secret.html"); err != nil {
			t.Fatal(err)
		}
		e, err := s.Act(t.Context(), walk.Action{Type: walk.Type, Ref: element(t, look(t, s), "Plain").Ref, Secret: "it"}, "hunter22")
		if err != nil {
			t.Fatal(err)
		}
		if told := e.Refused == elsewhere; told == c.typed {
			t.Errorf("for %v: %q", c.at, e.Failed)
		}
		if typed := element(t, look(t, s), "Plain").Value != ""; typed != c.typed {
			t.Errorf("for %v: typed %v", c.at, typed)
		}
	}
}
