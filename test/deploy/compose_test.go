// Package deploy holds what is checked of the ways to bring the program to others: in
// containers by compose.yaml, the folder deploy and seccomp.json, and as a release.
package deploy

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/goccy/go-yaml"

	"understudy/adapters/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// passwords are what compose.yaml asks for, as its own command makes them.
var passwords = []string{"POSTGRES_PASSWORD", "ARTIFACTS_PASSWORD", "EVENTSTORE_PASSWORD", "EVENTSTORE_OPS_PASSWORD", "OPERATOR_TOKEN", "GRAFANA_PASSWORD"}

// The services that run the program, by role, and all of them.
var (
	answering  = []string{"api1", "api2", "api3"}
	projecting = []string{"projector1", "projector2"}
	running    = []string{"runner1", "runner2"}
	sending    = []string{"sender1", "sender2"}
	ours       = slices.Concat(answering, projecting, running, sending)
)

// nodes are those of the event store, servers those of Postgres; artifacts keeps pictures
// and films.
var (
	nodes   = []string{"node1", "node2", "node3"}
	servers = []string{"postgres1", "postgres2"}
)

const artifacts = "artifacts"

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

// TestWhatIsComposed: the services, each with the role that it is named by, of images that
// are pinned; who watches and who balances know all whom they have to.
func TestWhatIsComposed(t *testing.T) {
	t.Parallel()
	project := composed(t)
	wanted := slices.Sorted(slices.Values(slices.Concat(ours, nodes, servers, []string{artifacts, "certificates", "haproxy", "prometheus", "grafana"})))
	if got := slices.Sorted(maps.Keys(project.Services)); !slices.Equal(got, wanted) {
		t.Errorf("the services are %q", got)
	}
	pinned := regexp.MustCompile(`:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$`)
	known := settings(t)
	for name, s := range project.Services {
		for setting := range s.Environment {
			if strings.HasPrefix(setting, "UNDERSTUDY_") && !known[setting] {
				t.Errorf("%s: there is no setting %s", name, setting)
			}
		}
		if s.Image != "understudy" && !pinned.MatchString(s.Image) {
			t.Errorf("%s is of any %s", name, s.Image)
		}
		role := map[string]string{"projector": "projector,reactors"}[strings.TrimRight(name, "123")]
		if slices.Contains(ours, name) && !slices.Equal(s.Command, []string{"serve", "--roles=" + cmp.Or(role, strings.TrimRight(name, "123"))}) {
			t.Errorf("%s runs %q", name, s.Command)
		}
	}
	var prometheus struct {
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(deployed(t, "prometheus.yml"), &prometheus); err != nil {
		t.Fatal(err)
	}
	var watched []string
	for _, target := range prometheus.ScrapeConfigs[0].StaticConfigs[0].Targets {
		watched = append(watched, strings.TrimSuffix(target, ":8080"))
	}
	if !slices.Equal(watched, ours) {
		t.Errorf("Prometheus watches %q", watched)
	}
	var balanced []string
	for _, server := range regexp.MustCompile(`(?m)^ *server (\w+) (\w+):8080$`).FindAllSubmatch(deployed(t, "haproxy.cfg"), -1) {
		if balanced = append(balanced, string(server[1])); !bytes.Equal(server[1], server[2]) {
			t.Errorf("haproxy calls %s by the name of %s", server[2], server[1])
		}
	}
	if !slices.Equal(balanced, answering) {
		t.Errorf("haproxy asks %q", balanced)
	}
	// The nodes believe haproxy, and nobody else is given its place.
	place := project.Services["haproxy"].Networks["callers"].Ipv4Address
	for _, name := range answering {
		if got := *project.Services[name].Environment["UNDERSTUDY_TRUSTED_PROXIES"]; got != place+"/32" {
			t.Errorf("%s believes %s, haproxy is %s", name, got, place)
		}
	}
	pool := project.Networks["callers"].Ipam.Config[0]
	if address := netip.MustParseAddr(place); !netip.MustParsePrefix(pool.Subnet).Contains(address) || netip.MustParsePrefix(pool.IPRange).Contains(address) {
		t.Errorf("haproxy is %s, of %s others get %s", place, pool.Subnet, pool.IPRange)
	}
}

// deployed is a file of the folder deploy.
func deployed(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
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
	stores := slices.Concat(nodes, servers, []string{artifacts})
	published := []string{"grafana", "haproxy"}
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		s := project.Services[name]
		if s.Privileged || s.NetworkMode == "host" || s.Pid == "host" || s.Ipc == "host" {
			t.Errorf("%s is not shut in", name)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges", name)
		}
		for _, port := range s.Ports {
			if !slices.Contains(published, name) || port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s:%s", name, port.HostIP, port.Published)
			}
		}
		if wanted := slices.Contains(slices.Concat(answering, running, sending, published), name); out(name) != wanted {
			t.Errorf("%s reaches the world: %t", name, !wanted)
		}
		for _, other := range ours {
			if other != name && slices.Contains(stores, name) && !reach(other, name) {
				t.Errorf("%s does not reach %s", other, name)
			}
		}
	}
	for _, runner := range running { // shows pages of others
		for _, other := range slices.Concat(answering, projecting, sending, published) {
			if reach(runner, other) {
				t.Errorf("%s reaches %s", runner, other)
			}
		}
	}
	for _, name := range published {
		for _, store := range stores {
			if reach(name, store) {
				t.Errorf("%s, which is published, reaches %s", name, store)
			}
		}
	}
	for _, other := range slices.Concat(ours, []string{"grafana"}) {
		if !reach("prometheus", other) {
			t.Errorf("Prometheus does not reach %s", other)
		}
		if slices.Contains(answering, other) != reach("haproxy", other) {
			t.Errorf("haproxy and %s reach each other: %t", other, !slices.Contains(answering, other))
		}
	}
	if project.Services["certificates"].NetworkMode != "none" {
		t.Error("who makes the keys has a network")
	}
}

