package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"understudy/test/harness"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestTheDocumentsCommandsRun runs the commands of docs/cli.md, one after the other in
// one directory, on a sandbox.
func TestTheDocumentsCommandsRun(t *testing.T) {
	s := harness.Common(t)
	raw, err := os.ReadFile(filepath.Join(harness.Root(), "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, ran := t.TempDir(), 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(raw), -1) {
		for line := range strings.Lines(block[1]) {
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			cmd.Env = append(s.Environ(), "UNDERSTUDY_URL=http://"+s.Addr, "UNDERSTUDY_API_KEY="+s.Keys.Test,
				"PATH="+filepath.Dir(harness.Binary())+string(os.PathListSeparator)+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s%v\n%s", line, err, out)
			}
			ran++
		}
	}
	if ran < 8 {
		t.Errorf("only %d commands were found", ran)
	}
}
