package keyring

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup reads the keyring at path as it is. A damaged one is no backup.
func Backup(path string) ([]byte, error) {
	k, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return k.raw, nil
}

// BackupTo writes the keyring at path to a new file, mode 0600, durable when it
// returns. A file that is there is left alone.
func BackupTo(path, name string) error {
	raw, err := Backup(path)
	if err != nil {
		return err
	}
	if err := writeDurably(name, raw, false); err != nil {
		return fmt.Errorf("keyring: backup: %w", err)
	}
	return nil
}

// Restore puts a backup in the place of the keyring at path. One that is there
// is only replaced when the backup has all of its keys: no secret can be lost.
func Restore(path string, backup []byte) error {
	restored, err := parse(backup)
	if err != nil {
		return fmt.Errorf("keyring: this is no backup of a keyring: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	err = changing(path, func() error {
		present, err := load(path)
		if errors.Is(err, fs.ErrNotExist) {
			return writeDurably(path, backup, false)
		}
		if err != nil {
			return err
		}
		if lost := restored.lacks(present); len(lost) > 0 {
			return fmt.Errorf("%s has keys that the backup lacks: %v. What they have sealed would be lost; move the file away if that is meant", path, lost)
		}
		if !restored.followsAudit(present) {
			return fmt.Errorf("%s has the key that signs heads of the log, and the backup has an older one, another or none; move the file away if that is meant", path)
		}
		return writeDurably(path, backup, true)
	})
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// StartOver makes a keyring in the place of one that is lost for good. What that
// one has sealed stays unreadable.
func StartOver(path string) error {
	f, err := generate()
	if err == nil {
		f.StartedOver = true
		err = write(path, f, false)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keyring: %s is there: what it has sealed can be read, and would be lost", path)
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// Status is what can be told of a keyring without telling its keys.
type Status struct {
	// Fingerprint is the begin of the file's SHA-256, in hex: copies that are
	// the same have the same.
	Fingerprint string
	// Sealing are the keys that open what was sealed, oldest first.
	Sealing []SealingKey
	// Verifying is how many keys verify signatures beside the one that signs.
	Verifying int
}

// SealingKey is one key of the keyset.
type SealingKey struct {
	// ID stands at the begin of everything that was sealed with the key.
	ID uint32
	// Primary seals.
	Primary bool
	// Prepared has yet to seal anything.
	Prepared bool
}

// ReadStatus reads the keyring at path.
func ReadStatus(path string) (Status, error) {
	k, err := load(path)
	if err != nil {
		return Status{}, fmt.Errorf("keyring: %w", err)
	}
	s := Status{Fingerprint: hex.EncodeToString(k.print[:8]), Verifying: len(k.signing) - 1}
	behind := false
	for _, id := range k.ids() {
		primary := id == k.primary()
		s.Sealing = append(s.Sealing, SealingKey{ID: id, Primary: primary, Prepared: behind})
		behind = behind || primary
	}
	return s, nil
}
