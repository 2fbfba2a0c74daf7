package keyring

import (
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// Rotation says what a rotation does beyond making the next keys the ones that
// seal and sign.
type Rotation struct {
	// Prepare only adds the next keys, with which every process of a split
	// service can open and verify before the first one seals and signs.
	Prepare bool
	// EndSignatures forgets the previous signing keys: every address, stream
	// token and cursor that was handed out ends.
	EndSignatures bool
}

// Rotate gives the keyring at path new keys. The old ones stay: what they have
// sealed is recorded for good and can be opened on, and what they have signed
// holds until it expires, unless that is to end.
func Rotate(path string, r Rotation) error {
	err := changing(path, func() error {
		now, err := load(path)
		if err != nil {
			return err
		}
		next, err := now.rotated(r)
		if err != nil {
			return err
		}
		return write(path, next, true)
	})
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// rotated is the file after a rotation. What was prepared is used; else new keys
// are made.
func (k *keys) rotated(r Rotation) (file, error) {
	f := k.file
	ids := k.ids()
	next := ids[len(ids)-1]
	prepared := next != k.primary()
	if r.Prepare && prepared {
		return f, fmt.Errorf("key %d is prepared already: rotate to use it", next)
	}
	manager := keyset.NewManagerFromHandle(k.handle)
	if !prepared {
		var err error
		if next, err = manager.Add(aead.AES256GCMKeyTemplate()); err != nil {
			return f, err
		}
		f.NextSigningKey = newSigningKey()
	}
	if !r.Prepare {
		if err := manager.SetPrimary(next); err != nil {
			return f, err
		}
		f.PreviousSigningKeys = append([][]byte{f.SigningKey}, f.PreviousSigningKeys...)
		f.SigningKey, f.NextSigningKey = f.NextSigningKey, nil
	}
	if r.EndSignatures {
		f.PreviousSigningKeys = nil
	}
	handle, err := manager.Handle()
	if err == nil {
		f.AEAD, err = cleartext(handle)
	}
	return f, err
}
