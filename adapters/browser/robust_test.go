package browser_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

func TestAPageThatHangs(t *testing.T) {
	t.Parallel()
	looping.Lock()
	defer looping.Unlock()
	s := visit(t, "/play.html")
	ref := element(t, look(t, s), "Loop").Ref
	bounded, done := patience.Context(t.Context(), 25*time.Second)
	defer done()
	_, err := s.Act(t.Context(), walk.Action{Type: walk.Click, Ref: ref}, "")
	if !errors.Is(err, browser.ErrPageHung) || bounded.Err() != nil {
		t.Errorf("a looping page ended with %v, or late", err)
	}
	if _, err := s.Look(t.Context()); !errors.Is(err, browser.ErrPageHung) {
		t.Errorf("a look afterwards: %v", err)
	}
	visit(t, "/facts.html") // the others go on
}

func TestCancellingClosesAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan *patience.Patience, 1)
	time.AfterFunc(100*time.Millisecond, func() { left <- patience.For(time.Second); cancel() })
	_, err := s.Goto(ctx, site.URL+"/slow")
	if !errors.Is(err, context.Canceled) || (<-left).Lost() {
		t.Errorf("cancelled with %v, or late", err)
	}
	if _, err := s.Look(t.Context()); err == nil {
		t.Error("a cancelled session still looks")
	}
}

func TestNavigationErrors(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{})
	for _, c := range []struct {
		address, code string
		status        int
	}{
		{site.URL + "/missing", browser.NavHTTP, 404},
		{site.URL + "/json", browser.NavNotHTML, 200},
		{site.URL + "/file.bin", browser.NavNotHTML, 200},
		{site.URL + "/loop", browser.NavRedirectLoop, 0},
		{site.URL + "/slow", browser.NavTimeout, 0},
		{"http://127.0.0.1:1/", browser.NavBlocked, 0}, // a port no browser opens
		{"http://127.40.0.1:4001/", browser.NavRefused, 0},
		{"http://nowhere.invalid/", browser.NavDNS, 0},
		{strings.Replace(site.URL, "http:", "https:", 1), browser.NavTLS, 0},
		{"file:///etc/passwd", browser.NavBlocked, 0},
		{"data:text/html,hi", browser.NavBlocked, 0},
		{"chrome://version", browser.NavBlocked, 0},
	} {
		_, err := s.Goto(t.Context(), c.address)
		var failure *browser.NavigationError
		if !errors.As(err, &failure) || failure.Code != c.code || (c.status != 0 && failure.Status != c.status) {
			t.Errorf("%s: %v (%+v), want %s %d", c.address, err, failure, c.code, c.status)
		}
	}
	if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
		t.Errorf("the session does not go on: %v", err)
	}
}

// TestAStartThatNobodyWaitsForIsOverWithTheBrowser: who closes a browser that is being
// started, for somebody who has gone, finds nothing of it afterwards.
func TestAStartThatNobodyWaitsForIsOverWithTheBrowser(t *testing.T) {
	cfg := programs
	cfg.TempDir = passable(t)
	b := browser.New(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		_, err := b.Open(ctx, browser.SessionOptions{})
		opened <- err
	}()
	patience.Eventually(t, 10*time.Second, "the start has begun", func() bool { return len(entries(t, cfg.TempDir)) > 0 })
	cancel()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Fatalf("the start was not under way any more: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left := entries(t, cfg.TempDir); len(left) > 0 {
		t.Errorf("the closed browser has %v", left)
	}
}

// entries are the names in a directory.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}

// passable is a directory of the test's own that the browser's user passes through.
func passable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o711); err != nil { //nolint:gosec // as its comment in Config says
			t.Fatal(err)
		}
	}
	return dir
}

