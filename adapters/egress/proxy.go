package egress

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"
)

const (
	// HeaderEgress is the header of the proxy's own answers. It names the
	// class of failure; no other server's answer gets through with it.
	HeaderEgress = "X-Understudy-Egress"

	// idleTimeout ends a connection over which nothing moved in either
	// direction; quiet WebSockets ping more often than this.
	idleTimeout = 5 * time.Minute
	// answerTimeout is how long a server may think before its headers come.
	answerTimeout = time.Minute
	// closeTimeout bounds the wait of Close for its connections to end.
	closeTimeout = 5 * time.Second
)

// Proxy is a forward proxy for browsers on this machine. Each connection that
// it opens goes through its policy. It takes plain HTTP in absolute form and
// CONNECT for everything else (https, ws, wss), and asks for credentials, which
// say what their session may reach and which only this process makes, so that it
// is no way around the policy's host for other users of the machine.
//
// A request that fails is answered with 502, or 403 when the address was denied, with HeaderEgress naming one of the Class constants.
type Proxy struct {
	policy    *Policy
	logger    *slog.Logger
	listener  net.Listener
	server    *http.Server
	transport *freshWrites
	forwarder *httputil.ReverseProxy
	key       []byte // signs credentials
	idle      time.Duration
	cancel    context.CancelFunc

	tunnels sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	open    map[net.Conn]struct{}
}

// StartProxy listens on a free port of 127.0.0.1 and serves until Close, or
// until ctx ends. Requests that fail are logged at debug level with their host
// and class, never with their path.
func StartProxy(ctx context.Context, policy *Policy, logger *slog.Logger) (*Proxy, error) {
	return serve(ctx, policy, logger, idleTimeout)
}

func serve(ctx context.Context, policy *Policy, logger *slog.Logger, idle time.Duration) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("egress proxy: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &Proxy{
		cancel:   cancel,
		policy:   policy,
		logger:   logger,
		listener: listener,
		key:      []byte(rand.Text()),
		idle:     idle,
		open:     make(map[net.Conn]struct{}),
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := reachOf(ctx).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &idleConn{Conn: conn, idle: p.idle}, nil
		},
		DisableCompression:     true, // the browser asks for what it can read
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        time.Minute,
		ResponseHeaderTimeout:  answerTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}
	p.transport = &freshWrites{reused: transport, fresh: transport.Clone()}
	p.transport.fresh.MaxIdleConnsPerHost = -1 // none is kept, and no header says so
	quiet := slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
	p.forwarder = &httputil.ReverseProxy{
		Rewrite:        rewrite,
		Transport:      p.transport,
		FlushInterval:  -1, // streams reach the page as they come
		ErrorLog:       quiet,
		ModifyResponse: cleanAnswer,
		ErrorHandler:   p.fail,
	}
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          quiet,
		// Ends upgraded connections too, which the server no longer knows.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go p.server.Serve(listener) //nolint:errcheck // ends with ErrServerClosed, by Close
	context.AfterFunc(ctx, func() { _ = p.Close() })
	return p, nil
}

// URL is the proxy's address, http://127.0.0.1:port, without credentials.
func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() }

// Credentials are the user name and password of one session, which reaches what
// Policy.Reach makes of the addresses that its test names. They hold as long as the
// proxy. Keep them out of logs.
func (p *Proxy) Credentials(ctx context.Context, named ...string) (username, password string) {
	doors, err := json.Marshal(p.policy.Reach(ctx, named...).doors)
	if err != nil {
		panic(err) // texts and addresses always marshal
	}
	username = base64.RawURLEncoding.EncodeToString(doors)
	return username, p.sign(username)
}

// sign is the password that goes with a user name.
func (p *Proxy) sign(username string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(username))
	return hex.EncodeToString(mac.Sum(nil))
}

