package httpapi_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestOnlyKeysGetIn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, header := range map[string]string{
		"none": "", "unknown": "Bearer nonsense", "other scheme": "Basic YTpi", "empty": "Bearer ",
	} {
		g := s.send("GET", "/tests", "", "", "Authorization", header).wants(t, 401, "unauthenticated")
		if g.Header.Get("WWW-Authenticate") != `Bearer realm="understudy"` {
			t.Errorf("%s: WWW-Authenticate %q", name, g.Header.Get("WWW-Authenticate"))
		}
		if strings.Contains(string(g.body), "nonsense") {
			t.Errorf("%s: the key is quoted: %s", name, g.body)
		}
	}
	s.send("GET", "/tests", "", "", "Authorization", "bearer all").wants(t, 200, "")
}

func TestAKeyStaysWithinItsScopes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("GET", "/tests", "read", "").wants(t, 200, "")
	g := s.send("POST", "/tests", "read", `{"url":"https://e.x","task":"t"}`).wants(t, 403, "insufficient_scope")
	if !strings.Contains(string(g.body), "tests:write") || !strings.Contains(g.Header.Get("WWW-Authenticate"), `scope="tests:write"`) {
		t.Errorf("the scope that is missing is not told: %s", g.body)
	}
	s.send("GET", "/reports", "read", "").wants(t, 403, "insufficient_scope")
	s.send("GET", "/webhooks", "read", "").wants(t, 403, "insufficient_scope")
}

func TestOthersSeeNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aTest()
	for _, key := range []string{"other", "sandbox"} {
		s.send("GET", "/tests/"+id, key, "").wants(t, 404, "not_found")
		s.send("DELETE", "/tests/"+id, key, "").wants(t, 404, "not_found")
		s.send("GET", "/tests/"+id+"/sessions", key, "").wants(t, 404, "not_found")
		s.send("POST", "/tests/"+id+"/reports", key, "").wants(t, 404, "not_found")
		if g := s.send("GET", "/tests", key, "").wants(t, 200, ""); strings.Contains(string(g.body), id) {
			t.Errorf("%s lists another's test", key)
		}
	}
}

func TestTheLimitIsTheKeys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := s.send("GET", "/tests", "slow", "").wants(t, 200, "")
	if g.Header.Get("X-RateLimit-Limit") != "2" || g.Header.Get("X-RateLimit-Remaining") != "1" || g.Header.Get("X-RateLimit-Reset") != "1795262460" {
		t.Errorf("headers %v", g.Header)
	}
	s.send("GET", "/tests/"+newID("test"), "slow", "").wants(t, 404, "not_found")
	s.travel(50*time.Second + time.Millisecond)
	g = s.send("GET", "/tests", "slow", "").wants(t, 429, "rate_limited")
	if g.Header.Get("Retry-After") != "10" || g.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("headers %v", g.Header)
	}
	s.send("GET", "/tests", "read", "").wants(t, 200, "")
	s.travel(10 * time.Second)
	s.send("GET", "/tests", "slow", "").wants(t, 200, "")
}

func TestCallersWithoutKeysAreCountedByAddress(t *testing.T) {
	t.Parallel()
	s := newService(t)
	from := func(address, key string) got {
		r := httptest.NewRequestWithContext(t.Context(), "GET", base+"/tests", nil)
		r.RemoteAddr = address
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("X-Forwarded-For", "203.0.113.9") // nobody is trusted to say this
		return s.serve(r)
	}
	for i := range 10 {
		if g := from("[2001:db8::1]:1", fmt.Sprint("guess ", i)).wants(t, 401, "unauthenticated"); g.Header.Get("X-RateLimit-Limit") != "10" {
			t.Fatalf("headers %v", g.Header)
		}
	}
	for i := range 5 {
		from("[2001:db8::2]:1", fmt.Sprint("another guess ", i)).wants(t, 429, "rate_limited")
	}
	if n := s.lookUps.Load(); n != 10 {
		t.Errorf("%d keys were looked up", n)
	}
	from("[2001:db8:0:1::1]:1", "guess").wants(t, 401, "unauthenticated")
	from("[2001:db8::1]:1", "all").wants(t, 200, "")
}

