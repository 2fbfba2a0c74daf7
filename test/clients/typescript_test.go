// Package clients uses the service with the clients that are made from its OpenAPI
// document: one in TypeScript, which is generated here, and the Go package
// adapters/client.
package clients

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(harness.Main(m, "node"))
}

// toolLimit bounds each of generating, type-checking and running.
const toolLimit = 2 * time.Minute

// TestATypeScriptClientIsGeneratedAndWorks: types come from the document that the
// service serves, a program on them passes the compiler's strictest checks, and what
// it does with the real service is what the Go harness sees.
func TestATypeScriptClientIsGeneratedAndWorks(t *testing.T) {
	t.Parallel()
	s := harness.Run(t, harness.Loopback)
	modules := filepath.Join(harness.Root(), ".cache", "api-clients", "current", "node_modules")
	dir := t.TempDir()
	run := func(env []string, args ...string) []byte {
		t.Helper()
		ctx, cancel := patience.Context(t.Context(), toolLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, "node", args...)
		cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("node %v: %v\n%s", args, err, out)
		}
		return out
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"use.ts", "wrong.ts"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}

	run(nil, "node_modules/openapi-typescript/bin/cli.js", "http://"+s.Addr+"/v1/openapi.json", "-o", "api.d.ts",
		"--default-non-nullable=false") // what has a default may be left out of requests
	run(nil, "node_modules/typescript/bin/tsc", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmitOnError", "--module", "nodenext", "--target", "es2022",
		"--types", "node", "--outDir", "out", "use.ts", "wrong.ts")
	var told struct {
		Made, Listed, Statuses []string
		Report                 struct {
			ID, Test string
			Scores   map[string]*float64
		}
		Refused []any
	}
	if err := json.Unmarshal(run([]string{"BASE=http://" + s.Addr + "/v1", "KEY=" + s.Keys.Test}, "out/use.js"), &told); err != nil {
		t.Fatal(err)
	}

	if !slices.Equal(told.Statuses, []string{"completed", "completed", "completed"}) {
		t.Errorf("the tests are %v", told.Statuses)
	}
	newest := slices.Clone(told.Made)
	slices.Reverse(newest)
	if len(newest) != 3 || !slices.Equal(told.Listed, newest) {
		t.Errorf("made %v, and listed %v", told.Made, told.Listed)
	}
	var test harness.Test
	if _, err := s.Sandbox().Call(t.Context(), "GET", "/tests/"+told.Made[0], nil, &test); err != nil {
		t.Fatal(err)
	}
	if test.ReportID == nil || told.Report.ID != *test.ReportID || told.Report.Test != test.ID || told.Report.Scores["task_completion"] == nil {
		t.Errorf("the report is %+v of %+v", told.Report, test)
	}
	if len(told.Refused) != 2 || told.Refused[0] != 404.0 || told.Refused[1] != "not_found" {
		t.Errorf("what is not there: %v", told.Refused)
	}
}
