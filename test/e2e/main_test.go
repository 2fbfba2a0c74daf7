// Package e2e proves what users of the service see: the real binary, its own
// Postgres, real Chromium and real pages, from outside only.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"understudy/test/harness"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Tests wait for the service more than they compute; what computes, the
	// browsers, is bounded by the service.
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(harness.Main(m, "node", "ffprobe"))
}

// service is a running one with what only these tests do with it.
type service struct{ *harness.Service }

// own is a service of the test's own, started.
func own(t *testing.T, env ...string) *service { return &service{harness.Run(t, env...)} }

// running is the common service.
func running(t *testing.T) *service { return &service{harness.Common(t)} }

func (s *service) live() client    { return client{s.Live()} }
func (s *service) sandbox() client { return client{s.Sandbox()} }
