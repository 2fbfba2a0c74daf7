package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"understudy/test/harness"
)

// TestWhatTheLinkerWritesIsRead: each variable of .ci/ldflags is one of the program's.
func TestWhatTheLinkerWritesIsRead(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), filepath.Join(harness.Root(), ".ci", "ldflags")).Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(harness.Root(), "cmd", "understudy", "version.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^var (.*) string$`).FindSubmatch(source)
	if declared == nil {
		t.Fatal("version.go declares nothing")
	}
	written := regexp.MustCompile(`-X main\.(\w+)=\S+`).FindAllSubmatch(out, -1)
	if len(out) > 0 && len(written) != 3 { // nothing outside a checkout
		t.Errorf("%q writes %d variables, want 3", out, len(written))
	}
	for _, m := range written {
		if !slices.Contains(strings.Split(string(declared[1]), ", "), string(m[1])) {
			t.Errorf("main.%s is no variable of the program", m[1])
		}
	}
}

// TestThePackageTakesWhatIsStaged: .ci/nfpm.yaml is read, and what it packs is what
// .ci/release stages.
func TestThePackageTakesWhatIsStaged(t *testing.T) {
	t.Parallel()
	ci := filepath.Join(harness.Root(), ".ci")
	script, err := os.ReadFile(filepath.Join(ci, "release"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(ci, "nfpm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Name, Arch, Version, Maintainer string
		Contents                        []struct {
			Src, Dst string
			Expand   bool
		}
		Scripts map[string]string
	}
	if err := yaml.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	if config.Name != "understudy" || config.Arch != "${ARCH}" || config.Version != "${VERSION}" || config.Maintainer == "" || len(config.Contents) == 0 {
		t.Errorf("%+v", config)
	}
	for _, c := range config.Contents {
		path, staged := strings.CutPrefix(c.Src, "${STAGE}/")
		if !staged || !c.Expand || !strings.HasPrefix(c.Dst, "/usr/") || !strings.Contains(string(script), strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))) {
			t.Errorf("%s: the release does not stage it, or it is not taken from there", c.Src)
		}
	}
	for _, file := range []string{config.Scripts["postinstall"], ".ci/release", ".ci/ldflags"} {
		if out, err := exec.CommandContext(t.Context(), "bash", "-n", filepath.Join(harness.Root(), file)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", file, err, out)
		}
	}
}

// TestTheSBOMHasWhatIsNotGo: the driver and axe-core with their licences.
func TestTheSBOMHasWhatIsNotGo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sbom.json")
	if err := os.WriteFile(file, []byte(`{"bomFormat":"CycloneDX","components":[{"name":"a Go module"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(harness.Root(), ".ci", "sbom"), file, filepath.Dir(harness.Driver())).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type component struct {
		Name, Purl string
		Licenses   []struct{ License struct{ ID string } }
	}
	var document struct{ Components []component }
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a Go module", "playwright-core", "axe-core"} {
		i := slices.IndexFunc(document.Components, func(c component) bool { return c.Name == name })
		if i < 0 || name != "a Go module" && (len(document.Components[i].Licenses) == 0 || !strings.HasPrefix(document.Components[i].Purl, "pkg:npm/")) {
			t.Errorf("%s is missing, or its licence is: %s", name, raw)
		}
	}
}
