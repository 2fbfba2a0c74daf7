// Package recipes_test holds what docs/recipes promises against the rules of those who
// run it: GitHub's workflows, GitLab's schema, bash.
package recipes_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const recipes = "../../docs/recipes/"

func read(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(recipes + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestGitHubWorkflows: actionlint knows workflows and what expressions may be. The action
// is looked at as a part of the repository, with the inputs and outputs that it has.
func TestGitHubWorkflows(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder, action := filepath.Join(root, ".github", "workflows"), filepath.Join(root, "docs", "recipes", "github")
	for _, dir := range []string{filepath.Join(root, ".git"), folder, action} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(action, "action.yml"), read(t, "github/action.yml"), 0o644); err != nil {
		t.Fatal(err)
	}
	const published = "OWNER/understudy/docs/recipes/github@main"
	lint := func(name, text string) []*actionlint.Error {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: root})
		if err != nil {
			t.Fatal(err)
		}
		faults, err := linter.LintFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return faults
	}
	for _, name := range []string{"workflow.yml", "previews.yml"} {
		text := string(read(t, "github/"+name))
		if name == "workflow.yml" && !strings.Contains(text, published) {
			t.Errorf("%s does not use %s", name, published)
		}
		text = strings.ReplaceAll(text, published, "./docs/recipes/github")
		for _, fault := range lint(name, text) {
			t.Errorf("%s: %v", name, fault)
		}
		if name == "workflow.yml" {
			for was, wrong := range map[string]string{"          task:": "          tsak:", "outputs.summary": "outputs.sumary", "runs-on:": "run-on:"} {
				if len(lint("wrong.yml", strings.ReplaceAll(text, was, wrong))) == 0 {
					t.Errorf("%s with %s is taken for right", name, wrong)
				}
			}
		}
	}
}

// TestTheActionsScripts: bash reads each script of the action, and every input is used.
func TestTheActionsScripts(t *testing.T) {
	t.Parallel()
	text := read(t, "github/action.yml")
	var action struct {
		Name, Description string
		Inputs            map[string]struct{ Description string }
		Outputs           map[string]struct{ Value string }
		Runs              struct {
			Using string
			Steps []struct {
				Name, Uses, Shell, Run string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	if action.Runs.Using != "composite" || len(action.Inputs) == 0 || len(action.Runs.Steps) == 0 {
		t.Fatalf("%+v is no composite action", action)
	}
	for name, input := range action.Inputs {
		if input.Description == "" || !strings.Contains(string(text), "inputs."+name) {
			t.Errorf("the input %s is not described, or not used", name)
		}
	}
	for _, step := range action.Runs.Steps {
		if step.Uses != "" {
			continue
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an expression within a script is a way for others to run theirs; pass it by env", step.Name)
		}
		bash := exec.CommandContext(t.Context(), "bash", "-n")
		bash.Stdin = strings.NewReader(step.Run)
		if out, err := bash.CombinedOutput(); err != nil || step.Shell != "bash" {
			t.Errorf("%s: %v: %s", step.Name, err, out)
		}
	}
}

// TestGitLab: the job is what GitLab's own schema allows. The schema is that of
// gitlab-ci-local 4.75.1 (npm), GitLab's, without its descriptions.
func TestGitLab(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/gitlab-ci.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("gitlab-ci.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("gitlab-ci.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		raw, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var job any
		if err := json.Unmarshal(raw, &job); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(job)
	}
	text := string(read(t, "gitlab/understudy.gitlab-ci.yml"))
	if err := validate(text); err != nil {
		t.Error(err)
	}
	if err := validate(strings.Replace(text, "when: always", "when: allways", 1)); err == nil {
		t.Error("a misspelt value is taken for right")
	}
}

// TestTheMakefile: make reads it, and its target calls the program.
func TestTheMakefile(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "make", "-n", "-f", recipes+"Makefile", "people").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "understudy test ") {
		t.Errorf("%s %v", out, err)
	}
}
