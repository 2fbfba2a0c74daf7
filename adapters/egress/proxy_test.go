package egress

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"understudy/test/patience"
)

// limit bounds every wait of these tests, on an idle machine.
const limit = 30 * time.Second

func startProxy(t *testing.T, policy *Policy) *Proxy {
	t.Helper()
	return startIdleProxy(t, policy, idleTimeout)
}

func startIdleProxy(t *testing.T, policy *Policy, idle time.Duration) *Proxy {
	t.Helper()
	p, err := serve(t.Context(), policy, slog.New(slog.DiscardHandler), idle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// through is a client that sends everything through the proxy.
func through(t *testing.T, p *Proxy, user *url.Userinfo) *http.Client {
	t.Helper()
	at, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	at.User = user
	transport := &http.Transport{
		Proxy:              http.ProxyURL(at),
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true},
		DisableCompression: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience.Scaled(limit)}
}

// user is a session whose test names these addresses.
func (p *Proxy) user(t *testing.T, named ...string) *url.Userinfo {
	t.Helper()
	return url.UserPassword(p.Credentials(t.Context(), named...))
}

// webPolicy takes loopback for the public internet.
func webPolicy() *Policy {
	p := NewPolicy(nil)
	p.guard = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(loopback[0]))
	return p
}

// answer is what came back, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func request(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// send fails as the client does, and when the answer breaks off.
func send(c *http.Client, req *http.Request) (answer, error) {
	res, err := c.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(body)}, err
}

func get(t *testing.T, c *http.Client, url string) answer {
	t.Helper()
	got, err := send(c, request(t, http.MethodGet, url, ""))
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	return got
}

// dial connects to the proxy without speaking yet; it fails once the proxy is
// closed.
func dial(t *testing.T, p *Proxy) (net.Conn, error) {
	t.Helper()
	return new(net.Dialer).DialContext(t.Context(), "tcp4", p.listener.Addr().String())
}

func TestProxyPassesARequestOnAsItWasSent(t *testing.T) {
	t.Parallel()
	dumps := make(chan string, 1)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dump, _ := httputil.DumpRequest(r, true)
		dumps <- string(dump)
		w.Header().Set(HeaderEgress, "dns") // a site that lies
		w.Header().Set("X-Site", "yes")
		w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "<p>tea")
	}))
	t.Cleanup(site.Close)
	p := startProxy(t, NewPolicy(loopback))
	req := request(t, http.MethodPost, site.URL+"/a%2Fb?x=1;y&z=%zz", "body")
	req.Header.Set("User-Agent", "Browser/1")
	req.Header.Set("X-Forwarded-For", "page's own")
	req.Header.Set("Connection", "X-Hop")
	req.Header.Set("X-Hop", "for the proxy only")
	got, err := send(through(t, p, p.user(t, site.URL)), req)
	if err != nil {
		t.Fatal(err)
	}
	if got.status != http.StatusTeapot || got.body != "<p>tea" || got.header.Get("X-Site") != "yes" {
		t.Errorf("answer = %+v", got)
	}
	for _, name := range []string{HeaderEgress, "Date", "Content-Type", "Via", "Server"} {
		if got.header.Get(name) != "" {
			t.Errorf("the answer has a header of nobody's: %s: %s", name, got.header.Get(name))
		}
	}
	want := "POST /a%2Fb?x=1;y&z=%zz HTTP/1.1\r\nHost: " + strings.TrimPrefix(site.URL, "http://") +
		"\r\nContent-Length: 4\r\nUser-Agent: Browser/1\r\nX-Forwarded-For: page's own\r\n\r\nbody"
	if got := <-dumps; got != want {
		t.Errorf("the site got\n%s\nwant\n%s", got, want)
	}
}

func TestProxyTunnelsTLS(t *testing.T) {
	t.Parallel()
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(site.Close)
	p := startProxy(t, NewPolicy(loopback))
	sent := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	got, err := send(through(t, p, p.user(t, site.URL)), request(t, http.MethodPost, site.URL, sent))
	if err != nil || got.body != sent {
		t.Errorf("got %d bytes, %v", len(got.body), err)
	}
}

func TestProxyAsksForItsCredentials(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	p := startProxy(t, NewPolicy(loopback))
	username, password := p.Credentials(t.Context(), plain.URL, secure.URL)
	empty, another := p.Credentials(t.Context())
	for _, user := range []*url.Userinfo{nil, url.UserPassword(username, "wrong"), url.UserPassword("other", password),
		url.UserPassword(username, another), url.UserPassword(empty, password)} {
		got := get(t, through(t, p, user), plain.URL)
		if got.status != http.StatusProxyAuthRequired || !strings.HasPrefix(got.header.Get("Proxy-Authenticate"), "Basic ") {
			t.Errorf("http as %v: %+v", user, got)
		}
		if _, err := send(through(t, p, user), request(t, http.MethodGet, secure.URL, "")); err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
			t.Errorf("https as %v: %v", user, err)
		}
	}
	if reached.Load() {
		t.Error("a stranger reached a site")
	}
	other := startProxy(t, NewPolicy(loopback))
	if _, elsewhere := other.Credentials(t.Context(), plain.URL, secure.URL); elsewhere == password || len(password) < 20 {
		t.Error("passwords are not random")
	}
}

