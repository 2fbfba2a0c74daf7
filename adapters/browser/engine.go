package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/playwright-community/playwright-go"
)

const (
	// startLimit bounds the start of the driver and of Chromium: half a second
	// on an idle machine, so a minute means that something is wrong; on a late or
	// crowded one it is longer.
	startLimit = time.Minute
	// stopLimit bounds a polite stop of either before it is killed.
	stopLimit = 4 * time.Second
	// pingLimit bounds the question whether the driver is still there, busyLimit
	// that to a driver whose process runs: a page may flood it with events.
	// Both are longer on a late or crowded machine.
	pingLimit = 2 * time.Second
	busyLimit = 8 * time.Second
)

// engine is one driver process with one Chromium below it. The driver reads its
// standard input and ends, taking Chromium along, when that closes: so neither
// outlives this process, however it dies.
type engine struct {
	pw        *playwright.Playwright
	chromium  playwright.Browser
	driverPID int
	// chromiumPID and profile, its directory, are what a killed driver leaves.
	chromiumPID int
	profile     string
	zygotes     []int // of whom the processes of pages come
	room        *room
	logger      *slog.Logger
	// users counts the open sessions, served all of them; guarded by Browser.turn.
	users, served int
	// sick: something could not be closed in time. No new session starts here.
	sick     atomic.Bool
	lost     chan struct{}
	loseOnce sync.Once
}

// launching serializes driver starts: the client library keeps its logger and
// the path of node in process-wide variables.
var launching sync.Mutex

// startEngine starts a driver and Chromium. When ctx ends first nobody waits for them any
// more but Close: they are stopped as soon as they are there. The caller has b.turn.
func (b *Browser) startEngine(ctx context.Context) (*engine, error) {
	type started struct {
		e   *engine
		err error
	}
	done, abandoned := make(chan started), make(chan struct{})
	b.launches.Go(func() {
		e, err := launch(b.cfg, times(b.Pace(), startLimit))
		select {
		case done <- started{e, err}:
		case <-abandoned:
			if err == nil {
				b.retire(e)
			}
		}
	})
	began := time.Now()
	for timer := time.NewTimer(startLimit); ; {
		select {
		case s := <-done:
			return s.e, s.err
		case <-ctx.Done():
		case <-timer.C:
			if left := b.pace.left(began, startLimit); left > 0 {
				timer.Reset(left)
				continue
			}
		}
		close(abandoned)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the browser did not start within %s", time.Since(began).Round(time.Second))
	}
}

// launch starts both; Chromium has this long.
func launch(cfg Config, limit time.Duration) (*engine, error) {
	launching.Lock()
	defer launching.Unlock()
	room, err := makeRoom(cfg)
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", room.node); err != nil {
		return nil, fmt.Errorf("name node to the browser driver: %w", err)
	}
	before := children(os.Getpid())
	pw, err := playwright.Run(&playwright.RunOptions{
		DriverDirectory:     room.driver,
		SkipInstallBrowsers: true,
		Stdout:              io.Discard,
		Stderr:              lastWord{cfg.Logger},
		Logger:              cfg.Logger,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the browser driver: %w", err), os.RemoveAll(room.dir))
	}
	e := &engine{pw: pw, room: room, logger: cfg.Logger, lost: make(chan struct{})}
	for pid, cmd := range children(os.Getpid()) {
		if _, old := before[pid]; !old && strings.Contains(cmd, room.driver) && strings.Contains(cmd, "run-driver") {
			e.driverPID = pid
		}
	}
	e.chromium, err = pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath:    playwright.String(cfg.ChromiumPath),
		Headless:          playwright.Bool(true),
		ChromiumSandbox:   playwright.Bool(!cfg.NoSandbox),
		Args:              chromiumArgs(),
		IgnoreDefaultArgs: unwanted,
		Env:               chromiumEnv(room),
		ArtifactsDir:      playwright.String(room.downloads), // the driver's own would stay behind when it is killed
		HandleSIGHUP:      playwright.Bool(false),
		HandleSIGINT:      playwright.Bool(false),
		HandleSIGTERM:     playwright.Bool(false),
		Timeout:           playwright.Float(float64(limit.Milliseconds())),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("launch %s: %w", cfg.ChromiumPath, sandboxed(err)), e.stop())
	}
	for pid, cmd := range children(e.driverPID) {
		if _, after, ok := strings.Cut(cmd, profileFlag); ok {
			e.chromiumPID = pid
			e.profile, _, _ = strings.Cut(after, "\x00")
		}
	}
	of := parents()
	for pid := range of {
		if below(pid, e.chromiumPID, of) && strings.Contains(commandLine(pid), "--type=zygote") {
			e.zygotes = append(e.zygotes, pid)
		}
	}
	e.chromium.OnDisconnected(func(playwright.Browser) { e.lose("it closed") })
	go e.bound(cfg)
	return e, nil
}

