package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"understudy/test/patience"
)

// built is the program that Main has compiled.
var built string

// common is the service of the tests that only need a running one.
var common struct {
	sync.Mutex
	*Service
	err error
}

// Main looks for what the tests need beside the program, compiles it, runs the
// tests, ends the common service and returns the exit code. Packages that start
// services have it in their TestMain.
func Main(m *testing.M, needs ...string) (code int) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "harness:", err)
			code = max(code, 1)
		}
	}
	for _, program := range needs {
		if _, err := exec.LookPath(program); err != nil {
			fail(fmt.Errorf("%s is missing: run `make setup`", program))
			return code
		}
	}
	if _, err := os.Stat(filepath.Join(Driver(), "package", "cli.js")); err != nil {
		fail(errors.New("the Playwright driver is missing: run `make setup`"))
		return code
	}
	dir, err := os.MkdirTemp("", "harness-")
	if err != nil {
		fail(err)
		return code
	}
	defer func() { fail(os.RemoveAll(dir)) }()
	if built, err = BuildOnce(context.Background(), dir); err != nil {
		fail(err)
		return code
	}
	code = m.Run()
	if s := common.Service; s != nil {
		fail(s.Stop())
		if code != 0 {
			fmt.Fprintf(os.Stderr, "the common service's output:\n%s\n", s.Tail())
		}
		fail(os.RemoveAll(s.Dir))
	}
	return code
}

// Binary is the program that Main has compiled.
func Binary() string { return built }

// Common is a service that runs for all tests that ask for it.
func Common(t testing.TB) *Service {
	t.Helper()
	common.Lock()
	defer common.Unlock()
	if common.Service == nil {
		common.Service = newService(t, Loopback)
		common.err = common.Start(context.Background())
	}
	if common.err != nil {
		t.Fatalf("the common service: %v", common.err)
	}
	return common.Service
}

// Run starts a service of the test's own.
func Run(t testing.TB, env ...string) *Service {
	t.Helper()
	s := Prepare(t, env...)
	s.Begin(t)
	return s
}

// Prepare makes a service of the test's own, which does not run yet. If it runs
// at the end of the test, it is stopped with SIGTERM and must leave with 0.
func Prepare(t testing.TB, env ...string) *Service {
	t.Helper()
	s := newService(t, env...)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop the service: %v", err)
		}
		if t.Failed() {
			t.Logf("the service's output:\n%s", s.Tail())
		}
		// The Postgres of a service that was killed writes until it has ended, too.
		var err error
		if late := patience.Until(context.Background(), 30*time.Second, func() bool { err = os.RemoveAll(s.Dir); return err == nil }); late != nil {
			t.Error(errors.Join(late, err))
		}
	})
	return s
}

func newService(t testing.TB, env ...string) *Service {
	t.Helper()
	dir, err := os.MkdirTemp("", "e2e-") //nolint:usetesting // its sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	return &Service{Binary: built, Dir: dir, Env: env}
}

// Begin is Start that must succeed.
func (s *Service) Begin(t testing.TB) {
	t.Helper()
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Killed ends a service with SIGKILL.
func (s *Service) Killed(t testing.TB) {
	t.Helper()
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
}

// Restarted kills a service and starts it again on its data.
func (s *Service) Restarted(t testing.TB) {
	t.Helper()
	s.Killed(t)
	s.Begin(t)
}

// Lead is a line to an address on this machine for one test.
func Lead(t testing.TB, to string) *Line {
	t.Helper()
	l, err := NewLine(context.Background(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
