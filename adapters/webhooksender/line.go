package webhooksender

import (
	"context"
	"log/slog"
)

// attempted measures an attempt at a delivery and writes its one line. Like the span it
// does not name the address.
func (w *Worker) attempted(ctx context.Context, job Job, d Delivery, out Outcome) {
	if w.Attempted != nil {
		w.Attempted(d.Environment, out)
	}
	if !w.Logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := []slog.Attr{
		slog.String("delivery_id", d.ID),
		slog.String("webhook_id", job.Endpoint),
		slog.String("event", d.Event),
		slog.String("test_id", d.TestID),
		slog.String("organization_id", d.OrganizationID),
		slog.String("environment", string(d.Environment)),
		slog.Int("attempt", d.Attempt),
		slog.Bool("delivered", out.OK),
		slog.Int("status", out.StatusCode),
		slog.Duration("latency", out.Latency),
	}
	if !out.OK {
		attrs = append(attrs, slog.String("failure", out.Error))
	}
	w.Logger.LogAttrs(ctx, slog.LevelInfo, "delivery", attrs...)
}
