package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// TestAFullDiskAndAStop: new tests are refused before the disk is full, while what is there
// can be read; and a service that is told to stop answers on, unready, so that balancers
// have time to turn to others.
func TestAFullDiskAndAStop(t *testing.T) {
	t.Parallel()
	s := own(t)
	c := s.sandbox()
	before := c.create(t, signUp(1))
	c.completed(t, before.ID, time.Minute)
	s.Killed(t)
	s.Env = append(s.Env, "UNDERSTUDY_DISK_RESERVE_MB=1000000000")
	s.Begin(t)
	refused := c.send(t, http.MethodPost, "/tests", signUp(1)).wants(t, http.StatusServiceUnavailable, "unavailable")
	if refused.Header.Get("Retry-After") == "" || !strings.Contains(string(refused.Body), "disk") {
		t.Errorf("%v %s", refused.Header, refused.Body)
	}
	if again := c.test(t, before.ID); again.Status != "completed" {
		t.Errorf("the test before is %s", again.Status)
	}
	if !strings.Contains(s.Tail(), "the disk is nearly full") {
		t.Error("the log does not say so")
	}
	if metrics := operatorReads(t, s, "/metrics"); !strings.Contains(metrics, "\nunderstudy_disk_free_bytes ") {
		t.Error("no metric tells what is free")
	}

	s.Killed(t)
	s.Env = append(s.Env, "UNDERSTUDY_DISK_RESERVE_MB=0", "UNDERSTUDY_DRAIN_DELAY=1m")
	s.Begin(t)
	ended := make(chan error, 1)
	go func() {
		_, err := s.Terminate()
		ended <- err
	}()
	patience.Eventually(t, time.Minute, "unready", func() bool {
		a, err := c.try(t, http.MethodGet, "http://"+s.Addr+"/readyz", nil)
		return err == nil && a.StatusCode == http.StatusServiceUnavailable
	})
	made := c.create(t, signUp(1))
	c.completed(t, made.ID, time.Minute)
	s.Killed(t)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// operatorReads is what an operator gets at a path.
func operatorReads(t *testing.T, s *service, path string) string {
	t.Helper()
	a, err := harness.Client{Key: harness.OperatorToken}.Send(t.Context(), http.MethodGet, "http://"+s.Addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(a.Body)
}
