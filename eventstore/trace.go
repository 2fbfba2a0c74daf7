package eventstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"understudy/domain"
)

// tracer makes the spans of commands. Like every tracer of the program it is the global
// provider's: until one is set (adapters/telemetry), spans are not recorded and hand on
// the trace that they are given.
var tracer = otel.Tracer("understudy/eventstore")

// traceparentKey is the name of the header and of the metadata's field.
const traceparentKey = "traceparent"

// Continue is ctx within the trace of a traceparent as W3C Trace Context writes it: that
// of an event, for whoever does something about it. One that is malformed names none.
func Continue(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparentKey: traceparent})
}

// Traceparent is the span of ctx as W3C Trace Context writes it, "" where there is none.
func Traceparent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[traceparentKey]
}

// EndSpan ends a span with what came of its work. A refusal is an answer, not a failure
// of the work. Neither says more than its kind: messages may name what the log keeps
// under lock.
func EndSpan(span trace.Span, err error) {
	defer span.End()
	if err == nil || !span.IsRecording() {
		return
	}
	if code := domain.CodeOf(err); code != "" {
		span.SetAttributes(attribute.String("understudy.refusal", string(code)))
		return
	}
	span.SetAttributes(attribute.String("error.type", errorType(err)))
	span.SetStatus(codes.Error, "")
}

// errorType is a word for the kind of an error.
func errorType(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded"
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}

// beginCommand begins the span of a command, such as testrun.Create: within the trace of
// ctx, else within that of the command's metadata. The events that the command records
// name this span, so that what follows from them goes on with it.
func beginCommand(ctx context.Context, stream string, command any, meta domain.Meta) (context.Context, trace.Span, domain.Meta) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = Continue(ctx, meta.Traceparent)
	}
	ctx, span := tracer.Start(ctx, reflect.TypeOf(command).String())
	if span.IsRecording() {
		kind, _, _ := strings.Cut(stream, "-")
		span.SetAttributes(attribute.String("understudy.stream.kind", kind))
	}
	if t := Traceparent(ctx); t != "" {
		meta.Traceparent = t
	}
	return ctx, span, meta
}

// endCommand ends the span of a command that has recorded events.
func endCommand(span trace.Span, events int, err error) {
	if span.IsRecording() {
		span.SetAttributes(attribute.Int("understudy.events.appended", events))
	}
	EndSpan(span, err)
}
