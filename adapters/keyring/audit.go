package keyring

import (
	"fmt"
)

// AuditKey is the Ed25519 key that signs heads of the log, in the text form of
// its maker, "" when none has been added. It is read from the file each time:
// another process may have added it.
func (k *Keyring) AuditKey() (string, error) {
	loaded, err := load(k.path)
	if err != nil {
		return "", fmt.Errorf("keyring: %w", err)
	}
	return loaded.AuditKey, nil
}

// AddAuditKey adds the key to the file, durably, unless it has one by now; it
// answers with the one that is there. Everything else in the file stays as it
// is. It is for the one process of an installation that signs.
func (k *Keyring) AddAuditKey(secret string) (kept string, err error) {
	err = changing(k.path, func() error {
		loaded, err := load(k.path)
		if err != nil {
			return err
		}
		if kept = loaded.AuditKey; kept != "" {
			return nil
		}
		kept, loaded.AuditKey = secret, secret
		return write(k.path, loaded.file, true)
	})
	if err != nil {
		return "", fmt.Errorf("keyring: %w", err)
	}
	return kept, nil
}
