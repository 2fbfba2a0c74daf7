package tour_test

import (
	"fmt"
	"image"
	_ "image/jpeg" // the pictures' formats
	_ "image/png"
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

// readme returns the README from a heading to the next one of its level, or
// all of it when the heading is empty.
func readme(t *testing.T, heading string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(harness.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if heading == "" {
		return string(raw)
	}
	_, section, found := strings.Cut(string(raw), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("the README has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
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
	for _, m := range row.FindAllStringSubmatch(readme(t, "Configuration"), -1) {
		fallback := strings.Trim(m[2], "` ")
		if fallback != "" {
			fallback = " (" + fallback + ")"
		}
		written = append(written, fmt.Sprintf("  %-31s %s%s", m[1], m[3], fallback))
	}
	if got, want := strings.Join(written, "\n"), strings.Join(told, "\n"); got != want || want == "" {
		t.Errorf("the README's settings are\n%s\n\nthe program's\n%s", got, want)
	}
}

var link = regexp.MustCompile(`\]\(([^):#]+)\)`)

// maxPicture keeps the checkout small, in bytes.
const maxPicture = 200 << 10

func TestLinksAndPictures(t *testing.T) {
	t.Parallel()
	pictures := 0
	for _, m := range link.FindAllStringSubmatch(readme(t, ""), -1) {
		path := filepath.Join(harness.Root(), m[1])
		info, err := os.Stat(path)
		if err != nil {
			t.Errorf("the README leads nowhere: %v", err)
			continue
		}
		if kind := filepath.Ext(path); kind != ".png" && kind != ".jpg" {
			continue
		}
		pictures++
		if info.Size() > maxPicture {
			t.Errorf("%s has %d bytes, want at most %d", m[1], info.Size(), maxPicture)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := image.Decode(f); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if pictures == 0 {
		t.Error("the README shows nothing")
	}
}
