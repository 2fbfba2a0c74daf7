package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/harness"
)

var endsIn = regexp.MustCompile(`ends in <code>([^<]+)`)

var hiddenDraft = regexp.MustCompile(`name="draft" value="([^"]+)"`)

// TestFormsThatAreSentTwiceMakeOne: a second click, and loading the answer of a form again,
// make nothing more; the same form filled in anew does.
func TestFormsThatAreSentTwiceMakeOne(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	box := newInbox(t)
	first, second := c.create(t, signUp(2)), c.create(t, signUp(2))
	c.completed(t, first.ID, time.Minute)
	c.completed(t, second.ID, time.Minute)
	v := s.visitor(t)
	v.signIn("")
	v.submit("http://"+s.Addr+"/environment", url.Values{"environment": {"test"}})
	type thing struct{ ID string }
	for _, form := range []struct {
		page, to, list string
		fields         url.Values
	}{
		{"/keys/new", "/keys", "/keys", url.Values{"name": {"CI"}, "scopes": {"tests:read"}, "environment": {"test"}, "ends": {"90"}}},
		{"/webhooks/new", "/webhooks", "/webhooks", url.Values{"url": {box.URL}, "events": {"test.completed"}, "environment": {"test"}}},
		{"/clients", "/clients", "/oauth/clients", url.Values{"name": {"An app"}, "type": {"confidential"}, "redirect_uris": {"http://127.0.0.1:51007/back"}}},
		{"/personas/new", "/personas", "/personas", url.Values{"name": {"Ada"}}},
		{"/members", "/members/invitations", "/invitations", url.Values{"email": {"eve@example.com"}, "role": {"viewer"}}},
		{"/comparisons/new?a=" + first.ID, "/comparisons", "/comparisons", url.Values{"a": {first.ID}, "b": {second.ID}}},
		{"/tests/new", "/tests/new", "/tests", url.Values{"url": {"https://example.com/"}, "task": {"Sign up"}, "sessions": {"1"}, "environment": {"test"}}},
	} {
		before := len(all[thing](t, c, form.list))
		fill := func() {
			text, _, _ := v.page(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr+form.page, nil))
			if draft := hiddenDraft.FindStringSubmatch(text); draft != nil {
				form.fields.Set("draft", draft[1])
			}
		}
		fill()
		var clicks sync.WaitGroup
		for range 2 {
			clicks.Go(func() { v.submit("http://"+s.Addr+form.to, form.fields) })
		}
		clicks.Wait()
		if text, at, _ := v.submit("http://"+s.Addr+form.to, form.fields); strings.Contains(text, "<title>Error") {
			t.Errorf("%s sent again ends at %s:\n%s", form.to, at, text)
		}
		if made := len(all[thing](t, c, form.list)) - before; made != 1 {
			t.Errorf("%s, sent three times, made %d", form.to, made)
		}
		if form.to == "/members/invitations" { // one of an address takes the place of that of before
			form.fields.Set("email", "zoe@example.com")
		}
		fill()
		v.submit("http://"+s.Addr+form.to, form.fields)
		if made := len(all[thing](t, c, form.list)) - before; made != 2 {
			t.Errorf("%s, filled in twice, made %d", form.to, made)
		}
	}
	// A secret that is made anew by a form that is sent again is that of the first time, which
	// is not shown again.
	for kind, list := range map[string]string{"keys": "/keys", "clients": "/oauth/clients"} {
		page := "http://" + s.Addr + "/" + kind + "/" + all[thing](t, c, list)[0].ID
		text, _, _ := v.page(http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil))
		var lastFour []string
		for range 2 {
			form := url.Values{"draft": {hiddenDraft.FindStringSubmatch(text)[1]}, "overlap": {""}}
			again, _, _ := v.submit(page+"/rotate", form)
			lastFour = append(lastFour, endsIn.FindStringSubmatch(again)[1])
			if shown := strings.Contains(again, "shown only now"); shown != (len(lastFour) == 1) || !shown && !strings.Contains(again, "This form was sent before") {
				t.Errorf("%s, rotated by a form that is sent for the %d. time:\n%s", kind, len(lastFour), again)
			}
		}
		if lastFour[0] != lastFour[1] || strings.Contains(text, "<code>"+lastFour[0]) {
			t.Errorf("%s were rotated to what ends in %v", kind, lastFour)
		}
	}
	s.mailed(t, "zoe@example.com")
	link, sent := s.mailed(t, "eve@example.com"), 0
	for _, found := range mailedLink.FindAllStringSubmatch(s.Output(), -1) {
		if found[1] == "eve@example.com" {
			sent++
		}
	}
	if text, _, _ := v.page(http.NewRequestWithContext(t.Context(), http.MethodGet, link.String(), nil)); sent != 1 || !strings.Contains(text, "eve@example.com") {
		t.Errorf("%d letters were sent, the last leads to\n%s", sent, text)
	}
}
