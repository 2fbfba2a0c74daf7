package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// Hosts are the names that a service answers to. A page under another name, which
// somebody has turned to this machine, is of another site in all but the browser's
// view (DNS rebinding). Addresses are no names: nobody turns them.
type Hosts struct {
	// Names are whole names, in lower case; one with a leading dot is all names below.
	Names []string
}

// Answers reports whether requests for a host, as the Host header has it, are for
// this service.
func (h Hosts) Answers(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if IsAddress(host) || host == "localhost" {
		return true
	}
	for _, name := range h.Names {
		if host == name || strings.HasPrefix(name, ".") && strings.HasSuffix(host, name) {
			return true
		}
	}
	return false
}

// IsAddress reports whether a host without a port is an IP address.
func IsAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

// Only refuses what is for another host, but for what any lets through.
func (h Hosts) Only(next http.Handler, any func(*http.Request) bool) http.Handler {
	e := echo.New()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.Answers(r.Host) || any(r) {
			next.ServeHTTP(w, r)
			return
		}
		c := e.NewContext(r, w)
		p := refuse(codeWrongHost, "this service does not answer to this name; its operator can add it to UNDERSTUDY_HOSTS")
		if err := writeProblem(c, &call{requestID: uuid.Must(uuid.NewV7()).String()}, p); err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
	})
}
