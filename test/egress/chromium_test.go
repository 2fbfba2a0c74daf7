package egress

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"understudy/adapters/browser"
	"understudy/adapters/egress"
	"understudy/test/patience"
)

// chromium is the service's own browser, with its own switches.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	os.Exit(func() int {
		flag.Parse()
		cfg, err := browser.Locate(browser.Config{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		cfg.HangLimit = patience.Scaled(limit) // hundreds of requests at once keep a busy machine's browser from answering
		chromium = browser.New(cfg)
		code := m.Run()
		if err := chromium.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// blocks counts the requests that a proxy logs as blocked.
type blocks struct{ n atomic.Int64 }

// Write takes one line of the log.
func (b *blocks) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`class=`+egress.ClassBlocked)) || bytes.Contains(line, []byte(`class=`+egress.ClassUnlisted)) {
		b.n.Add(1)
	}
	return len(line), nil
}

// walk opens pages one after the other in a session below a proxy with the
// policy, for a test that names these addresses, and returns how many requests that
// blocked. A page whose path begins
// with /all- is waited for until it reports and enough holds of the number that are
// blocked by then, or patience is lost.
func walk(t *testing.T, l *lab, policy *egress.Policy, named []string, enough func(blocked int64) bool, addresses ...string) int64 {
	t.Helper()
	return walkIn(t, chromium, l, policy, named, enough, addresses...)
}

// walkIn walks in another browser.
func walkIn(t *testing.T, chromium *browser.Browser, l *lab, policy *egress.Policy, named []string, enough func(blocked int64) bool, addresses ...string) int64 {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), 4*limit)
	defer cancel()
	var blocked blocks
	proxy, err := egress.StartProxy(t.Context(), policy, slog.New(slog.NewTextHandler(&blocked, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proxy.Close() }()
	username, password := proxy.Credentials(ctx, named...)
	s, err := chromium.Open(ctx, browser.SessionOptions{ProxyURL: proxy.URL(), ProxyUsername: username, ProxyPassword: password})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, address := range addresses {
		_, err := s.Goto(ctx, address)
		if !strings.Contains(address, "/all-") {
			continue // that it fails is what is wanted of most
		}
		select {
		case <-l.site.done:
		case <-ctx.Done():
			t.Fatalf("%s did not report in time; it was opened with: %v", address, err)
		}
		_ = patience.Until(ctx, limit, func() bool { return enough(blocked.n.Load()) }) // the caller sees whether it was
	}
	return blocked.n.Load()
}

// nothing is awaited where nothing may arrive.
func nothing(int64) bool { return true }

// atLeast so many requests are blocked, however late they are made.
func atLeast(n int64) func(int64) bool { return func(blocked int64) bool { return blocked >= n } }

// corpusPage fetches every case, opens in a frame what only navigations follow
// or may read in another way, then reports. Not every
// case has a frame, because each site's is a process of its own.
const corpusPage = `<!doctype html><title>corpus</title><script>
const cases = %s
const within = (ms, promise) => Promise.race([promise, new Promise(done => setTimeout(done, ms))])
const frame = url => new Promise(done => {
	const f = document.createElement("iframe")
	f.onload = f.onerror = done
	try { f.src = url } catch { done() }
	document.body.append(f)
})
onload = async () => {
	await Promise.all(cases.map(async ({url, framed}) => {
		try { await within(4000, fetch(url, {mode: "no-cors"})) } catch {}
		if (framed) await within(4000, frame(url))
	}))
	fetch("/done")
}
</script><body>`

func TestChromiumReachesNothingOfTheCorpus(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.names.phase.Store(1)
	l.offer(t, l.cases)
	addresses := []string{"http://allowed.example:" + l.site.port + "/all-cases"}
	// Ordinary navigations, one of each kind.
	for _, name := range []string{"loopback-plain", "v6-loopback-plain", "localhost-below", "rebind-loopback", "https-loopback", "redirect-302", "redirect-308",
		"page-refresh-header", "page-meta-refresh", "page-script", "page-form-post", "page-window-open", "scheme-file", "scheme-view-source", "syntax-user"} {
		addresses = append(addresses, l.url(t, name))
	}
	// Each case of the policy's is asked of the proxy, by fetch or frame.
	if n := walk(t, l, l.policy(false), l.sites(), atLeast(200), addresses...); n < 200 {
		t.Errorf("the proxy blocked %d requests only: the page did not try the corpus", n)
	}
	l.canary.untouched()
}

func TestChromiumReachesTheCorpusWhereAllIsAllowed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.names.phase.Store(1)
	hits := l.hitting(t)
	l.offer(t, hits)
	var missed []string
	all := func(int64) bool {
		missed = nil
		for _, c := range hits {
			// TLS hides the path.
			if !strings.HasPrefix(c.URL, "https:") && !l.canary.saw(c.Name) {
				missed = append(missed, c.Name)
			}
		}
		return len(missed) == 0
	}
	walk(t, l, l.policy(true), l.everything(), all, "http://allowed.example:"+l.site.port+"/all-cases")
	if !all(0) {
		t.Errorf("not reached: %v", missed)
	}
}

