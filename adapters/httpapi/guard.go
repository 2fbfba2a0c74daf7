package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// requestTimeout bounds the work of a request, files and streams excepted. It
// is longer than the 5 s that a write may wait until reads see it.
const requestTimeout = 15 * time.Second

// unbounded are the operations that end with their clients.
var unbounded = map[string]bool{"streamTest": true, "streamWebhookEvents": true, "getArtifact": true}

// headAsGet answers HEAD wherever there is a GET. The server itself sees the
// original method and leaves the body away.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := r.Clone(r.Context())
			get.Method = http.MethodGet
			r = get
		}
		next.ServeHTTP(w, r)
	})
}

// observe is around everything: it names the request, makes its span, answers errors
// and panics as problems, and logs one line.
func (a *api) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		call := newCall(c, a.routes[c.Path()])
		span := startSpan(c, call)
		maps.Copy(c.Response().Header(), a.secure)
		err := recovered(next, c)
		if on := (*sentOn)(nil); errors.As(err, &on) {
			err = c.Redirect(http.StatusSeeOther, on.to)
		}
		if err != nil {
			a.answerError(err, c)
		}
		took := time.Since(start)
		endSpan(span, c, call)
		if a.Measure != nil && (call.op == nil || !unbounded[call.op.id]) {
			a.Measure(knownMethod(c.Request().Method), call.route, c.Response().Status, took)
		}
		a.log(c, call, took, err)
		return nil
	}
}

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

func recovered(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if cause, is := v.(error); is && errors.Is(cause, http.ErrAbortHandler) { // how net/http itself breaks off an answer
				panic(http.ErrAbortHandler)
			}
			err = &panicked{value: v, stack: debug.Stack()}
		}
	}()
	return next(c)
}

// answerError writes the problem of an error, unless the answer has begun: then
// the connection can only end.
func (a *api) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if allow := c.Response().Header().Get(echo.HeaderAllow); strings.Contains(allow, http.MethodGet) {
		c.Response().Header().Set(echo.HeaderAllow, allow+", "+http.MethodHead)
	}
	write := writeProblem
	if wantsPage(c) {
		write = a.writeProblemPage
	}
	if err := write(c, callOf(c), a.problemOf(err)); err != nil {
		a.Logger.Warn("problem not sent", "error", err)
	}
}

// secureHeaders are what browsers should know. Answers are data: nothing in
// them is to be run, framed or guessed at.
func secureHeaders(base string) http.Header {
	h := http.Header{
		"X-Content-Type-Options":       {"nosniff"},
		"Referrer-Policy":              {"no-referrer"},
		"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Vary":                         {"Authorization", "Accept"},
	}
	if strings.HasPrefix(base, "https:") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return h
}

// probes are answered whatever state the service is in.
var probes = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// guard lets a request under /v1 through to its handler when everything that
// the document asks for is there, checked in this order.
func (a *api) guard(next echo.HandlerFunc) echo.HandlerFunc {
	steps := []func(echo.Context, *call) error{a.checkAccess, a.checkAccept, a.checkParameters, a.readBody}
	return func(c echo.Context) error {
		call := callOf(c)
		call.op = a.document.operations[c.Request().Method+" "+c.Path()]
		if call.op == nil || !unbounded[call.op.id] {
			limit := requestTimeout
			if wantsPaper(c.Request()) {
				limit = printTimeout
			}
			ctx, cancel := context.WithTimeout(c.Request().Context(), limit)
			defer cancel()
			c.SetRequest(c.Request().WithContext(ctx))
		}
		path := c.Request().URL.Path
		free := probes[path] || strings.HasPrefix(path, assets)
		if a.Readiness.Starting() && !free {
			a.tellLimit(c, a.addressLimit(), 0, a.Now().Truncate(rateWindow).Add(rateWindow))
			return &problem{
				code: domain.CodeUnavailable, detail: "the service is starting; its read models are catching up with the log",
				retryAfter: domain.RetryUnavailable,
			}
		}
		if !isInterface(path) {
			if !free {
				if err := a.countPage(c); err != nil {
					return err
				}
			}
			return next(c)
		}
		if err := a.identify(c, call); err != nil {
			return err
		}
		if call.op == nil {
			return next(c) // the router's own 404, 405 or OPTIONS
		}
		for _, check := range steps {
			if err := check(c, call); err != nil {
				return err
			}
		}
		return next(c)
	}
}

// assets begins the addresses of what pages look like, which browsers keep.
const assets = "/assets/"

// isInterface: the address is one of the interface's, not of a page or a probe.
func isInterface(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }

// elsewhere hands requests on to the pages of other front doors.
func (a *api) elsewhere(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if a.Pages == nil || isInterface(c.Request().URL.Path) {
			return next(c)
		}
		_, pattern := a.Pages.Handler(c.Request())
		if pattern == "" {
			return next(c)
		}
		callOf(c).route = pattern[strings.Index(pattern, "/"):] // without the method
		a.Pages.ServeHTTP(c.Response(), c.Request())
		return nil
	}
}

// log writes one line a request. Causes of failures stand only here. It has no address
// of the client's: who did what from where is in the log of access, under lock.
func (a *api) log(c echo.Context, call *call, took time.Duration, err error) {
	r, status := c.Request(), c.Response().Status
	// A 503 without an error is an answer: /readyz of a service that is not ready.
	failed := err != nil && (status >= http.StatusInternalServerError || c.Response().Committed && status < http.StatusBadRequest)
	cancelled := errors.Is(err, context.Canceled)
	level := slog.LevelInfo
	switch {
	case failed && !cancelled:
		level = slog.LevelError
	case !cancelled && (probes[r.URL.Path] || strings.HasPrefix(r.URL.Path, assets)):
		level = slog.LevelDebug
	}
	if !a.Logger.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method),
		slog.String("route", call.route),
		slog.String("path", r.URL.Path),
		slog.Int("status", status),
		slog.Duration("took", took),
		slog.Int64("bytes", c.Response().Size),
		slog.String("request_id", call.requestID),
	}
	if query := redacted(r.URL.Query()); query != "" {
		attrs = append(attrs, slog.String("query", query))
	}
	if call.principal.OrganizationID != "" {
		attrs = append(attrs, slog.String("organization_id", call.principal.OrganizationID), slog.String("key_id", call.principal.KeyID), slog.String("environment", string(call.principal.Environment)))
	}
	switch {
	case cancelled:
		attrs = append(attrs, slog.String("cancelled", "the client has gone"))
	case failed:
		attrs = append(attrs, slog.Any("error", err))
	}
	a.Logger.LogAttrs(r.Context(), level, "request", attrs...)
}

// hidden are parameters that may give access or say something of a person.
var hidden = []string{
	"token", "signature", "cursor", "access_token", "api_key", "key", "secret", "code", "state", "next", "password",
	"email", "name", "url", "task", "q", "draft",
}

// redacted is a query without what nobody should read in a log.
func redacted(query url.Values) string {
	for _, name := range hidden {
		if query.Has(name) {
			query.Set(name, "redacted")
		}
	}
	return query.Encode()
}
