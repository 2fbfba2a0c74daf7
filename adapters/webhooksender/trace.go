package webhooksender

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

var tracer = otel.Tracer("understudy/adapters/webhooksender")

// startAttempt begins the span of an attempt at a delivery. It does not name the
// address: what customers put into it may give access.
func startAttempt(ctx context.Context, job Job, d Delivery) (context.Context, trace.Span) {
	ctx, span := tracer.Start(ctx, "deliver "+d.Event, trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("understudy.delivery.id", d.ID),
			attribute.String("understudy.webhook.id", job.Endpoint),
			attribute.String("understudy.test.id", d.TestID),
			attribute.String("understudy.organization.id", d.OrganizationID),
			attribute.String("understudy.environment", string(d.Environment)),
			attribute.Int("understudy.attempt", d.Attempt),
		)
	}
	return ctx, span
}

// endAttempt ends it with how the receiver has answered.
func endAttempt(span trace.Span, out Outcome) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	if out.StatusCode != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", out.StatusCode))
	}
	if !out.OK {
		span.SetAttributes(attribute.String("error.type", out.Error))
		span.SetStatus(codes.Error, "")
	}
}
