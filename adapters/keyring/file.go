package keyring

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// signingKeyBytes is the length of an HMAC-SHA256 key (RFC 2104: the hash's).
const signingKeyBytes = 32

// file is the keyring as it is stored. AEAD is a Tink keyset (AES-256-GCM) in
// Tink's own JSON, so that Tink's tools can read it. Its keys are in the order
// in which they were added.
type file struct {
	AEAD       json.RawMessage `json:"aead"`
	SigningKey []byte          `json:"signing_key"`
	// PreviousSigningKeys still verify, NextSigningKey verifies already.
	PreviousSigningKeys [][]byte `json:"previous_signing_keys,omitempty"`
	NextSigningKey      []byte   `json:"next_signing_key,omitempty"`
	// StartedOver: the keyring before was lost for good.
	StartedOver bool `json:"started_over,omitempty"`
	// AuditKey signs heads of the log. It is added before the first one.
	// AuditRotations are the notes in which those before it have handed over,
	// NextAuditKey is the one that it will hand over to.
	AuditKey       string `json:"audit_key,omitempty"`
	AuditRotations string `json:"audit_rotations,omitempty"`
	NextAuditKey   string `json:"next_audit_key,omitempty"`
}

// keys is a file, ready for use.
type keys struct {
	file

	aead    tink.AEAD
	handle  *keyset.Handle
	signing [][]byte // the first one signs
	// raw is the file as it is, print its SHA-256.
	raw   []byte
	print [sha256.Size]byte
}

// load reads the file at path.
func load(path string) (*keys, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s may be read by others (mode %04o): chmod 600 it", path, info.Mode().Perm())
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	loaded, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return loaded, nil
}

func parse(raw []byte) (*keys, error) {
	k := &keys{raw: raw, print: sha256.Sum256(raw)}
	if err := json.Unmarshal(raw, &k.file); err != nil {
		return nil, err
	}
	k.signing = append(k.signing, k.SigningKey)
	if k.NextSigningKey != nil {
		k.signing = append(k.signing, k.NextSigningKey)
	}
	k.signing = append(k.signing, k.PreviousSigningKeys...)
	for _, key := range k.signing {
		if len(key) != signingKeyBytes {
			return nil, fmt.Errorf("a signing key has %d bytes, not %d", len(key), signingKeyBytes)
		}
	}
	var err error
	if k.handle, err = insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(k.AEAD))); err != nil {
		return nil, err
	}
	k.aead, err = aead.New(k.handle)
	return k, err
}

// ids are the keys that seal and open, in the order in which they were added.
func (k *keys) ids() []uint32 {
	var ids []uint32
	for _, info := range k.handle.KeysetInfo().GetKeyInfo() {
		ids = append(ids, info.GetKeyId())
	}
	return ids
}

func (k *keys) primary() uint32 { return k.handle.KeysetInfo().GetPrimaryKeyId() }

func (k *keys) holds(id uint32) bool { return slices.Contains(k.ids(), id) }

// lacks are the keys of other that k does not hold.
func (k *keys) lacks(other *keys) (ids []uint32) {
	for _, id := range other.ids() {
		if !k.holds(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// generate makes the keys of a new installation.
func generate() (file, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return file{}, err
	}
	f := file{SigningKey: newSigningKey()}
	f.AEAD, err = cleartext(handle)
	return f, err
}

func newSigningKey() []byte {
	key := make([]byte, signingKeyBytes)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return key
}

func cleartext(handle *keyset.Handle) (json.RawMessage, error) {
	var set bytes.Buffer
	err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&set))
	return set.Bytes(), err
}

// write puts a keyring in its place, whole or not at all.
func write(path string, f file, replace bool) error {
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return writeDurably(path, append(raw, '\n'), replace)
}

// changing runs change while nobody else changes the keyring at path: of two
// rotations at once one would lose the other's keys. It locks the directory.
func changing(path string, change func() error) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // which also unlocks it
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("somebody else is changing it; try again")
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir.Name(), err)
	}
	return change()
}

// writeDurably writes a file of mode 0600 that is on disk when it returns. What
// is there is replaced, or else left alone and told as fs.ErrExist. The file
// belongs to who owned the one before, or owns the directory: an administrator
// who rotates keys does not take them away from the service.
func writeDurably(path string, data []byte, replace bool) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".keyring-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already when it was renamed
	_, writeErr := temp.Write(data)
	if err := errors.Join(writeErr, giveTo(temp, path), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	// Unlike a rename, a link never replaces.
	place := os.Link
	if replace {
		place = os.Rename
	}
	if err := place(temp.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// giveTo makes a file the property of who owns path, or its directory while
// there is no such file. Only root gives files away.
func giveTo(f *os.File, path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}