// unwanted are switches of the driver's by which one page ends, or holds up, the sessions of all.
var unwanted = []string{
	// A page may change its address without end, about which Chromium answers nobody for as long.
	"--disable-ipc-flooding-protection",
	// Chromium 156 segfaults when a page ends while its picture is taken.
	"--enable-features=CDPScreenshotNewSurface",
}

// lastWord logs how Chromium ended, other than by itself, of what the driver says (driver/pipe.js):
// by which signal, or with which exit code, which is 128 and the signal where Chromium is started
// by a script of the system.
type lastWord struct{ logger *slog.Logger }

func (w lastWord) Write(said []byte) (int, error) {
	for line := range strings.Lines(string(said)) {
		if how, ok := strings.CutPrefix(line, "browser ended: "); ok {
			w.logger.Warn("the browser ended", "how", strings.TrimSpace(how))
		}
	}
	return len(said), nil
}

// chromiumArgs add to the driver's own (which silence updates, background
// networking, throttling and first-run pages). QUIC and unproxied WebRTC would
// pass by the egress proxy. Chromium ends, with the sessions of all, when the process that
// paints has ended six times, which a page can bring about.
func chromiumArgs() []string {
	return []string{
		"--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-domain-reliability",
		"--no-pings",
		"--disable-gpu-process-crash-limit",
		"--mute-audio",
		"--log-level=2", // nothing of what pages say
		"--font-render-hinting=none",
	}
}

func chromiumEnv(r *room) map[string]string {
	env := map[string]string{}
	for _, pair := range environment(r) {
		key, value, _ := strings.Cut(pair, "=")
		env[key] = value
	}
	return env
}

// lose ends what waits for the engine, and Chromium with all its processes: nobody can use
// them any more, and pages that loop would take the processors from the next browser until
// the last session has gone.
func (e *engine) lose(why string) {
	e.loseOnce.Do(func() {
		close(e.lost)
		e.logger.Warn("the browser was lost", "why", why)
		if e.runs() {
			_ = syscall.Kill(-e.chromiumPID, syscall.SIGKILL) // stop sees whether it worked
		}
	})
}

// runs reports whether Chromium's process is there; its number may be another's by now.
func (e *engine) runs() bool {
	return e.profile != "" && strings.Contains(commandLine(e.chromiumPID), e.profile)
}

func (e *engine) isLost() bool {
	select {
	case <-e.lost:
		return true
	default:
		return false
	}
}

// alive asks the browser something small. A dead driver raises no event, so this is how its
// end is noticed; the engine is then lost.
func (e *engine) alive(p *pace) bool {
	if e.isLost() {
		return false
	}
	limit := pingLimit
	if commandLine(e.driverPID) != "" {
		limit = busyLimit
	}
	answer := make(chan error, 1)
	go func() {
		s, err := e.chromium.NewBrowserCDPSession()
		if err == nil {
			err = s.Detach()
		}
		answer <- err
	}()
	began := time.Now()
	for timer := time.NewTimer(limit); ; {
		select {
		case err := <-answer:
			if err != nil {
				e.lose(err.Error())
			}
			return err == nil
		case <-e.lost:
			return false
		case <-timer.C:
			if left := p.left(began, limit); left > 0 {
				timer.Reset(left)
				continue
			}
			e.lose("no answer within " + time.Since(began).Round(time.Second).String())
			return false
		}
	}
}

// stop ends Chromium, then the driver; what does not end in time is killed.
func (e *engine) stop() error {
	running := e.chromium != nil && !e.isLost()
	e.loseOnce.Do(func() { close(e.lost) })
	if running {
		_ = within(stopLimit, func() error { return e.chromium.Close() }) // the driver's end below takes it along
	}
	stopped := make(chan struct{})
	go func() {
		_ = e.pw.Stop() // a driver that was killed says so here; it is gone either way
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(stopLimit):
		if e.driverPID == 0 {
			return errors.New("the browser driver did not stop")
		}
		if err := syscall.Kill(e.driverPID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill the browser driver: %w", err)
		}
	}
	return e.sweep()
}

// sweep removes the downloads, and what a driver that was killed could not: its
// Chromium, should that not have noticed yet, and Chromium's profile directory.
func (e *engine) sweep() error {
	if err := e.sweepProfile(); err != nil {
		return err
	}
	if err := os.RemoveAll(e.room.dir); err != nil {
		return fmt.Errorf("remove the browser's directory: %w", err)
	}
	return nil
}

func (e *engine) sweepProfile() error {
	if e.profile == "" {
		return nil
	}
	for deadline := time.Now().Add(stopLimit); e.runs(); {
		// The whole group, which the driver makes: the child may be a script of the
		// system, and Chromium below it.
		if err := syscall.Kill(-e.chromiumPID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill the browser: %w", err)
		}
		if time.Now().After(deadline) {
			return errors.New("the browser did not stop")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := os.RemoveAll(e.profile); err != nil {
		return fmt.Errorf("remove the browser's profile: %w", err)
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
