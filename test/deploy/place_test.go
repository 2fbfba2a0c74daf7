package deploy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"

	"understudy/test/harness"
)

// place is where composed services run on this machine: in a folder that they share.
type place struct{ dir, binary string }

// shortDir is a folder of the test's.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "deploy-") //nolint:usetesting // its sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// built is the program.
func built(t *testing.T) string {
	t.Helper()
	binary, err := harness.BuildOnce(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// node starts an event store and tells its address.
func (p place) node(t *testing.T, env []string, args ...string) string {
	t.Helper()
	node, address, err := harness.LaunchNode(context.Background(), p.binary, env, append([]string{"--data-dir", filepath.Join(p.dir, "store")}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := node.Terminate(harness.StopLimit); err != nil {
			t.Error(err)
		}
	})
	return address
}

// serve starts the program as it is composed, but for settings of this machine's, and
// returns when it is ready. At the end of the test it must leave with 0.
func (p place) serve(t *testing.T, s types.ServiceConfig, settings map[string]string) *harness.Process {
	t.Helper()
	cmd := exec.Command(p.binary, s.Command...) //nolint:gosec // of the repository
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "UNDERSTUDY_DATA_DIR="+filepath.Join(p.dir, "data"), "UNDERSTUDY_DEMO=0", "UNDERSTUDY_PLAYWRIGHT_DIR="+harness.Driver())
	for name, value := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+*value)
	}
	for name, value := range settings { // the last one counts
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	process, err := harness.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if code, err := process.Terminate(harness.StopLimit); code != 0 || err != nil {
			t.Errorf("stop %s: %d, %v", s.Name, code, err)
		}
		if t.Failed() {
			t.Logf("%s:\n%s", s.Name, process.Printed())
		}
	})
	if said, err := process.Shows(t.Context(), harness.StartLimit, "ready http://"); err != nil {
		t.Fatalf("%s: %v\n%s", s.Name, err, said)
	}
	return process
}
