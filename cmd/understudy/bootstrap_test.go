package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"understudy/adapters/keyring"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/process"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/test/patience"
)

// emptyLog is a node of its own with nothing in it.
func emptyLog(t *testing.T) *eventstore.Store {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "es.sock")
	n, err := node.Start(t.Context(), node.Options{Dir: filepath.Join(dir, "events"), Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	store, err := eventstore.Open(eventstore.Config{Socket: socket, Codec: eventstore.NewCodec(process.Catalogue()), CallTimeout: patience.Scaled(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func newKeys(t *testing.T) *keyring.Keyring {
	t.Helper()
	keys, err := keyring.OpenOrCreate(filepath.Join(t.TempDir(), "keyring.json"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Processes of a split service may be started together on an empty log, some in
// one data directory: no keys are lost, and none are handed out that nobody knows.
func TestProcessesThatFoundTogetherKeepTheKeys(t *testing.T) {
	t.Parallel()
	store, keys := emptyLog(t), newKeys(t)
	shared, own := filepath.Join(t.TempDir(), keysFile), filepath.Join(t.TempDir(), keysFile)
	first, _, err := found(t.Context(), service.NewStreams(store), keys, shared)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := found(t.Context(), service.NewStreams(store), keys, shared)
	if err != nil || second == nil || *second != *first {
		t.Errorf("in the same directory: %+v, %v", second, err)
	}
	if c, err := readCredentials(shared); err != nil || *c != *first {
		t.Errorf("the keys are gone: %v", err)
	}
	if c, _, err := found(t.Context(), service.NewStreams(store), keys, own); err != nil || c != nil {
		t.Errorf("in another directory: %+v, %v", c, err)
	}
	if _, err := os.Stat(own); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("keys that nobody knows stay: %v", err)
	}
	if err := makeCredentials(shared); !errors.Is(err, fs.ErrExist) {
		t.Errorf("keys over others: %v", err)
	}
}

// The record of a user has the hash of a password: it is not for every key.
func TestWhoMayProveWhatConcernsTheOrganization(t *testing.T) {
	t.Parallel()
	store := emptyLog(t)
	if _, _, err := bootstrap(t.Context(), service.NewStreams(store), newKeys(t), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	who := service.Principal{OrganizationID: firstOrganization(), Environment: domain.Sandbox, Scopes: []string{"tests:read"}}
	prover := audit{store: store}
	if e, err := prover.event(t.Context(), who, account.Stream(firstOrganization()), 1); domain.CodeOf(err) != domain.CodeNotFound || len(e.Data) > 0 {
		t.Errorf("with tests:read it answers %s, %v", e.Data, err)
	}
	who.Scopes = []string{access.Full}
	if e, err := prover.event(t.Context(), who, account.Stream(firstOrganization()), 1); err != nil || e.Type != (account.UserAdded{}).EventType() {
		t.Errorf("with admin it answers %s, %v", e.Type, err)
	}
	who.OrganizationID = "org_other"
	if _, err := prover.event(t.Context(), who, account.Stream(firstOrganization()), 1); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("somebody else is answered %v", err)
	}
}
