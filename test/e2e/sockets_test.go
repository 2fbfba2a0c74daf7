package e2e

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// TestIdleSocketsTakeNothingFromTheEventStore: somebody opens more connections than the
// process may have files and says nothing on them; who is connected goes on working, what
// they do is kept, and afterwards everybody gets through again.
func TestIdleSocketsTakeNothingFromTheEventStore(t *testing.T) {
	t.Parallel()
	s := &service{harness.Prepare(t)}
	script := filepath.Join(t.TempDir(), "few-files")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nulimit -n 700 && exec '"+s.Binary+"' \"$@\"\n"), 0o700); err != nil { //nolint:gosec // it is started
		t.Fatal(err)
	}
	s.Binary = script
	s.Begin(t)
	c := s.sandbox()
	c.create(t, harness.SignUp(1)) // and keeps its connection
	var idle []net.Conn
	defer func() {
		for _, conn := range idle {
			_ = conn.Close()
		}
	}()
	for range 900 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Addr)
		cancel()
		if err != nil {
			break // the system's own queue is full
		}
		idle = append(idle, conn)
	}
	if len(idle) < 400 {
		t.Fatalf("only %d connections were opened", len(idle))
	}
	for range 5 {
		created := c.create(t, harness.SignUp(2))
		c.completed(t, created.ID, time.Minute)
	}
	for _, conn := range idle {
		_ = conn.Close()
	}
	patience.Eventually(t, 30*time.Second, "a new connection is served", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Close = true
		answer, err := http.DefaultClient.Do(req)
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
}

// TestHeadersAreBounded: more than 32 KiB of headers are refused.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	s := running(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Long", strings.Repeat("x", 64<<10))
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d", answer.StatusCode)
	}
}
