// Package egress decides which addresses Understudy may connect to on behalf
// of its customers, and enforces that decision where connections are made.
//
// There is one Policy and two enforcers of it: the dialer that the probe and
// the webhook client use, and the forward Proxy below Chromium. Both look at
// the address that the kernel is about to connect to, so a name that changes
// its address between check and use gains nothing.
package egress

import (
	"net"
	"net/netip"
	"slices"

	"code.dny.dev/ssrf"

	"understudy/domain"
)

// deniedV4 are addresses that look public but answer only inside a cloud:
// 168.63.129.16 is Azure's platform channel. The other providers' metadata
// addresses lie in link-local, shared, protocol or unique-local ranges, which
// the base list denies whole.
var deniedV4 = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// nat64 is the well-known NAT64 prefix of RFC 6052. What it embeds is what a
// connection reaches, so the embedded address is the one that is judged.
var nat64 = ssrf.IPv6NAT64Prefix

// Policy says which addresses may be connected to: the public internet, plus
// the prefixes that the operator listed. It is safe for concurrent use.
type Policy struct {
	// Resolver turns names into addresses; nil means the system's. Set it
	// before first use.
	Resolver *net.Resolver

	allow []netip.Prefix
	guard *ssrf.Guardian
}

// NewPolicy makes a policy that denies every address which is not on the
// public internet (private, loopback, link-local, shared, unique-local,
// multicast, unspecified, reserved, benchmarking and documentation ranges,
// cloud metadata, and IPv6 forms that carry such an address), except those
// inside one of the allowed prefixes. The ranges are IANA's special-purpose
// registries as code.dny.dev/ssrf generates them.
func NewPolicy(allow []netip.Prefix) *Policy {
	p := &Policy{
		guard: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(slices.Clone(deniedV4)...)),
	}
	for _, prefix := range allow {
		p.allow = append(p.allow, plainPrefix(prefix))
	}
	return p
}

// plainPrefix writes a prefix of IPv4-mapped addresses as the IPv4 prefix it
// means, because addresses are compared unmapped.
func plainPrefix(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked()
}

// CheckAddr returns nil when the policy lets connections to addr through,
// else a *domain.Error with domain.CodeTargetNotAllowed. Its message names the
// kind of address and not the address, so that it tells nobody what an
// internal name resolves to.
func (p *Policy) CheckAddr(addr netip.Addr) error {
	if !p.permits(addr) {
		return domain.Refuse(domain.CodeTargetNotAllowed,
			"the host has %s address, which this installation does not connect to", kind(addr))
	}
	return nil
}

func (p *Policy) permits(addr netip.Addr) bool {
	if !addr.IsValid() {
		return false
	}
	addr = plain(addr)
	return slices.ContainsFunc(p.allow, func(prefix netip.Prefix) bool { return prefix.Contains(addr) }) || p.public(addr)
}

// plain is an address as addresses are compared: a mapped one reaches the IPv4 host
// itself; a zone never matches a prefix, and says nothing about where an address belongs.
func plain(addr netip.Addr) netip.Addr { return addr.WithZone("").Unmap() }

// public reports whether an address is on the public internet.
func (p *Policy) public(addr netip.Addr) bool { return p.guard.SafeAddr(embedded(addr)) == nil }

// embedded is the IPv4 address that a NAT64 address leads to, else the address. It is
// judged without the allow-list: the gateway's 127.0.0.1 is not ours.
func embedded(addr netip.Addr) netip.Addr {
	if addr = plain(addr); nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

// kind names the sort of a denied address with its article, for messages.
func kind(addr netip.Addr) string {
	addr = embedded(addr)
	switch {
	case addr.IsLoopback():
		return "a loopback"
	case addr.IsPrivate():
		return "a private"
	case addr.IsLinkLocalUnicast():
		return "a link-local"
	case addr.IsMulticast():
		return "a multicast"
	case addr.IsUnspecified():
		return "an unspecified"
	}
	return "a reserved"
}
