package httpapi

import (
	"encoding/base64"
	"net/url"

	"understudy/adapters/service"
)

// scopeOfCursor is what a cursor belongs to: whose list, which list, and which
// filters. A cursor brought elsewhere is refused rather than misread.
func scopeOfCursor(p service.Principal, path string, query url.Values) []string {
	filters := url.Values{}
	for name, values := range query {
		if name != "cursor" && name != "limit" {
			filters[name] = values
		}
	}
	return []string{forCursor, p.OrganizationID, string(p.Environment), path, filters.Encode()}
}

// cursorFor wraps the key to go on after.
func (s *Signer) cursorFor(key string, scope []string) string {
	return base64.RawURLEncoding.EncodeToString(append(s.mac(append(scope, key)...), key...))
}

// keyOf unwraps a cursor of the same scope.
func (s *Signer) keyOf(cursor string, scope []string) (string, bool) {
	raw, err := unbase64(cursor)
	if err != nil || len(raw) <= macSize {
		return "", false
	}
	key := string(raw[macSize:])
	if !s.verify(base64.RawURLEncoding.EncodeToString(raw[:macSize]), append(scope, key)...) {
		return "", false
	}
	return key, true
}
