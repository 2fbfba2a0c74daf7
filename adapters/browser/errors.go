package browser

import (
	"errors"
	"fmt"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// What can end a session from outside. The session is closed when a call returns
// one of them; the next Open starts on a fresh browser if need be.
var (
	// ErrBrowserLost: Chromium or its driver died. Nothing is known about the
	// page any more, and the page is not to blame.
	ErrBrowserLost = errors.New("the browser was lost")
	// ErrPageHung: the page kept its thread busy for longer than Config.HangLimit,
	// or opened windows without end.
	ErrPageHung = errors.New("the page hung")
	// ErrPageCrashed: the process that renders the page died.
	ErrPageCrashed = errors.New("the page crashed")
	// ErrPageClosed: the page closed its own, and the session's last, window.
	ErrPageClosed = errors.New("the page closed its window")
	// ErrClosed: the session or the browser had been closed by its owner.
	ErrClosed = errors.New("the session is closed")
)

// Codes of a NavigationError.
const (
	NavDNS          = "dns"
	NavRefused      = "refused"
	NavTimeout      = "timeout"
	NavTLS          = "tls"
	NavBlocked      = "blocked"
	NavRedirectLoop = "redirect_loop"
	NavHTTP         = "http"
	NavNotHTML      = "not_html"
	NavOther        = "other"
)

// NavigationError says why a page could not be shown. The session stays usable.
type NavigationError struct {
	// Code is one of the Nav constants.
	Code string
	// Status is the HTTP status of the answer, 0 if there was none.
	Status int
	// Message is for people; it holds no query string.
	Message string
}

func (e *NavigationError) Error() string { return "navigation failed (" + e.Code + "): " + e.Message }

// netCodes maps Chromium's network errors (net_error_list.h) to codes; the first
// prefix that fits decides.
var netCodes = []struct{ prefix, code, message string }{
	{"ERR_NAME_", NavDNS, "the host name could not be resolved"},
	{"ERR_ICANN_NAME_COLLISION", NavDNS, "the host name could not be resolved"},
	{"ERR_DNS_", NavDNS, "the host name could not be resolved"},
	{"ERR_CONNECTION_TIMED_OUT", NavTimeout, "the server did not answer in time"},
	{"ERR_TIMED_OUT", NavTimeout, "the server did not answer in time"},
	{"ERR_TOO_MANY_REDIRECTS", NavRedirectLoop, "the page redirects without end"},
	{"ERR_CERT_", NavTLS, "the server's certificate is not valid"},
	{"ERR_SSL_", NavTLS, "no secure connection could be made"},
	{"ERR_BAD_SSL", NavTLS, "no secure connection could be made"},
	{"ERR_BLOCKED", NavBlocked, "the address is not allowed"},
	{"ERR_UNSAFE_PORT", NavBlocked, "the port is not allowed"},
	{"ERR_UNSAFE_REDIRECT", NavBlocked, "the page redirects to an address that is not allowed"},
	{"ERR_ACCESS_DENIED", NavBlocked, "the address is not allowed"},
	{"ERR_CONNECTION_", NavRefused, "the server refused or dropped the connection"},
	{"ERR_ADDRESS_", NavRefused, "the server cannot be reached"},
	{"ERR_INTERNET_DISCONNECTED", NavRefused, "the server cannot be reached"},
	{"ERR_EMPTY_RESPONSE", NavRefused, "the server closed the connection without an answer"},
}

// netName reads the name of Chromium's network error out of a message, "" if
// there is none.
func netName(message string) string {
	_, after, _ := strings.Cut(message, "net::")
	name, _, _ := strings.Cut(after, " ")
	name, _, _ = strings.Cut(name, "\n")
	return name
}

// egressNames are the network errors that our proxy's refusals stand for.
var egressNames = map[string]string{
	NavDNS: "ERR_NAME_NOT_RESOLVED", NavRefused: "ERR_CONNECTION_REFUSED",
	NavTimeout: "ERR_CONNECTION_TIMED_OUT", NavBlocked: "ERR_ACCESS_DENIED", unlisted: "ERR_ACCESS_DENIED",
}

// netError reads Chromium's error out of a driver's message, nil if there is none.
func netError(err error) *NavigationError {
	name := netName(err.Error())
	if name == "" {
		return nil
	}
	for _, c := range netCodes {
		if strings.HasPrefix(name, c.prefix) {
			return &NavigationError{Code: c.code, Message: c.message}
		}
	}
	return &NavigationError{Code: NavOther, Message: name}
}

// gone says that the driver reported the end of a page, context or connection.
func gone(err error) bool {
	if errors.Is(err, playwright.ErrTargetClosed) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "Target closed") || strings.Contains(text, "has been closed") ||
		strings.Contains(text, "Session closed") || strings.Contains(text, "Connection closed") || strings.Contains(text, "transport closed") ||
		strings.Contains(text, "could not send message") || strings.Contains(text, "has been collected")
}

// moved says that a question was asked of a document that is no longer there.
func moved(err error) bool {
	text := err.Error()
	return strings.Contains(text, "context was destroyed") || strings.Contains(text, "Cannot find context") ||
		strings.Contains(text, "navigated or closed") || strings.Contains(text, "uniqueContextId not found")
}

func crashed(err error) bool {
	return strings.Contains(err.Error(), "Target crashed") || strings.Contains(err.Error(), "Page crashed")
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
