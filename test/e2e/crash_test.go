package e2e

import (
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
	"understudy/test/sites"
)

// orphanLimit is how long what a killed service has started may outlive it.
const orphanLimit = 20 * time.Second

// signUpForReal is a live test of a few pages and a form.
func signUpForReal(t *testing.T, address string, sessions int) map[string]any {
	goal := task(t, sites.SaaS, "sign_up")
	return map[string]any{
		"url": address + goal.Start, "task": goal.Task, "success": goal.Success,
		"sessions": sessions, "viewport": []string{"desktop", "mobile"}, "seed": 5,
	}
}

// inTheMiddle waits until a test's sessions are walking and some have ended.
func inTheMiddle(t *testing.T, created harness.Test) {
	t.Helper()
	s := follow(t, created.StreamURL, 0)
	s.take(t, liveLimit, func(m []message) bool {
		n := kinds(m)
		return n["session.completed"] >= 2 && n["session.started"] > n["session.completed"]
	})
	s.close()
}

// temporary holds the service to one directory for temporary files while it
// runs, and none when it has ended.
func temporary(t *testing.T, s *service, want int) {
	t.Helper()
	parent := filepath.Join(s.Data(), "tmp")
	if os.Geteuid() == 0 || len(parent) > 32 { // root's browser is somebody else, and sockets have short paths
		h := fnv.New64a()
		h.Write([]byte(s.Data()))
		parent = filepath.Join(os.TempDir(), "understudy-t"+strconv.FormatUint(h.Sum64(), 36))
	}
	if found, err := os.ReadDir(parent); err != nil || len(found) != want {
		t.Errorf("temporary files: %v (%v), want %d directories", found, err, want)
	}
}

func TestAKilledServiceGoesOnWithItsTest(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.live()
	hook := receive(t, c, nil, "test.progress", "test.completed")
	created := c.create(t, signUpForReal(t, serveSite(t, sites.SaaS), 10))
	inTheMiddle(t, created)
	before := c.test(t, created.ID)
	family := s.family()
	if len(family) < 10 {
		t.Errorf("only %d processes of Postgres, node and Chromium are running: %v", len(family), family)
	}
	s.Killed(t)
	gone(t, family, orphanLimit)

	s.Begin(t)
	temporary(t, s, 1)
	if now := c.test(t, created.ID); now.SessionsCompleted < before.SessionsCompleted {
		t.Errorf("%d sessions had been counted before the kill, %d after", before.SessionsCompleted, now.SessionsCompleted)
	}
	done := c.completed(t, created.ID, liveLimit)
	countedOnce(t, done, c.sessions(t, created.ID))
	messages := follow(t, created.StreamURL, 0).rest(t, time.Minute)
	if n := kinds(messages); n["session.completed"]+n["session.failed"] != 10 || n["test.completed"] != 1 || n["test.progress"] != 10 {
		t.Errorf("the stream tells of %v", n)
	}
	// A delivery under way at the kill may come twice, with the same id.
	patience.Eventually(t, 20*time.Second, "eleven deliveries", func() bool {
		ids := map[string]bool{}
		for _, got := range hook.Of(created.ID) {
			ids[got.ID] = true
		}
		return len(ids) == 11
	})
}

func TestAPendingDeliverySurvivesAKill(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	up := make(chan struct{})
	hook := receive(t, c, func(harness.Received) int {
		select {
		case <-up:
			return http.StatusOK
		default:
			return http.StatusServiceUnavailable
		}
	}, "test.completed")
	created := c.create(t, signUp(3))
	refused := hook.await(t, created.ID, time.Minute, "test.completed")[0]
	s.Killed(t)
	close(up)
	s.Begin(t)
	patience.Eventually(t, 30*time.Second, "the delivery that was pending", func() bool { return len(hook.Of(created.ID)) >= 2 })
	again := hook.Of(created.ID)[1]
	if string(again.Body) != string(refused.Body) || again.ID != refused.ID {
		t.Errorf("before the kill came %s %s, after it %s %s", refused.ID, refused.Body,
			again.ID, again.Body)
	}
}

func TestARetriedPostAfterAKillMakesOneTest(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	post := func() answer {
		return c.send(t, http.MethodPost, "/tests", signUp(5), "Idempotency-Key", "deploy-41").wants(t, http.StatusCreated, "")
	}
	first := post()
	s.Restarted(t)
	second := post()
	if second.Header.Get("Idempotent-Replayed") != "true" || string(second.Body) != string(first.Body) {
		t.Errorf("the retry answers %v\n%s\nafter\n%s", second.Header, second.Body, first.Body)
	}
	if listed := all[harness.Test](t, c, "/tests"); len(listed) != 1 {
		t.Errorf("%d tests after a POST and its retry", len(listed))
	}
	id := read[harness.Test](t, first).ID
	countedOnce(t, c.completed(t, id, time.Minute), c.sessions(t, id))
}

