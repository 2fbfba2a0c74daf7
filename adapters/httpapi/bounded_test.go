package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	// largestRefusal is more than any refusal has, in bytes.
	largestRefusal = 64 << 10
	// mostAllocated is what the refusal of a body of 1 MiB may allocate in all, in
	// bytes: some copies of it, and what stands for its values.
	mostAllocated = 48 << 20
)

// hostileBodies are as large as bodies may be, each by a way of its own.
func hostileBodies() map[string]string {
	const room = 1<<20 - 200
	fill := func(lead, each, end string) string {
		return lead + strings.TrimSuffix(strings.Repeat(each, (room-len(lead)-len(end))/len(each)), ",") + end
	}
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < room-100; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	name := strings.Repeat("n", 100<<10)
	const head = `{"url":"https://e.x","task":"t",`
	return map[string]string{
		"lists in lists":             `{"metadata":` + strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990) + `}`,
		"objects in objects":         strings.Repeat(`{"`+strings.Repeat("a/", 40)+`":`, 9_990) + "1" + strings.Repeat("}", 9_990),
		"values under a long name":   fill(`{"`+name+`":[`, `1,`, `]}`),
		"empty objects":              fill(`{"metadata":[`, `{},`, `]}`),
		"unknown fields":             `{` + numbered(`"k%d":1,`) + `}`,
		"nameless fields":            fill(`{`, `"":1,`, `}`),
		"wrong values":               head + `"inputs":{` + numbered(`"k%d":1,`) + `}}`,
		"wrong names":                head + `"inputs":{` + numbered(`"k/%d":"v",`) + `}}`,
		"wrong members of a list":    fill(head+`"criteria":[`, `1,`, `]}`),
		"different members":          head + `"viewport":[` + numbered(`"v%d",`) + `]}`,
		"wrong ids":                  head + `"personas":{"source":"custom","persona_ids":[` + numbered(`[%d],`) + `]}}`,
		"characters that no one has": fill(`{"`+name+`":[`, `"\u0000",`, `]}`),
		"names that no one has":      `{` + numbered(`"\u0000%d":1,`) + `}`,
		"one long name":              `{"` + strings.Repeat("~", room) + `":1}`,
		"many long names":            head + `"inputs":{` + numbered(`"`+strings.Repeat("/", 50)+`%d":"v",`) + `}}`,
	}
}

// What a body is refused with is small, names at most 50 faults, is the same each
// time, and costs no more than reading the body.
func TestARefusalIsBoundedHoweverTheBodyIsMade(t *testing.T) { // alone: it measures what is allocated
	s := newService(t)
	for name, body := range hostileBodies() {
		if len(body) > 1<<20 {
			t.Fatalf("%s: %d bytes are too many to be read", name, len(body))
		}
		var before, after runtime.MemStats
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, base+"/tests", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer all")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		runtime.ReadMemStats(&before)
		s.handler.ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > mostAllocated {
			t.Errorf("%s: %d MiB were allocated", name, allocated>>20)
		}
		g := got{Response: w.Result(), body: w.Body.Bytes()}
		if g.StatusCode != http.StatusBadRequest && g.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, g.StatusCode)
		}
		if p := s.isProblem(g); len(p.Errors) > 50 {
			t.Errorf("%s: %d faults", name, len(p.Errors))
		}
		if len(g.body) > largestRefusal || !utf8.Valid(g.body) {
			t.Errorf("%s: the answer has %d bytes", name, len(g.body))
		}
		if again := s.send("POST", "/tests", "all", body); again.StatusCode != g.StatusCode || errorsOf(t, again) != errorsOf(t, g) {
			t.Errorf("%s: another answer the second time", name)
		}
	}
}

// The parameters of a query are no way around it.
func TestARefusalIsBoundedHoweverTheQueryIsMade(t *testing.T) {
	t.Parallel()
	s := newService(t)
	query := url.Values{}
	for i := range 3000 {
		query.Set(fmt.Sprintf("p%d", i), "1")
	}
	query["limit"] = strings.Split(strings.Repeat("1", 1000), "")
	g := s.send("GET", "/tests?"+query.Encode(), "all", "").wants(t, 422, "validation_failed")
	if p := s.isProblem(g); len(p.Errors) > 50 || len(g.body) > largestRefusal {
		t.Errorf("%d faults in %d bytes", len(p.Errors), len(g.body))
	}
	if again := s.send("GET", "/tests?"+query.Encode(), "all", ""); errorsOf(t, again) != errorsOf(t, g) {
		t.Error("another answer the second time")
	}
}

// errorsOf is a problem without what differs each time.
func errorsOf(t *testing.T, g got) string {
	t.Helper()
	o := g.object(t)
	return fmt.Sprint(o["detail"], o["errors"])
}

// As deep and as wide as bodies may be.
func TestBodiesHaveBounds(t *testing.T) {
	t.Parallel()
	s := newService(t)
	deep := func(n int) string { return strings.Repeat("[", n) + `"]]]]"` + strings.Repeat("]", n) }
	s.send("POST", "/tests", "all", deep(32)).wants(t, 422, "validation_failed")
	s.send("POST", "/tests", "all", deep(33)).wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", "["+strings.Repeat("1,", 9_998)+"1]").wants(t, 422, "validation_failed")
	s.send("POST", "/tests", "all", "["+strings.Repeat("1,", 9_999)+"1]").wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", `{"url":"https://e.x","task":"\"[[[[`+strings.Repeat("[,", 1990)+`"}`).wants(t, 201, "")
}
