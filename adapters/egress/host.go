package egress

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxHost is the longest host name that DNS can carry, in characters.
const maxHost = 253

// forbiddenInHost are the characters that the URL standard refuses in a host
// (https://url.spec.whatwg.org/#forbidden-domain-code-point), controls aside.
const forbiddenInHost = " #/:<>?@[\\]^|%"

// browserNames maps international names the way browsers do: UTS #46 without
// transitional processing, lenient about hyphens and underscores.
var browserNames = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
)

// host is the host of a URL as Chromium reads it: an address, or a name in
// lower-case ASCII.
type host struct {
	name string
	addr netip.Addr // valid when the host is an address literal
}

func (h host) String() string {
	switch {
	case h.addr.Is6():
		return "[" + h.addr.String() + "]"
	case h.addr.IsValid():
		return h.addr.String()
	}
	return h.name
}

// local reports whether the name means this machine without asking DNS
// (RFC 6761, section 6.3; Chromium does the same).
func (h host) local() bool {
	name := strings.TrimSuffix(h.name, ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// parseHost reads the host part of a URL, an IPv6 literal in its brackets, by
// the rules of https://url.spec.whatwg.org/#host-parsing: percent-escapes are
// decoded, international names mapped, and whatever ends in a number is an
// IPv4 address in any of its decimal, octal and hexadecimal spellings.
func parseHost(raw string) (host, error) {
	if inner, ok := strings.CutPrefix(raw, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !ok || err != nil || !addr.Is6() || addr.Zone() != "" {
			return host{}, errors.New("the host is not a valid IPv6 address")
		}
		return host{addr: addr}, nil
	}
	name, err := url.PathUnescape(raw)
	if err != nil || !utf8.ValidString(name) {
		return host{}, errors.New("the host has an invalid percent-escape")
	}
	name, err = asciiName(name)
	if err != nil {
		return host{}, err
	}
	if !endsInNumber(name) {
		return host{name: name}, nil
	}
	addr, ok := parseIPv4(name)
	if !ok {
		return host{}, errors.New("the host ends in a number but is not an IPv4 address")
	}
	return host{addr: addr}, nil
}

func asciiName(name string) (string, error) {
	ascii, err := browserNames.ToASCII(name)
	if err != nil {
		return "", errors.New("the host is not a valid domain name")
	}
	ascii = strings.ToLower(ascii)
	bare := strings.TrimSuffix(ascii, ".")
	if bare == "" {
		return "", errors.New("the URL has no host")
	}
	if len(bare) > maxHost || strings.Contains(ascii, "..") || bare[0] == '.' {
		return "", errors.New("the host is not a valid domain name")
	}
	for _, c := range []byte(ascii) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(forbiddenInHost, c) >= 0 {
			return "", errors.New("the host contains a character that host names cannot have")
		}
	}
	return ascii, nil
}

// endsInNumber implements https://url.spec.whatwg.org/#ends-in-a-number-checker.
func endsInNumber(name string) bool {
	name = strings.TrimSuffix(name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseNumber(last)
	return ok
}

// parseIPv4 implements https://url.spec.whatwg.org/#concept-ipv4-parser.
func parseIPv4(name string) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			value |= n << (8 * (3 - i))
			continue
		}
		// The last part fills all the bytes that are left.
		if n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		value |= n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// parseNumber implements https://url.spec.whatwg.org/#ipv4-number-parser.
func parseNumber(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case len(s) >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}
