package walk

import "strings"

// Path is the path of an address, "/" when it has none, without its query.
func Path(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
		if i := strings.IndexByte(address, '/'); i >= 0 {
			address = address[i:]
		} else {
			address = "/"
		}
	}
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// Host is the host of an address, "" when it has none.
func Host(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}