func TestProxyNamesTheFailure(t *testing.T) {
	t.Parallel()
	names := startDNS(t)
	names.answer("internal.example.", "127.0.0.1")
	names.answer("public.example.", "10.9.8.7")
	open, closed := NewPolicy(loopback), NewPolicy(nil)
	open.Resolver, closed.Resolver = names.resolver(), names.resolver()
	refused, hangUp := refusedAddress(t), hangUpServer(t)
	openProxy, closedProxy := startProxy(t, open), startProxy(t, closed)
	for _, c := range []struct {
		proxy  *Proxy
		host   string
		status int
		class  string
	}{
		{openProxy, "no-such-name.example:80", 502, ClassDNS},
		{openProxy, refused, 502, ClassRefused},
		{openProxy, "public.example:80", 403, ClassBlocked},
		{openProxy, "169.254.169.254:80", 403, ClassBlocked},
		{closedProxy, "127.0.0.1:80", 403, ClassBlocked},
		{closedProxy, "localhost:80", 403, ClassBlocked},
		{closedProxy, "internal.example:80", 403, ClassBlocked},
		{closedProxy, "[::1]:80", 403, ClassBlocked},
		{closedProxy, "0x7f.1:80", 403, ClassBlocked},
		{openProxy, hangUp, 502, ClassNetwork},
	} {
		got := get(t, through(t, c.proxy, c.proxy.user(t, "http://"+c.host)), "http://"+c.host+"/secret-path")
		if got.status != c.status || got.header.Get(HeaderEgress) != c.class || got.body == "" ||
			!strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") {
			t.Errorf("http %s: %+v", c.host, got)
		}
		if c.host == hangUp {
			continue // CONNECT to it succeeds
		}
		if got := connect(t, c.proxy, c.host, nil); got.status != c.status || got.header.Get(HeaderEgress) != c.class {
			t.Errorf("CONNECT %s: %+v", c.host, got)
		}
	}
}

// connect sends CONNECT over a fresh connection and, when it is answered with
// 200, gives the open tunnel to use. It gives the answer without its body.
func connect(t *testing.T, p *Proxy, host string, use func(net.Conn, *bufio.Reader)) answer {
	t.Helper()
	conn, err := dial(t, p)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience.Scaled(limit)))
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: host}, Host: host, Header: http.Header{}}
	req.SetBasicAuth(p.Credentials(t.Context(), "http://"+host))
	req.Header["Proxy-Authorization"] = req.Header["Authorization"]
	delete(req.Header, "Authorization")
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK && use != nil {
		use(conn, in)
	}
	return answer{status: res.StatusCode, header: res.Header}
}

func TestProxyStreamsAndReusesConnections(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	next := make(chan struct{})
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stream" {
			return
		}
		fmt.Fprintln(w, "first")
		_ = http.NewResponseController(w).Flush()
		select { // the second line waits until the first has arrived
		case <-next:
		case <-r.Context().Done():
		}
		fmt.Fprintln(w, "second")
	}))
	site.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	site.Start()
	t.Cleanup(site.Close)
	p := startProxy(t, webPolicy())
	client := through(t, p, p.user(t))
	res, err := client.Do(request(t, http.MethodGet, site.URL+"/stream", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	if line, err := lines.ReadString('\n'); line != "first\n" {
		t.Fatalf("first line = %q, %v", line, err)
	}
	close(next)
	if rest, err := io.ReadAll(lines); string(rest) != "second\n" {
		t.Fatalf("rest = %q, %v", rest, err)
	}
	for try := 1; ; try++ { // net/http does not keep a connection with which a busy machine is 50 ms late
		for range 20 {
			get(t, client, site.URL+"/")
		}
		if n := opened.Swap(1); n <= 2 { // the one that is open
			break
		} else if try == 10 {
			t.Fatalf("20 requests in a row opened %d connections, ten times over", n)
		}
	}
}

// TestAnIdleConnectionThatClosesFailsNoForm: a server that closes a connection while a form
// is on its way would leave nobody knowing whether it was taken.
func TestAnIdleConnectionThatClosesFailsNoForm(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { // answers one request, and closes when the next one comes
				defer func() { _ = conn.Close() }()
				in := bufio.NewReader(conn)
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				_, _ = in.ReadByte()
			}()
		}
	}()
	p := startProxy(t, webPolicy())
	client := through(t, p, p.user(t))
	address := "http://" + listener.Addr().String() + "/"
	get(t, client, address)
	if a, err := send(client, request(t, http.MethodPost, address, "name=Ann")); err != nil || a.status != http.StatusOK {
		t.Errorf("the form is answered with %d (%v)", a.status, err)
	}
}

func TestProxyServesNothingItself(t *testing.T) {
	t.Parallel()
	p := startProxy(t, NewPolicy(loopback))
	for request, want := range map[string]int{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n":                                                                http.StatusBadRequest,
		"GET https://a.example/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: %s\r\n\r\n":                    http.StatusBadRequest,
		"GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\nProxy-Authorization: %s\r\n\r\n":                    http.StatusBadRequest,
		"GET http://a.example/ HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 2*maxHeader) + "\r\n\r\n": http.StatusRequestHeaderFieldsTooLarge,
	} {
		conn, err := dial(t, p)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience.Scaled(limit)))
		auth := &http.Request{Header: http.Header{}}
		auth.SetBasicAuth(p.Credentials(t.Context()))
		_, _ = io.WriteString(conn, strings.Replace(request, "%s", auth.Header.Get("Authorization"), 1))
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%.40q: %v", request, err)
		}
		if res.StatusCode != want {
			t.Errorf("%.40q: %v", request, res)
		}
		res.Body.Close()
		conn.Close()
	}
}
