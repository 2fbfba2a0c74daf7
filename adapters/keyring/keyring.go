// Package keyring holds the installation's keys in one file: an AEAD keyset
// that encrypts secrets before they enter events or tables, and a key for
// signing what the service hands out and takes back (cursors, stream tokens,
// artifact URLs).
//
// Whoever loses the file loses the secrets: it belongs into every backup, and
// not beside the backup of the data it protects.
package keyring

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// signingKeyBytes is the length of an HMAC-SHA256 key (RFC 2104: the hash's).
const signingKeyBytes = 32

// Keyring encrypts and decrypts with the installation's keys. It is safe for
// concurrent use.
type Keyring struct {
	aead    tink.AEAD
	signing []byte
}

// file is the keyring as it is stored. AEAD is a Tink keyset (AES-256-GCM) in
// Tink's own JSON, so that keys can be added and rotated with Tink's tools.
type file struct {
	AEAD       json.RawMessage `json:"aead"`
	SigningKey []byte          `json:"signing_key"`
}

// Open reads the keyring at path, or makes one there (mode 0600, durable when
// Open returns) if there is none. A file that others may read, or that is
// damaged, is refused: a new keyring in its place would lose every secret.
func Open(path string) (*Keyring, error) {
	k, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(path); err == nil {
			k, err = read(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return k, nil
}

// Seal encrypts plaintext and binds it to aad, which is not secret and must be
// given again to Open: the id of what the secret belongs to, so that one
// ciphertext cannot be put in another's place.
func (k *Keyring) Seal(plaintext, aad []byte) ([]byte, error) {
	sealed, err := k.aead.Encrypt(plaintext, aad)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts what Seal made with the same aad. Anything else is an error.
func (k *Keyring) Open(sealed, aad []byte) ([]byte, error) {
	plaintext, err := k.aead.Decrypt(sealed, aad)
	if err != nil {
		return nil, fmt.Errorf("open sealed value: %w", err)
	}
	return plaintext, nil
}

// SealString is Seal for text; the result is base64url, fit for JSON.
func (k *Keyring) SealString(plaintext, aad string) (string, error) {
	sealed, err := k.Seal([]byte(plaintext), []byte(aad))
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// OpenString decrypts what SealString made with the same aad.
func (k *Keyring) OpenString(sealed, aad string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return "", fmt.Errorf("open sealed value: %w", err)
	}
	plaintext, err := k.Open(raw, []byte(aad))
	return string(plaintext), err
}

// SigningKey is the installation's 32-byte HMAC-SHA256 key. It serves several
// purposes: what is signed begins with the name of its purpose.
func (k *Keyring) SigningKey() []byte { return slices.Clone(k.signing) }

func read(path string) (*Keyring, error) {
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
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if len(f.SigningKey) != signingKeyBytes {
		return nil, fmt.Errorf("%s is damaged: its signing key has %d bytes, not %d", path, len(f.SigningKey), signingKeyBytes)
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(f.AEAD)))
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Keyring{aead: primitive, signing: f.SigningKey}, nil
}

// create writes a new keyring beside path and links it into place. Unlike a
// rename a link never replaces: of two processes that start together one makes
// the keyring and both use it.
func create(path string) (err error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return err
	}
	var set bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&set)); err != nil {
		return err
	}
	f := file{AEAD: set.Bytes(), SigningKey: make([]byte, signingKeyBytes)}
	if _, err := rand.Read(f.SigningKey); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".keyring-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()
	_, writeErr := temp.Write(raw)
	if err := errors.Join(writeErr, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
