package keyring

import (
	"errors"
	"fmt"
	"strings"

	"understudy/eventstore/integrity"
)

// AuditKey is the Ed25519 key that signs heads of the log, in the text form of
// its maker, "" when none has been added, and the rotations that have led to
// it. They are read from the file each time: another process may have changed
// them.
func (k *Keyring) AuditKey() (secret, rotations string, err error) {
	loaded, err := load(k.path)
	if err != nil {
		return "", "", fmt.Errorf("keyring: %w", err)
	}
	return loaded.AuditKey, loaded.AuditRotations, nil
}

// NextAuditKey is the key that the one that signs is to hand over to, "" for
// none, as it is in the file now.
func (k *Keyring) NextAuditKey() (string, error) {
	loaded, err := load(k.path)
	if err != nil {
		return "", fmt.Errorf("keyring: %w", err)
	}
	return loaded.NextAuditKey, nil
}

// AddAuditKey adds the key to the file, durably, unless it has one by now; it
// answers with the one that is there. It is for the one process of an
// installation that signs.
func (k *Keyring) AddAuditKey(secret string) (kept string, err error) {
	err = k.change(func(f *file) error {
		if f.AuditKey == "" {
			f.AuditKey = secret
		}
		kept = f.AuditKey
		return nil
	})
	return kept, err
}

// PrepareAuditKey adds the next key, unless there is one by now; it answers
// with the one that is there.
func (k *Keyring) PrepareAuditKey(secret string) (kept string, err error) {
	err = k.change(func(f *file) error {
		if f.NextAuditKey == "" {
			f.NextAuditKey = secret
		}
		kept = f.NextAuditKey
		return nil
	})
	return kept, err
}

// RotateAuditKey makes the next key the one that signs and forgets the one
// before, all at once and durably. It is for the process that signs.
func (k *Keyring) RotateAuditKey(next, rotations string) error {
	return k.change(func(f *file) error {
		if f.NextAuditKey != next {
			return errors.New("another audit key is to be the next one")
		}
		f.AuditKey, f.AuditRotations, f.NextAuditKey = next, rotations, ""
		return nil
	})
}

// change changes the file, durably. Everything else in it stays as it is.
func (k *Keyring) change(change func(*file) error) error {
	err := changing(k.path, func() error {
		loaded, err := load(k.path)
		if err != nil {
			return err
		}
		if err := change(&loaded.file); err != nil {
			return err
		}
		return write(k.path, loaded.file, true)
	})
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// followsAudit reports whether k has the audit key of other, or one that it has
// led to.
func (k *keys) followsAudit(other *keys) bool {
	if other.AuditKey == "" || other.AuditKey == k.AuditKey {
		return true
	}
	key, err := integrity.ParseKey(other.AuditKey, "")
	return err == nil && strings.Contains(k.AuditRotations, "\nfrom "+key.Public().String()+"\n")
}
