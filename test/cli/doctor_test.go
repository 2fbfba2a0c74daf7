package cli_test

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/test/harness"
)

// examination is what the doctor writes as JSON.
type examination struct {
	OK       bool
	Version  struct{ Version, Go, Platform string }
	Findings []struct{ Check, Status, Found, Remedy string }
}

// of is what was found by a check, "STATUS what it found".
func (e examination) of(check string) string {
	for _, f := range e.Findings {
		if f.Check == check {
			return f.Status + " " + f.Found
		}
	}
	return "nothing"
}

// examine has the doctor look at a service's machine, with more settings.
func examine(t *testing.T, service *harness.Service, settings []string, flags ...string) (e examination) {
	t.Helper()
	cmd := service.Command(t.Context(), append([]string{"doctor", "--json"}, flags...)...)
	cmd.Env = append(cmd.Env, settings...)
	out, err := cmd.Output()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &e); err != nil {
		t.Fatalf("%v: %s%s", err, out, exit.Stderr)
	}
	failed := false
	for _, f := range e.Findings {
		failed = failed || f.Status == "failure"
		if f.Status != "ok" && f.Remedy == "" {
			t.Errorf("%s: %s, and nothing to do about it", f.Check, f.Found)
		}
	}
	if want := map[bool]int{true: 1}[failed]; failed == e.OK || cmd.ProcessState.ExitCode() != want {
		t.Errorf("exit status %d, ok %t: %+v", cmd.ProcessState.ExitCode(), e.OK, e.Findings)
	}
	return e
}

func wants(t *testing.T, e examination, want map[string]string) {
	t.Helper()
	for check, pattern := range want {
		if got := e.of(check); !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s: %q, want %s", check, got, pattern)
		}
	}
}

// TestTheDoctorBesideAService: everything is found, and the service goes on.
func TestTheDoctorBesideAService(t *testing.T) {
	t.Parallel()
	service := harness.Common(t)
	e := examine(t, service, nil, "--reach", "")
	if !e.OK {
		t.Errorf("it failed: %+v", e.Findings)
	}
	wants(t, e, map[string]string{
		"settings": "^ok", "programs": "^ok .*axe-core", "chromium": `^ok \d+\.`, "sandbox": "^ok", "fonts": "^ok .*Emoji",
		"postgres": `^ok private, .*: PostgreSQL \d+.* answers`, "event store": "^ok .*a service runs on .* position [1-9]",
		"disk": "free", "temp": "free", "egress": "^ok", "memory": "GiB", "https": "^nothing",
	})
	var me map[string]any
	if _, err := service.Sandbox().Call(t.Context(), http.MethodGet, "/me", nil, &me); err != nil {
		t.Errorf("the service after it: %v", err)
	}
}

// TestTheDoctorSaysWhatIsWrong: each thing that is missing or wrong is a failure, with
// what to do.
func TestTheDoctorSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	service := harness.Common(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := harness.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := examine(t, service, []string{
		"UNDERSTUDY_PLAYWRIGHT_DIR=" + filepath.Dir(file), "UNDERSTUDY_DATABASE_URL=postgres://nobody@" + free + "/none",
		"UNDERSTUDY_EVENTSTORE=esdb://" + free + "?tls=false", "UNDERSTUDY_DATA_DIR=" + filepath.Join(file, "data"),
		"UNDERSTUDY_BROWSERS=many", "UNDERSTUDY_EGRESS_ALLOW=0.0.0.0/0",
	}, "--reach", "http://example.com/")
	wants(t, e, map[string]string{
		"settings": "^failure .*UNDERSTUDY_BROWSERS", "programs": "^failure Playwright's driver was not found", "chromium": "^nothing",
		"postgres": "^failure UNDERSTUDY_DATABASE_URL", "event store": "^failure UNDERSTUDY_EVENTSTORE", "disk": "^failure",
		"egress": "^warning .*169.254.169.254", "reach": "^failure",
		"memory": "^ok", "open files": "^(ok|warning)",
	})
}

// TestTheDoctorReadsTheClock: against the date of what answers by https.
func TestTheDoctorReadsTheClock(t *testing.T) {
	t.Parallel()
	service := harness.Common(t)
	var ahead atomic.Int64 // of the right time
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Duration(ahead.Load())).UTC().Format(http.TimeFormat))
	}))
	defer elsewhere.Close()
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: elsewhere.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := []string{"SSL_CERT_FILE=" + trusted, "UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8", "UNDERSTUDY_PLAYWRIGHT_DIR=/nonexistent"}
	wants(t, examine(t, service, settings, "--reach", elsewhere.URL), map[string]string{"dns": "^ok", "https": "^ok", "clock": "^ok"})
	ahead.Store(int64(time.Minute))
	wants(t, examine(t, service, settings, "--reach", elsewhere.URL), map[string]string{"clock": "^warning (59|1m)"})
	ahead.Store(-int64(time.Hour))
	wants(t, examine(t, service, settings, "--reach", elsewhere.URL), map[string]string{"clock": "^failure (59m|1h)"})
	settings[1] = "UNDERSTUDY_EGRESS_ALLOW="
	wants(t, examine(t, service, settings, "--reach", elsewhere.URL), map[string]string{"https": "^warning .*loopback address", "clock": "^warning"})
}

