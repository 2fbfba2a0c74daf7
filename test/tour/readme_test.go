package tour_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"understudy/test/harness"
)

// block is a fenced block of Markdown.
type block struct{ language, text string }

// section returns a document from a heading to the next one of its level, or
// all of it when the heading is empty.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(harness.Root(), file))
	if err != nil {
		t.Fatal(err)
	}
	if heading == "" {
		return string(raw)
	}
	_, text, found := strings.Cut(string(raw), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", file, heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocks(markdown string) []block {
	var out []block
	for _, m := range fence.FindAllStringSubmatch(markdown, -1) {
		out = append(out, block{language: m[1], text: m[2]})
	}
	return out
}

var row = regexp.MustCompile("(?m)^\\| `(UNDERSTUDY_[A-Z_]+)` \\| (.*?) \\| (.*) \\|$")

// The table of settings is what the program's help prints, row by row.
func TestSettings(t *testing.T) {
	t.Parallel()
	help, err := exec.CommandContext(t.Context(), harness.Binary(), "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	var told, written []string
	for line := range strings.Lines(string(help)) {
		if strings.HasPrefix(line, "  UNDERSTUDY_") {
			told = append(told, strings.TrimSuffix(line, "\n"))
		}
	}
	for _, m := range row.FindAllStringSubmatch(section(t, "docs/operations.md", "Configuration"), -1) {
		fallback := strings.Trim(m[2], "` ")
		if fallback != "" {
			fallback = " (" + fallback + ")"
		}
		written = append(written, fmt.Sprintf("  %-31s %s%s", m[1], m[3], fallback))
	}
	if got, want := strings.Join(written, "\n"), strings.Join(told, "\n"); got != want || want == "" {
		t.Errorf("the documents' settings are\n%s\n\nthe program's\n%s", got, want)
	}
}
