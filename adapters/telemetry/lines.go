package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// lines adds the trace to what is logged within one.
type lines struct{ slog.Handler }

// Lines is a handler that adds trace_id and span_id to every line whose context is within
// a trace, recorded here or only handed on.
func Lines(to slog.Handler) slog.Handler { return lines{to} }

// Handle writes a line.
func (h lines) Handle(ctx context.Context, r slog.Record) error {
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", s.TraceID().String()), slog.String("span_id", s.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs is the handler with attributes.
func (h lines) WithAttrs(attrs []slog.Attr) slog.Handler { return lines{h.Handler.WithAttrs(attrs)} }

// WithGroup is the handler with a group.
func (h lines) WithGroup(name string) slog.Handler { return lines{h.Handler.WithGroup(name)} }
