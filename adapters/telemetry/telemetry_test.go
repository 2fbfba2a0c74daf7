package telemetry

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"understudy/test/patience"
)

func TestTracesAreWantedWhereTheyHaveADestination(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318"
	for set, want := range map[string]bool{
		"":       false,
		endpoint: true,
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://collector:4318/v1/traces": true,
		"OTEL_TRACES_EXPORTER=console":                                       true,
		"OTEL_TRACES_EXPORTER=none " + endpoint:                              false,
		"OTEL_SDK_DISABLED=true " + endpoint:                                 false,
		"OTEL_SDK_DISABLED=false " + endpoint:                                true,
		"OTEL_SERVICE_NAME=stand-ins":                                        false,
	} {
		env := map[string]string{}
		for _, setting := range strings.Fields(set) {
			name, value, _ := strings.Cut(setting, "=")
			env[name] = value
		}
		if got := Wanted(func(name string) string { return env[name] }); got != want {
			t.Errorf("%q: wanted %t", set, got)
		}
	}
}

// settings are the process's, so that this test has it for itself.
func TestSpansThatNobodyTakesCostALineOfTheLogAndNothingElse(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "no such thing")
	if _, err := Start(t.Context(), "test", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_EXPORTER") {
		t.Errorf("an exporter that is not there: %v", err)
	}
	asked := make(chan struct{}, 16)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer refusing.Close()
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", refusing.URL)
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	var log bytes.Buffer
	stop, err := Start(t.Context(), "test", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, span := otel.Tracer("test").Start(t.Context(), "a span")
		span.End()
		patience.Receive(t, flushLimit, "an export", asked)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "traces are not exported"); n != 1 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}

func TestTroublesAreToldOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	said := troubles{log: slog.New(slog.NewTextHandler(&log, nil))}
	for range 3 {
		said.Handle(errors.New("nobody there"))
	}
	if said.untold != 2 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("%d untold:\n%s", said.untold, log.String())
	}
	said.told = said.told.Add(-quiet)
	said.Handle(errors.New("nobody there"))
	if !strings.Contains(log.String(), "untold=2") {
		t.Errorf("the second line:\n%s", log.String())
	}
}

func TestLinesNameTheirTrace(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(Lines(slog.NewTextHandler(&log, nil))).With("part", "sender")
	logger.InfoContext(t.Context(), "outside")
	within := trace.ContextWithRemoteSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0x4b, 15: 0x36}, SpanID: trace.SpanID{0xf0, 7: 0xb7},
	}))
	logger.InfoContext(within, "inside")
	lines := strings.Split(log.String(), "\n")
	if strings.Contains(lines[0], "trace_id") {
		t.Errorf("a line outside of any trace: %s", lines[0])
	}
	if want := "part=sender trace_id=4b000000000000000000000000000036 span_id=f0000000000000b7"; !strings.HasSuffix(lines[1], want) {
		t.Errorf("a line within a trace: %s", lines[1])
	}
}
