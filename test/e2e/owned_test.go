package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// A volume of an image whose service was another user: root without capabilities, as
// in compose.yaml, is told what to do, and it helps.
func TestADataDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("setpriv is not here")
	}
	const before = 10001
	s := &service{harness.Prepare(t)}
	s.Addr = "127.0.0.1:0"
	give := func(path string) {
		t.Helper()
		if err := filepath.WalkDir(path, func(path string, _ fs.DirEntry, _ error) error { return os.Lchown(path, before, before) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"events", "postgres"} {
		if err := os.MkdirAll(filepath.Join(s.Data(), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	keyring := filepath.Join(s.Data(), "keyring.json")
	if err := os.WriteFile(keyring, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	starts := func() string {
		ctx, cancel := patience.Context(t.Context(), time.Minute)
		defer cancel()
		cmd := s.Command(ctx, "serve")
		cmd.Path, cmd.Args = "", append([]string{"setpriv", "--inh-caps=-all", "--bounding-set=-all", s.Binary}, cmd.Args[1:]...)
		cmd.Path, _ = exec.LookPath("setpriv")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("it serves:\n%s", out)
		}
		return string(out)
	}
	for _, path := range []string{s.Data(), keyring} {
		give(path)
		out := starts()
		if !strings.Contains(out, path+" belongs to the user with the id 10001 (mode 0") {
			t.Fatalf("%s of another user: it says\n%s", path, out)
		}
		_, command, _ := strings.Cut(strings.TrimSpace(out), "Let root give it away: ")
		if told, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, told)
		}
		if out := starts(); strings.Contains(out, "belongs to the user") || !strings.Contains(out, "keyring") && !strings.Contains(out, "ostgres") {
			t.Errorf("after %s it says\n%s", command, out)
		}
		if info, err := os.Stat(filepath.Join(s.Data(), "postgres")); err != nil || !info.IsDir() {
			t.Fatal(err)
		}
	}
}
