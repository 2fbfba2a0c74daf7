// Package e2e proves what users of the service see: the real binary, its own
// Postgres, real Chromium and real pages, from outside only.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const (
	// loopback is what `make run` allows tests and webhooks to reach.
	loopback = "UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128"
	// buildLimit bounds the compilation on a machine without a build cache.
	buildLimit = 10 * time.Minute
)

var (
	// root is the top of the checkout.
	root = filepath.Join("..", "..")
	// binary is the program under test.
	binary string
	// common is the service of the tests that only need a running one.
	common = sync.OnceValues(func() (*service, error) {
		dir, err := os.MkdirTemp("", "e2e-")
		if err != nil {
			return nil, err
		}
		s := newService(dir, loopback)
		return s, s.start()
	})
	commonUsed bool
	commonLock sync.Mutex
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	// Tests wait for the service more than they compute; what computes, the
	// browsers, is bounded by the service.
	if err := flag.Set("test.parallel", "6"); err != nil {
		return fail(err)
	}
	dir, err := os.MkdirTemp("", "e2e-bin-")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := prepare(dir); err != nil {
		return fail(err)
	}
	code = m.Run()
	commonLock.Lock()
	defer commonLock.Unlock()
	if !commonUsed {
		return code
	}
	s, err := common()
	if err == nil {
		err = s.stop()
	}
	code = max(code, fail(err))
	if code != 0 {
		fmt.Fprintf(os.Stderr, "the common service's output:\n%s\n", s.tail())
	}
	return max(code, fail(os.RemoveAll(s.dir)))
}

func fail(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// prepare builds the program and checks what the tests need beside it.
func prepare(dir string) error {
	for _, program := range []string{"node", "ffprobe"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing: run `make setup`", program)
		}
	}
	driver, err := filepath.Abs(filepath.Join(root, ".cache", "playwright"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(driver, "package", "cli.js")); err != nil {
		return fmt.Errorf("the Playwright driver is missing: run `make setup`")
	}
	if err := os.Setenv("UNDERSTUDY_PLAYWRIGHT_DIR", driver); err != nil {
		return err
	}
	binary = filepath.Join(dir, "e2e-service")
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/understudy")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// running is the common service.
func running(t *testing.T) *service {
	t.Helper()
	commonLock.Lock()
	commonUsed = true
	commonLock.Unlock()
	s, err := common()
	if err != nil {
		t.Fatalf("the common service: %v\n%s", err, s.tail())
	}
	return s
}

// slack is how many times longer than they say the helpers wait that await
// something. What they are told is much for a machine that does nothing else;
// while the tests of several packages run and are compiled side by side on two
// cores, one that is merely slow shall not look like one that hangs.
const slack = 4

// eventually waits until cond holds, slack times as long as within at most.
func eventually(t testing.TB, within time.Duration, what string, cond func() bool) {
	t.Helper()
	within *= slack
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	for !cond() {
		select {
		case <-ticks.C:
		case <-deadline.C:
			if !cond() {
				t.Fatalf("not within %s: %s", within, what)
			}
			return
		}
	}
}
