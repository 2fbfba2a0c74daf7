package httpapi

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
)

const (
	// capabilityLimit is the requests per minute of valid signed addresses and
	// stream tokens, by address: a page of screenshots is many requests.
	capabilityLimit = 6000
	// pageLimit is the requests per minute of pages, by address: of those that signed
	// addresses open, of the dashboard and of OAuth.
	pageLimit = 600
	// rateWindow is how long a window lasts.
	rateWindow = time.Minute
)

// identify finds out who calls, and counts the call against their limit.
// Whatever comes of it, the response tells the limit.
func (a *api) identify(c echo.Context, call *call) error {
	now := a.Now()
	unknown := func() { a.tellLimit(c, a.addressLimit(), a.addressLimit(), windowEnd(now)) }
	principal, bucket, refusal := a.credential(c, call)
	limit := principal.RateLimit
	var told *problem
	switch {
	case refusal != nil && !errors.As(refusal, &told):
		unknown()
		return refusal // who calls could not be found out
	case refusal != nil:
		bucket, limit = unknownFrom(c), a.addressLimit()
	case call.capability:
		limit = capabilityLimit
	}
	used, resetAt, err := a.Rates.Take(c.Request().Context(), bucket, limit, now)
	if err != nil {
		unknown()
		return a.unavailable(err)
	}
	if err := a.within(c, limit, used, resetAt, now); err != nil {
		return err
	}
	call.principal = principal
	if told == errNoCredential && (call.op == nil || call.op.needs.Public) {
		return nil
	}
	return refusal
}

// windowEnd is when the window of a moment ends by this node's clock.
func windowEnd(now time.Time) time.Time { return now.Truncate(rateWindow).Add(rateWindow) }

// within tells the limit, and refuses a request beyond it.
func (a *api) within(c echo.Context, limit, used int, resetAt, now time.Time) error {
	a.tellLimit(c, limit, used, resetAt)
	if used <= limit {
		return nil
	}
	wait := max(1, int((resetAt.Sub(now)+time.Second-1)/time.Second))
	p := refuse(service.CodeRateLimited, "the limit is %d requests a minute; try again in %d s", limit, wait)
	p.retryAfter = wait
	return p
}

// countPage counts the request of a page against its address, before anything is
// looked up.
func (a *api) countPage(c echo.Context) error {
	now := a.Now()
	used, resetAt, err := a.Rates.Take(c.Request().Context(), "pages:"+addressOf(c), pageLimit, now)
	if err != nil {
		return a.unavailable(err)
	}
	return a.within(c, pageLimit, used, resetAt, now)
}

// addressLimit is the requests per minute of callers without credentials, by
// address: the Free plan's.
func (a *api) addressLimit() int { return a.Plans[account.Free].RequestsPerMinute }

// tellLimit names headers as net/http writes them: any other spelling is
// changed into this one each time.
func (a *api) tellLimit(c echo.Context, limit, used int, resetAt time.Time) {
	h := c.Response().Header()
	h.Set("X-Ratelimit-Limit", strconv.Itoa(limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(max(0, limit-used)))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(resetAt.Unix(), 10))
}

// unavailable marks an error of a store that every request needs.
func (a *api) unavailable(cause error) error {
	return &problem{code: domain.CodeUnavailable, detail: "try again in a moment", retryAfter: domain.RetryUnavailable, cause: cause}
}

var errNoCredential = &problem{
	code:   codeUnauthenticated,
	detail: "send an API key as Authorization: Bearer <key>",
}

// credential finds the principal and the bucket that the call counts in.
func (a *api) credential(c echo.Context, call *call) (service.Principal, string, error) {
	query := c.QueryParams()
	switch {
	case call.op != nil && call.op.needs.SignedURL && query.Has("signature"):
		if err := a.checkSignedURL(c); err != nil {
			return service.Principal{}, "", err
		}
		call.capability = true
		return service.Principal{Actor: "signed-url"}, "capability:" + addressOf(c), nil
	case call.op != nil && call.op.needs.StreamToken && query.Has("token"):
		principal, err := a.signer.bearerOf(forStream, c.Param("id"), query.Get("token"))
		if err != nil {
			return service.Principal{}, "", refuse(domain.CodeForbidden, "this token is not one of this stream; take the test's stream_url")
		}
		call.capability = true
		return principal, "capability:" + addressOf(c), nil
	}
	principal, err := a.bearer(c)
	return principal, "key:" + principal.KeyID, err
}

// unknownFrom is the bucket of callers without a good credential at an address.
func unknownFrom(c echo.Context) string { return "address:" + addressOf(c) }

// bearer authenticates the request's Authorization header. Where an address has used up
// what callers without a good credential have, none is looked up that this node does not
// know.
func (a *api) bearer(c echo.Context) (service.Principal, error) {
	header := c.Request().Header.Get(echo.HeaderAuthorization)
	if header == "" {
		return service.Principal{}, errNoCredential
	}
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return service.Principal{}, refuse(codeUnauthenticated, "the Authorization header must read Bearer <key>")
	}
	limit, now := a.addressLimit(), a.Now()
	if !a.Auth.Knows(token) && a.Rates.Full(unknownFrom(c), limit, now) {
		return service.Principal{}, a.within(c, limit, limit+1, windowEnd(now), now)
	}
	principal, err := a.Auth.Authenticate(c.Request().Context(), token)
	if errors.Is(err, service.ErrUnauthenticated) {
		return service.Principal{}, refuse(codeUnauthenticated, "this key is unknown, expired or revoked")
	}
	return principal, err
}

// checkAccess asks for what access.Operations says. A capability is its own.
func (a *api) checkAccess(_ echo.Context, call *call) error {
	if call.capability {
		return nil
	}
	p := call.principal
	switch call.op.needs.Decide(p.Scopes, p.Role, p.SignedIn) {
	case access.LacksScope:
		return refuse(codeScope, "this needs a key with the scope %s", call.op.needs.Scope)
	case access.LacksPermission:
		return refuse(domain.CodeForbidden, "your role in the organization does not permit this")
	case access.Permitted:
	}
	return nil
}

// AddressOf tells from which network address a request comes, where only these
// proxies are believed when they say so.
func AddressOf(proxies []*net.IPNet) func(*http.Request) string {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range proxies {
		trust = append(trust, echo.TrustIPRange(network))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}

// addressOf is the caller's address as a bucket.
func addressOf(c echo.Context) string { return Bucket(c.RealIP()) }

// Bucket is a network address as callers are counted by: IPv6 by its /64, because
// that is what one subscriber has.
func Bucket(text string) string {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return "unknown"
	}
	if addr = addr.Unmap(); addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}
