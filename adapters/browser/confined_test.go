package browser_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/adapters/browser"
)

// TestTheBrowserIsConfined: whoever runs the service, the processes that run foreign
// scripts are not root, are shut in, and see nothing of the service's environment and
// of directories that are its own.
func TestTheBrowserIsConfined(t *testing.T) {
	const secret = "a-secret-of-the-service"
	t.Setenv("UNDERSTUDY_TEST_SECRET", secret)
	own := filepath.Join(t.TempDir(), "data") // closed to others, as the service's directory is
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(own, "driver"), os.DirFS(programs.DriverDir)); err != nil {
		t.Fatal(err)
	}
	cfg := programs
	cfg.DriverDir = filepath.Join(own, "driver")
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Goto(t.Context(), site.URL+"/form.html"); err != nil {
		t.Fatal(err)
	}
	renderers := 0
	for _, p := range processes(t, secret) {
		if p.uid == 0 {
			t.Errorf("%s runs as root", p.cmd)
		}
		if p.secret {
			t.Errorf("%s has the service's environment", p.cmd)
		}
		if !strings.Contains(p.cmd, "--type=renderer") {
			continue
		}
		renderers++
		if p.seccomp != 2 || strings.Contains(p.cmd, "--no-sandbox") {
			t.Errorf("%s is not shut in (Seccomp %d)", p.cmd, p.seccomp)
		}
	}
	if renderers == 0 {
		t.Error("no renderer was seen")
	}
}

type process struct {
	cmd          string
	uid, seccomp int
	secret       bool
}

// processes are those below this one, the command line of each, and whether a secret
// stands in its environment.
func processes(t *testing.T, secret string) (out []process) {
	t.Helper()
	parents, statuses := map[int]int{}, map[int]map[string]string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("there is no /proc on this system") // its processes cannot be looked at
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		status, err := os.ReadFile(filepath.Join("/proc", e.Name(), "status"))
		if err != nil {
			continue // it has ended
		}
		fields := map[string]string{}
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			fields[key] = strings.TrimSpace(value)
		}
		statuses[pid] = fields
		parents[pid], _ = strconv.Atoi(fields["PPid"])
	}
	below := func(pid int) bool {
		for n := 0; pid > 1 && n < len(parents); n++ {
			if pid = parents[pid]; pid == os.Getpid() {
				return true
			}
		}
		return false
	}
	for pid, fields := range statuses {
		if !below(pid) {
			continue
		}
		cmd, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		p := process{cmd: strings.ReplaceAll(string(cmd), "\x00", " "), secret: strings.Contains(string(env), secret)}
		if err != nil && !errors.Is(err, os.ErrNotExist) && os.Geteuid() == 0 {
			t.Errorf("read the environment of %s: %v", p.cmd, err)
		}
		p.uid, _ = strconv.Atoi(strings.Fields(fields["Uid"] + " 0")[0])
		p.seccomp, _ = strconv.Atoi(fields["Seccomp"])
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b process) int { return strings.Compare(a.cmd, b.cmd) })
	return out
}

func TestSandboxIsToBeHad(t *testing.T) {
	t.Parallel()
	if err := programs.CheckSandbox(t.Context()); err != nil {
		t.Error(err)
	}
}
