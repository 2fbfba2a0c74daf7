package test

import (
	"image"
	_ "image/jpeg" // the pictures' formats
	_ "image/png"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const (
	// maxFront bounds what is read first: the README and ARCHITECTURE.md.
	maxFront = 200
	// maxDocument bounds the other documents, which are looked things up in.
	maxDocument = 400
	// maxPicture keeps the checkout small, in bytes.
	maxPicture = 200 << 10
)

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	code     = regexp.MustCompile("`[^`\n]+`")
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	title    = regexp.MustCompile(`(?m)^# .+$`)
	reached  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pictured = []string{".png", ".jpg"}
)

// documents are all that is written for readers, by their paths from the top of
// the checkout.
func documents(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("docs: %d documents: %v", len(paths), err)
	}
	all := map[string]string{}
	for _, path := range append(paths, "../README.md", "../ARCHITECTURE.md", "../CHANGELOG.md") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(filepath.ToSlash(path), "../")] = string(raw)
	}
	return all
}

func TestDocumentsAreShort(t *testing.T) {
	t.Parallel()
	for path, text := range documents(t) {
		limit := maxDocument
		if path == "README.md" || path == "ARCHITECTURE.md" {
			limit = maxFront
		}
		if n := strings.Count(text, "\n"); n > limit {
			t.Errorf("%s has %d lines, want at most %d", path, n, limit)
		}
		if n := len(title.FindAllString(fenced.ReplaceAllString(text, ""), -1)); n != 1 || !strings.HasPrefix(text, "# ") {
			t.Errorf("%s has %d titles, want one, in its first line", path, n)
		}
	}
}

// Every link within the checkout leads to a file, and to a heading where it
// names one; every document is reached from the README.
func TestLinksOfDocuments(t *testing.T) {
	t.Parallel()
	all := documents(t)
	found := map[string]bool{"README.md": true}
	for from, text := range all {
		for _, m := range reached.FindAllStringSubmatch(code.ReplaceAllString(fenced.ReplaceAllString(text, ""), ""), -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %v", from, err)
				continue
			}
			if to.Scheme != "" {
				continue
			}
			path := from
			if to.Path != "" {
				path = filepath.ToSlash(filepath.Join(filepath.Dir(from), to.Path))
			}
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s leads nowhere: %v", from, err)
			}
			if to.Fragment != "" && !slices.Contains(anchors(all[path]), to.Fragment) {
				t.Errorf("%s: %s has no heading #%s", from, path, to.Fragment)
			}
			if from == "README.md" {
				found[path] = true
			}
		}
	}
	for path := range all {
		if !found[path] {
			t.Errorf("the README does not lead to %s", path)
		}
	}
}

// Every file and folder of the program that a document names is there.
func TestPathsInDocuments(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:adapters|cmd|docs|domain|eventstore|projections|test)/[\\w./-]*\\w)`")
	found := 0
	for from, text := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			found++
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s: %v", from, err)
			}
		}
	}
	if found == 0 {
		t.Error("no document names anything")
	}
}

// anchors are the headings of a document as GitHub and others name them in
// addresses.
func anchors(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, m[1]))
	}
	return all
}

func TestPicturesOfDocuments(t *testing.T) {
	t.Parallel()
	shown := false
	for from, text := range documents(t) {
		for _, m := range reached.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(pictured, filepath.Ext(m[1])) {
				continue
			}
			shown = shown || from == "README.md"
			f, err := os.Open(filepath.Join("..", filepath.Dir(from), m[1]))
			if err != nil {
				t.Error(err)
				continue
			}
			if info, err := f.Stat(); err != nil || info.Size() > maxPicture {
				t.Errorf("%s has %d bytes, want at most %d: %v", m[1], info.Size(), maxPicture, err)
			}
			if _, _, err := image.Decode(f); err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if !shown {
		t.Error("the README shows nothing")
	}
}
