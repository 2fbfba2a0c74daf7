// Package keyring holds the installation's keys in one file: an AEAD keyset
// that encrypts secrets before they enter events or tables, and keys for
// signing what the service hands out and takes back (cursors, stream tokens,
// artifact URLs).
//
// Whoever loses the file loses the secrets: it belongs into every backup, and
// not beside the backup of the data it protects.
package keyring

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
)

// Keyring encrypts and decrypts with the installation's keys. It is safe for
// concurrent use.
type Keyring struct {
	path string
	keys atomic.Pointer[keys]
}

// Open reads the keyring at path. fs.ErrNotExist: there is none. A file that
// others may read, or that is damaged, is refused.
func Open(path string) (*Keyring, error) {
	loaded, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	k := &Keyring{path: path}
	k.keys.Store(loaded)
	return k, nil
}

// OpenOrCreate is Open, but makes a keyring (mode 0600, durable when it returns)
// if there is none. It is for new installations: beside data that were sealed
// with another keyring, a new one is of no use and hides the loss.
func OpenOrCreate(path string) (*Keyring, error) {
	k, err := Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	f, err := generate()
	if err == nil {
		// Of two processes that start together one makes the keyring and both
		// use it.
		if err = write(path, f, false); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return Open(path)
}

// Seal encrypts plaintext and binds it to aad, which is not secret and must be
// given again to Open: the id of what the secret belongs to, so that one
// ciphertext cannot be put in another's place.
func (k *Keyring) Seal(plaintext, aad []byte) ([]byte, error) {
	sealed, err := k.keys.Load().aead.Encrypt(plaintext, aad)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts what Seal made with the same aad, whichever key was the primary
// one then. Anything else is an error.
func (k *Keyring) Open(sealed, aad []byte) ([]byte, error) {
	keys := k.keys.Load()
	plaintext, err := keys.aead.Decrypt(sealed, aad)
	if err == nil {
		return plaintext, nil
	}
	if id, ok := sealedWith(sealed); ok && !keys.holds(id) {
		return nil, fmt.Errorf("open sealed value: it was sealed with the key %d, which %s does not hold: restore a newer backup of the keyring", id, k.path)
	}
	return nil, fmt.Errorf("open sealed value: %w", err)
}

// sealedWith is the id of the key that a ciphertext names: Tink's ciphertexts
// begin with the byte 1 and the id, big-endian. Source: Tink's wire format,
// https://developers.google.com/tink/wire-format.
func sealedWith(sealed []byte) (id uint32, ok bool) {
	if len(sealed) < 5 || sealed[0] != 1 {
		return 0, false
	}
	return binary.BigEndian.Uint32(sealed[1:5]), true
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

// StartedOver reports that the keyring stands in for one that was lost: what is
// older may not open.
func (k *Keyring) StartedOver() bool { return k.keys.Load().StartedOver }

// SigningKeys are 32-byte HMAC-SHA256 keys. The first one signs, all of them
// verify. They serve several purposes: what is signed begins with the name of
// its purpose. Callers do not change them.
func (k *Keyring) SigningKeys() [][]byte { return k.keys.Load().signing }
