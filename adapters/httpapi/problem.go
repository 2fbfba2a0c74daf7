package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
)

// The refusals that the interface itself knows; domain has the others.
const (
	codeMalformed        domain.Code = "malformed_body"
	codeBadRequest       domain.Code = "bad_request"
	codeUnauthenticated  domain.Code = "unauthenticated"
	codeScope            domain.Code = "insufficient_scope"
	codeMethod           domain.Code = "method_not_allowed"
	codeNotAcceptable    domain.Code = "not_acceptable"
	codeBodyTooLarge     domain.Code = "body_too_large"
	codeUnsupportedMedia domain.Code = "unsupported_media_type"
	codeRange            domain.Code = "range_not_satisfiable"
	codeUpgradeRequired  domain.Code = "upgrade_required"
	codeKeyReused        domain.Code = "idempotency_key_reused"
	codeKeyInUse         domain.Code = "idempotency_key_in_use"
	codeWrongHost        domain.Code = "wrong_host"
	codeInternal         domain.Code = "internal_error"
)

// meaning is how a code is told over HTTP.
type meaning struct {
	status int
	title  string
}

// meanings is the one table from codes to HTTP.
var meanings = map[domain.Code]meaning{
	codeMalformed:               {http.StatusBadRequest, "The body cannot be read"},
	codeBadRequest:              {http.StatusBadRequest, "The request cannot be read"},
	codeUnauthenticated:         {http.StatusUnauthorized, "A valid API key is needed"},
	codeScope:                   {http.StatusForbidden, "The key lacks the scope for this"},
	domain.CodeQuotaExceeded:    {http.StatusPaymentRequired, "The plan has not enough sessions left this month"},
	domain.CodeForbidden:        {http.StatusForbidden, "This is not allowed"},
	domain.CodeNotFound:         {http.StatusNotFound, "There is no such thing here"},
	domain.CodeGone:             {http.StatusGone, "This is no longer kept"},
	codeMethod:                  {http.StatusMethodNotAllowed, "This address has other methods"},
	codeNotAcceptable:           {http.StatusNotAcceptable, "There is no such form of this"},
	domain.CodeWrongState:       {http.StatusConflict, "Its state does not allow this"},
	domain.CodeConflict:         {http.StatusConflict, "This conflicts with what is there"},
	domain.CodeChanged:          {http.StatusPreconditionFailed, "It has changed since it was read"},
	domain.CodeTooMany:          {http.StatusConflict, "The organization has as many as it may have"},
	codeKeyInUse:                {http.StatusConflict, "The first request with this key is still running"},
	codeBodyTooLarge:            {http.StatusRequestEntityTooLarge, "The body is too large"},
	codeUnsupportedMedia:        {http.StatusUnsupportedMediaType, "The body is in another form than expected"},
	codeRange:                   {http.StatusRequestedRangeNotSatisfiable, "The file has no such range"},
	domain.CodeValidationFailed: {http.StatusUnprocessableEntity, "The request has fields that are not valid"},
	domain.CodeTargetNotAllowed: {http.StatusUnprocessableEntity, "The target's address is not allowed"},
	domain.CodeTooOld:           {http.StatusUnprocessableEntity, "It is too old for this"},
	domain.CodeModelUnavailable: {http.StatusUnprocessableEntity, "The model is not available"},
	codeKeyReused:               {http.StatusUnprocessableEntity, "The Idempotency-Key belongs to another request"},
	codeWrongHost:               {http.StatusMisdirectedRequest, "This is another host"},
	codeUpgradeRequired:         {http.StatusUpgradeRequired, "This address speaks WebSocket"},
	service.CodeRateLimited:     {http.StatusTooManyRequests, "Too many requests"},
	domain.CodeTooManyAtOnce:    {http.StatusTooManyRequests, "The organization has too much under way"},
	codeInternal:                {http.StatusInternalServerError, "Something went wrong here"},
	domain.CodeUnavailable:      {http.StatusServiceUnavailable, "A part of the service is down for the moment"},
}

// Meaning is the status of a code and a title for people; of one that is not in the table
// those of a mistake of our own.
func Meaning(code domain.Code) (status int, title string) {
	m, known := meanings[code]
	if !known {
		m = meanings[codeInternal]
	}
	return m.status, m.title
}

const (
	problemType = "application/problem+json"
	// typePrefix makes a URI of a code.
	typePrefix = "urn:understudy:problem:"
	// retryCrowded is after how many seconds who has too much under way is to try again.
	retryCrowded = 30
)

// problem is a refusal on its way to a client.
type problem struct {
	code   domain.Code
	detail string
	faults []fieldFault
	// quota is what is left, where that is why.
	quota *shownQuota
	// retryAfter is in seconds, 0 for none.
	retryAfter int
	// cause is logged and never shown.
	cause error
}

