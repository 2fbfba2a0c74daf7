package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sumsFile lists the golden files with their hashes, as sha256sum does.
const sumsFile = "events/SHA256SUMS"

// TestMain notes the files that -update has written when all tests are through.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *update && code == 0 {
		if err := noteNew(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// sums reads the list: hashes by name.
func sums() (map[string]string, error) {
	text, err := os.ReadFile(sumsFile)
	if err != nil {
		return nil, err
	}
	noted := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is no line of sha256sum", sumsFile, line)
		}
		noted[name] = sum
	}
	return noted, nil
}

// noteNew adds the files that are not in the list.
func noteNew() error {
	noted, err := sums()
	if err != nil {
		return err
	}
	files, err := filepath.Glob("events/*.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		if name := filepath.Base(file); noted[name] == "" {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			noted[name] = sumOf(data)
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(noted)) {
		fmt.Fprintf(&text, "%s  %s\n", noted[name], name)
	}
	return os.WriteFile(sumsFile, []byte(text.String()), 0o644)
}

// TestNoShapeIsForgotten: the files are add-only. Logs out there hold events of
// every shape that stands here, for good.
func TestNoShapeIsForgotten(t *testing.T) {
	t.Parallel()
	noted, err := sums()
	if err != nil {
		t.Fatal(err)
	}
	for name, sum := range noted {
		data, err := os.ReadFile(filepath.Join("events", name))
		switch {
		case err != nil:
			t.Errorf("%s is gone, and logs still hold events of its shape: bring it back (%v)", name, err)
		case sumOf(data) != sum:
			t.Errorf("%s was changed, and logs hold events of the shape it had: bring that back, and add the new one as a file of its own", name)
		}
	}
	files, err := filepath.Glob("events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); noted[name] == "" && !*update {
			t.Errorf("%s is not in %s: run with -update, which adds it", name, sumsFile)
		}
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
