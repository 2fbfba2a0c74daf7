package e2e

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/sites"
)

// says runs another command of the program on a service's data.
func (s *service) says(t *testing.T, fails bool, args ...string) string {
	t.Helper()
	out, err := s.Command(t.Context(), args...).CombinedOutput()
	if (err != nil) != fails {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// withoutKeyring: a backup that cannot be made whole leaves nothing.
func withoutKeyring(t *testing.T, s *service, dir string) {
	t.Helper()
	keys := filepath.Join(s.Data(), "keyring.json")
	if err := os.Rename(keys, keys+".away"); err != nil {
		t.Fatal(err)
	}
	s.says(t, true, "backup", "create", dir)
	left, err := os.ReadDir(dir)
	if err = errors.Join(err, os.Rename(keys+".away", keys)); err != nil || len(left) > 0 {
		t.Errorf("a backup without the keyring leaves %v, %v", left, err)
	}
}

// TestABackupOfARunningServiceComesBack: what was acknowledged before it is there, answers
// are the same, and what was under way goes on.
func TestABackupOfARunningServiceComesBack(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	ended := s.live().create(t, signUpForReal(t, serveSite(t, sites.SaaS), 2))
	s.live().completed(t, ended.ID, liveLimit)
	running := s.sandbox().create(t, map[string]any{"url": "https://shop.example.com/", "task": "slow", "sessions": 2})
	dir := filepath.Join(t.TempDir(), "backup")
	withoutKeyring(t, s, dir)
	said := s.says(t, false, "backup", "create", dir)
	for _, part := range []string{"nothing is wrong", "all hold", "all are what their names say"} {
		if !strings.Contains(said, part) {
			t.Errorf("it does not say %q:\n%s", part, said)
		}
	}
	damaged(t, s, dir)
	after := s.sandbox().create(t, signUp(1))
	paths := []string{"/tests/" + ended.ID, "/tests/" + ended.ID + "/report", "/tests/" + ended.ID + "/sessions", "/personas"}
	var before [][]byte
	for _, path := range paths {
		before = append(before, s.live().send(t, http.MethodGet, path, nil).wants(t, 200, "").Body)
	}
	s.Killed(t)

	restored := &service{harness.Prepare(t, harness.Loopback)}
	restored.Addr = s.Addr // addresses in answers are the same
	restored.says(t, false, "backup", "restore", dir)
	if said := restored.says(t, true, "backup", "restore", dir); !strings.Contains(said, "not empty") {
		t.Errorf("over what is there: %s", said)
	}
	if out, err := exec.CommandContext(t.Context(), "cp", filepath.Join(s.Data(), "keys.json"), restored.Data()).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	restored.Begin(t)
	for i, path := range paths {
		now := restored.live().send(t, http.MethodGet, path, nil).wants(t, 200, "").Body
		if !bytes.Equal(ofTheDay.ReplaceAll(now, nil), ofTheDay.ReplaceAll(before[i], nil)) {
			t.Errorf("%s was\n%.2000s\nand is\n%.2000s", path, before[i], now)
		}
	}
	restored.sandbox().completed(t, running.ID, time.Minute)
	restored.sandbox().send(t, http.MethodGet, "/tests/"+after.ID, nil).wants(t, http.StatusNotFound, "")
	for _, one := range restored.live().sessions(t, ended.ID) {
		everyArtifactOpens(t, restored.live(), one)
	}
}

// damaged changes a byte of one thing after the other in copies of a backup, which are then
// not believed.
func damaged(t *testing.T, s *service, backup string) {
	t.Helper()
	for name, glob := range map[string]string{"a picture": "blobs/*/*/" + strings.Repeat("?", 64), "the log": "events/0*", "the heads": "audit/heads"} {
		dir := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(dir, os.DirFS(backup)); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, glob))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v %v", name, files, err)
		}
		var file string
		var raw []byte // of the largest: small ones of the log may have nothing in them
		for _, one := range files {
			if text, err := os.ReadFile(one); err != nil {
				t.Fatal(err)
			} else if len(text) > len(raw) {
				file, raw = one, text
			}
		}
		raw[len(raw)/3] ^= 1
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := s.Command(t.Context(), "backup", "verify", dir).CombinedOutput(); err == nil {
			t.Errorf("%s was changed, and it says\n%s", name, out)
		}
	}
}
