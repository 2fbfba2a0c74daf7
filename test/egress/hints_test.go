package egress

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"understudy/adapters/browser"
)

// held is how long a page is held back for its hints: well below how long Chromium is let wait
// for a page, however late the machine is.
const held = 5 * time.Second

// TestEarlyHintsLeadNowhere: browsers may load and connect to what an answer's hints name before
// there is a page, over HTTP/2 only. That hints are heeded shows the one that names the
// page's own server, whose script nothing else asks for.
func TestEarlyHintsLeadNowhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	asked := make(chan string, 10)
	heeded, heed := context.WithCancel(t.Context())
	address := startTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := "127.0.0.1:" + strconv.Itoa(l.canary.port)
		w.Header().Set("Link", fmt.Sprintf("<https://%[1]s/hint>; rel=preload; as=script, <https://%[1]s>; rel=preconnect, </own.js>; rel=preload; as=script", at))
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/all-hints":
			asked <- r.Proto
			// Hints are of use, and heeded for sure, while the page itself is not there.
			slow, cancel := context.WithTimeout(r.Context(), held)
			defer cancel()
			select {
			case <-heeded.Done():
			case <-slow.Done():
			}
		case "/own.js":
			heed()
		}
		fmt.Fprintf(w, `<!doctype html><title>hinted</title><script>setTimeout(() => fetch("http://%s:%s/done", {mode: "no-cors"}), 2000)</script>`, allowedAddr, l.site.port)
	})).URL
	chromium, visits := trusting(t, "--ignore-certificate-errors"), 5 // on a busy machine a page may be there before its hints are heeded
	for ; visits > 0 && heeded.Err() == nil; visits-- {
		walkIn(t, chromium, l, l.policy(false), append(l.sites(), address), nothing, address+"/all-hints")
	}
	if by := <-asked; by != "HTTP/2.0" {
		t.Errorf("the page was asked for by %s", by)
	}
	if heeded.Err() == nil {
		t.Error("not even the hint of the page's own server was heeded")
	}
	l.canary.untouched()
}

// startTLS starts an encrypted server that the policy allows.
func startTLS(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", allowedAddr+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener, server.EnableHTTP2 = listener, true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// trusting is the service's browser with switches more, which make it trust a server.
func trusting(t *testing.T, switches string) *browser.Browser {
	t.Helper()
	dir, err := os.MkdirTemp("", "understudy-trusting-") //nolint:usetesting // the browser's own user must pass through it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // likewise
		t.Fatal(err)
	}
	cfg, err := browser.Locate(browser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec '" + cfg.ChromiumPath + "' " + switches + " \"$@\"\n"
	cfg.ChromiumPath = filepath.Join(dir, "chromium")
	if err := os.WriteFile(cfg.ChromiumPath, []byte(script), 0o755); err != nil { //nolint:gosec // likewise
		t.Fatal(err)
	}
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	return b
}