// admitted reads the credentials of a request.
func (p *Proxy) admitted(r *http.Request) (Reach, bool) {
	asked := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	username, password, ok := asked.BasicAuth()
	if !ok || !hmac.Equal([]byte(password), []byte(p.sign(username))) {
		return Reach{}, false
	}
	reach := Reach{policy: p.policy}
	doors, err := base64.RawURLEncoding.DecodeString(username)
	return reach, err == nil && json.Unmarshal(doors, &reach.doors) == nil
}

// reachKey is where a request's context has the Reach of its session.
type reachKey struct{}

func reachOf(ctx context.Context) Reach { return ctx.Value(reachKey{}).(Reach) } //nolint:forcetypeassert // ServeHTTP puts it there

// Close stops listening, ends every connection and tunnel, and waits for them
// at most 5 s. It may be called more than once.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.server.Close()
	p.transport.reused.CloseIdleConnections()
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()

	done := make(chan struct{})
	go func() { p.tunnels.Wait(); close(done) }()
	select {
	case <-done:
		return err
	case <-time.After(closeTimeout):
		return errors.Join(err, errors.New("egress proxy: tunnels still open after 5 s"))
	}
}

// freshWrites sends what asks for a change on a connection of its own: a server may be
// closing an idle one at that moment, and what failed so must not be sent again, for
// nobody knows whether it was done. So it does for sessions that reach what is not public,
// whose connections must not serve others.
type freshWrites struct{ reused, fresh *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t *freshWrites) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(reachOf(r.Context()).doors) > 0 {
		return t.fresh.RoundTrip(r)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return t.reused.RoundTrip(r)
	}
	return t.fresh.RoundTrip(r)
}

// ServeHTTP serves one request of a browser.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	connect := r.Method == http.MethodConnect
	if !connect && !r.URL.IsAbs() {
		// A page that opens the proxy's own address asks this.
		http.Error(w, "This is a proxy and serves no pages.", http.StatusBadRequest)
		return
	}
	reach, ok := p.admitted(r)
	if !ok {
		w.Header().Set("Proxy-Authenticate", `Basic realm="understudy"`)
		http.Error(w, "The proxy needs credentials.", http.StatusProxyAuthRequired)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), reachKey{}, reach))
	switch {
	case connect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" || r.URL.Scheme == "ws":
		// Leave out what net/http would add to answers that lack them.
		w.Header()["Date"] = nil
		w.Header()["Content-Type"] = nil
		p.forwarder.ServeHTTP(w, r)
	default:
		http.Error(w, "The proxy forwards http, and tunnels everything else.", http.StatusBadRequest)
	}
}

// rewrite passes a request on as the browser sent it. The reverse proxy has
// taken the hop-by-hop headers off, Proxy-Authorization among them, but also
// what only concerns reverse proxies: that is the page's own and comes back.
func rewrite(pr *httputil.ProxyRequest) {
	pr.Out.URL.Scheme = "http"
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := pr.In.Header[name]; ok {
			pr.Out.Header[name] = values
		}
	}
}

// cleanAnswer keeps sites from speaking in the proxy's name.
func cleanAnswer(res *http.Response) error {
	res.Header.Del(HeaderEgress)
	return nil
}

// fail answers a request that could not be passed on.
func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	class := Class(err)
	p.logger.Debug("egress failed", "host", r.Host, "class", class, "error", err.Error())
	status := http.StatusBadGateway
	if class == ClassBlocked || class == ClassUnlisted {
		status = http.StatusForbidden
	}
	h := w.Header()
	h.Set(HeaderEgress, class)
	h.Set("Cache-Control", "no-store")
	http.Error(w, failureText[class], status)
}

// failureText is what a page that failed to load says in the browser.
var failureText = map[string]string{
	ClassBlocked:  "This address is not allowed.",
	ClassUnlisted: "This address is private, and the test does not list it in private_origins.",
	ClassDNS:      "This site's name does not resolve.",
	ClassRefused:  "This site refuses to connect.",
	ClassTimeout:  "This site takes too long to respond.",
	ClassTLS:      "This site has no trusted encryption.",
	ClassNetwork:  "The connection to this site failed.",
}
