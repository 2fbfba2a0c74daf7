package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/test/harness"
)

// program is where one is, beside those of everybody in administrators' folder or in
// what make setup-test has fetched.
func program(t *testing.T, name string) string {
	t.Helper()
	for _, path := range []string{name, "/usr/sbin/" + name, filepath.Join(harness.Root(), ".cache", name)} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	t.Fatalf("%s is missing: run `make setup-test`", name)
	return ""
}

// TestTheProgramsTakeTheirFiles: haproxy and Prometheus those of deploy, the second with
// the alerts beside it as compose.yaml has them.
func TestTheProgramsTakeTheirFiles(t *testing.T) {
	t.Parallel()
	takes := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), program(t, args[0]), args[1:]...).CombinedOutput(); err != nil { //nolint:gosec // of the test
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	takes("haproxy", "-c", "-f", "../../deploy/haproxy.cfg")
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	project := composed(t)
	secret := "/run/secrets/" + project.Services["prometheus"].Secrets[0].Source
	settings := strings.Replace(string(deployed(t, "prometheus.yml")), secret, write("token", []byte("secret-of-operator_token")), 1)
	for _, c := range project.Services["prometheus"].Configs {
		raw, err := os.ReadFile(project.Configs[c.Source].File)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(c.Target) == "prometheus.yml" {
			raw = []byte(settings)
		}
		write(filepath.Base(c.Target), raw)
	}
	takes("promtool", "check", "config", filepath.Join(dir, "prometheus.yml"))
}