// offer puts cases on the page /all-cases.
func (l *lab) offer(t *testing.T, cases []corpusCase) {
	t.Helper()
	type entry struct {
		URL    string `json:"url"`
		Framed bool   `json:"framed"`
	}
	entries := make([]entry, len(cases))
	for i, c := range cases {
		entries[i] = entry{c.URL, c.By != byPolicy && c.By != byDial}
	}
	list, err := json.Marshal(entries) // escapes < and >
	if err != nil {
		t.Fatal(err)
	}
	l.site.bodies["/all-cases"] = fmt.Sprintf(corpusPage, list)
}

// url is the address of a case.
func (l *lab) url(t *testing.T, name string) string {
	t.Helper()
	for _, c := range l.cases {
		if c.Name == name {
			return c.URL
		}
	}
	t.Fatalf("the corpus has no %s", name)
	return ""
}

// ways are what a page can do to make Chromium connect, as scripts with the
// canary's authority in AT. A page of 127.0.0.0/8 is a secure context, so that
// it may do everything.
var ways = []struct {
	name, script string
	// never says that even where everything is allowed nothing connects:
	// the browser is started without it, or it goes by UDP.
	never bool
}{
	{"img", `new Image().src = "http://AT/img"`, false},
	{"srcset", `const i = new Image(); i.srcset = "http://AT/srcset 1x"`, false},
	{"script", `put("script", {src: "http://AT/script"})`, false},
	{"module", `import("http://AT/module").catch(() => {})`, false},
	{"fetch", `fetch("http://AT/fetch").catch(() => {})`, false},
	{"fetch-post", `fetch("http://AT/fetch-post", {method: "POST", body: "x", mode: "no-cors"}).catch(() => {})`, false},
	{"fetch-keepalive", `fetch("http://AT/fetch-keepalive", {keepalive: true, mode: "no-cors"}).catch(() => {})`, false},
	{"xhr", `const x = new XMLHttpRequest(); x.open("GET", "http://AT/xhr"); x.send()`, false},
	{"websocket", `new WebSocket("ws://AT/websocket")`, false},
	{"eventsource", `new EventSource("http://AT/eventsource")`, false},
	{"beacon", `navigator.sendBeacon("http://AT/beacon", "x")`, false},
	{"iframe", `put("iframe", {src: "http://AT/iframe"})`, false},
	{"srcdoc", `put("iframe", {srcdoc: "<img src=http://AT/srcdoc>"})`, false},
	{"data-frame", `put("iframe", {src: "data:text/html,<img src=http://AT/data-frame>"})`, false},
	{"blob-frame", `put("iframe", {src: URL.createObjectURL(new Blob(["<img src=http://AT/blob-frame>"], {type: "text/html"}))})`, false},
	{"object", `put("object", {data: "http://AT/object"})`, false},
	{"embed", `put("embed", {src: "http://AT/embed"})`, false},
	{"video", `put("video", {src: "http://AT/video", preload: "auto"})`, false},
	{"poster", `put("video", {poster: "http://AT/poster"})`, false},
	{"audio", `put("audio", {src: "http://AT/audio", preload: "auto"})`, false},
	{"track", `put("video", {crossOrigin: "anonymous"}).append(Object.assign(document.createElement("track"), {src: "http://AT/track", default: true}))`, false},
	{"stylesheet", `put("link", {rel: "stylesheet", href: "http://AT/stylesheet"})`, false},
	{"css-import", `put("style", {textContent: "@import url(http://AT/css-import);"})`, false},
	{"css-url", `put("p", {style: "background: url(http://AT/css-url)", textContent: "x"})`, false},
	{"css-font", `put("style", {textContent: "@font-face {font-family: f; src: url(http://AT/css-font)} body {font-family: f}"}); put("p", {textContent: "x"})`, false},
	{"svg-use", `put("div", {innerHTML: "<svg><image href='http://AT/svg-use'/></svg>"})`, false},
	{"icon", `put("link", {rel: "icon", href: "http://AT/icon"})`, true},
	{"preload", `put("link", {rel: "preload", as: "image", href: "http://AT/preload"})`, false},
	{"modulepreload", `put("link", {rel: "modulepreload", href: "http://AT/modulepreload"})`, false},
	{"prefetch", `put("link", {rel: "prefetch", href: "http://AT/prefetch"})`, false},
	{"preconnect", `put("link", {rel: "preconnect", href: "http://AT/"})`, true},
	{"dns-prefetch", `put("link", {rel: "dns-prefetch", href: "http://AT/"})`, true},
	{"prerender", `put("script", {type: "speculationrules", textContent: JSON.stringify({prerender: [{urls: ["http://AT/prerender"]}]})})`, true},
	{"manifest", `put("link", {rel: "manifest", href: "http://AT/manifest"})`, true},
	{"form", `const f = put("form", {action: "http://AT/form", method: "post", target: frame()}); f.submit()`, false},
	{"form-get", `const f = put("form", {action: "http://AT/form-get", target: frame()}); put("input", {name: "a"}, f); f.submit()`, false},
	// Past the blocker of windows nobody pressed for.
	{"popup", `EventTarget.prototype.dispatchEvent.call(put("a", {href: "http://AT/popup", target: "_blank"}), new MouseEvent("click"))`, false},
	{"ping", `const a = put("a", {href: "#x", ping: "http://AT/ping"}); a.click()`, false},
	{"worker", `new Worker(URL.createObjectURL(new Blob(["fetch('http://AT/worker').catch(() => {})"])))`, false},
	{"worker-import", `new Worker(URL.createObjectURL(new Blob(["importScripts('http://AT/worker-import')"])))`, false},
	{"worker-websocket", `new Worker(URL.createObjectURL(new Blob(["new WebSocket('ws://AT/worker-websocket')"])))`, false},
	{"shared-worker", `new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://AT/shared-worker').catch(() => {})"])))`, false},
	{"service-worker", `navigator.serviceWorker.register("/worker.js?at=AT").catch(() => {})`, true},
	{"webtransport", `new WebTransport("https://AT/webtransport").ready.catch(() => {})`, true},
	{"stun", `ice("stun:AT")`, true},
	{"turn-udp", `ice("turn:AT?transport=udp")`, true},
	{"turn-tcp", `ice("turn:AT?transport=tcp")`, true},
	{"csp-report", `put("iframe", {src: "/csp?at=AT"})`, false},
	{"reporting", `put("iframe", {src: "/reports?at=AT"})`, true},
	{"early-hint", `put("iframe", {src: "/hints?at=AT"})`, true},
	{"fetch-later", `fetchLater("http://AT/fetch-later", {activateAfter: 0})`, false},
	{"speculation", `put("script", {type: "speculationrules", textContent: JSON.stringify({prefetch: [{urls: ["http://AT/speculation"]}]})})`, true},
	{"fedcm", `navigator.credentials.get({identity: {providers: [{configURL: "http://AT/fedcm", clientId: "x"}]}}).catch(() => {})`, false},
	{"window-open", `put("iframe").contentWindow.open("http://AT/window-open", "_self")`, false},
	{"window-named", `open("http://AT/window-named", frame())`, false},
}

