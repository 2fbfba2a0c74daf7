package httpapi

import (
	"bytes"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func fuzzSigner(f *testing.F) *Signer {
	f.Helper()
	s, err := NewSigner(func() [][]byte { return [][]byte{bytes.Repeat([]byte{7}, minKeySize)} })
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// FuzzCursors: a cursor is one that was made for the list, or none.
func FuzzCursors(f *testing.F) {
	s, scope := fuzzSigner(f), []string{forCursor, "org_a", "live", "/v1/tests", ""}
	f.Add(s.cursorFor("test_1", scope), "test_1")
	f.Add("", "")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAA", "\x00")
	f.Fuzz(func(t *testing.T, cursor, key string) {
		if found, ok := s.keyOf(cursor, scope); ok && s.cursorFor(found, scope) != cursor {
			t.Errorf("%q passes for %q", cursor, found)
		}
		if found, ok := s.keyOf(s.cursorFor(key, scope), scope); key != "" && (!ok || found != key) {
			t.Errorf("%q came back as %q", key, found)
		}
		if _, ok := s.keyOf(s.cursorFor(key, scope), append(slices.Clone(scope), "x")); ok {
			t.Errorf("%q passes elsewhere", key)
		}
	})
}

// FuzzLinks: an address or token opens what it was made for, or nothing.
func FuzzLinks(f *testing.F) {
	s := fuzzSigner(f)
	f.Add(s.token(forStream, "test_1", "org_a", "live"), s.sign(forArtifact, "art_1", "99"), "1,2,3,4,5,near")
	f.Add("a.b", "", ",,,,")
	f.Add("bGl2ZTpvcmdfYQ.", "=", "-1,9999999999999999999,0,0,0")
	f.Fuzz(func(t *testing.T, token, signature, box string) {
		if p, err := s.bearerOf(forStream, "test_1", token); err == nil && s.token(forStream, "test_1", p.OrganizationID, p.Environment) != token {
			t.Errorf("%q passes for %+v", token, p)
		}
		if s.verify(signature, forArtifact, "art_1", "99") && signature != s.sign(forArtifact, "art_1", "99") {
			t.Errorf("%q passes", signature)
		}
		if m, ok := parseMark(box); ok && (m.w < 1 || m.h < 1 || m.width < 1 || max(m.x, m.y, m.w, m.h, m.width) > maxCoordinate) {
			t.Errorf("%q is the box %+v", box, m)
		}
	})
}

// FuzzConditionalHeaders: If-Match and If-None-Match name what they name.
func FuzzConditionalHeaders(f *testing.F) {
	for _, seed := range []string{`"3-20045"`, `W/"3"`, `*`, `"a", "b"`, `,,`, `"18446744073709551616"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		seen := revisionsOf([]string{header})
		if seen == nil != slices.ContainsFunc(strings.Split(header, ","), func(s string) bool { return strings.TrimSpace(s) == "*" }) {
			t.Errorf("%q names %v", header, seen)
		}
		if len(seen) > strings.Count(header, ",")+1 {
			t.Errorf("%q names %d revisions", header, len(seen))
		}
		if matches(header, `"3"`) && !strings.Contains(header, `"3"`) && !strings.Contains(header, "*") {
			t.Errorf("%q matches", header)
		}
	})
}

// lastPort is what may be a port behind a host.
var lastPort = regexp.MustCompile(`:[^:\[\]]*$`)

// FuzzHeaders: what an Accept header wants of a form is nothing, all or in between; a host that
// is answered has one of the service's names, in any case and with any port; callers are counted
// by their address, or an IPv6 one's first half, and by nothing longer.
func FuzzHeaders(f *testing.F) {
	f.Add("text/html;q=0.5, */*;q=7, application/json;q=NaN", "Understudy.Example.:8080", "[2001:db8::1]:443")
	f.Add("application/*;q=-1,application/json;q=1e-400", "a.below.example", "::ffff:192.0.2.1")
	f.Add("application/json;q=Inf", "understudy.example.evil.example", "fe80::1%eth0")
	f.Add(";q,=", "[::1]:80", "192.0.2.1:80")
	f.Add("0", "understudy.example:[", "0")
	h := Hosts{Names: []string{"understudy.example", ".below.example"}}
	f.Fuzz(func(t *testing.T, accept, host, address string) {
		for _, form := range []string{"application/json", "text/html"} {
			if weight := weightOf(accept, form); !(weight >= 0 && weight <= 1) {
				t.Errorf("%q weighs %s %v", accept, form, weight)
			}
		}
		named := func(host string) bool {
			host = strings.ToLower(strings.TrimSuffix(host, "."))
			return IsAddress(host) || slices.Contains([]string{"localhost", "understudy.example"}, host) || strings.HasSuffix(host, ".below.example")
		}
		bare := lastPort.ReplaceAllString(host, "")
		if h.Answers(host) && !named(host) && !named(bare) || !h.Answers(host) && named(bare) && !strings.ContainsAny(bare, ":[]") {
			t.Errorf("%q is answered: %t", host, h.Answers(host))
		}
		bucket := Bucket(address)
		if len(bucket) > len("ffff:ffff:ffff:ffff::/64") {
			t.Errorf("%q counts as %q", address, bucket)
		}
		addr, err := netip.ParseAddr(address)
		if err != nil || addr.Zone() != "" {
			return
		}
		neighbour := addr.As16()
		neighbour[15] ^= 1
		one := Bucket(netip.AddrFrom16(neighbour).String()) == bucket
		neighbour[7] ^= 1
		if bucket == "unknown" || one == addr.Unmap().Is4() || Bucket(netip.AddrFrom16(neighbour).String()) == bucket || Bucket(net.JoinHostPort(address, "80")) != bucket {
			t.Errorf("%q counts as %q, and so does another", address, bucket)
		}
	})
}