// TestTheDoctorAsksForTheLock: events that another program has open are told from those
// at rest, and the doctor leaves no trace.
func TestTheDoctorAsksForTheLock(t *testing.T) {
	t.Parallel()
	service := harness.Common(t)
	dir := filepath.Join(t.TempDir(), "data")
	settings := []string{"UNDERSTUDY_DATA_DIR=" + dir, "UNDERSTUDY_PLAYWRIGHT_DIR=/nonexistent"}
	wants(t, examine(t, service, settings, "--reach", ""), map[string]string{"event store": "^ok .*the first start makes", "disk": "not made yet"})
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s was made", dir)
	}
	node, _, err := harness.LaunchNode(t.Context(), harness.Binary(), nil, "--insecure", "--data-dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, examine(t, service, settings, "--reach", ""), map[string]string{"event store": "^warning .*another process"})
	if _, err := node.Terminate(harness.StopLimit); err != nil {
		t.Fatal(err)
	}
	wants(t, examine(t, service, settings, "--reach", ""), map[string]string{"event store": "^ok .*at rest"})
}

// TestVersion: who reports a fault can say of which program, and what it needs is told.
func TestVersion(t *testing.T) {
	t.Parallel()
	service := harness.Common(t)
	for _, args := range [][]string{{"version"}, {"--version"}} {
		out, err := service.Command(t.Context(), args...).Output()
		if err != nil || !regexp.MustCompile(`^understudy \S+ \(commit [^)]+\) go1\.\S+ \w+/\w+\n$`).Match(out) {
			t.Errorf("%s: %q, %v", args, out, err)
		}
	}
	out, err := service.Command(t.Context(), "version", "--check-deps").Output()
	if err != nil || !regexp.MustCompile(`(?s)ok +programs .*ok +chromium .*ok +fonts .*ok +postgres `).Match(out) {
		t.Errorf("%s %v", out, err)
	}
	bare := service.Command(t.Context(), "version", "--check-deps")
	bare.Env = append(bare.Env, "PATH=/nonexistent")
	if out, err = bare.Output(); bare.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "→ install the Debian package nodejs") {
		t.Errorf("without a PATH: %s %v", out, err)
	}
}

// TestShellsComplete: as the scripts of `understudy completion` ask.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, offered, not string }{
		{"test --viewport ", "mobile", ""},
		{"test --viewport mobile,", "mobile,tablet", "mobile,mobile"},
		{"test --criteria tr", "trust", "speed"},
		{"test --report ", "junit=", ""},
		{"test --gate ", "warn", ""},
		{"test --personas ", "older-adults", ""},
		{"test --baseline l", "last:", ""},
		{"test --fail-under tr", "trust=", "speed="},
		{"test --suite ", "yaml", ""},
		{"serve --roles api,", "api,sender", "api,api"},
		{"doc", "doctor", ""},
	} {
		words := strings.Split(c.typed, " ")
		out, err := exec.CommandContext(t.Context(), harness.Binary(), append([]string{"__complete"}, words...)...).Output()
		lines := strings.Split(string(out), "\n")
		has := func(word string) bool {
			for _, line := range lines {
				if offered, _, _ := strings.Cut(line, "\t"); offered == word {
					return true
				}
			}
			return false
		}
		if err != nil || !has(c.offered) || c.not != "" && has(c.not) {
			t.Errorf("%q: offered %q (%v), want %q", c.typed, lines, err, c.offered)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out, err := exec.CommandContext(t.Context(), harness.Binary(), "completion", shell).Output(); err != nil || len(out) < 1000 {
			t.Errorf("%s: %d bytes, %v", shell, len(out), err)
		}
	}
}

// TestManualPages: one for each command, with its flags.
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), harness.Binary(), "man", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "understudy-test.1"))
	if err != nil || !strings.Contains(string(page), `--fail-under`) || !strings.Contains(string(page), ".TH") {
		t.Errorf("%.300s %v", page, err)
	}
}

// TestAnArchiveFindsItsDriver: unpacked anywhere, called by a link, without settings and
// outside of any checkout.
func TestAnArchiveFindsItsDriver(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(harness.Binary())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"bin", "lib/understudy", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "elsewhere", "understudy")
	if err := errors.Join(
		os.WriteFile(filepath.Join(root, "bin", "understudy"), program, 0o755),
		os.Symlink(filepath.Join(root, "bin", "understudy"), link),
		os.Symlink(harness.Driver(), filepath.Join(root, "lib", "understudy", "playwright")),
		os.Symlink(filepath.Join(filepath.Dir(harness.Driver()), "axe-core"), filepath.Join(root, "lib", "understudy", "axe-core")),
	); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link, "version", "--check-deps")
	cmd.Dir = filepath.Join(root, "elsewhere")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "driver ("+filepath.Join(root, "lib", "understudy", "playwright")+")") ||
		!regexp.MustCompile(`ok +chromium`).Match(out) {
		t.Errorf("%s %v", out, err)
	}
}
