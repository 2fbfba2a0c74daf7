package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/adapters/keyring"
	"understudy/adapters/service"
)

// A log that holds secrets is only served with the keyring that opens them, or
// with one that was made in the knowledge that they are lost.
func TestALogInsistsOnItsKeyring(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), emptyLog(t)
	path := filepath.Join(dir, "keyring.json")
	keys, err := openKeyring(t.Context(), path, store)
	if err != nil {
		t.Fatalf("an empty log: %v", err)
	}
	if _, _, err := bootstrap(t.Context(), service.NewStreams(store), keys, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := openKeyring(t.Context(), path, store); err != nil {
		t.Errorf("its own keyring: %v", err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := openKeyring(t.Context(), path, store); err == nil || !strings.Contains(err.Error(), "restore FILE") {
		t.Errorf("no keyring: %v", err)
	}
	if _, err := keyring.OpenOrCreate(path); err != nil {
		t.Fatal(err)
	}
	if _, err := openKeyring(t.Context(), path, store); err == nil || !strings.Contains(err.Error(), "is not the keyring") {
		t.Errorf("another keyring: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := keyring.StartOver(path); err != nil {
		t.Fatal(err)
	}
	if _, err := openKeyring(t.Context(), path, store); err != nil {
		t.Errorf("a keyring that was made in its place: %v", err)
	}
}
