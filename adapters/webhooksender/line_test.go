package webhooksender

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/domain"
	"understudy/eventstore"
)

func TestAnAttemptIsOneLineWithoutTheAddress(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var measured []Outcome
	w := Worker{Logger: slog.New(slog.NewTextHandler(&log, nil)), Attempted: func(env domain.Environment, out Outcome) {
		if env == domain.Live {
			measured = append(measured, out)
		}
	}}
	d := Delivery{
		ID: "dlv_1", URL: "https://example.com/hook?token=hunter2", Event: "test.completed", Body: []byte("hunter2"), Attempt: 2,
		Secrets: Secrets{Current: "hunter2"}, TestID: "test_1", OrganizationID: "org_1", Environment: domain.Live,
	}
	w.attempted(t.Context(), Job{Endpoint: "whk_1"}, d, Outcome{StatusCode: 500, Error: "status_500", Latency: 30 * time.Millisecond, Response: []byte("hunter2")})
	want := "msg=delivery delivery_id=dlv_1 webhook_id=whk_1 event=test.completed test_id=test_1 organization_id=org_1 environment=live " +
		"attempt=2 delivered=false status=500 latency=30ms failure=status_500\n"
	if !strings.HasSuffix(log.String(), want) || strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "example.com") {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
	if len(measured) != 1 || measured[0].StatusCode != 500 {
		t.Errorf("measured %+v", measured)
	}
}

// Who traces nothing itself hands on the trace that it was given, and makes none up.
func TestDeliveriesCarryTheirTrace(t *testing.T) {
	t.Parallel()
	got := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("traceparent") }))
	t.Cleanup(server.Close)
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, want := range []string{trace, ""} {
		if out := New(dial).Send(eventstore.Continue(t.Context(), want), request(server.URL)); !out.OK {
			t.Fatalf("%+v", out)
		}
		if carried := <-got; carried != want {
			t.Errorf("got %q, want %q", carried, want)
		}
	}
}