// TestKeysAreWhereTheyAreUsed: the keyring is mounted by all roles, which open
// or sign with it, the key of the event store's certificate by its nodes.
func TestKeysAreWhereTheyAreUsed(t *testing.T) {
	t.Parallel()
	project := composed(t)
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
		browses := slices.Contains(slices.Concat(answering, running), name)
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
	dir := shortDir(t)
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
	password := *project.Services["node1"].Environment["EVENTSTORE_DEFAULT_ADMIN_PASSWORD"]
	on := place{dir: dir, binary: built(t)}
	address := on.node(t, []string{"UNDERSTUDY_NODE_PASSWORD=" + password}, "--tls-cert", filepath.Join(keys, "node.crt"), "--tls-key", filepath.Join(keys, "node.key"))
	database := pgtest.URL(t)
	for _, name := range []string{"projector1", "api1", "runner1", "sender1"} {
		s := project.Services[name]
		store, composed := *s.Environment["UNDERSTUDY_EVENTSTORE"], *s.Environment["UNDERSTUDY_DATABASE_URL"]
		if !strings.HasPrefix(composed, "postgres://understudy:secret-of-postgres_password@postgres1:5432,postgres2:5432/understudy?") {
			t.Errorf("%s: %s", name, composed)
		}
		on.serve(t, s, map[string]string{
			"UNDERSTUDY_EVENTSTORE":   strings.NewReplacer("node1:2113,node2:2113,node3:2113", address+","+address, "/ca/ca.crt", filepath.Join(ca, "ca.crt")).Replace(store),
			"UNDERSTUDY_DATABASE_URL": database,
			"UNDERSTUDY_LISTEN":       "127.0.0.1:0",
		})
	}
	if key, err := os.ReadFile(filepath.Join(keys, "node.key")); err != nil || !bytes.Contains(key, []byte("PRIVATE KEY")) {
		t.Errorf("the key of the certificate: %v", err)
	}
	if info, err := os.Stat(filepath.Join(keys, "node.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key of the certificate can be read by others: %v", err)
	}
}
