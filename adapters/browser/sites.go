package browser

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// entrusted says whether secrets may be typed at an address: sites begins with the address
// that they are for, whose registrable domain counts (but not without its encryption),
// and goes on with further origins. Without sites they may be typed anywhere.
func entrusted(address string, sites []string) bool {
	if len(sites) == 0 {
		return true
	}
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return false
	}
	for i, site := range sites {
		to, err := url.Parse(site)
		if err != nil {
			continue
		}
		safe := at.Scheme == to.Scheme || i == 0 && at.Scheme == "https"
		if safe && (authority(at) == authority(to) || i == 0 && registrable(at) != "" && registrable(at) == registrable(to)) {
			return true
		}
	}
	return false
}

// registrable is the domain of an address that somebody registered, "" for numbers and
// names that nobody does, such as localhost.
func registrable(u *url.URL) string {
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, err := netip.ParseAddr(name); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return ""
	}
	return domain
}

// authority is host and port of an address.
func authority(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")) + ":" + port
}
