// Package deploy holds what is checked of the ways to run the program in containers:
// compose.yaml and seccomp.json.
package deploy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"understudy/adapters/postgres/pgtest"
	"understudy/test/harness"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// passwords are what compose.yaml asks for, as its own command makes them.
var passwords = []string{"POSTGRES_PASSWORD", "EVENTSTORE_PASSWORD", "EVENTSTORE_OPS_PASSWORD"}

// ours are the services that run the program, by role.
var ours = []string{"api", "projector", "runner", "sender"}

func load(env ...string) (*types.Project, error) {
	options, err := cli.NewProjectOptions([]string{"../../compose.yaml"}, cli.WithEnv(env), cli.WithName("understudy"))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

func composed(t *testing.T) *types.Project {
	t.Helper()
	var env []string
	for _, name := range passwords {
		env = append(env, name+"=secret-of-"+strings.ToLower(name))
	}
	project, err := load(env...)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// capabilitiesOf are what a service may do as root, as an engine names them.
func capabilitiesOf(t *testing.T, name string) (all []string) {
	t.Helper()
	s := composed(t).Services[name]
	if !slices.Equal(s.CapDrop, []string{"ALL"}) {
		t.Errorf("%s keeps the engine's capabilities", name)
	}
	for _, c := range s.CapAdd {
		all = append(all, "CAP_"+c)
	}
	return all
}

// TestNoPasswordIsKnown: without a password of one's own nothing starts, and it says
// what to do.
func TestNoPasswordIsKnown(t *testing.T) {
	t.Parallel()
	for _, missing := range passwords {
		var env []string
		for _, name := range passwords {
			if name != missing {
				env = append(env, name+"=x")
			}
		}
		_, err := load(env...)
		if err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "make the passwords with the command at the head of compose.yaml") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	// The command at the head makes all of them.
	raw, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(string(raw), "#   (umask")
	command, _, _ = strings.Cut(command, "\n")
	make := exec.CommandContext(t.Context(), "sh", "-euc", "(umask"+command) //nolint:gosec // of the repository
	make.Dir = t.TempDir()
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(make.Dir, ".env")
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load(strings.Fields(string(made))...); err != nil {
		t.Errorf("with what the command makes, %q: %v", made, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestWhoReachesWhom: which services share a network, and which can be reached from
// outside or reach it.
func TestWhoReachesWhom(t *testing.T) {
	t.Parallel()
	project := composed(t)
	inner := map[string]bool{}
	for name, network := range project.Networks {
		inner[name] = network.Internal
	}
	reach := func(a, b string) bool {
		for network := range project.Services[a].Networks {
			if _, ok := project.Services[b].Networks[network]; ok {
				return true
			}
		}
		return false
	}
	out := func(name string) bool {
		for network := range project.Services[name].Networks {
			if !inner[network] {
				return true
			}
		}
		return false
	}
	stores := []string{"node1", "node2", "node3", "postgres"}
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		s := project.Services[name]
		if s.Privileged || s.NetworkMode == "host" || s.Pid == "host" || s.Ipc == "host" {
			t.Errorf("%s is not shut in", name)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges", name)
		}
		for _, port := range s.Ports {
			if name != "api" || port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s:%s", name, port.HostIP, port.Published)
			}
		}
		if wanted := slices.Contains([]string{"api", "runner", "sender"}, name); out(name) != wanted {
			t.Errorf("%s reaches the world: %t", name, !wanted)
		}
		for _, other := range ours {
			if other != name && slices.Contains(stores, name) && !reach(other, name) {
				t.Errorf("%s does not reach %s", other, name)
			}
		}
	}
	for _, other := range []string{"api", "projector", "sender"} {
		if reach("runner", other) {
			t.Errorf("the runner, which shows pages of others, reaches %s", other)
		}
	}
	if project.Services["certificates"].NetworkMode != "none" {
		t.Error("who makes the keys has a network")
	}
}

// TestKeysAreWhereTheyAreUsed: the keyring is mounted by the four roles, which all open
// or sign with it, the key of the event store's certificate by its nodes.
func TestKeysAreWhereTheyAreUsed(t *testing.T) {
	t.Parallel()
	project := composed(t)
	nodes := []string{"node1", "node2", "node3"}
	wanted := map[string][]string{"data": ours, "store-keys": append([]string{"certificates"}, nodes...)}
	got := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		for _, v := range project.Services[name].Volumes {
			if _, ok := wanted[v.Source]; ok {
				got[v.Source] = append(got[v.Source], name)
			}
			if v.Type != types.VolumeTypeVolume {
				t.Errorf("%s mounts %s of the machine", name, v.Source)
			}
			if strings.HasPrefix(v.Source, "store-") && !v.ReadOnly && name != "certificates" {
				t.Errorf("%s can change %s", name, v.Source)
			}
		}
	}
	for volume, services := range wanted {
		if !slices.Equal(got[volume], services) {
			t.Errorf("%s is mounted by %q", volume, got[volume])
		}
	}
	for _, name := range ours {
		s := project.Services[name]
		browses := slices.Contains([]string{"api", "runner"}, name)
		if got := len(capabilitiesOf(t, name)) > 0; got != browses {
			t.Errorf("%s has capabilities: %t", name, got)
		}
		if got := slices.ContainsFunc(s.SecurityOpt, func(o string) bool { return strings.HasPrefix(o, "seccomp") && strings.HasSuffix(o, "seccomp.json") }); got != browses {
			t.Errorf("%s has the profile of browsers: %t", name, got)
		}
	}
	for _, name := range nodes {
		env := project.Services[name].Environment
		if v, ok := env["EVENTSTORE_INSECURE"]; ok && v != nil && *v != "false" {
			t.Errorf("%s speaks in the clear", name)
		}
	}
}

// TestTheProgramTakesTheComposedSettings: the certificate that compose.yaml makes, an event
// store that serves with it, and the program in each role with the settings it is
// composed with. Only hosts and folders are those of the test.
func TestTheProgramTakesTheComposedSettings(t *testing.T) {
	t.Parallel()
	project := composed(t)
	dir, err := os.MkdirTemp("", "deploy-") //nolint:usetesting // its sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	ca, keys := filepath.Join(dir, "ca"), filepath.Join(dir, "keys")
	for _, d := range []string{ca, keys, filepath.Join(dir, "work")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := project.Services["certificates"].Command[0]
	script = strings.NewReplacer("/ca/ca.crt", filepath.Join(ca, "ca.crt"), "/ca ", ca+" ", "/keys", keys, "chown 1000:1000", "chown "+fmt.Sprint(os.Getuid())).Replace(script)
	for range 2 { // the second time it leaves what is there
		cmd := exec.CommandContext(t.Context(), "sh", "-euc", script) //nolint:gosec // of the repository
		cmd.Dir = filepath.Join(dir, "work")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	binary, err := harness.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	password := *project.Services["node1"].Environment["EVENTSTORE_DEFAULT_ADMIN_PASSWORD"]
	node, address, err := harness.LaunchNode(context.Background(), binary, []string{"UNDERSTUDY_NODE_PASSWORD=" + password},
		"--data-dir", filepath.Join(dir, "store"), "--tls-cert", filepath.Join(keys, "node.crt"), "--tls-key", filepath.Join(keys, "node.key"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := node.Terminate(time.Minute); err != nil {
			t.Error(err)
		}
	})
	database := pgtest.URL(t)
	for _, name := range []string{"projector", "api", "runner", "sender"} {
		s := project.Services[name]
		env := []string{}
		for key, value := range s.Environment {
			v := *value
			switch key {
			case "UNDERSTUDY_EVENTSTORE":
				v = strings.NewReplacer("node1:2113,node2:2113,node3:2113", address+","+address, "/ca/ca.crt", filepath.Join(ca, "ca.crt")).Replace(v)
			case "UNDERSTUDY_DATABASE_URL":
				if !strings.HasPrefix(v, "postgres://understudy:secret-of-postgres_password@postgres:5432/understudy?") {
					t.Errorf("%s: %s", name, v)
				}
				v = database
			}
			env = append(env, key+"="+v)
		}
		cmd := exec.Command(binary, s.Command...) //nolint:gosec // of the repository
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), append(env, "UNDERSTUDY_LISTEN=127.0.0.1:0", "UNDERSTUDY_DATA_DIR="+filepath.Join(dir, "data"),
			"UNDERSTUDY_DEMO=0", "UNDERSTUDY_PLAYWRIGHT_DIR="+filepath.Join(harness.Root(), ".cache", "playwright"))...)
		process, err := harness.Launch(cmd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if code, err := process.Terminate(time.Minute); code != 0 || err != nil {
				t.Errorf("stop %s: %d, %v", name, code, err)
			}
		})
		if said, err := process.Shows(t.Context(), harness.StartLimit, "ready http://"); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, said)
		}
	}
	if key, err := os.ReadFile(filepath.Join(keys, "node.key")); err != nil || !bytes.Contains(key, []byte("PRIVATE KEY")) {
		t.Errorf("the key of the certificate: %v", err)
	}
	if info, err := os.Stat(filepath.Join(keys, "node.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key of the certificate can be read by others: %v", err)
	}
}