func TestPostgresKilledInTheMiddleOfATest(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.live()
	created := c.create(t, signUpForReal(t, serveSite(t, sites.SaaS), 8))
	inTheMiddle(t, created)
	postmaster, ok := s.postmaster()
	if !ok {
		t.Fatal("the service runs without a Postgres")
	}
	if err := syscall.Kill(postmaster.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// Answers may fail for a moment, with 503 and never with anything else. The
	// killed server's children still answer at first.
	patience.Eventually(t, time.Minute, "an answer after Postgres was killed", func() bool {
		if now, ok := s.postmaster(); !ok || now.pid == postmaster.pid {
			return false
		}
		a, err := c.try(t, http.MethodGet, "/tests/"+created.ID, nil)
		if err == nil && a.StatusCode != http.StatusOK {
			a.wants(t, http.StatusServiceUnavailable, "unavailable")
			if a.Header.Get("Retry-After") == "" {
				t.Error("503 without Retry-After")
			}
		}
		return err == nil && a.StatusCode == http.StatusOK
	})
	countedOnce(t, c.completed(t, created.ID, liveLimit), c.sessions(t, created.ID))
}

func TestChromiumKilledInTheMiddleOfASession(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.live()
	created := c.create(t, signUpForReal(t, serveSite(t, sites.SaaS), 6))
	steps := follow(t, created.StreamURL, 0)
	steps.take(t, liveLimit, func(m []message) bool { return kinds(m)["session.step"] > 0 })
	browser, ok := s.chromium()
	if !ok {
		t.Fatalf("no Chromium among %v", s.family())
	}
	if err := syscall.Kill(browser.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	done := c.completed(t, created.ID, liveLimit)
	sessions := c.sessions(t, created.ID)
	countedOnce(t, done, sessions)
	again := 0
	for _, session := range sessions {
		if session.Status != "completed" {
			t.Errorf("session %d is %s: %+v", session.Index, session.Status, session.Failure)
		}
		if session.Attempt > 1 {
			again++
			if n := len(get[sessionResource](t, c, "/sessions/"+session.ID).Trace.Steps); n != session.Steps {
				t.Errorf("session %d has %d steps, its trace %d: those of the first attempt are gone", session.Index, session.Steps, n)
			}
		}
	}
	if again == 0 {
		t.Errorf("no session was begun again after process %d was killed: %.200s", browser.pid, browser.command)
		for _, session := range sessions {
			logWalk(t, c, session)
		}
	}
}

func TestSIGTERMDrainsAndLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.live()
	created := c.create(t, signUpForReal(t, serveSite(t, sites.SaaS), 8))
	inTheMiddle(t, created)
	open := follow(t, created.StreamURL, 0)
	open.take(t, time.Minute, func(m []message) bool { return len(m) > 0 })
	family := s.family()
	began := time.Now()
	code, err := s.Terminate()
	if err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}
	t.Logf("drained in %s", time.Since(began).Round(100*time.Millisecond))
	gone(t, family, time.Second)
	temporary(t, s, 0)
	if _, err := open.all(time.Minute); err != nil || open.end != 1001 {
		t.Errorf("the stream was closed with %d, want 1001: come again; %v", open.end, err)
	}
	s.Begin(t)
	countedOnce(t, c.completed(t, created.ID, liveLimit), c.sessions(t, created.ID))
}

// TestSIGTERMCallsTheDemoOff: its site ends with the service, so that its
// sessions could only fail.
func TestSIGTERMCallsTheDemoOff(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback, "UNDERSTUDY_DEMO=1")
	var id string
	patience.Eventually(t, time.Minute, "the demo test", func() bool {
		id = regexp.MustCompile(`test_[0-9a-z]{26}`).FindString(s.Tail())
		return id != ""
	})
	if code, err := s.Terminate(); err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}
	if !strings.Contains(s.Tail(), "the demo test was not completed: the service is stopping") {
		t.Error("the terminal does not say that the demo test was called off")
	}
	s.Begin(t)
	if demo := s.live().test(t, id); demo.Status != "cancelled" {
		t.Errorf("the demo test is %s", demo.Status)
	}
}

// TestAKilledDemoGoesOn: with the next start its site is where it was, and so are its
// people.
func TestAKilledDemoGoesOn(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback, "UNDERSTUDY_DEMO=1")
	tests := regexp.MustCompile(`test_[0-9a-z]{26}`)
	patience.Eventually(t, time.Minute, "the demo test", func() bool { return tests.MatchString(s.Tail()) })
	id := tests.FindString(s.Tail())
	inTheMiddle(t, s.live().test(t, id))
	s.Killed(t)
	s.Begin(t)
	if _, err := s.Shows(t.Context(), liveLimit, "\nThe report: "); err != nil {
		t.Fatal(err)
	}
	for _, one := range tests.FindAllString(s.Tail(), -1) {
		if one != id {
			t.Errorf("the demo test was %s, after the kill it is %s", id, one)
		}
	}
	countedOnce(t, s.live().completed(t, id, liveLimit), s.live().sessions(t, id))
	if _, err := os.Stat(filepath.Join(s.Data(), "demo")); !os.IsNotExist(err) {
		t.Errorf("the next start shows the demo again: %v", err)
	}
}
