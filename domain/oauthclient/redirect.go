package oauthclient

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"understudy/domain"
)

const (
	maxRedirectURIs = 20
	maxURILength    = 2000
)

// loopback are the hosts of the person's own machine (RFC 8252, 7.3 and 8.3).
var loopback = []string{"127.0.0.1", "::1", "localhost"}

// Redirects reports whether a client with these registered addresses may be answered
// at one: it is one of them, character by character, but that on loopback the port
// of a public client, which a native app cannot choose, is free (RFC 8252, 7.3).
func Redirects(registered []string, public bool, asked string) bool {
	if slices.Contains(registered, asked) {
		return true
	}
	rest, local := withoutPort(asked)
	return public && local && slices.ContainsFunc(registered, func(uri string) bool {
		other, local := withoutPort(uri)
		return local && other == rest
	})
}

// withoutPort cuts the port out of an http address on loopback and leaves every other
// character as it is.
func withoutPort(uri string) (rest string, local bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.HasPrefix(uri, "http://"+u.Host) || strings.Contains(uri, "#") || !slices.Contains(loopback, u.Hostname()) {
		return "", false
	}
	host := strings.TrimSuffix(u.Host, ":"+u.Port())
	return "http://" + host + strings.TrimPrefix(uri, "http://"+u.Host), true
}

func checkRedirects(uris []string, public bool) []domain.FieldError {
	switch {
	case len(uris) == 0:
		return []domain.FieldError{{Field: "redirect_uris", Code: "required", Message: "a client needs a redirect URI"}}
	case len(uris) > maxRedirectURIs:
		return []domain.FieldError{{Field: "redirect_uris", Code: "max_items", Message: fmt.Sprintf("there may be %d redirect URIs at most", maxRedirectURIs)}}
	}
	var faults []domain.FieldError
	for i, uri := range uris {
		if why := fault(uri, public); why != "" {
			faults = append(faults, domain.FieldError{Field: fmt.Sprintf("redirect_uris.%d", i), Code: "invalid", Message: why})
		}
	}
	return faults
}

// fault says why nobody can be answered at an address, "" when all is well.
func fault(uri string, public bool) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil || len(uri) > maxURILength || !u.IsAbs():
		return "a redirect URI must be an absolute URI of at most 2000 characters"
	case strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '*' || r == '\\' }):
		return "a redirect URI must be written out in ASCII, without wildcards"
	case strings.Contains(uri, "#"):
		return "a redirect URI must have no fragment"
	case u.User != nil:
		return "a redirect URI must have no user name"
	case u.Scheme == "https" && u.Hostname() != "":
		return ""
	case u.Scheme == "http" && slices.Contains(loopback, u.Hostname()):
		return ""
	case u.Scheme == "http" || u.Scheme == "https":
		return "a redirect URI must use https, or http on loopback"
	case public && strings.Contains(u.Scheme, "."):
		return ""
	}
	return "a redirect URI must use https; a public client's may use a scheme named after a domain, such as com.example.app"
}
