package egress

import (
	"net"
	"net/netip"
	"testing"
)

// FuzzTarget reads any text as a target: what is taken is read the same again, and an
// address is known as one, however it is written.
func FuzzTarget(f *testing.F) {
	for _, seed := range []string{
		"http://example.com/", "https://[::1]:8443/a?b#c", "http://0x7f.1/", "http://2130706433", "http://127.0.0.1.:80", "http://①②⑦.0.0.1/",
		"http://a%2eb/", "http://[::ffff:10.0.0.1]/%zz", "http://user@h/", "http://h:0/", `http://h\@x/`, "http://xn--a/", "http://ß.de:443/?%",
		"http://[fe80::1%25eth0]/", "HTTPS://EXAMPLE.com:443", "http://h/\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, h, err := parseTarget(raw)
		if err != nil {
			return
		}
		if len(raw) > 4*maxURL {
			t.Errorf("%d bytes were taken", len(raw))
		}
		if (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.Hostname() == "" {
			t.Errorf("%q is %q", raw, u)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); (err == nil) != h.addr.IsValid() || err == nil && ip != h.addr {
			t.Errorf("%q: the host %q is the address %v", raw, u.Hostname(), h.addr)
		}
		if !h.addr.IsValid() && net.ParseIP(h.name) != nil {
			t.Errorf("%q: %q passes for a name", raw, h.name)
		}
		if len(u.String()) > maxURL { // escapes make it longer
			return
		}
		again, g, err := parseTarget(u.String())
		if err != nil || g != h || again.Host != u.Host {
			t.Errorf("%q is %q, then %v, %v", raw, u, again, err)
		}
	})
}