func (p *problem) Error() string {
	if p.cause != nil {
		return string(p.code) + ": " + p.cause.Error()
	}
	return string(p.code) + ": " + p.detail
}

func (p *problem) Unwrap() error { return p.cause }

func refuse(code domain.Code, format string, args ...any) *problem {
	return &problem{code: code, detail: fmt.Sprintf(format, args...)}
}

// maxDetail is how many faults the detail tells; errors lists them all.
const maxDetail = 3

// invalid is the refusal of a request with these faults, nil without any.
func invalid(faults []fieldFault) error {
	if len(faults) == 0 {
		return nil
	}
	texts := make([]string, 0, maxDetail)
	for _, f := range faults[:min(len(faults), maxDetail)] {
		texts = append(texts, f.Message)
	}
	detail := strings.Join(texts, "; ")
	if more := len(faults) - maxDetail; more > 0 {
		detail += fmt.Sprintf("; and %d more", more)
	}
	return &problem{code: domain.CodeValidationFailed, detail: detail, faults: faults}
}

// problemOf tells how an error is answered. Errors without a code are hidden.
func (a *api) problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		if _, known := meanings[refusal.Code]; known {
			p := &problem{code: refusal.Code, detail: refusal.Message}
			if exceeded := (*account.QuotaExceeded)(nil); errors.As(err, &exceeded) {
				p.quota = showQuota(exceeded.Quota)
			}
			for _, f := range refusal.Fields[:min(len(refusal.Fields), maxFaults)] {
				p.faults = append(p.faults, fieldFault{Pointer: pointerTo(f.Field), Code: f.Code, Message: f.Message})
			}
			switch refusal.Code {
			case domain.CodeUnavailable:
				p.retryAfter, p.cause = domain.RetryUnavailable, err
			case domain.CodeTooManyAtOnce:
				p.retryAfter = retryCrowded
			default:
			}
			return p
		}
	}
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &routed):
		return ofEcho(routed)
	case errors.Is(err, context.Canceled) || (a.Unavailable != nil && a.Unavailable(err)):
		return &problem{code: domain.CodeUnavailable, detail: "try again in a moment", retryAfter: domain.RetryUnavailable, cause: err}
	}
	return &problem{code: codeInternal, detail: "the cause is in the service's log under this request_id", cause: err}
}

// ofEcho tells the router's own refusals. Its texts can quote the request.
func ofEcho(e *echo.HTTPError) *problem {
	switch e.Code {
	case http.StatusNotFound:
		return refuse(domain.CodeNotFound, "there is nothing at this address; /v1/openapi.json lists what there is")
	case http.StatusMethodNotAllowed:
		return refuse(codeMethod, "use one of the methods in the Allow header")
	}
	if e.Code >= http.StatusBadRequest && e.Code < http.StatusInternalServerError {
		return &problem{code: codeBadRequest, detail: "a part of the request could not be read", cause: e}
	}
	return &problem{code: codeInternal, detail: "the cause is in the service's log under this request_id", cause: e}
}

// problemBody is RFC 9457's document with this interface's members.
type problemBody struct {
	Type      string       `json:"type"`
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Instance  string       `json:"instance"`
	Code      domain.Code  `json:"code"`
	RequestID string       `json:"request_id"`
	Errors    []fieldFault `json:"errors,omitempty"`
	Quota     *shownQuota  `json:"quota,omitempty"`
}

// writeProblem answers with a problem document.
func writeProblem(c echo.Context, call *call, p *problem) error {
	problemHeaders(c, call, p)
	m := meanings[p.code]
	body, err := encode(problemBody{
		Type: typePrefix + string(p.code), Title: m.title, Status: m.status, Detail: p.detail,
		Instance: c.Request().URL.Path, Code: p.code, RequestID: call.requestID, Errors: p.faults, Quota: p.quota,
	})
	if err != nil {
		return err
	}
	return c.Blob(m.status, problemType, body)
}

// problemHeaders takes back what was said of an answer that is not given, and
// says what a refusal says in headers.
func problemHeaders(c echo.Context, call *call, p *problem) {
	h := c.Response().Header()
	for _, name := range []string{"ETag", "Location", "Link", "Accept-Ranges", "Content-Disposition", "Content-Type", "Last-Modified", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	switch p.code {
	case codeUnauthenticated:
		h.Set(echo.HeaderWWWAuthenticate, `Bearer realm="understudy"`)
	case codeScope:
		h.Set(echo.HeaderWWWAuthenticate, `Bearer realm="understudy", error="insufficient_scope", scope="`+call.op.needs.Scope+`"`)
	case codeUpgradeRequired:
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
		h.Set("Sec-WebSocket-Version", socketVersion)
	default: // the document says it all
	}
}
