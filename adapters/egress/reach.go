package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"

	"understudy/domain"
)

// errUnlisted refuses what the operator allows and the test does not name.
var errUnlisted = domain.Refuse(domain.CodeTargetNotAllowed,
	"the host has a private address, which the test names neither as its target nor in private_origins")

// Reach is what one session may connect to: the public internet, and off it the hosts
// and ports that its test names, as far as the operator allows them.
type Reach struct {
	policy *Policy
	doors  []door
}

// door is a host and port off the public internet, with an address of the host.
type door struct {
	Host string         `json:"host"`
	At   netip.AddrPort `json:"at"`
}

// Reach is what a session may connect to whose test names these web addresses. Hosts are
// looked up now and stay at their addresses. One with a public address opens nothing: who
// owns such a name could lead the pages behind it to this machine by changing the name.
func (p *Policy) Reach(ctx context.Context, named ...string) Reach {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	r := Reach{policy: p}
	for _, raw := range named {
		u, h, err := parseTarget(raw)
		if err != nil {
			continue
		}
		addrs := p.addresses(ctx, h)
		if slices.ContainsFunc(addrs, p.public) {
			continue
		}
		for _, addr := range addrs {
			r.doors = append(r.doors, door{h.key(), netip.AddrPortFrom(plain(addr), portOf(u))})
		}
	}
	return r
}

// DialContext connects to a host and port as Policy.DialContext does. What is not public
// must be one of the session's doors, and asked for by its name or a name that nobody can
// change: localhost or an address.
func (r Reach) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return r.policy.dial(ctx, network, address, r.check)
}

func (r Reach) check(h host, at netip.AddrPort) error {
	if err := r.policy.CheckAddr(at.Addr()); err != nil {
		return err
	}
	at = netip.AddrPortFrom(plain(at.Addr()), at.Port())
	named := false
	for _, d := range r.doors {
		own := d.Host == h.key() && d.At.Port() == at.Port()
		if d.At == at && (own || h.addr.IsValid() || h.local()) {
			return nil
		}
		named = named || own
	}
	if named || !r.policy.public(at.Addr()) {
		return errUnlisted
	}
	return nil
}

// key is the host as hosts are compared.
func (h host) key() string { return strings.TrimSuffix(h.String(), ".") }
