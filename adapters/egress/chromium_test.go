package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"understudy/test/patience"
)

// chromium is a headless browser below a proxy, driven over the pipe of its
// DevTools protocol. It answers the proxy's challenges as Playwright does.
type chromium struct {
	t    *testing.T
	user *url.Userinfo
	in   *os.File
	mu   sync.Mutex
	id   int
	wait map[int]chan json.RawMessage
}

// startChromium starts the machine's headless Chromium with every connection,
// loopback included, sent to the proxy, for a test that names these addresses.
func startChromium(t *testing.T, p *Proxy, named ...string) *chromium {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Fatalf("these tests need Debian's chromium-headless-shell or chromium: %v", err)
	}
	profile, err := os.MkdirTemp("", "understudy-egress-") //nolint:usetesting // helper processes may still write when it is removed, which t.TempDir takes for a failure
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-quic",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "--ignore-certificate-errors",
		"--proxy-server="+p.URL(), "--proxy-bypass-list=<-loopback>", "about:blank")
	fromTest, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{fromTest, toTest} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromTest.Close()
	toTest.Close()
	c := &chromium{t: t, user: p.user(t, named...), in: toBrowser, wait: make(map[int]chan json.RawMessage)}
	t.Cleanup(func() {
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }() // any status will do: the tests are over
		c.send("", "Browser.close", nil)
		ctx, cancel := patience.Context(context.Background(), limit)
		defer cancel()
		select {
		case <-ended:
		case <-ctx.Done():
			_ = cmd.Process.Kill()
			<-ended
		}
		toBrowser.Close()
		fromBrowser.Close()
		_ = os.RemoveAll(profile)
	})
	go c.read(fromBrowser)
	return c
}

func (c *chromium) read(from *os.File) {
	in := bufio.NewReader(from)
	for {
		raw, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID        int             `json:"id"`
			Method    string          `json:"method"`
			SessionID string          `json:"sessionId"`
			Result    json.RawMessage `json:"result"`
			Params    struct {
				RequestID string `json:"requestId"`
			} `json:"params"`
		}
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		switch m.Method {
		case "Fetch.authRequired":
			password, _ := c.user.Password()
			c.send(m.SessionID, "Fetch.continueWithAuth", map[string]any{
				"requestId": m.Params.RequestID,
				"authChallengeResponse": map[string]any{
					"response": "ProvideCredentials", "username": c.user.Username(), "password": password,
				},
			})
		case "Fetch.requestPaused":
			c.send(m.SessionID, "Fetch.continueRequest", map[string]any{"requestId": m.Params.RequestID})
		case "":
			c.mu.Lock()
			answered := c.wait[m.ID]
			delete(c.wait, m.ID)
			c.mu.Unlock()
			if answered != nil {
				answered <- m.Result
			}
		}
	}
}

func (c *chromium) send(session, method string, params any) chan json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id++
	answered := make(chan json.RawMessage, 1)
	c.wait[c.id] = answered
	message := map[string]any{"id": c.id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	raw, _ := json.Marshal(message)
	_, _ = c.in.Write(append(raw, 0))
	return answered
}

// call sends a command and reads its result into out.
func (c *chromium) call(session, method string, params, out any) {
	c.t.Helper()
	raw := patience.Receive(c.t, limit, "the answer to "+method, c.send(session, method, params))
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			c.t.Fatalf("%s: %v in %s", method, err, raw)
		}
	}
}

// tab opens an empty page that hands its proxy challenges to the test.
func (c *chromium) tab() string {
	var target struct{ TargetID string }
	c.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	c.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	c.call(attached.SessionID, "Fetch.enable", map[string]any{"handleAuthRequests": true}, nil)
	return attached.SessionID
}

// open navigates and returns the network error, if any.
func (c *chromium) open(tab, url string) string {
	var navigated struct{ ErrorText string }
	c.call(tab, "Page.navigate", map[string]any{"url": url}, &navigated)
	return navigated.ErrorText
}

// eval runs an expression, awaiting a promise, and returns its string.
func (c *chromium) eval(tab, js string) string {
	var res struct{ Result struct{ Value string } }
	c.call(tab, "Runtime.evaluate", map[string]any{"expression": js, "awaitPromise": true, "returnByValue": true}, &res)
	return res.Result.Value
}

// text waits until the page shows something and returns it.
func (c *chromium) text(tab string) string {
	return c.eval(tab, `new Promise(done => {
		const look = () => document.readyState === "complete" ? done(document.body.innerText.trim()) : setTimeout(look, 10)
		look()
	})`)
}

// site is a page with a WebSocket that answers what it is sent.
func site() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		leaked := r.Header.Get("Proxy-Authorization") + r.Header.Get("Proxy-Connection") + r.Header.Get("Via")
		fmt.Fprintf(w, "<title>page</title><p>leaked:%s</p>", leaked)
	})
	mux.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		ctx, cancel := patience.Context(r.Context(), limit)
		defer cancel()
		kind, data, err := conn.Read(ctx)
		if err == nil {
			_ = conn.Write(ctx, kind, append([]byte("echo "), data...))
		}
	})
	return mux
}

const echoJS = `new Promise(done => {
	const ws = new WebSocket(%q)
	ws.onopen = () => ws.send("hi")
	ws.onmessage = m => done(m.data)
	ws.onerror = () => done("failed")
})`

func TestChromiumReachesTheWebThroughTheProxyOnly(t *testing.T) {
	t.Parallel()
	plain, secure := httptest.NewServer(site()), httptest.NewUnstartedServer(site())
	secure.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	c := startChromium(t, startProxy(t, NewPolicy(loopback)), plain.URL, secure.URL)

	for _, base := range []string{plain.URL, secure.URL} {
		tab := c.tab()
		if failed := c.open(tab, base+"/"); failed != "" {
			t.Fatalf("%s: %s", base, failed)
		}
		if got := c.text(tab); got != "leaked:" {
			t.Errorf("%s shows %q", base, got)
		}
		ws := "ws" + strings.TrimPrefix(base, "http") + "/ws"
		if got := c.eval(tab, fmt.Sprintf(echoJS, ws)); got != "echo hi" {
			t.Errorf("%s: %q", ws, got)
		}
	}
}

func TestChromiumIsStoppedByTheProxy(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 100)
	internal := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	t.Cleanup(internal.Close)
	policy := NewPolicy(nil)
	policy.Resolver = deadResolver(t)
	c := startChromium(t, startProxy(t, policy))
	tab := c.tab()
	host := strings.TrimPrefix(internal.URL, "http://")
	_, port, _ := strings.Cut(host, ":")
	for _, h := range []string{"127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "app.localhost"} {
		if failed := c.open(tab, "http://"+h+":"+port+"/page"); failed != "" {
			t.Errorf("%s: %s, want the proxy's own answer", h, failed)
		}
		if got := c.text(tab); got != failureText[ClassBlocked] {
			t.Errorf("%s shows %q", h, got)
		}
	}
	if got := c.eval(tab, fmt.Sprintf(echoJS, "ws://"+host+"/ws")); got != "failed" {
		t.Errorf("WebSocket: %q", got)
	}
	if failed := c.open(tab, "https://"+host+"/tls"); failed != "net::ERR_TUNNEL_CONNECTION_FAILED" {
		t.Errorf("https: %q", failed)
	}
	c.open(tab, "http://no-such-name.example/")
	if got := c.text(tab); got != failureText[ClassDNS] {
		t.Errorf("an unknown name shows %q", got)
	}
	select {
	case path := <-reached:
		t.Errorf("the internal server was asked for %s", path)
	default:
	}
}
