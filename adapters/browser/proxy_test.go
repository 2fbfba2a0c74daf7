package browser_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"understudy/adapters/browser"
)

// TestThroughTheProxy speaks to a proxy that answers as our egress proxy does.
func TestThroughTheProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	transport := &http.Transport{} // closing another test's server closes the default transport's connections
	defer transport.CloseIdleConnections()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.Host)
		mu.Unlock()
		name, _, _ := strings.Cut(r.Host, ".")
		switch name {
		case "dns", "refused", "timeout", "blocked", "unlisted":
			w.Header().Set("X-Understudy-Egress", name)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		response, err := transport.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = response.Body.Close() }()
		w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	}))
	defer proxy.Close()
	s := open(t, browser.SessionOptions{ProxyURL: proxy.URL})
	for word, code := range map[string]string{"dns": "dns", "refused": "refused", "timeout": "timeout", "blocked": "blocked", "unlisted": "blocked"} {
		for _, scheme := range []string{"http://", "https://"} {
			_, err := s.Goto(t.Context(), scheme+word+".example/")
			var failure *browser.NavigationError
			if !errors.As(err, &failure) || failure.Code != code || word == "unlisted" && !strings.Contains(failure.Message, scheme+"unlisted.example is a private address") {
				t.Errorf("%s%s.example: %v", scheme, word, err)
			}
		}
	}
	if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if last := asked[len(asked)-1]; last != "GET "+strings.TrimPrefix(site.URL, "http://") {
		t.Errorf("loopback did not go through the proxy; it was asked last for %s", last)
	}
}

// TestAPageTellsWhatItMayNotReach: what our proxy refuses a page because the test does not
// name it, in the open and through tunnels, is told of the page, each origin once.
func TestAPageTellsWhatItMayNotReach(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "page.example" {
			w.Header().Set("X-Understudy-Egress", "unlisted")
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>p</title><img src="http://a.test/1"><img src="http://a.test/2"><script>
			fetch("https://b.test:3001/api").catch(() => {}); fetch("https://b.test:3001/more").catch(() => {})</script>`)
	}))
	defer proxy.Close()
	s := open(t, browser.SessionOptions{ProxyURL: proxy.URL})
	if _, err := s.Goto(t.Context(), "http://page.example/"); err != nil {
		t.Fatal(err)
	}
	var told []string
	eventually(t, "both origins are told", func() bool {
		told = look(t, s).Private
		return len(told) >= 2
	})
	slices.Sort(told)
	if want := []string{"http://a.test", "https://b.test:3001"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestAnEncryptedSiteCannotSpeakForTheProxy: the header by which our proxy says why it did
// not fetch counts for nothing in an answer that came through a tunnel.
func TestAnEncryptedSiteCannotSpeakForTheProxy(t *testing.T) {
	t.Parallel()
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Understudy-Egress", "unlisted")
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Forged</title><p>A page like any other")
	}))
	defer site.Close()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, err := new(net.Dialer).DialContext(r.Context(), "tcp", site.Listener.Addr().String())
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		_, _ = io.Copy(near, far)
		_ = near.Close()
	}))
	defer proxy.Close()
	s, err := trusting(t).Open(t.Context(), browser.SessionOptions{ProxyURL: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Goto(t.Context(), "https://forged.example/"); err != nil {
		t.Errorf("the page: %v", err)
	}
	if page := look(t, s); page.Title != "Forged" || page.Private != nil {
		t.Errorf("the page is %q and lacks %q", page.Title, page.Private)
	}
}

// trusting is a browser that takes every certificate.
func trusting(t *testing.T) *browser.Browser {
	t.Helper()
	cfg := programs
	dir, err := os.MkdirTemp("", "understudy-trusting-") //nolint:usetesting // the browser's own user must pass through it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // likewise
		t.Fatal(err)
	}
	program := filepath.Join(dir, "chromium")
	script := "#!/bin/sh\nexec '" + cfg.ChromiumPath + "' --ignore-certificate-errors \"$@\"\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil { //nolint:gosec // the browser's own user runs it
		t.Fatal(err)
	}
	cfg.ChromiumPath = program
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	return b
}
