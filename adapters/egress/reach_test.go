package egress

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestASessionReachesOnlyWhatItsTestNames goes through who may connect where on a machine
// whose operator allows loopback and 10.9.8.7, by hosts as browsers write them.
func TestASessionReachesOnlyWhatItsTestNames(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	names := startDNS(t)
	names.answer("public.example.", "93.184.216.34")
	names.answer("app.test.", "127.0.0.1")
	names.answer("other.test.", "127.0.0.1")
	names.answer("mixed.example.", "127.0.0.1", "93.184.216.34")
	p := NewPolicy(loopback)
	p.Resolver = names.resolver()
	at := func(host string) string { return "http://" + host + ":" + port + "/path" }

	for _, c := range []struct {
		name    string
		tested  []string // what the test names
		opens   []string
		refuses []string
	}{
		{"a public target", []string{at("public.example")}, nil, []string{"127.0.0.1", "localhost", "app.localhost", "app.test", "0x7f.1", "::ffff:127.0.0.1"}},
		{"a name that is public as well", []string{at("mixed.example")}, nil, []string{"127.0.0.1", "localhost", "mixed.example"}},
		{"an address", []string{at("127.0.0.1")}, []string{"127.0.0.1", "127.1", "localhost", "app.localhost"}, []string{"127.0.0.2", "app.test"}},
		{"localhost", []string{at("localhost")}, []string{"127.0.0.1", "localhost"}, []string{"127.0.0.2", "app.test"}},
		{"a name", []string{at("app.test.")}, []string{"app.test", "APP.test.", "127.0.0.1", "localhost"}, []string{"other.test", "127.0.0.2"}},
		{"another port", []string{"http://127.0.0.1:1/", "http://localhost/", "https://app.test"}, nil, []string{"127.0.0.1", "localhost", "app.test"}},
		{"a public target and a listed origin", []string{at("public.example"), at("127.0.0.1")}, []string{"127.0.0.1"}, []string{"127.0.0.2", "app.test"}},
		{"nothing", nil, nil, []string{"127.0.0.1", "localhost", "app.test"}},
		{"what the operator denies", []string{"http://169.254.169.254/", at("10.0.0.1")}, nil, []string{"127.0.0.1"}},
	} {
		reach := p.Reach(t.Context(), c.tested...)
		for _, host := range c.opens {
			conn, err := reach.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, host, err)
				continue
			}
			conn.Close()
		}
		for _, host := range c.refuses {
			conn, err := reach.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
			if err == nil {
				conn.Close()
			}
			if Class(err) != ClassUnlisted {
				t.Errorf("%s: %s: %v, want %s", c.name, host, err, ClassUnlisted)
			}
		}
		if _, err := reach.DialContext(t.Context(), "tcp", "169.254.169.254:80"); Class(err) != ClassBlocked {
			t.Errorf("%s: what the operator denies: %v", c.name, err)
		}
	}
}

// TestANameThatChangesInASessionOpensNothing: who owns the name of a target turns it from
// public to private or back while its page is open.
func TestANameThatChangesInASessionOpensNothing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	names := startDNS(t)
	p := NewPolicy(loopback)
	p.Resolver = names.resolver()
	target := "http://turning.example:" + port

	names.answer("turning.example.", "93.184.216.34")
	public := p.Reach(t.Context(), target)
	names.answer("turning.example.", "127.0.0.1")
	private := p.Reach(t.Context(), target)
	if _, err := public.DialContext(t.Context(), "tcp", "turning.example:"+port); Class(err) != ClassUnlisted {
		t.Errorf("from public to private: %v", err)
	}
	for _, to := range []string{"93.184.216.34", "127.0.0.2"} {
		names.answer("turning.example.", to)
		if _, err := private.DialContext(t.Context(), "tcp", "turning.example:"+port); Class(err) != ClassUnlisted {
			t.Errorf("from private to %s: %v", to, err)
		}
	}
}

// TestNoConnectionServesASessionThatMayNotOpenIt: the proxy keeps connections, and one
// session's must not be another's way in.
func TestNoConnectionServesASessionThatMayNotOpenIt(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(site.Close)
	p := startProxy(t, NewPolicy(loopback))
	local := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	inside, outside := through(t, p, p.user(t, site.URL)), through(t, p, p.user(t, "http://127.0.0.1:1"))
	for _, url := range []string{site.URL, local} {
		if got := get(t, inside, url); got.status != http.StatusOK {
			t.Errorf("its own session: %s: %+v", url, got)
		}
		if got := get(t, outside, url); got.status != http.StatusForbidden || got.header.Get(HeaderEgress) != ClassUnlisted {
			t.Errorf("another session: %s: %+v", url, got)
		}
		if got := get(t, through(t, p, p.user(t)), url); got.status != http.StatusForbidden {
			t.Errorf("a session without any: %s: %+v", url, got)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the site was asked %d times", n)
	}
}

// TestTheProbeReachesOnlyWhatTheTestNames: a target that redirects to another port of its
// host is not followed there unless that is listed, and the reason says what to do.
func TestTheProbeReachesOnlyWhatTheTestNames(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { page(w) }))
	t.Cleanup(other.Close)
	target := httptest.NewServer(http.RedirectHandler(other.URL+"/login?secret", http.StatusFound))
	t.Cleanup(target.Close)
	p := NewPolicy(loopback)
	var u *Unreachable
	if err := p.Probe(t.Context(), target.URL); !errors.As(err, &u) || u.Code != ClassUnlisted || !strings.Contains(err.Error(), other.URL+",") || !strings.Contains(err.Error(), "private_origins") {
		t.Errorf("Probe = %v", err)
	}
	if err := p.Probe(t.Context(), target.URL, other.URL); err != nil {
		t.Errorf("listed: %v", err)
	}
}
