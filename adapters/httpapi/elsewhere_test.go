package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// Pages, those of other front doors as well, are named, counted by address and logged
// like the interface.
func TestPagesAreCountedAndLogged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ask := func(method, path, address string, headers ...string) got {
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.RemoteAddr = address
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return s.serve(r)
	}
	const here, there = "192.0.2.1:1", "192.0.2.2:1"
	g := ask("GET", "/sign-in?next=nnnn&token=tttt&plain=1", here, "X-Request-Id", "mine")
	if string(g.body) != "elsewhere mine" || g.Header.Get("X-Request-Id") != "mine" || g.Header.Get("X-RateLimit-Limit") != "600" || g.Header.Get("X-RateLimit-Remaining") != "599" || g.Header.Get("Content-Security-Policy") != "its own" {
		t.Errorf("%s with %v", g.body, g.Header)
	}
	if log := s.log.String(); !strings.Contains(log, `"path":"/sign-in"`) || !strings.Contains(log, `"request_id":"mine"`) || !strings.Contains(log, "plain=1") || strings.Contains(log, "nnnn") || strings.Contains(log, "tttt") {
		t.Errorf("the log says %s", log)
	}
	for range 599 {
		if g := ask("POST", "/oauth/token", here); g.StatusCode != 200 {
			t.Fatalf("within the limit: %d %s", g.StatusCode, g.body)
		}
	}
	for _, path := range []string{"/sign-in", "/reports/" + newID("rep"), "/nothing/here"} {
		if g := ask("GET", path, here); g.StatusCode != 429 || g.Header.Get("Retry-After") == "" || !strings.Contains(string(g.body), "rate_limited") {
			t.Errorf("%s beyond the limit: %d %v %s", path, g.StatusCode, g.Header, g.body)
		}
		if g := ask("GET", path, there); g.StatusCode == 429 {
			t.Errorf("%s from elsewhere: %d", path, g.StatusCode)
		}
	}
	if g := ask("GET", "/sign-in", here, "Accept", "text/html"); g.StatusCode != 429 || !strings.Contains(g.Header.Get("Content-Type"), "text/html") || !strings.Contains(string(g.body), "Too many requests") {
		t.Errorf("a browser beyond the limit: %d %s", g.StatusCode, g.body)
	}
	for _, path := range []string{"/assets/style.css", "/healthz"} { // which browsers keep, and which nobody may be kept from
		if g := ask("GET", path, here); g.StatusCode != 200 {
			t.Errorf("%s: %d", path, g.StatusCode)
		}
	}
	if g := ask("GET", "/v1/tests", here, "Authorization", "Bearer all"); g.StatusCode != 200 {
		t.Errorf("a key from there: %d", g.StatusCode)
	}
}
