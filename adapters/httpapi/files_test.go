package httpapi_test

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/test/patience"
)

type file struct {
	*bytes.Reader
	closed bool
}

func (f *file) Close() error { f.closed = true; return nil }

var _ io.ReadSeekCloser = (*file)(nil)

func (s *served) anArtifact(content string) (id string, f *file) {
	id, f = newID("art"), &file{Reader: bytes.NewReader([]byte(content))}
	s.artifacts[id] = service.Artifact{ContentType: "image/jpeg", SHA256: "abc123", OrganizationID: "org_a", Environment: domain.Live, Content: f}
	return id, f
}

func TestAnArtifactsAddressIsEnough(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, f := s.anArtifact("0123456789")
	address := strings.TrimPrefix(s.links.ArtifactURL(id, noon), base)
	g := s.send("GET", address, "", "").wants(t, 200, "")
	if string(g.body) != "0123456789" || g.Header.Get("Content-Type") != "image/jpeg" || g.Header.Get("ETag") != `"abc123"` || g.Header.Get("Accept-Ranges") != "bytes" || !f.closed {
		t.Errorf("%q %v", g.body, g.Header)
	}
	if g.Header.Get("X-RateLimit-Limit") != "6000" || !strings.Contains(g.Header.Get("Content-Security-Policy"), "sandbox") || g.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("%v", g.Header)
	}
	part := s.send("GET", address, "", "", "Range", "bytes=2-4")
	if part.StatusCode != 206 || string(part.body) != "234" || part.Header.Get("Content-Range") != "bytes 2-4/10" {
		t.Errorf("%d %q", part.StatusCode, part.body)
	}
	for _, outside := range []string{"bytes=20-", "lines=1-2"} {
		g := s.send("GET", address, "", "", "Range", outside).wants(t, 416, "range_not_satisfiable")
		if g.Header.Get("ETag") != "" || g.Header.Get("Content-Disposition") != "" || g.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", g.Header)
		}
		if outside == "bytes=20-" && g.Header.Get("Content-Range") != "bytes */10" {
			t.Errorf("Content-Range %q", g.Header.Get("Content-Range"))
		}
	}
	s.isProblem(s.send("GET", address, "", "", "If-Match", `"another"`).wants(t, 412, "precondition_failed"))
	s.send("GET", address, "", "", "If-Match", `"another", "abc123"`).wants(t, 200, "")
	if g := s.send("GET", address, "", "", "If-None-Match", `"abc123"`); g.StatusCode != 304 || len(g.body) != 0 {
		t.Errorf("%d", g.StatusCode)
	}
	s.travel(36*time.Hour - time.Second)
	s.send("GET", address, "", "").wants(t, 200, "")
	s.travel(time.Second)
	s.send("GET", address, "", "").wants(t, 403, "forbidden")
}

func TestASignatureOpensNothingElse(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.anArtifact("mine")
	other, _ := s.anArtifact("theirs")
	address := strings.TrimPrefix(s.links.ArtifactURL(id, noon), base)
	query := address[strings.Index(address, "?"):]
	s.send("GET", "/artifacts/"+other+query, "", "").wants(t, 403, "forbidden")
	s.send("GET", strings.Replace(address, "expires=1", "expires=2", 1), "", "").wants(t, 403, "forbidden")
	s.send("GET", address+"A", "", "").wants(t, 403, "forbidden")
	s.send("GET", "/artifacts/"+id+"?"+query[strings.Index(query, "&")+1:], "", "").wants(t, 403, "forbidden")
	s.send("GET", "/artifacts/"+id+"?signature=x", "", "").wants(t, 403, "forbidden")
	s.send("GET", "/artifacts/"+id, "", "").wants(t, 401, "unauthenticated")
	s.send("GET", "/artifacts/"+id, "all", "").wants(t, 200, "")
	s.send("GET", "/artifacts/"+id, "other", "").wants(t, 404, "not_found")
	s.send("GET", "/artifacts/"+newID("art"), "all", "").wants(t, 404, "not_found")
}

// handshake is what a WebSocket client sends (RFC 6455, 4.1).
var handshake = []string{"Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}

func TestAHalfHandshakeIsToldWhatItLacks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/tests/" + s.aTest() + "/stream", "/webhooks/stream"} {
		for name, try := range map[string]struct {
			header, value string
			status        int
			code          string
		}{
			"another protocol":    {"Upgrade", "h2c", 426, "upgrade_required"},
			"an older version":    {"Sec-WebSocket-Version", "8", 426, "upgrade_required"},
			"no version":          {"Sec-WebSocket-Version", "", 426, "upgrade_required"},
			"a kept connection":   {"Connection", "keep-alive", 426, "upgrade_required"},
			"a key that is short": {"Sec-WebSocket-Key", "short", 400, "bad_request"},
			"no key":              {"Sec-WebSocket-Key", "", 400, "bad_request"},
		} {
			g := s.send("GET", path, "all", "", append(slices.Clone(handshake), try.header, try.value)...)
			s.isProblem(g.wants(t, try.status, try.code))
			if try.status == 426 && (g.Header.Get("Upgrade") != "websocket" || g.Header.Get("Sec-WebSocket-Version") != "13") {
				t.Errorf("%s: the way out is not told: %v", name, g.Header)
			}
		}
	}
	if len(s.stream.served) > 0 {
		t.Errorf("served %v", s.stream.served)
	}
}

func TestTheStreamTakesItsTokenOrAKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test, other := s.aTest(), s.aTest()
	address := strings.TrimPrefix(s.links.StreamURL("org_a", domain.Live, test), "ws"+strings.TrimPrefix(base, "http"))
	connect := func(path, key string) got {
		return s.send("GET", path, key, "", handshake...)
	}
	if g := connect(address+"&after=17", ""); g.StatusCode != 101 || g.Header.Get("X-RateLimit-Limit") != "6000" {
		t.Fatalf("%d %s", g.StatusCode, g.body)
	}
	if g := connect("/tests/"+test+"/stream", "read"); g.StatusCode != 101 {
		t.Fatalf("%d %s", g.StatusCode, g.body)
	}
	if want := []string{test + " after 17", test + " after 0"}; strings.Join(s.stream.served, ";") != strings.Join(want, ";") {
		t.Errorf("served %v", s.stream.served)
	}
	connect(strings.Replace(address, test, other, 1), "").wants(t, 403, "forbidden")
	connect(address+"x", "").wants(t, 403, "forbidden")
	connect("/tests/"+test+"/stream", "").wants(t, 401, "unauthenticated")
	connect("/tests/"+test+"/stream", "other").wants(t, 404, "not_found")
	connect(address+"&after=-1", "").wants(t, 422, "validation_failed")
	g := s.send("GET", address, "", "").wants(t, 426, "upgrade_required")
	if g.Header.Get("Upgrade") != "websocket" {
		t.Errorf("%v", g.Header)
	}
	s.stream.err = errors.New("no hub")
	connect(address, "").wants(t, 500, "internal_error")
	s.stream.err = nil

	doc := string(s.tests.rows[test].doc.JSON)
	s.tests.put(s.keys["all"], test, 9, strings.Replace(doc, `"completed_at":null`, `"completed_at":"2026-11-21T12:00:00.000Z"`, 1))
	s.travel(24 * time.Hour)
	if g := connect(address, ""); g.StatusCode != 101 {
		t.Errorf("%d a day after the end", g.StatusCode)
	}
	s.travel(time.Second)
	connect(address, "").wants(t, 403, "forbidden")
	if g := connect("/tests/"+test+"/stream", "read"); g.StatusCode != 101 {
		t.Errorf("a key stays good: %d", g.StatusCode)
	}
}

func TestTheStreamOfWebhookEventsIsForAdminsOnly(t *testing.T) {
	t.Parallel()
	s := newService(t)
	connect := func(path, key string) got {
		return s.send("GET", path, key, "", handshake...)
	}
	for _, path := range []string{"/webhooks/stream", "/webhooks/stream?after=0", "/webhooks/stream?after=17"} {
		if g := connect(path, "all"); g.StatusCode != 101 {
			t.Fatalf("%s: %d %s", path, g.StatusCode, g.body)
		}
	}
	if want := []string{"org_a live now on", "org_a live after 0", "org_a live after 17"}; !slices.Equal(s.stream.served, want) {
		t.Errorf("served %v", s.stream.served)
	}
	connect("/webhooks/stream", "read").wants(t, 403, "insufficient_scope")
	connect("/webhooks/stream", "").wants(t, 401, "unauthenticated")
	// A test's token opens that test alone.
	address := s.links.StreamURL("org_a", domain.Live, s.aTest())
	connect("/webhooks/stream?token="+address[strings.Index(address, "token=")+6:], "").wants(t, 401, "unauthenticated")
	connect("/webhooks/stream?after=-1", "all").wants(t, 422, "validation_failed")
	s.send("GET", "/webhooks/stream", "all", "").wants(t, 426, "upgrade_required")
}

func TestAFullNodeRefusesStreamsForNow(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.stream.err = domain.Refuse(domain.CodeUnavailable, "full")
	for _, path := range []string{"/tests/" + s.aTest() + "/stream", "/webhooks/stream"} {
		g := s.send("GET", path, "all", "", handshake...).wants(t, 503, "unavailable")
		if g.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
}

func TestAWebSocketComesThrough(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.stream.upgrade = true
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	test := s.aTest()
	address := strings.Replace(s.links.StreamURL("org_a", domain.Live, test), "ws://understudy.test", "ws"+strings.TrimPrefix(server.URL, "http"), 1)
	ctx, cancel := patience.Context(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	conn, res, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("X-RateLimit-Limit") != "6000" || res.Header.Get("X-Request-Id") == "" {
		t.Errorf("%v", res.Header)
	}
	if _, message, err := conn.Read(ctx); err != nil || string(message) != test {
		t.Errorf("%q %v", message, err)
	}
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("%v", err)
	}
}

func TestAnswersAreSafeToLookAt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, g := range []got{s.send("GET", "/tests", "all", ""), s.send("GET", "/nothing", "", ""), s.serve(httptest.NewRequestWithContext(t.Context(), "GET", "/healthz", nil))} {
		if g.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(g.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%v", g.Header)
		}
	}
}
