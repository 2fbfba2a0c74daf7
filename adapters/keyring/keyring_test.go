package keyring_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/adapters/keyring"
)

func open(t *testing.T, path string) *keyring.Keyring {
	t.Helper()
	k, err := keyring.OpenOrCreate(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestWhatIsSealedOpensAfterARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "keyring.json")
	first := open(t, path)
	sealed, err := first.SealString("whsec_hush", "whk_1")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(sealed, "hush") {
		t.Error("the secret shows")
	}
	again := open(t, path)
	if got, err := again.OpenString(sealed, "whk_1"); err != nil || got != "whsec_hush" {
		t.Errorf("opened %q, %v", got, err)
	}
	if _, err := again.OpenString(sealed, "whk_2"); err == nil {
		t.Error("it opened for another owner")
	}
	if _, err := again.OpenString("not base64!", "whk_1"); err == nil {
		t.Error("garbage opened")
	}
	if keys := first.SigningKeys(); len(keys) != 1 || len(keys[0]) != 32 || !bytes.Equal(keys[0], again.SigningKeys()[0]) {
		t.Error("the signing key is not 32 bytes that stay")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("keyring file: %v, %v; want mode 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("files beside it: %v, %v", left, err)
	}
}

func TestStartingTogetherMakesOneKeyring(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	keys := make(chan []byte)
	for range 8 {
		go func() {
			k, err := keyring.OpenOrCreate(path)
			if err != nil {
				t.Error(err)
				keys <- nil
				return
			}
			keys <- k.SigningKeys()[0]
		}()
	}
	first := <-keys
	for range 7 {
		if !bytes.Equal(first, <-keys) {
			t.Error("two processes have different keys")
		}
	}
}

func TestADoubtfulFileIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "keyring.json")
	open(t, good)
	raw, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		mode    os.FileMode
		says    string
	}{
		"cut":      {raw[:len(raw)/2], 0o600, "damaged"},
		"empty":    {nil, 0o600, "damaged"},
		"readable": {raw, 0o644, "chmod 600"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.content, c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := keyring.OpenOrCreate(path); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, c.content) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestTheAuditKeyIsAddedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	k := open(t, path)
	sealed, err := k.SealString("whsec_hush", "whk_1")
	if err != nil {
		t.Fatal(err)
	}
	auditKey := func(k *keyring.Keyring) string {
		t.Helper()
		key, rotations, err := k.AuditKey()
		if err != nil || rotations != "" {
			t.Fatal(rotations, err)
		}
		return key
	}
	if auditKey(k) != "" {
		t.Error("there is an audit key that nobody added")
	}
	other := open(t, path)
	if got, err := k.AddAuditKey("PRIVATE+KEY+first"); err != nil || got != "PRIVATE+KEY+first" || auditKey(other) != got {
		t.Errorf("added %q, %v", got, err)
	}
	if got, err := other.AddAuditKey("PRIVATE+KEY+second"); err != nil || got != "PRIVATE+KEY+first" {
		t.Errorf("a second one was added: %q, %v", got, err)
	}
	again := open(t, path)
	if auditKey(again) != "PRIVATE+KEY+first" || !bytes.Equal(again.SigningKeys()[0], k.SigningKeys()[0]) {
		t.Error("the file has other keys")
	}
	if got, err := again.OpenString(sealed, "whk_1"); err != nil || got != "whsec_hush" {
		t.Errorf("opened %q, %v", got, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left beside the keyring: %v, %v", left, err)
	}
}
