package httpapi

import (
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"understudy/eventstore"
)

var tracer = otel.Tracer("understudy/adapters/httpapi")

// startSpan begins the span of a request, within the trace that its client names. It has
// the attributes of OpenTelemetry's conventions but those that the libraries would add
// and that are not for everybody who may read traces: the address of the client and the
// path, in which ids and tokens stand.
func startSpan(c echo.Context, call *call) trace.Span {
	r := c.Request()
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := tracer.Start(ctx, knownMethod(r.Method), trace.WithSpanKind(trace.SpanKindServer))
	call.traceparent = eventstore.Traceparent(ctx)
	c.SetRequest(r.WithContext(ctx))
	return span
}

// endSpan ends it with what was answered.
func endSpan(span trace.Span, c echo.Context, call *call) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	r, status := c.Request(), c.Response().Status
	method := knownMethod(r.Method)
	span.SetAttributes(
		attribute.String("http.request.method", method),
		attribute.Int("http.response.status_code", status),
		attribute.String("understudy.request.id", call.requestID),
	)
	if call.route != "" { // few different ones, whatever is asked for
		span.SetName(method + " " + call.route)
		span.SetAttributes(attribute.String("http.route", call.route))
	}
	if p := call.principal; p.OrganizationID != "" {
		span.SetAttributes(
			attribute.String("understudy.organization.id", p.OrganizationID),
			attribute.String("understudy.environment", string(p.Environment)),
		)
	}
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// parameters of routes as the router writes them.
var parameters = regexp.MustCompile(`:([A-Za-z_]+)`)

// templated is a route as the document writes it: /v1/tests/{id}.
func templated(route string) string { return parameters.ReplaceAllString(route, "{$1}") }

// knownMethod is a method, or one word for all that HTTP does not know.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	}
	return "_OTHER"
}
