package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"understudy/test/patience"
)

// collector takes traces as an OpenTelemetry collector does, OTLP over HTTP.
type collector struct {
	*httptest.Server

	mu       sync.Mutex
	raw      []byte // everything that came, unpacked
	services []string
	spans    map[string]*tracepb.Span // by id
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{spans: map[string]*tracepb.Span{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var from io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		from = unpacked
	}
	raw, err := io.ReadAll(from)
	var request collectorpb.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(raw, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "not a batch of traces", http.StatusBadRequest)
		return
	}
	c.take(raw, &request)
	w.Header().Set("Content-Type", "application/x-protobuf")
	answer, _ := proto.Marshal(&collectorpb.ExportTraceServiceResponse{}) // an empty message
	_, _ = w.Write(answer)
}

func (c *collector) take(raw []byte, request *collectorpb.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, raw...)
	for _, resource := range request.GetResourceSpans() {
		for _, a := range resource.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				c.services = append(c.services, a.GetValue().GetStringValue())
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.spans[hex.EncodeToString(span.GetSpanId())] = span
			}
		}
	}
}

// trace is the spans of one trace by id, as far as they have come.
func (c *collector) trace(id string) map[string]*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans := map[string]*tracepb.Span{}
	for spanID, span := range c.spans {
		if hex.EncodeToString(span.GetTraceId()) == id {
			spans[spanID] = span
		}
	}
	return spans
}

// above are the names from a span up to the last whose parent has come.
func above(spans map[string]*tracepb.Span, span *tracepb.Span) (names []string) {
	for ; span != nil; span = spans[hex.EncodeToString(span.GetParentSpanId())] {
		names = append(names, span.GetName())
	}
	return names
}

func attribute(span *tracepb.Span, key string) string {
	for _, a := range span.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// What follows from one request is one trace: the command, what reactors and workers did
// about its events, the sessions and the deliveries. It goes on with the client's, and on
// at the receivers.
func TestARequestAndAllThatFollowsFromItIsOneTrace(t *testing.T) {
	t.Parallel()
	traces := collect(t)
	const traceID, clientSpan = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	s := own(t, "UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128", "OTEL_EXPORTER_OTLP_ENDPOINT="+traces.URL, "OTEL_SERVICE_NAME=stand-ins", "OTEL_BSP_SCHEDULE_DELAY=100")
	c := s.sandbox()
	hook := receive(t, c, nil, "test.started", "test.completed")

	body := signUp(3)
	body["url"] = "https://shop.example.com/?access=addressWithAToken"
	body["task"] = "Find out how much the team plan costs, hush"
	created := c.send(t, http.MethodPost, "/tests", body, "traceparent", "00-"+traceID+"-"+clientSpan+"-01").wants(t, http.StatusCreated, "")
	id := read[struct{ ID string }](t, created).ID
	c.completed(t, id, time.Minute)
	patience.Eventually(t, 30*time.Second, "two deliveries", func() bool { return len(hook.Of(id)) >= 2 })

	const request, deciding = "POST /v1/tests", "testrun.Create"
	named := func(name string) (spans []*tracepb.Span) {
		for _, span := range traces.trace(traceID) {
			if span.GetName() == name {
				spans = append(spans, span)
			}
		}
		return spans
	}
	for name, n := range map[string]int{
		request: 1, deciding: 1, "work start": 1, "testrun.Start": 1, "react session-creation": 1, "session.Queue": 3, "work session": 3,
		"walk session": 3, "session.RecordWalk": 3, "react fan-out": 2, "delivery.Schedule": 2, "deliver test.started": 1, "deliver test.completed": 1,
		"delivery.RecordAttempt": 2, "work report": 1,
	} {
		patience.Eventually(t, 30*time.Second, "spans named "+name, func() bool { return len(named(name)) >= n })
	}
	spans := traces.trace(traceID)
	patience.Eventually(t, 30*time.Second, "every span comes from the request", func() bool { // what is above another one ends, and is told, after it
		spans = traces.trace(traceID)
		for _, span := range spans {
			if names := above(spans, span); names[len(names)-1] != request {
				return false
			}
		}
		return true
	})
	if top := hex.EncodeToString(named(request)[0].GetParentSpanId()); top != clientSpan {
		t.Errorf("the request's parent is %s, want the client's span", top)
	}
	// From the last to the first.
	for last, want := range map[string][]string{
		"walk session":         {"walk session", "work session", "session.Queue", "react session-creation", "testrun.Start", "work start", deciding, request},
		"deliver test.started": {"deliver test.started", "delivery.Schedule", "react fan-out", "testrun.Start", "work start", deciding, request},
	} {
		for _, span := range named(last) {
			if got := above(spans, span); !slices.Equal(got, want) {
				t.Errorf("above %s are %v, want %v", last, got, want)
			}
			if got := attribute(span, "understudy.test.id"); got != id {
				t.Errorf("%s is of test %q", last, got)
			}
		}
	}
	// The receivers get the span of the very attempt.
	for _, got := range hook.Of(id) {
		parts := strings.Split(got.Header.Get("Traceparent"), "-")
		if len(parts) != 4 || parts[1] != traceID || spans[parts[2]] == nil || spans[parts[2]].GetName() != "deliver "+got.Event {
			t.Errorf("%s came with traceparent %q", got.Event, got.Header.Get("Traceparent"))
		}
	}
	discreet(t, traces, "addressWithAToken", "team plan", "shop.example.com", hook.URL, s.Keys.Test, "127.0.0.1")

	// The lines of the log name the trace.
	for _, line := range []string{
		`msg=request method=POST route=/v1/tests path=/v1/tests status=201 .*request_id=\S+ organization_id=org_\S+ key_id=key_\S+ environment=test trace_id=` + traceID,
		`msg=session session_id=ses_\S+ test_id=` + id + ` organization_id=org_\S+ environment=test outcome=\S+ attempt=1 steps=\d+ seconds=\S+ trace_id=` + traceID,
		`msg=delivery delivery_id=dlv_\S+ webhook_id=\S+ event=test.completed test_id=` + id + ` .*attempt=1 delivered=true status=204 latency=\S+ trace_id=` + traceID,
	} {
		if !regexp.MustCompile(line).MatchString(s.Output()) {
			t.Errorf("the log has no line %s", line)
		}
	}
}

// discreet looks for what nobody should read in traces: in all that came.
func discreet(t *testing.T, c *collector, secrets ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.services) == 0 || slices.ContainsFunc(c.services, func(name string) bool { return name != "stand-ins" }) {
		t.Errorf("traces are of the services %v", c.services)
	}
	for _, secret := range secrets {
		if bytes.Contains(c.raw, []byte(secret)) {
			t.Errorf("traces hold %q", secret)
		}
	}
	for _, span := range c.spans {
		if regexp.MustCompile(`[a-z]{3}_[0-9a-z]{20,}`).MatchString(span.GetName()) {
			t.Errorf("the name of the span %s has an id", span.GetName())
		}
	}
}
