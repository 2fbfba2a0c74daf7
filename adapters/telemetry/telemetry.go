// Package telemetry sends OpenTelemetry traces to where OpenTelemetry's standard
// variables say, and puts the id of the trace on the log lines of what belongs to one.
//
// Who makes spans knows only OpenTelemetry's interface and its global provider. Until
// Start sets one, spans cost next to nothing and are recorded nowhere.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// flushLimit bounds how long the end of the service waits for the last spans to be taken.
const flushLimit = 5 * time.Second

// serviceName is what traces call the service, unless OTEL_SERVICE_NAME does.
const serviceName = "understudy"

// Wanted reports whether the variables ask for traces: where they name a place to send
// them to, or how.
func Wanted(getenv func(string) string) bool {
	if off, err := strconv.ParseBool(getenv("OTEL_SDK_DISABLED")); err == nil && off {
		return false
	}
	switch getenv("OTEL_TRACES_EXPORTER") {
	case "none":
		return false
	case "":
		return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	}
	return true
}

// Start sets the global provider to one that exports the spans of a version of the program
// as the process's environment says.
// What cannot be exported is dropped, and logged. stop sends what is left; it waits at
// most five seconds.
func Start(ctx context.Context, version string, log *slog.Logger) (stop func() error, err error) {
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	otel.SetErrorHandler(&troubles{log: log})
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_*: %w", err)
	}
	described, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", serviceName), attribute.String("service.version", version)),
		resource.WithFromEnv(), // the last word
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, errors.Join(fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err), exporter.Shutdown(ctx))
	}
	// The sampler, and the bounds of spans and batches, are the provider's to read.
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(described))
	otel.SetTracerProvider(provider)
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces are lost", "error", err)
		}
		return nil
	}, nil
}

// quiet is the least time between two lines about traces that are not exported: batches
// fail every few seconds while nobody takes them.
const quiet = time.Minute

// troubles logs what OpenTelemetry cannot do.
type troubles struct {
	log *slog.Logger

	mu     sync.Mutex
	told   time.Time
	untold int
}

// Handle takes an error.
func (t *troubles) Handle(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.told.IsZero() && time.Since(t.told) < quiet {
		t.untold++
		return
	}
	t.log.Warn("traces are not exported", "error", err, "untold", t.untold)
	t.told, t.untold = time.Now(), 0
}
