package browser_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// TestTheBrowserIsConfined: whoever runs the service, the processes that run foreign
// scripts are not root, are shut in, and see nothing of the service's environment and
// of directories that are its own.
func TestTheBrowserIsConfined(t *testing.T) {
	const secret = "a-secret-of-the-service"
	t.Setenv("UNDERSTUDY_TEST_SECRET", secret)
	own := filepath.Join(passable(t), "data") // closed to others, as the service's directory is
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(own, "driver"), os.DirFS(programs.DriverDir)); err != nil {
		t.Fatal(err)
	}
	closed, careless := filepath.Join(own, "keyring.json"), filepath.Join(own, "careless")
	if err := errors.Join(os.WriteFile(closed, []byte(secret), 0o600), os.WriteFile(careless, []byte(secret), 0o644)); err != nil {
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
		if os.Geteuid() != 0 {
			continue // it runs as our own user, and in Chromium's sandbox alone
		}
		if err := readAs(t, p.uid, "/etc/passwd"); err != nil {
			t.Errorf("the user %d reads nothing at all: %v", p.uid, err)
		}
		for _, path := range []string{closed, careless} {
			if readAs(t, p.uid, path) == nil {
				t.Errorf("the user %d of %s reads %s", p.uid, p.cmd, path)
			}
		}
	}
	if renderers == 0 {
		t.Error("no renderer was seen")
	}
}

// readAs reads a file as another user.
func readAs(t *testing.T, uid int, path string) error {
	t.Helper()
	cat := exec.CommandContext(t.Context(), "cat", path)
	cat.Dir = "/"
	cat.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	return cat.Run()
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

// TestNoPageIsOpenedWithoutASandbox: where Chromium finds none, walks fail for that, and it
// is told to do without only where the operator says so.
func TestNoPageIsOpenedWithoutASandbox(t *testing.T) {
	t.Parallel()
	dir := passable(t)
	said := filepath.Join(dir, "said")
	chromium := "#!/bin/sh\necho \"$@\" > " + said + "\necho '[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu 23.10+ …' >&2\nexit 1\n"
	cfg := programs
	cfg.ChromiumPath = filepath.Join(dir, "chromium")
	// The browser's user starts and writes what is in it.
	if err := errors.Join(os.WriteFile(cfg.ChromiumPath, []byte(chromium), 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, without := range []bool{false, true} {
		cfg.NoSandbox = without
		b := browser.New(cfg)
		_, err := browser.Pages{Browser: b}.Open(t.Context(), walk.Device{Viewport: "desktop"})
		var fault *walk.Fault
		if !errors.As(err, &fault) || fault.Code != "no_sandbox" || !strings.Contains(fault.Message, "UNDERSTUDY_BROWSER_SANDBOX=off") {
			t.Errorf("the walk fails with %v", err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		args, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(args), "--no-sandbox") != without {
			t.Errorf("with NoSandbox %v it was started by %s", without, args)
		}
	}
}

func TestSandboxIsToBeHad(t *testing.T) {
	t.Parallel()
	if err := programs.CheckSandbox(t.Context()); err != nil {
		t.Error(err)
	}
}
