package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"understudy/domain"
)

const (
	// connectTimeout bounds one connection attempt, name look-up included.
	connectTimeout = 10 * time.Second
	// maxRedirects is how many redirects a client follows before it calls
	// them a loop.
	maxRedirects = 10
	// maxHeader bounds the headers of a request or answer, in bytes; Chromium
	// stops at the same 256 KiB.
	maxHeader = 256 << 10
)

// errRedirects says that a page redirects more than maxRedirects times.
var errRedirects = fmt.Errorf("more than %d redirects", maxRedirects)

// DialContext connects to a host and port, reading the host as a browser does:
// 0x7f.1 is 127.0.0.1, and x.localhost is this machine. The policy is asked about
// every address at the moment the kernel is about to connect to it. A denied one
// fails with a *domain.Error of domain.CodeTargetNotAllowed inside the *net.OpError.
func (p *Policy) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return p.dial(ctx, network, address, func(_ host, at netip.AddrPort) error { return p.CheckAddr(at.Addr()) })
}

// dial asks check about each address that the host has.
func (p *Policy) dial(ctx context.Context, network, address string, check func(host, netip.AddrPort) error) (net.Conn, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address to connect to: %w", err)
	}
	h := host{}
	if h.addr, err = netip.ParseAddr(name); err != nil {
		if h, err = parseHost(name); err != nil {
			return nil, &net.DNSError{Err: err.Error(), Name: name, IsNotFound: true}
		}
	}
	switch {
	case h.addr.IsValid():
		name = h.addr.String()
	case h.local():
		name = "localhost"
	default:
		name = h.name
	}
	dialer := &net.Dialer{
		Timeout:  connectTimeout,
		Resolver: p.Resolver,
		Control: func(network, address string, _ syscall.RawConn) error {
			if network != "tcp4" && network != "tcp6" {
				return domain.Refuse(domain.CodeTargetNotAllowed, "only TCP connections are allowed")
			}
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("address to connect to: %w", err)
			}
			return check(h, at)
		},
	}
	return dialer.DialContext(ctx, network, net.JoinHostPort(name, port))
}

// client returns a client whose every connection, those of redirects included, is
// within reach. It follows at most 10 redirects, ignores proxies named in the
// environment, and has no deadline of its own: the caller's context bounds each
// request.
func (r Reach) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            r.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    connectTimeout,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			if _, _, err := parseTarget(req.URL.String()); err != nil {
				return fmt.Errorf("%w: %w", errBadRedirect, err)
			}
			return nil
		},
	}
}

// errBadRedirect says that a redirect leads to what is no web address.
var errBadRedirect = errors.New("redirect to an unusable address")