// TestLosingTheBrowser kills Chromium, the driver and a renderer under a Browser of its
// own and goes on; at the end nothing is left running.
// It runs before the parallel tests, whose processes it must not hit.
func TestLosingTheBrowser(t *testing.T) {
	cfg := programs
	cfg.IdleTimeout = 100 * time.Millisecond
	cfg.TempDir = passable(t)
	logged, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Logger = slog.New(slog.NewTextHandler(logged, nil))
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	before := running(os.Getpid(), nil)
	var profiles []string
	for victim, want := range map[string]error{
		"chromium": browser.ErrBrowserLost, "run-driver": browser.ErrBrowserLost, "--type=renderer": browser.ErrPageCrashed,
	} {
		// One session asks until it is told; the other thinks meanwhile, and asks when
		// all is long over.
		var s, thinking *browser.Session
		for _, open := range []**browser.Session{&thinking, &s} {
			var err error
			if *open, err = b.Open(t.Context(), browser.SessionOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err = (*open).Goto(t.Context(), site.URL+"/facts.html"); err != nil {
				t.Fatal(err)
			}
		}
		for pid, cmd := range running(os.Getpid(), before) {
			if _, profile, ok := strings.Cut(cmd, "--user-data-dir="); ok {
				profile, _, _ = strings.Cut(profile, " ")
				profiles = append(profiles, profile)
			}
			if strings.Contains(cmd, victim) && strings.Contains(cmd, "--type=") == strings.Contains(victim, "--type=") {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
					t.Fatal(err)
				}
			}
		}
		left := patience.For(5 * time.Second)
		err = nil
		for err == nil {
			_, err = s.Look(t.Context())
		}
		if !errors.Is(err, want) || left.Lost() {
			t.Errorf("%s killed: %v, or late", victim, err)
		}
		if _, err := thinking.Look(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s killed, asked afterwards: %v", victim, err)
		}
		if err := errors.Join(s.Close(), thinking.Close()); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the log says how Chromium ended", func() bool {
		said, err := os.ReadFile(logged.Name())
		return err == nil && regexp.MustCompile(`the browser ended" how=(SIGKILL|137)`).Match(said) // 137: of a script that starts it
	})
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatalf("after all were killed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "an idle browser is stopped", func() bool { return !b.Running() && len(running(os.Getpid(), before)) == 0 })
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if rest := entries(t, cfg.TempDir); len(rest) > 0 {
		t.Errorf("temporary files are left behind: %v", rest)
	}
	if len(profiles) == 0 {
		t.Error("no profile directory was seen")
	}
	for _, profile := range profiles {
		if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind: %v", profile, err)
		}
	}
	if _, err := b.Open(t.Context(), browser.SessionOptions{}); !errors.Is(err, browser.ErrClosed) {
		t.Errorf("opened after the end: %v", err)
	}
}

