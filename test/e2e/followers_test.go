package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/test/harness"
	"understudy/test/patience"
)

// probe asks for one of the operator's pages.
func (s *service) probe(t *testing.T, path string) (status int, body string) {
	t.Helper()
	a, err := harness.Client{}.Send(context.Background(), http.MethodGet, "http://"+s.Addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(a.Body)
}

// shows waits until a page of the operator's has all of these.
func (s *service) shows(t *testing.T, path string, status int, all ...string) {
	t.Helper()
	var is int
	var body string
	missing := func() (out []string) {
		for _, text := range all {
			if !strings.Contains(body, text) {
				out = append(out, text)
			}
		}
		return out
	}
	if err := patience.Until(t.Context(), 30*time.Second, func() bool {
		is, body = s.probe(t, path)
		return is == status && len(missing()) == 0
	}); err != nil {
		t.Fatalf("%s is %d, want %d, and lacks %q: %v\n%s", path, is, status, missing(), err, body)
	}
}

// What a newer program has recorded is passed by the read models and counted,
// and held before by the reactors; what cannot be applied stops the read models
// that follow it. Whoever operates the service is told which event it is, also
// after a new start and from outside.
func TestOperatorsAreToldOfEventsThatCannotBeTakenIn(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	done := c.create(t, signUp(2))
	c.completed(t, done.ID, time.Minute)
	s.shows(t, "/readyz", 200, `{"status":"ready","log_position":`, `"name":"tests"`, `"name":"fan-out"`)
	s.shows(t, "/metrics", 200, "understudy_log_position ", `understudy_reactor_lag_events{reactor="fan-out"} 0`, `understudy_projection_lag_seconds{projection="tests"} 0`,
		`understudy_projection_stopped{projection="tests"} 0`, `understudy_reactor_holding{reactor="fan-out"} 0`)

	// What a newer program records, and what is under a literal that this one
	// reads otherwise.
	const newer, odd = "testrun.renamed.v1", "testrun.created.v1"
	log := openLog(t, s.socket(), newer, odd)
	record(t, log, "testrun-newer", uuid.New(), newer, `{"name":"x"}`, domain.Meta{})
	s.shows(t, "/readyz", 200, "event testrun-newer@0 (testrun.renamed.v1, position ", `"unknown_events":1`)
	s.shows(t, "/metrics", 200, `understudy_reactor_holding{reactor="fan-out"} 1`, `understudy_reactor_lag_events{reactor="fan-out"} 1`,
		`understudy_reactor_holding{reactor="delivery-endings"} 0`, `understudy_projection_unknown_events_total{projection="tests"} 1`,
		`understudy_projection_unknown_events_total{projection="accounts"} 0`)
	c.create(t, signUp(1)) // is accepted, and made by the program that knows more

	record(t, log, "testrun-odd", uuid.New(), odd, `{"sessions":"many"}`, domain.Meta{})
	const named = "testrun-odd@0 (testrun.created.v1, position "
	stopped := func() {
		t.Helper()
		s.shows(t, "/readyz", 503, named, "projection_tests", "goes on from there at its next start")
		s.shows(t, "/metrics", 200, `understudy_projection_stopped{projection="tests"} 1`, `understudy_projection_stopped{projection="accounts"} 0`,
			`understudy_projection_unknown_events_total{projection="tests"} 1`)
		if out := s.command(t, "projections", "status"); !strings.Contains(out, "projection tests stopped: event "+named) ||
			!strings.Contains(out, "reactor fan-out holds before") || !strings.Contains(out, "testrun-newer@0") {
			t.Errorf("status:\n%s", out)
		}
		c.send(t, http.MethodPost, "/tests", signUp(1)).wants(t, http.StatusServiceUnavailable, "unavailable")
		if got := c.test(t, done.ID); got.Status != "completed" { // answers go on
			t.Errorf("the test of before is %s", got.Status)
		}
	}
	stopped()
	logged := s.Output()
	if !strings.Contains(logged, `msg="projection stopped" projection=tests`) || !strings.Contains(logged, named) {
		t.Error("the log does not name it")
	}
	stop(t, s)
	s.Begin(t)
	stopped()
}
