package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/playwright-community/playwright-go"
)

const (
	// startLimit bounds the start of the driver and of Chromium: half a second
	// on an idle machine, so a minute means that something is wrong.
	startLimit = time.Minute
	// stopLimit bounds a polite stop of either before it is killed.
	stopLimit = 4 * time.Second
	// pingLimit bounds the question whether the driver is still there.
	pingLimit = 2 * time.Second
)

// engine is one driver process with one Chromium below it. The driver reads its
// standard input and ends, taking Chromium along, when that closes: so neither
// outlives this process, however it dies.
type engine struct {
	pw        *playwright.Playwright
	chromium  playwright.Browser
	driverPID int
	// users counts sessions; guarded by Browser.turn.
	users int
	// sick: something could not be closed in time. No new session starts here.
	sick     atomic.Bool
	lost     chan struct{}
	loseOnce sync.Once
}

// launching serializes driver starts: the client library keeps its logger and
// the path of node in process-wide variables.
var launching sync.Mutex

func startEngine(ctx context.Context, cfg Config) (*engine, error) {
	type started struct {
		e   *engine
		err error
	}
	done := make(chan started, 1)
	go func() {
		e, err := launch(cfg)
		done <- started{e, err}
	}()
	select {
	case s := <-done:
		return s.e, s.err
	case <-ctx.Done():
	case <-time.After(startLimit):
	}
	go func() { // nobody waits for it any more
		if s := <-done; s.err == nil {
			if err := s.e.stop(); err != nil {
				cfg.Logger.Warn("browser did not stop cleanly", "error", err)
			}
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the browser did not start within %s", startLimit)
}

func launch(cfg Config) (*engine, error) {
	launching.Lock()
	defer launching.Unlock()
	if err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", cfg.NodePath); err != nil {
		return nil, fmt.Errorf("name node to the browser driver: %w", err)
	}
	before := drivers(cfg.DriverDir)
	pw, err := playwright.Run(&playwright.RunOptions{
		DriverDirectory:     cfg.DriverDir,
		SkipInstallBrowsers: true,
		Stdout:              io.Discard,
		Stderr:              io.Discard,
		Logger:              cfg.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("start the browser driver: %w", err)
	}
	e := &engine{pw: pw, lost: make(chan struct{})}
	for pid := range drivers(cfg.DriverDir) {
		if !before[pid] {
			e.driverPID = pid
		}
	}
	e.chromium, err = pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath:  playwright.String(cfg.ChromiumPath),
		Headless:        playwright.Bool(true),
		ChromiumSandbox: playwright.Bool(os.Geteuid() != 0), // Chromium refuses its sandbox to root
		Args:            chromiumArgs(),
		Env:             chromiumEnv(),
		HandleSIGHUP:    playwright.Bool(false),
		HandleSIGINT:    playwright.Bool(false),
		HandleSIGTERM:   playwright.Bool(false),
		Timeout:         playwright.Float(30_000),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("launch %s: %w", cfg.ChromiumPath, err), e.stop())
	}
	e.chromium.OnDisconnected(func(playwright.Browser) { e.lose() })
	return e, nil
}

// chromiumArgs add to the driver's own (which silence updates, background
// networking, throttling and first-run pages). QUIC and unproxied WebRTC would
// pass by the egress proxy.
func chromiumArgs() []string {
	return []string{
		"--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-domain-reliability",
		"--no-pings",
		"--mute-audio",
		"--font-render-hinting=none",
	}
}

// chromiumEnv is what Chromium needs of our environment. The rest holds the
// service's own secrets and is not for a process that runs foreign scripts.
func chromiumEnv() map[string]string {
	env := map[string]string{}
	for _, key := range []string{"HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "XDG_RUNTIME_DIR"} {
		if value, ok := os.LookupEnv(key); ok {
			env[key] = value
		}
	}
	return env
}

func (e *engine) lose() { e.loseOnce.Do(func() { close(e.lost) }) }

func (e *engine) isLost() bool {
	select {
	case <-e.lost:
		return true
	default:
		return false
	}
}

// alive asks the browser something small. A dead driver raises no event, so this
// is how its end is noticed; the engine is then lost.
func (e *engine) alive() bool {
	if e.isLost() {
		return false
	}
	err := within(pingLimit, func() error {
		s, err := e.chromium.NewBrowserCDPSession()
		if err != nil {
			return err
		}
		return s.Detach()
	})
	if err != nil {
		e.lose()
		return false
	}
	return true
}

// stop ends Chromium, then the driver; what does not end in time is killed.
func (e *engine) stop() error {
	if e.chromium != nil && !e.isLost() {
		_ = within(stopLimit, func() error { return e.chromium.Close() }) // the driver's end below takes it along
	}
	e.lose()
	stopped := make(chan struct{})
	go func() {
		_ = e.pw.Stop() // a driver that was killed says so here; it is gone either way
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-time.After(stopLimit):
	}
	if e.driverPID == 0 {
		return errors.New("the browser driver did not stop")
	}
	if err := syscall.Kill(e.driverPID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill the browser driver: %w", err)
	}
	return nil
}

// within runs fn and stops waiting for it after a while.
func within(limit time.Duration, fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return context.DeadlineExceeded
	}
}

// drivers lists our child processes that run the driver in dir. The client
// library does not tell the process it starts, and a driver that hangs can only
// be ended by its id.
func drivers(dir string) map[int]bool {
	found := map[int]bool{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return found
	}
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		// pid (comm) state ppid …; comm may hold spaces and parentheses.
		end := strings.LastIndexByte(string(raw), ')')
		fields := strings.Fields(string(raw[end+1:]))
		if end < 0 || len(fields) < 2 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		cmd, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || !strings.Contains(string(cmd), dir) || !strings.Contains(string(cmd), "run-driver") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			found[pid] = true
		}
	}
	return found
}
