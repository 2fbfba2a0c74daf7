package projections_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A deployed read model is only filled anew when its version changes. Once a
// file of a projection other than queries.go, which only reads, has changed,
// raise its version and run
//
//	go test ./projections -run Versions -update
var update = flag.Bool("update", false, "note the hashes of projections whose version has changed")

const versionsFile = "versions.json"

// noted is one entry of versions.json: what a version of a projection is.
type noted struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Hash    string `json:"hash"`
}

func TestVersions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(versionsFile)
	if err != nil {
		t.Fatal(err)
	}
	var known []noted
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	byName := map[string]noted{}
	for _, n := range known {
		byName[n.Name] = n
	}
	now := make([]noted, 0, len(every))
	for _, p := range every {
		n := noted{Name: p.Name, Version: p.Version, Hash: hash(t, p.Name)}
		before := byName[p.Name]
		if *update && (before.Hash == n.Hash || before.Version < n.Version) {
			before = n
		}
		switch {
		case before.Hash != n.Hash && before.Version == n.Version:
			t.Errorf("%s has changed and is still version %d: raise the constant version in %s/apply.go, then run\n\tgo test ./projections -run Versions -update",
				p.Name, p.Version, p.Name)
		case before != n:
			t.Errorf("%s version %d is not noted: run\n\tgo test ./projections -run Versions -update", p.Name, p.Version)
		}
		now = append(now, before)
	}
	// A projection that is not in every would be watched, and tested, by nobody.
	folders, err := filepath.Glob("*/schema.sql")
	if err != nil || len(folders) != len(every) {
		t.Errorf("%d folders have a schema and %d projections are tested: %v", len(folders), len(every), err)
	}
	if *update && !t.Failed() {
		if text, err = json.MarshalIndent(now, "", "  "); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(versionsFile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func hash(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(name, "*.go")) // in the order of their names
	if err != nil {
		t.Fatal(err)
	}
	if name == "timeline" {
		files = append(files, "sessions/steps.go") // whose steps it tells
	}
	h := sha256.New()
	for _, file := range append(files, filepath.Join(name, "schema.sql")) {
		if filepath.Base(file) == "queries.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
