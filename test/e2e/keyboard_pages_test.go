package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"understudy/test/harness"
)

// ownerOf is who owns the service's first organization.
func (s *service) ownerOf(t *testing.T) (owner reader) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err == nil {
		err = json.Unmarshal(raw, &owner)
	}
	if err != nil {
		t.Fatal(err)
	}
	owner.Name = "owner"
	return owner
}

// goesWell runs a program of test/pages as the owner, which must find nothing wrong.
func (s *service) goesWell(t *testing.T, program string, more map[string]any) {
	t.Helper()
	owner := s.ownerOf(t)
	asked := map[string]any{"email": owner.Email, "password": owner.Password}
	for name, value := range more {
		asked[name] = value
	}
	for _, f := range s.atPages(t, program, asked) {
		t.Errorf("%s at %s: %s %v", f.Who, f.URL, f.Wrong, f.More)
	}
}

// TestWithKeysAlone: the main path goes without a mouse, and the focus is always seen.
func TestWithKeysAlone(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	const repeated = "Sign up for the newsletter"
	before := s.sandbox().create(t, map[string]any{"url": "https://example.com/", "task": repeated, "sessions": 3})
	s.sandbox().completed(t, before.ID, time.Minute)
	s.goesWell(t, "keys.mjs", map[string]any{"task": repeated})
}
