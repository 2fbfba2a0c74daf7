package keyring_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/adapters/keyring"
	"understudy/eventstore/integrity"
	"understudy/test/patience"
)

func seal(t *testing.T, k *keyring.Keyring, text string) string {
	t.Helper()
	sealed, err := k.SealString(text, "a place")
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func opens(t *testing.T, k *keyring.Keyring, sealed, text string) {
	t.Helper()
	if got, err := k.OpenString(sealed, "a place"); err != nil || got != text {
		t.Errorf("opened %q, %v, want %q", got, err, text)
	}
}

func rotate(t *testing.T, path string, r keyring.Rotation) {
	t.Helper()
	if err := keyring.Rotate(path, r); err != nil {
		t.Fatal(err)
	}
}

func status(t *testing.T, path string) keyring.Status {
	t.Helper()
	s, err := keyring.ReadStatus(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRotationSealsAnewAndKeepsWhatWas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	before := open(t, path)
	old := seal(t, before, "old")
	rotate(t, path, keyring.Rotation{})
	after := open(t, path)
	opens(t, after, old, "old")
	opens(t, after, seal(t, after, "new"), "new")
	if _, err := before.OpenString(seal(t, after, "new"), "a place"); err == nil || !strings.Contains(err.Error(), "does not hold") {
		t.Errorf("what was sealed with the new key opened with the old one: %v", err)
	}
	was, now := before.SigningKeys(), after.SigningKeys()
	if len(now) != 2 || bytes.Equal(now[0], was[0]) || !bytes.Equal(now[1], was[0]) {
		t.Error("the new signing key does not sign, or the old one does not verify")
	}
	s := status(t, path)
	if len(s.Sealing) != 2 || s.Sealing[0].Primary || !s.Sealing[1].Primary || s.Sealing[1].Prepared || s.Verifying != 1 {
		t.Errorf("status %+v", s)
	}
	rotate(t, path, keyring.Rotation{EndSignatures: true})
	if last := open(t, path); len(last.SigningKeys()) != 1 || bytes.Equal(last.SigningKeys()[0], now[0]) {
		t.Error("signatures go on that were to end")
	} else {
		opens(t, last, old, "old")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("files beside it: %v, %v", left, err)
	}
}

// A process that has seen the preparation opens and verifies what one that has
// seen the rotation seals and signs.
func TestAPreparedRotationFindsNobodyUnprepared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	first := open(t, path)
	rotate(t, path, keyring.Rotation{Prepare: true})
	prepared := open(t, path)
	opens(t, first, seal(t, prepared, "still the old key"), "still the old key")
	if !bytes.Equal(prepared.SigningKeys()[0], first.SigningKeys()[0]) {
		t.Error("a prepared key signs")
	}
	if s := status(t, path); !s.Sealing[0].Primary || !s.Sealing[1].Prepared {
		t.Errorf("status %+v", s)
	}
	if err := keyring.Rotate(path, keyring.Rotation{Prepare: true}); err == nil || !strings.Contains(err.Error(), "prepared already") {
		t.Errorf("prepared twice: %v", err)
	}
	rotate(t, path, keyring.Rotation{})
	rotated := open(t, path)
	opens(t, prepared, seal(t, rotated, "the new key"), "the new key")
	verifies := false
	for _, key := range prepared.SigningKeys() {
		verifies = verifies || bytes.Equal(key, rotated.SigningKeys()[0])
	}
	if !verifies || len(status(t, path).Sealing) != 2 {
		t.Error("the prepared keys are not the ones in use")
	}
}

func TestABackupComesBackAndLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "data", "keyring.json"), filepath.Join(dir, "backup", "keyring.json")
	sealed := seal(t, open(t, path), "kept")
	if err := keyring.BackupTo(path, copied); err != nil {
		t.Fatal(err)
	}
	if err := keyring.BackupTo(path, copied); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a backup was written over another: %v", err)
	}
	backup, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	elsewhere := filepath.Join(dir, "another machine", "keyring.json")
	if err := keyring.Restore(elsewhere, backup); err != nil {
		t.Fatal(err)
	}
	opens(t, open(t, elsewhere), sealed, "kept")

	rotate(t, path, keyring.Rotation{})
	newer, err := keyring.Backup(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := keyring.Restore(path, backup); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("an older backup was put in the place of a newer keyring: %v", err)
	}
	if now, err := keyring.Backup(path); err != nil || !bytes.Equal(now, newer) {
		t.Errorf("the keyring changed: %v", err)
	}
	if err := keyring.Restore(elsewhere, newer); err != nil {
		t.Errorf("a newer backup: %v", err)
	}
	for _, junk := range []string{"", "{}", `{"aead":{"key":[]},"signing_key":"AAAA"}`, string(backup[:len(backup)/2])} {
		if err := keyring.Restore(filepath.Join(dir, "junk"), []byte(junk)); err == nil || !strings.Contains(err.Error(), "no backup") {
			t.Errorf("%q was restored: %v", junk, err)
		}
	}
	if _, err := keyring.Open(filepath.Join(dir, "junk")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a keyring was made: %v", err)
	}
}