func TestADownDependencyIs503(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 12 { // more than an address may: the caller is not to blame
		g := s.send("GET", "/tests", "broken", "").wants(t, 503, "unavailable")
		if g.Header.Get("Retry-After") != "2" {
			t.Fatalf("headers %v", g.Header)
		}
	}
	for _, down := range []error{context.DeadlineExceeded, errDown} {
		s.tests.err = fmt.Errorf("read model: %w", down)
		g := s.send("GET", "/tests/"+newID("test"), "all", "").wants(t, 503, "unavailable")
		if g.Header.Get("Retry-After") != "2" || strings.Contains(string(g.body), "read model") {
			t.Fatalf("%s", g.body)
		}
	}
	if !strings.Contains(s.log.String(), "the keys cannot be read") {
		t.Error("the cause is not in the log")
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if g := s.send("GET", "/models", "all", "", "X-Request-Id", "build-17/a"); g.Header.Get("X-Request-Id") != "build-17/a" {
		t.Errorf("got %q", g.Header.Get("X-Request-Id"))
	}
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-`)
	for _, bad := range []string{"a b", "x\"y", strings.Repeat("x", 129), "é"} {
		if g := s.send("GET", "/models", "all", "", "X-Request-Id", bad); !uuid.MatchString(g.Header.Get("X-Request-Id")) {
			t.Errorf("%q became %q", bad, g.Header.Get("X-Request-Id"))
		}
	}
}

func TestCommandsCarryWhoAskedAndHow(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	s.send("POST", "/tests", "sandbox", `{"url":"https://e.x","task":"t"}`, "X-Request-Id", "r1", "traceparent", trace)
	s.send("POST", "/tests", "sandbox", `{"url":"https://e.x","task":"t"}`, "traceparent", "00-zz")
	m := s.commands.calls[0].Meta
	if m.RequestID != "r1" || m.Traceparent != trace || m.KeyID != "key_sandbox" || m.OrganizationID != "org_a" || m.Environment != "test" || m.Actor != "key_sandbox" || m.CorrelationID == "" {
		t.Errorf("%+v", m)
	}
	if got := s.commands.calls[1].Meta.Traceparent; got != "" {
		t.Errorf("a malformed traceparent was taken over: %q", got)
	}
}

func TestHealthAndTheDocumentNeedNoKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if g := s.send("GET", "/openapi.json", "", ""); g.StatusCode != 200 || g.object(t)["openapi"] != "3.1.0" || strings.Contains(string(g.body), "x-go-") || !strings.Contains(string(g.body), base) {
		t.Errorf("%d %.200s", g.StatusCode, g.body)
	}
	s.send("GET", "/openapi.json", "wrong", "").wants(t, 401, "unauthenticated")
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200} {
		if g := s.serve(httptest.NewRequestWithContext(t.Context(), "GET", path, nil)); g.StatusCode != status {
			t.Errorf("%s: %d", path, g.StatusCode)
		}
	}
	if g := s.serve(httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil)); !strings.Contains(string(g.body), `"name":"tests","position":9,"lag_events":3,"lag_seconds":1.5`) {
		t.Errorf("how far the read models are is not told: %s", g.body)
	}
	s.notReady = append(s.notReady, notReady("projector", "stopped at testrun.created.v9"))
	if g := s.serve(httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil)); g.StatusCode != 503 || !strings.Contains(string(g.body), "testrun.created.v9") {
		t.Errorf("%d %s", g.StatusCode, g.body)
	}
	if log := s.log.String(); strings.Contains(log, "ERROR") {
		t.Errorf("a probe that was answered is logged as an error: %s", log)
	}
}

func TestSecretsStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aTest()
	s.send("GET", "/tests/"+id+"/stream?token=llll.oooo", "", "").wants(t, 403, "forbidden")
	s.send("GET", "/artifacts/"+newID("art")+"?expires=1&signature=uuuu", "", "").wants(t, 403, "forbidden")
	s.send("GET", "/tests?limit=5", "all", "").wants(t, 200, "")
	log := s.log.String()
	// No letter of these is in a random id, be it hexadecimal or Crockford's base 32.
	for _, secret := range []string{"llll", "oooo", "uuuu", "Bearer"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if !strings.Contains(log, "limit=5") || !strings.Contains(log, `"key_id":"key_all"`) {
		t.Error("the log lacks the query or the key's id")
	}
}

// While the service starts, probes are answered and everybody else is asked to
// wait, with a whole problem: a wrong 401 or 404 would be believed.
func TestWhileTheServiceStarts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.starting = true
	for path, key := range map[string]string{"/tests": "all", "/openapi.json": "", "/tests/x": "nobody"} {
		g := s.send("GET", path, key, "").wants(t, 503, "unavailable")
		if g.Header.Get("Retry-After") == "" || g.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("%s: headers %v", path, g.Header)
		}
	}
	if g := s.serve(httptest.NewRequestWithContext(t.Context(), "GET", "/healthz", nil)); g.StatusCode != 200 {
		t.Errorf("/healthz: %d", g.StatusCode)
	}
}

// What an older key has signed holds as long as the key is kept.
func TestSignaturesOutliveARotation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 3 {
		s.aTest()
	}
	first := s.send("GET", "/tests?limit=1", "all", "").wants(t, 200, "").object(t)
	cursor, _ := first["next_cursor"].(string)
	id := s.aTest()
	stream, _ := s.send("GET", "/tests/"+id, "all", "").object(t)["stream_url"].(string)
	_, token, _ := strings.Cut(stream, "?token=")
	old := (*s.signing)[0]

	*s.signing = signingKeys{[]byte(strings.Repeat("n", 32)), old}
	s.send("GET", "/tests?limit=1&cursor="+cursor, "all", "").wants(t, 200, "")
	s.send("GET", "/tests/"+id+"/stream?token="+token, "", "").wants(t, 426, "upgrade_required")
	if now, _ := s.send("GET", "/tests/"+id, "all", "").object(t)["stream_url"].(string); now == stream {
		t.Error("the new key does not sign")
	}

	*s.signing = signingKeys{[]byte(strings.Repeat("n", 32))}
	s.send("GET", "/tests?limit=1&cursor="+cursor, "all", "").wants(t, 422, "validation_failed")
	s.send("GET", "/tests/"+id+"/stream?token="+token, "", "").wants(t, 403, "forbidden")
}