const waysPage = `<!doctype html><title>ways</title><body><script>
const put = (tag, props = {}, into = document.body) => { const e = document.createElement(tag); if (props.style) { e.style = props.style; delete props.style }; Object.assign(e, props); into.append(e); return e }
let frames = 0
const frame = () => put("iframe", {name: "frame" + ++frames}).name
const ice = async url => {
	const pc = new RTCPeerConnection({iceServers: [{urls: url, username: "u", credential: "c"}]})
	pc.createDataChannel("x")
	await pc.setLocalDescription(await pc.createOffer())
}
const wait = ms => new Promise(done => setTimeout(done, ms))
onload = async () => {
%s
	await wait(2000)
	fetch("/done")
}
</script>`

// waysAt is waysPage with each way tried at each authority.
func waysAt(authorities ...string) string {
	var b strings.Builder
	for _, at := range authorities {
		for _, w := range ways {
			fmt.Fprintf(&b, "\ttry { (() => { %s })() } catch {}\n", strings.ReplaceAll(w.script, "AT", at))
		}
	}
	return fmt.Sprintf(waysPage, strings.ReplaceAll(b.String(), "</", `<\/`))
}

func TestNoWayOutOfAPageIsOpen(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	port := strconv.Itoa(l.canary.port)
	l.site.bodies["/all-ways"] = waysAt("127.0.0.1:"+port, "[::1]:"+port, "localhost:"+port)
	if n := walk(t, l, l.policy(false), l.sites(), atLeast(int64(len(ways))), "http://"+allowedAddr+":"+l.site.port+"/all-ways"); n < int64(len(ways)) {
		t.Errorf("the proxy blocked %d requests only: the page did not try its ways", n)
	}
	l.canary.untouched()
}

func TestTheWaysOutOfAPageLeadSomewhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.site.bodies["/all-ways"] = waysAt("127.0.0.1:" + strconv.Itoa(l.canary.port))
	var missed []string
	all := func(int64) bool {
		missed = nil
		for _, w := range ways {
			if !w.never && !l.canary.saw(w.name) {
				missed = append(missed, w.name)
			}
		}
		return len(missed) == 0
	}
	walk(t, l, l.policy(true), l.everything(), all, "http://"+allowedAddr+":"+l.site.port+"/all-ways")
	if !all(0) {
		t.Errorf("not reached: %v", missed)
	}
	for _, w := range ways {
		if w.never && l.canary.saw(w.name) {
			t.Errorf("%s reaches", w.name)
		}
	}
}
