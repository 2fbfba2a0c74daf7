//go:build linux

package deploy

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
)

// containerLimit is how long one container may take.
const containerLimit = 3 * time.Minute

// TestChromiumHasItsSandboxInAContainer starts the browser in a container that has what
// compose.yaml gives the runner: the capabilities, no new privileges, and seccomp.json
// as an engine translates it. There the browser is not root and its renderers are shut
// in; under the engine's default profile the start says what to do.
func TestChromiumHasItsSandboxInAContainer(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a container as an engine does")
	}
	if err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").Run(); err != nil {
		t.Skip("this is a container itself, which cannot make another")
	}
	tests := filepath.Join(t.TempDir(), "browser.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", tests, "../../adapters/browser").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Another user's environment is read by the test, not by the service.
	capabilities := append(capabilitiesOf(t, "runner1"), "CAP_SYS_PTRACE")
	out, err := contained(t, profile(t), capabilities, tests, "-test.v", "-test.run", "^(TestTheBrowserIsConfined|TestSandboxIsToBeHad)$")
	if err != nil || strings.Count(out, "--- PASS") != 2 {
		t.Errorf("with seccomp.json: %v\n%s", err, out)
	}
	out, err = contained(t, standard(t), capabilities, tests, "-test.run", "^TestSandboxIsToBeHad$")
	if err == nil || !strings.Contains(out, "Chromium has no sandbox here") || !strings.Contains(out, "seccomp=seccomp.json") {
		t.Errorf("with the default profile: %v\n%s", err, out)
	}
}

// contained runs a program in a container of its own, in adapters/browser's folder, on
// this machine's programs, and returns what it said.
func contained(t *testing.T, profile string, capabilities []string, args ...string) (string, error) {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{"/bin", "/etc", "/lib", "/lib64", "/sbin", "/usr", repository, filepath.Dir(args[0])}
	for _, name := range []string{"playwright", "axe-core"} {
		dir, err := filepath.EvalSymlinks(filepath.Join(repository, ".cache", name))
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, dir)
	}
	spec := specs.Spec{
		Version: "1.0.2",
		Root:    &specs.Root{Path: "rootfs"},
		Process: &specs.Process{
			Args: args, Cwd: filepath.Join(repository, "adapters", "browser"), Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp"},
			NoNewPrivileges: true,
			Capabilities:    &specs.LinuxCapabilities{Bounding: capabilities, Effective: capabilities, Permitted: capabilities},
		},
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc"},
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "strictatime", "mode=755"}},
			{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"nosuid", "noexec", "nodev", "mode=1777"}},
			{Destination: "/tmp", Type: "tmpfs", Source: "tmpfs", Options: []string{"mode=1777"}},
		},
		Linux: &specs.Linux{Namespaces: []specs.LinuxNamespace{
			{Type: specs.PIDNamespace}, {Type: specs.MountNamespace}, {Type: specs.IPCNamespace}, {Type: specs.UTSNamespace},
		}},
	}
	for _, dir := range folders {
		if _, err := os.Stat(dir); err == nil {
			spec.Mounts = append(spec.Mounts, specs.Mount{Destination: dir, Type: "bind", Source: dir, Options: []string{"rbind", "ro"}})
		}
	}
	if spec.Linux.Seccomp, err = seccomp.LoadProfile(profile, &spec); err != nil {
		t.Fatal(err)
	}
	bundle, state := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(bundle, "rootfs"), 0o755); err != nil { //nolint:gosec // the root of others as well
		t.Fatal(err)
	}
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bundle, "config.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), containerLimit)
	defer cancel()
	name := "understudy-test-" + filepath.Base(filepath.Dir(bundle)) + filepath.Base(bundle)
	t.Cleanup(func() { _ = exec.Command("runc", "--root", state, "delete", "--force", name).Run() })
	out, err := exec.CommandContext(ctx, "runc", "--root", state, "run", "--bundle", bundle, name).CombinedOutput() //nolint:gosec // our own words
	return string(out), err
}
