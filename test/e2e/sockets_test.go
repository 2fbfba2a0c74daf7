package e2e

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// TestIdleSocketsTakeNothingFromTheEventStore: somebody opens more connections than the
// process may have files, to each of its addresses, and says nothing on them; who is connected goes on working, what
// they do is kept, and afterwards everybody gets through again.
func TestIdleSocketsTakeNothingFromTheEventStore(t *testing.T) {
	t.Parallel()
	files := certificates(t)
	addresses := make([]string, 2) // of EventStoreDB clients and of operators
	for i := range addresses {
		var err error
		if addresses[i], err = harness.FreeAddress(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := &service{harness.Prepare(t, "UNDERSTUDY_NODE_LISTEN="+addresses[0], "UNDERSTUDY_NODE_CERT="+files.Cert, "UNDERSTUDY_NODE_KEY="+files.Key,
		"UNDERSTUDY_READER_PASSWORD="+readerPassword, "UNDERSTUDY_OPERATOR_LISTEN="+addresses[1])}
	script := filepath.Join(t.TempDir(), "few-files")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nulimit -n 900 && exec '"+s.Binary+"' \"$@\"\n"), 0o700); err != nil { //nolint:gosec // it is started
		t.Fatal(err)
	}
	s.Binary = script
	s.Begin(t)
	c := s.sandbox()
	c.create(t, harness.SignUp(1)) // and keeps its connection
	flood, stop := context.WithCancel(t.Context())
	var idle sync.WaitGroup
	for _, address := range append(addresses, s.Addr) {
		for range 900 {
			idle.Go(func() { stayIdle(flood, address) })
		}
	}
	for range 3 {
		c.completed(t, c.create(t, harness.SignUp(4)).ID, time.Minute)
	}
	stop()
	idle.Wait()
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

// stayIdle holds a connection, and another when that is taken away, until ctx ends.
func stayIdle(ctx context.Context, address string) {
	for ctx.Err() == nil {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			continue // the system's own queue is full
		}
		closed := context.AfterFunc(ctx, func() { _ = conn.Close() })
		_, _ = conn.Read(make([]byte, 1)) // nothing ever comes
		closed()
		_ = conn.Close()
	}
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
