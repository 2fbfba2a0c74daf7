package cli_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"understudy/test/harness"
	"understudy/test/patience"
)

// slowly begins a sandbox test that takes a while, against a service.
func slowly(t *testing.T, s *harness.Service, args ...string) *harness.Process {
	t.Helper()
	cmd := exec.Command(harness.Binary(), append([]string{"test", "https://example.com/", "--task", "slow", "--sessions", "60", "--fail-under", "0"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(s.Environ(), "UNDERSTUDY_URL=http://"+s.Addr, "UNDERSTUDY_API_KEY="+s.Keys.Test)
	p, err := harness.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-p.Exited():
		default:
			_ = p.Kill()
		}
	})
	return p
}

// TestCtrlCCallsTheTestOff: who breaks off leaves no test running, and gets what
// there is.
func TestCtrlCCallsTheTestOff(t *testing.T) {
	s := harness.Common(t)
	p := slowly(t, s, "--name", "broken off", "--report", "md=r.md")
	within := patience.Scaled(harness.StartLimit)
	if _, err := p.Shows(t.Context(), within, "/60]"); err != nil {
		t.Fatal(err)
	}
	code, err := p.End(os.Interrupt, within)
	if err != nil || code != 5 {
		t.Fatalf("ended with %d (%v), not 5:\n%s", code, err, p.Printed())
	}
	if printed := p.Printed(); !strings.Contains(printed, "NOT JUDGED") || !strings.Contains(printed, "called off") {
		t.Errorf("does not say that it was called off:\n%s", printed)
	}
	tests, err := harness.All[harness.Test](t.Context(), s.Sandbox(), "/tests?name=broken+off")
	if err != nil || len(tests) != 1 || tests[0].Status != "cancelled" {
		t.Errorf("the test is left as %+v (%v)", tests, err)
	}
}

// TestATestThatCannotBeCalledOffIsToldOf: who breaks off while the service is away learns
// which test runs on there.
func TestATestThatCannotBeCalledOffIsToldOf(t *testing.T) {
	s := harness.Run(t)
	p := slowly(t, s)
	within := patience.Scaled(harness.StartLimit)
	if _, err := p.Shows(t.Context(), within, "/60]"); err != nil {
		t.Fatal(err)
	}
	s.Killed(t)
	code, err := p.End(os.Interrupt, within)
	printed := strings.Join(strings.Fields(p.Printed()), " ") // however it is broken into lines
	if err != nil || code != 5 || !regexp.MustCompile(`test_\w+ could not be cancelled and runs on`).MatchString(printed) {
		t.Errorf("ended with %d (%v):\n%s", code, err, printed)
	}
}

// TestCtrlCEndsAQuestion: one that nobody has answered, and nothing is written.
func TestCtrlCEndsAQuestion(t *testing.T) {
	cmd := exec.Command(harness.Binary(), "init")
	cmd.Dir = t.TempDir()
	answers, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answers.Close() }()
	p, err := harness.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	within := patience.Scaled(harness.StartLimit)
	if _, err := p.Shows(t.Context(), within, "Which page is tested?"); err != nil {
		t.Fatal(err)
	}
	if code, err := p.End(os.Interrupt, within); err != nil || code != 5 {
		t.Errorf("ended with %d (%v):\n%s", code, err, p.Printed())
	}
	if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
		t.Errorf("it has written %v (%v)", left, err)
	}
}

// TestALostServiceIsWaitedFor: a service that is killed and started again loses
// neither the test nor who waits for it.
func TestALostServiceIsWaitedFor(t *testing.T) {
	s := harness.Run(t)
	p := slowly(t, s)
	if _, err := p.Shows(t.Context(), patience.Scaled(harness.StartLimit), "/60]"); err != nil {
		t.Fatal(err)
	}
	s.Killed(t)
	if _, err := p.Shows(t.Context(), patience.Scaled(harness.StartLimit), "connection lost, trying again"); err != nil {
		t.Fatal(err)
	}
	s.Begin(t)
	patience.Receive(t, harness.StartLimit, "its end", p.Exited())
	if printed := p.Printed(); p.Code() != 0 || strings.Count(printed, "[60/60]") != 1 || !strings.Contains(printed, " of 60 reached the goal") {
		t.Errorf("ended with %d:\n%s", p.Code(), printed)
	}
}