// The audit key changes at once with what proves it; a backup from before is no
// more the keyring's, and the newest one is.
func TestTheAuditKeyIsRotatedWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	k := open(t, path)
	sealed := seal(t, k, "kept")
	secret, err := integrity.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.AddAuditKey(secret); err != nil {
		t.Fatal(err)
	}
	before, err := keyring.Backup(path)
	if err != nil {
		t.Fatal(err)
	}
	first, err := integrity.ParseKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	next, err := first.Another(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.HandOver(next, integrity.Head{Origin: first.Name(), Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.RotateAuditKey(next, second.Chain().Rotations()); err == nil {
		t.Error("a key that nobody prepared signs")
	}
	for _, prepared := range []string{next, "another"} {
		if got, err := k.PrepareAuditKey(prepared); err != nil || got != next {
			t.Errorf("prepared %q, %v", got, err)
		}
	}
	rotate(t, path, keyring.Rotation{}) // of the other keys, which changes nothing about this one
	if got, err := open(t, path).NextAuditKey(); err != nil || got != next {
		t.Errorf("the next key is %q, %v", got, err)
	}
	if err := k.RotateAuditKey(next, second.Chain().Rotations()); err != nil {
		t.Fatal(err)
	}
	now := open(t, path)
	got, rotations, err := now.AuditKey()
	if err != nil || got != next || rotations != second.Chain().Rotations() {
		t.Errorf("the key is %q after %q, %v", got, rotations, err)
	}
	if after, err := now.NextAuditKey(); err != nil || after != "" {
		t.Errorf("the next key is %q, %v", after, err)
	}
	opens(t, now, sealed, "kept")
	newest, err := keyring.Backup(path)
	if err != nil || bytes.Contains(newest, []byte(secret)) {
		t.Errorf("the old key is kept, %v", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "keyring.json")
	for _, backup := range [][]byte{before, newest} {
		if err := keyring.Restore(elsewhere, backup); err != nil {
			t.Error(err)
		}
	}
	if err := keyring.Restore(elsewhere, before); err == nil {
		t.Error("a key that was given up is back")
	}
}

func TestTwoRotationsAtOnceLoseNoKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	open(t, path)
	var wg sync.WaitGroup
	done := make(chan struct{}, 16)
	for range 16 {
		wg.Go(func() {
			if err := keyring.Rotate(path, keyring.Rotation{}); err == nil {
				done <- struct{}{}
			} else if !strings.Contains(err.Error(), "changing") {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s := status(t, path); len(s.Sealing) != 1+len(done) || len(done) == 0 {
		t.Errorf("%d rotations went through, and there are %d keys", len(done), len(s.Sealing))
	}
}

func TestAChangeIsTakenOverWhileItRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "keyring.json")
	running := open(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	var log lines
	go func() { ended <- running.Follow(ctx, slog.New(slog.NewTextHandler(&log, nil))) }()
	old := seal(t, running, "old")

	rotate(t, path, keyring.Rotation{})
	newer := seal(t, open(t, path), "new")
	await(t, "the rotation is seen", func() bool { _, err := running.OpenString(newer, "a place"); return err == nil })
	opens(t, running, old, "old")

	// What would lose keys, and what is no keyring, is not taken over.
	kept, err := keyring.Backup(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.json")
	open(t, other)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	await(t, "a foreign keyring is refused", func() bool { return log.contain("lacks keys that are in use") })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	await(t, "a missing keyring is told", func() bool { return log.contain("no such file") })
	opens(t, running, old, "old")
	if err := keyring.Restore(path, kept); err != nil {
		t.Fatal(err)
	}
	rotate(t, path, keyring.Rotation{})
	newest := seal(t, open(t, path), "newest")
	await(t, "it goes on after the restoration", func() bool { _, err := running.OpenString(newest, "a place"); return err == nil })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) contain(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), s)
}

func await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	patience.Eventually(t, 20*time.Second, what, cond)
}

func TestStartingOverReplacesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyring.json")
	lost := seal(t, open(t, path), "lost")
	if err := keyring.StartOver(path); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a keyring that is there was replaced: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := keyring.StartOver(path); err != nil {
		t.Fatal(err)
	}
	k := open(t, path)
	if _, err := k.OpenString(lost, "a place"); err == nil || !k.StartedOver() {
		t.Errorf("started over: %t, and what was lost opens: %v", k.StartedOver(), err)
	}
	rotate(t, path, keyring.Rotation{})
	if !open(t, path).StartedOver() {
		t.Error("a rotation forgets it")
	}
}

// An administrator who rotates keys does not take them away from the service.
func TestAChangedKeyringKeepsItsOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "keyring.json")
	open(t, path)
	const somebody = 65534
	if err := os.Chown(path, somebody, somebody); err != nil {
		t.Fatal(err)
	}
	rotate(t, path, keyring.Rotation{})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != somebody || owner.Gid != somebody {
		t.Errorf("it belongs to %d:%d now", owner.Uid, owner.Gid)
	}
}

// FuzzRestore: whatever is brought as a backup is refused and leaves nothing, or
// is a keyring that works.
func FuzzRestore(f *testing.F) {
	path := filepath.Join(f.TempDir(), "keyring.json")
	if _, err := keyring.OpenOrCreate(path); err != nil {
		f.Fatal(err)
	}
	whole, err := keyring.Backup(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-40])
	f.Add(bytes.Replace(whole, []byte("ENABLED"), []byte("DISABLED"), 1))
	f.Add(bytes.Replace(whole, []byte("AesGcmKey"), []byte("HmacKey"), 1))
	f.Add([]byte(`{"aead":{"primaryKeyId":1,"key":[]},"signing_key":null}`))
	f.Fuzz(func(t *testing.T, backup []byte) {
		place := filepath.Join(t.TempDir(), "keyring.json")
		if err := keyring.Restore(place, backup); err != nil {
			if left, err := os.ReadDir(filepath.Dir(place)); err != nil || len(left) != 0 {
				t.Fatalf("it left %v, %v", left, err)
			}
			return
		}
		k, err := keyring.Open(place)
		if err != nil {
			t.Fatal(err)
		}
		opens(t, k, seal(t, k, "a text"), "a text")
		rotate(t, place, keyring.Rotation{})
	})
}
