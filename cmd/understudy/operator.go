package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/netutil"

	"understudy/adapters/httpapi"
)

// minOperatorToken is the least length of the operator's token.
const minOperatorToken = 16

// maxOperators are connections to the operator's listener at once.
const maxOperators = 64

// operator is who may be told of the inside: metrics, and how far everybody has come
// who follows the log.
type operator struct {
	listen string // an address for them alone; "" for none
	token  string // "" for none
}

func operatorSettings(getenv func(string) string, fault func(name string, err error)) (o operator) {
	o.listen = getenv("UNDERSTUDY_OPERATOR_LISTEN")
	if o.listen != "" {
		if _, _, err := net.SplitHostPort(o.listen); err != nil {
			fault("UNDERSTUDY_OPERATOR_LISTEN", err)
		}
	}
	var err error
	if o.token, err = secret(getenv("UNDERSTUDY_OPERATOR_TOKEN"), getenv("UNDERSTUDY_OPERATOR_TOKEN_FILE")); err != nil {
		fault("UNDERSTUDY_OPERATOR_TOKEN_FILE", err)
	}
	if o.token != "" && len(o.token) < minOperatorToken {
		fault("UNDERSTUDY_OPERATOR_TOKEN", fmt.Errorf("has fewer than %d characters", minOperatorToken))
	}
	return o
}

// inside marks requests that came by the operator's listener.
type inside struct{}

// isOperator tells operators from others: they come by their listener, with their
// token, or, while the service is reached on this machine only, from this machine.
func (c config) isOperator() func(*http.Request) bool {
	local := onLoopback(hostOf(c.baseURL))
	return func(r *http.Request) bool {
		if r.Context().Value(inside{}) != nil || c.operator.holds(r) {
			return true
		}
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		peer, _, err := net.SplitHostPort(r.RemoteAddr)
		return local && err == nil && onLoopback(peer) && onLoopback(host) && !forwarded(r.Header)
	}
}

// holds reports whether a request has the operator's token.
func (o operator) holds(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return o.token != "" && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(given), []byte(o.token)) == 1
}

// forwarded reports whether a proxy says that it asks for somebody else.
func forwarded(h http.Header) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func onLoopback(host string) bool {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// hosts are the names that the service answers to.
func (c config) hosts() httpapi.Hosts {
	names := append([]string{}, c.names...)
	for _, address := range []string{c.baseURL, c.appURL} {
		if name := hostOf(address); name != "" {
			names = append(names, name)
		}
	}
	return httpapi.Hosts{Names: names}
}

// anyName is what is answered whatever it is asked for as: what probes may know, which
// come under names of their own, and what has the operator's token, which no page has.
func (c config) anyName(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/readyz":
		return true
	}
	return c.operator.holds(r)
}

// serveOperators answers the operator's questions, and profiles, at an address of its own until
// stop is called; without one it does nothing.
func serveOperators(ctx context.Context, cfg config, all http.Handler, out io.Writer, log *slog.Logger) (stop func() error, err error) {
	if cfg.operator.listen == "" {
		return func() error { return nil }, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.operator.listen)
	if err != nil {
		return nil, fmt.Errorf("UNDERSTUDY_OPERATOR_LISTEN: %w", err)
	}
	probes := onlyProbes(all)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		probes.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), inside{}, true)))
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := newServer(cfg.hosts().Only(mux, cfg.anyName), log)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(impatient{listener, stallLimit}, maxOperators)) }()
	fmt.Fprintf(out, "metrics http://%s/metrics\n", listener.Addr())
	return func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}
