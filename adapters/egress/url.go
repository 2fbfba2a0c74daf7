package egress

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/domain"
)

const (
	// resolveTimeout bounds the look-up of a name in CheckURL.
	resolveTimeout = 5 * time.Second
	// maxURL bounds a target's address, in bytes; browsers and servers in use
	// stop at 8 KiB or earlier.
	maxURL = 8192
)

// badPorts are the ports that no browser fetches from
// (https://fetch.spec.whatwg.org/#bad-port): other protocols listen there.
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77,
	79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135,
	137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
	532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
	1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
	6668, 6669, 6679, 6697, 10080,
}

// CheckURL decides whether raw may be tested or notified. It returns nil, or a
// *domain.Error that names the field url: domain.CodeValidationFailed when raw is
// not an http or https address that a browser would open (a user name or
// password in it included), domain.CodeTargetNotAllowed when any address of
// its host is denied. A name that does not resolve within 5 s is no matter of
// policy and passes; connections to it are judged when they are made.
func (p *Policy) CheckURL(ctx context.Context, raw string) error {
	_, h, err := parseTarget(raw)
	if err != nil {
		return domain.Invalid("url", "invalid_url", "%s", err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	for _, addr := range p.addresses(ctx, h) {
		if denied := p.CheckAddr(addr); denied != nil {
			refusal := domain.Refuse(domain.CodeTargetNotAllowed,
				"%s is %s address, which this installation does not connect to", h, kind(addr))
			refusal.Fields = []domain.FieldError{{
				Field: "url", Code: string(domain.CodeTargetNotAllowed), Message: refusal.Message,
			}}
			return refusal
		}
	}
	return nil
}

// addresses are what a host stands for; none when it does not resolve in time.
func (p *Policy) addresses(ctx context.Context, h host) []netip.Addr {
	switch {
	case h.addr.IsValid():
		return []netip.Addr{h.addr}
	case h.local():
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	addrs, err := p.Resolver.LookupNetIP(ctx, "ip", h.name)
	if err != nil {
		return nil
	}
	return addrs
}

// parseTarget reads an http or https URL strictly: what a browser would have
// to repair (backslashes, control characters, a missing "//") is refused.
// The returned URL has the host in its plain form.
func parseTarget(raw string) (*url.URL, host, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return nil, host{}, errors.New("the URL is longer than 8,192 bytes")
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, host{}, errors.New("the URL contains a control character")
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if !ok || (scheme != "http" && scheme != "https") {
		return nil, host{}, errors.New("the URL must start with http:// or https://")
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	if strings.HasPrefix(tail, `\`) {
		return nil, host{}, errors.New("the URL contains a backslash after its host")
	}
	if strings.Contains(authority, "@") {
		return nil, host{}, errors.New("the URL must not contain a user name or password")
	}
	name, port, err := splitPort(authority)
	if err != nil {
		return nil, host{}, err
	}
	h, err := parseHost(name)
	if err != nil {
		return nil, host{}, err
	}
	u, err := url.Parse(scheme + "://" + h.String() + port + escapeStray(tail))
	if err != nil {
		return nil, host{}, errors.New("the URL is malformed")
	}
	return u, h, nil
}

// splitPort parts an authority into its host and ":port", or "" for none.
func splitPort(authority string) (name, port string, err error) {
	name = authority
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		name, port = authority[:i], authority[i+1:]
	}
	if name == "" {
		return "", "", errors.New("the URL has no host")
	}
	if port == "" {
		return name, "", nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", "", errors.New("the URL's port is not a number between 1 and 65535")
	}
	if slices.Contains(badPorts, uint16(n)) {
		return "", "", errors.New("the URL's port is one that browsers refuse to open")
	}
	return name, ":" + strconv.FormatUint(n, 10), nil
}

// portOf is the port that an address is served at.
func portOf(u *url.URL) uint16 {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case err == nil:
		return uint16(port)
	case u.Scheme == "https":
		return 443
	}
	return 80
}

// escapeStray escapes each % that begins no percent-escape. Browsers take
// such addresses as they are; Go's parser does not.
func escapeStray(s string) string {
	isHex := func(c byte) bool {
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			b.WriteString("25")
		}
	}
	return b.String()
}
