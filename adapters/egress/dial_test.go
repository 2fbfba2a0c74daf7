package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"understudy/domain"
)

// loopback is what `make run` allows.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func asRefusal(err error, target **domain.Error) bool { return errors.As(err, target) }

// dnsServer is a name server on a UDP socket whose answers a test sets.
type dnsServer struct {
	conn  net.PacketConn
	mu    sync.Mutex
	names map[string][]netip.Addr
}

func startDNS(t *testing.T) *dnsServer {
	t.Helper()
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &dnsServer{conn: conn, names: make(map[string][]netip.Addr)}
	go s.serve()
	return s
}

// answer makes name, with its final dot, resolve to addrs from now on.
func (s *dnsServer) answer(name string, addrs ...string) {
	parsed := make([]netip.Addr, len(addrs))
	for i, a := range addrs {
		parsed[i] = netip.MustParseAddr(a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = parsed
}

func (s *dnsServer) resolver() *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp4", s.conn.LocalAddr().String())
		},
	}
}

func (s *dnsServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		s.mu.Lock()
		addrs, known := s.names[strings.ToLower(q.Name.String())]
		s.mu.Unlock()
		if !known {
			m.RCode = dnsmessage.RCodeNameError
		}
		for _, a := range addrs {
			h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}
			switch {
			case a.Is4() && q.Type == dnsmessage.TypeA:
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
			case a.Is6() && q.Type == dnsmessage.TypeAAAA:
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
			}
		}
		if out, err := m.Pack(); err == nil {
			_, _ = s.conn.WriteTo(out, from)
		}
	}
}

// deadResolver knows no name.
func deadResolver(t *testing.T) *net.Resolver {
	t.Helper()
	return startDNS(t).resolver()
}

func TestAReboundNameIsStoppedAtTheConnection(t *testing.T) {
	t.Parallel()
	var reached bool
	internal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer internal.Close()
	_, port, _ := net.SplitHostPort(internal.Listener.Addr().String())

	names := startDNS(t)
	names.answer("rebind.example.", "93.184.216.34")
	p := NewPolicy(nil)
	p.Resolver = names.resolver()
	target := "http://rebind.example:" + port + "/"
	if err := p.CheckURL(t.Context(), target); err != nil {
		t.Fatalf("public address: %v", err)
	}
	names.answer("rebind.example.", "127.0.0.1")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	res, err := p.Reach(t.Context(), target).client().Do(req)
	if err == nil {
		res.Body.Close()
	}
	if domain.CodeOf(err) != domain.CodeTargetNotAllowed || Class(err) != ClassBlocked {
		t.Errorf("error = %v", err)
	}
	if reached {
		t.Error("the internal server was reached")
	}

	// The same name and resolver connect once the range is allowed.
	open := NewPolicy(loopback)
	open.Resolver = names.resolver()
	res, err = open.Reach(t.Context(), target).client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if !reached {
		t.Error("the allowed server was not reached")
	}
}

func TestDialReadsHostsAsBrowsersDo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	open, closed := NewPolicy(loopback), NewPolicy(nil)
	for _, name := range []string{"127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "localhost", "a.b.localhost", "::ffff:127.0.0.1"} {
		conn, err := open.DialContext(t.Context(), "tcp", net.JoinHostPort(name, port))
		if err != nil {
			t.Errorf("allowed %s: %v", name, err)
			continue
		}
		conn.Close()
		if _, err := closed.DialContext(t.Context(), "tcp", net.JoinHostPort(name, port)); Class(err) != ClassBlocked {
			t.Errorf("denied %s: %v", name, err)
		}
	}
	if _, err := open.DialContext(t.Context(), "tcp", "no port"); err == nil {
		t.Error("an address without a port connects")
	}
	if _, err := open.DialContext(t.Context(), "udp", net.JoinHostPort("127.0.0.1", port)); Class(err) != ClassBlocked {
		t.Errorf("UDP: %v", err)
	}
}
