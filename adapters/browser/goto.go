package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/playwright-community/playwright-go"

	"understudy/domain/walk"
)

// egressHeader is set by our egress proxy on its own answers and says why it did
// not fetch: dns, refused, blocked, unlisted or timeout.
const egressHeader = "X-Understudy-Egress"

// Goto opens an address (http, https or about:blank) in the tab in front and
// waits for it to come to rest. A page that cannot be shown yields a
// *NavigationError along with the effect, and the session goes on; any other
// error has closed the session.
func (s *Session) Goto(ctx context.Context, address string) (walk.Effect, error) {
	s.use.Lock()
	defer s.use.Unlock()
	if err := permitted(address); err != nil {
		return walk.Effect{}, err
	}
	t, err := s.current()
	if err != nil {
		return walk.Effect{}, err
	}
	start := s.engine.begin()
	s.log.begin()
	if err := s.free(ctx, t); err != nil {
		return walk.Effect{}, fmt.Errorf("open %s: %w", bare(address), err)
	}
	limit := times(s.browser.Pace(), s.browser.cfg.NavigationLimit)
	err = s.call(ctx, limit+s.browser.cfg.HangLimit, func() error {
		_, err := t.page.Goto(address, playwright.PageGotoOptions{
			Timeout:   playwright.Float(float64(limit.Milliseconds())),
			WaitUntil: playwright.WaitUntilStateDomcontentloaded,
		})
		return err
	})
	if s.lost(err) {
		return walk.Effect{}, err
	}
	if err != nil && strings.Contains(err.Error(), "ERR_PROXY_") {
		// Our own proxy is gone, which says nothing about the page.
		return walk.Effect{}, fmt.Errorf("%w: the egress proxy cannot be reached", ErrBrowserLost)
	}
	if errors.Is(err, playwright.ErrTimeout) {
		s.stopLoading()
	}
	rest, took, settleErr := s.arrive(ctx, quiet, true, start)
	if settleErr != nil {
		return walk.Effect{}, fmt.Errorf("open %s: %w", bare(address), settleErr)
	}
	effect := s.effect(rest, took, "", t)
	effect.Navigated = err == nil
	if failure := s.navigationError(ctx, t, address, err); failure != nil {
		if effect.Status == 0 {
			effect.Status = failure.Status
		}
		return effect, failure
	}
	return effect, nil
}

// permitted refuses what is not a web page: files, the browser's own pages and
// documents made of their own address.
func permitted(address string) *NavigationError {
	u, err := url.Parse(address)
	if err == nil && (address == "about:blank" || ((u.Scheme == "http" || u.Scheme == "https") && u.Host != "")) {
		return nil
	}
	return &NavigationError{Code: NavBlocked, Message: "only http and https addresses are opened"}
}

// navigationError judges the answer to a tab's navigation, nil if it is a page.
func (s *Session) navigationError(ctx context.Context, t *tab, address string, err error) *NavigationError {
	d := s.log.documentIn(t)
	status := d.status
	s.log.mu.Lock()
	download, held := s.log.download, s.log.held
	s.log.mu.Unlock()
	if held {
		return &NavigationError{Code: NavRedirectLoop, Status: status, Message: "the page redirects without end"}
	}
	if err != nil {
		text := err.Error()
		switch {
		case download || strings.Contains(text, "Download is starting"):
			return &NavigationError{Code: NavNotHTML, Status: status, Message: "the address is a download, not a page"}
		case strings.Contains(text, tunnelFailed):
			if d.asked {
				address = d.address // a redirect may have led elsewhere
			}
			if failure := refusal(s.askProxy(ctx, address), address); failure != nil {
				return failure
			}
		case errors.Is(err, playwright.ErrTimeout):
			return &NavigationError{Code: NavTimeout, Message: "the page did not arrive in time"}
		}
		if failure := netError(err); failure != nil {
			return failure
		}
		return &NavigationError{Code: NavOther, Message: cut(text, 200)}
	}
	if !d.asked {
		return nil // about:blank, or a place within the same document
	}
	if failure := refusal(d.egress, d.address); failure != nil {
		return failure
	}
	if status >= 400 {
		return &NavigationError{Code: NavHTTP, Status: status,
			Message: strings.TrimSpace(fmt.Sprintf("the server answered %d %s", status, http.StatusText(status)))}
	}
	kind, _, mediaErr := mime.ParseMediaType(d.mediaType)
	if mediaErr == nil && kind != "text/html" && kind != "application/xhtml+xml" {
		return &NavigationError{Code: NavNotHTML, Status: status, Message: "the address is " + cut(kind, 60) + ", not a page"}
	}
	return nil
}

// unlisted is our egress proxy's word for a private address that a test does not name.
const unlisted = "unlisted"

// refusal reads the word of our egress proxy about an address, nil for none.
func refusal(word, address string) *NavigationError {
	switch word {
	case "":
		return nil
	case NavDNS:
		return &NavigationError{Code: NavDNS, Message: "the host name could not be resolved"}
	case NavRefused:
		return &NavigationError{Code: NavRefused, Message: "the server refused or dropped the connection"}
	case NavTimeout:
		return &NavigationError{Code: NavTimeout, Message: "the server did not answer in time"}
	case NavBlocked:
		return &NavigationError{Code: NavBlocked, Message: "the address is not allowed"}
	case unlisted:
		return &NavigationError{Code: NavBlocked, Message: origin(address) + " is a private address that the test does not name: if it may be reached, list it in private_origins"}
	}
	return &NavigationError{Code: NavOther, Message: "the egress proxy could not fetch the page"}
}

// tunnelFailed is Chromium's name for a tunnel that our proxy refused.
const tunnelFailed = "ERR_TUNNEL_CONNECTION_FAILED"

// askProxy learns why our proxy refused a tunnel: Chromium hides its answer, so
// the same tunnel is asked for once more. Only our proxy is spoken to.
func (s *Session) askProxy(ctx context.Context, address string) (word string) {
	proxy, err := url.Parse(s.device.ProxyURL)
	if err != nil || proxy.Host == "" {
		return ""
	}
	target, err := url.Parse(address)
	if err != nil || target.Host == "" {
		return ""
	}
	host := target.Host
	if target.Port() == "" {
		host = net.JoinHostPort(target.Hostname(), "443")
	}
	ctx, cancel := context.WithTimeout(ctx, s.browser.cfg.NavigationLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", proxy.Host)
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close() }()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return ""
		}
	}
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: host}, Host: host, Header: http.Header{}}
	if s.device.ProxyUsername != "" {
		credentials := s.device.ProxyUsername + ":" + s.device.ProxyPassword
		request.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(credentials)))
	}
	if err := request.Write(conn); err != nil {
		return ""
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	return response.Header.Get(egressHeader)
}