// TestAHungBrowserEndsWithItsDriver: a Chromium that does not notice the death of
// its driver is killed, with whatever script of the system it was started by.
func TestAHungBrowserEndsWithItsDriver(t *testing.T) {
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	before := running(os.Getpid(), nil)
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	left := running(os.Getpid(), before)
	for _, each := range []struct {
		victim string
		signal syscall.Signal
	}{{"--user-data-dir=", syscall.SIGSTOP}, {"run-driver", syscall.SIGKILL}} {
		for pid, cmd := range left {
			if !strings.Contains(cmd, "--type=") && strings.Contains(cmd, each.victim) {
				if err := syscall.Kill(pid, each.signal); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if _, err := s.Look(t.Context()); !errors.Is(err, browser.ErrBrowserLost) {
		t.Errorf("the driver is dead: %v", err)
	}
	if err := errors.Join(s.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	eventually(t, "driver and Chromium are gone", func() bool { return !slices.ContainsFunc(slices.Collect(maps.Keys(left)), alive) })
}

// endOf looks at a page until that ends a session, and says by what.
func endOf(t *testing.T, b *browser.Browser, url string) (*browser.Session, error) {
	t.Helper()
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Goto(t.Context(), url)
	eventually(t, "the page ends its session", func() bool {
		if err == nil {
			_, err = s.Look(t.Context())
		}
		return err != nil
	})
	return s, err
}

// TestAPageThatTakesTooMuchMemoryIsEnded: it has crashed; another session of the browser
// goes on.
func TestAPageThatTakesTooMuchMemoryIsEnded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Hoard</title><h1>Hoard</h1><button>Go on</button><script>const all=[];setInterval(()=>{if(all.length<40)all.push(new Uint8Array(5e7).fill(7))},50)</script>`)
	}))
	t.Cleanup(server.Close)
	cfg := programs
	cfg.PageMemory = 500 << 20
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	other, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
		t.Fatal(err)
	}
	s, err := endOf(t, b, server.URL)
	if !errors.Is(err, browser.ErrPageCrashed) {
		t.Errorf("the hoard ended with %v", err)
	}
	if p, err := other.Look(t.Context()); err != nil || len(p.Texts) == 0 {
		t.Errorf("the other session sees %d texts, %v", len(p.Texts), err)
	}
	if err := errors.Join(s.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}

// TestABrowserThatTakesTooMuchMemoryIsEnded: what pages can make Chromium's first process hold
// has a bound as well; the next session has another browser.
func TestABrowserThatTakesTooMuchMemoryIsEnded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/blob" {
			_, _ = w.Write(make([]byte, 2e7))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Blobs</title><h1>Blobs</h1><script>(async()=>{const all=[];while(all.length<90)all.push(await(await fetch("/blob",{cache:"no-store"})).blob())})()</script>`)
	}))
	t.Cleanup(server.Close)
	cfg := programs
	cfg.PageMemory = 200 << 20
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	s, err := endOf(t, b, server.URL)
	if !errors.Is(err, browser.ErrBrowserLost) {
		t.Errorf("the browser ended with %v", err)
	}
	_ = s.Close() // it has gone with its browser
	if s, err = b.Open(t.Context(), browser.SessionOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
		t.Errorf("the next session: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestTheBrowserIsRenewed: after its number of sessions a browser takes no new
// ones, but who is still on it is not disturbed.
func TestTheBrowserIsRenewed(t *testing.T) {
	cfg := programs
	cfg.RenewAfter = 2
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	before := running(os.Getpid(), nil)
	drivers := func() (n int) {
		for _, cmd := range running(os.Getpid(), before) {
			if strings.Contains(cmd, "run-driver") {
				n++
			}
		}
		return n
	}
	var all []*browser.Session
	for range 3 {
		s, err := b.Open(t.Context(), browser.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if n := drivers(); n != 2 {
		t.Errorf("%d browsers serve three sessions, want 2", n)
	}
	for _, s := range all {
		if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
			t.Error(err)
		}
	}
	for _, s := range all[:2] {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the first browser ends with its last session", func() bool { return drivers() == 1 })
	if _, err := all[2].Look(t.Context()); err != nil {
		t.Errorf("the second browser: %v", err)
	}
}

// alone is a session on a page, in a browser of its own, with the processes that ran
// before that.
func alone(t *testing.T) (s *browser.Session, before map[int]string) {
	t.Helper()
	before = running(os.Getpid(), nil)
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
		t.Fatal(err)
	}
	return s, before
}

// TestAPageMayEndWhileItsPictureIsTaken: that is the end of one session and no other. Taken of
// its surface, Chromium would have ended with all of them.
func TestAPageMayEndWhileItsPictureIsTaken(t *testing.T) {
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	visited := func(o browser.SessionOptions) *browser.Session {
		s, err := b.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
			t.Fatal(err)
		}
		return s
	}
	other := visited(browser.SessionOptions{})
	for _, zoom := range []float64{1, 2} {
		before := running(os.Getpid(), nil)
		s := visited(browser.SessionOptions{Zoom: zoom})
		pages := running(os.Getpid(), before)
		signal := func(what syscall.Signal) {
			for pid, cmd := range pages {
				if strings.Contains(cmd, "--type=renderer") {
					if err := syscall.Kill(pid, what); err != nil && !errors.Is(err, syscall.ESRCH) {
						t.Fatal(err)
					}
				}
			}
		}
		signal(syscall.SIGSTOP)
		ended := make(chan error, 1)
		go func() {
			_, _, _, err := s.Screenshot(t.Context())
			ended <- err
		}()
		for range 5 { // by then the page is asked for its picture
			if _, _, _, err := other.Screenshot(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		signal(syscall.SIGKILL)
		if err := <-ended; !errors.Is(err, browser.ErrPageCrashed) {
			t.Errorf("zoomed by %g, the session ended with %v", zoom, err)
		}
		if p := look(t, other); p.Title != "Facts" {
			t.Errorf("the other session sees %q", p.Title)
		}
	}
}

// TestThePainterMayEndOften: the process that paints for all pages is started again however
// often one of them has it end. Chromium by itself gives up at the sixth time, with every
// session that it has, and one picture in 25 is refused because its painter has just ended.
func TestThePainterMayEndOften(t *testing.T) {
	s, before := alone(t)
	for n := range 24 {
		eventually(t, "a painter", func() bool {
			for pid, cmd := range running(os.Getpid(), before) {
				if strings.Contains(cmd, "--type=gpu-process") {
					before[pid] = cmd
					return syscall.Kill(pid, syscall.SIGKILL) == nil
				}
			}
			return false
		})
		if _, _, _, err := s.Screenshot(t.Context()); err != nil {
			t.Fatalf("after %d of its ends: %v", n+1, err)
		}
	}
	if p := look(t, s); p.Title != "Facts" {
		t.Errorf("afterwards %q is seen", p.Title)
	}
}

// TestNothingOutlivesAKilledProcess runs this test binary as a child that opens
// a session, kills it, and waits for driver and Chromium to be gone.
func TestNothingOutlivesAKilledProcess(t *testing.T) {
	t.Parallel()
	if os.Getenv("UNDERSTUDY_TEST_HOLD") != "" {
		visit(t, "/facts.html")
		if err := os.WriteFile(os.Getenv("UNDERSTUDY_TEST_HOLD"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		<-t.Context().Done()
		return
	}
	mark := filepath.Join(t.TempDir(), "up")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNothingOutlivesAKilledProcess$", "-test.timeout="+patience.Scaled(time.Minute).String())
	cmd.Env = append(os.Environ(), "UNDERSTUDY_TEST_HOLD="+mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child has a session", func() bool { _, err := os.Stat(mark); return err == nil })
	left := running(cmd.Process.Pid, nil)
	if len(left) < 3 {
		t.Errorf("the child runs only %v", left)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says that it was killed
	eventually(t, "driver and Chromium are gone", func() bool {
		for pid := range left {
			if alive(pid) {
				return false
			}
		}
		return true
	})
}

// running lists the descendants of a process with their command lines, without
// those known before and without zombies.
func running(root int, known map[int]string) map[int]string {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || fields[0] == "Z" {
			continue
		}
		if parents[pid], err = strconv.Atoi(fields[1]); err != nil {
			continue
		}
	}
	found := map[int]string{}
	for pid := range parents {
		for p := parents[pid]; p > 1; p = parents[p] {
			if p != root {
				continue
			}
			if _, old := known[pid]; !old {
				raw, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
				found[pid] = strings.ReplaceAll(string(raw), "\x00", " ")
			}
		}
	}
	return found
}

func alive(pid int) bool {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	return fields[0] != "Z"
}

func TestALinkToAServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	cfg := programs
	cfg.NavigationLimit = 0 // the service's own
	own := browser.New(cfg)
	t.Cleanup(func() { _ = own.Close() })
	s, err := own.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Goto(t.Context(), site.URL+"/play.html"); err != nil {
		t.Fatal(err)
	}
	most := patience.Scaled(20 * time.Second)
	e := act(t, s, walk.Click, "Slow link", "")
	want := walk.Request{Method: "GET", URL: site.URL + "/slow", Status: 0, Kind: "document", Caused: true}
	if len(e.Requests) != 1 || e.Requests[0] != want || e.SettleMS > int(most.Milliseconds()) {
		t.Errorf("effect: %+v", e)
	}
	element(t, look(t, s), "Slow link") // the page from which it was asked is still there
}

// TestALostBrowserComputesNoMore: of a browser that answers nobody, nothing is left
// running, though a session on it has not been closed yet.
func TestALostBrowserComputesNoMore(t *testing.T) {
	s, before := alone(t)
	chromium := func() (pids []int) {
		for pid, cmd := range running(os.Getpid(), before) {
			if strings.Contains(cmd, "--user-data-dir=") {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	stopped := chromium()
	if len(stopped) == 0 {
		t.Fatal("no Chromium runs")
	}
	for _, pid := range stopped {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Look(t.Context()); !errors.Is(err, browser.ErrBrowserLost) {
		t.Errorf("looking ends with %v", err)
	}
	eventually(t, "nothing is left of it", func() bool { return len(chromium()) == 0 })
}
