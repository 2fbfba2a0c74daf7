package notary

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"understudy/eventstore/integrity"
)

// HeadsName is the name of the file of heads in its directory.
const HeadsName = "heads"

// Keys keep the key that signs.
type Keys interface {
	// AuditKey is the key in text form, "" when there is none yet, and the
	// rotations that have led to it.
	AuditKey() (secret, rotations string, err error)
	// AddAuditKey keeps a key, once: it answers with the one that is kept.
	AddAuditKey(secret string) (string, error)
	// NextAuditKey is the key that the one that signs is to hand over to, ""
	// for none.
	NextAuditKey() (string, error)
	// RotateAuditKey makes the next key the one that signs. It has done so
	// whole, or not at all.
	RotateAuditKey(next, rotations string) error
	// StartedOver: an operator has said that the keyring before is lost for
	// good, and with it the key that signed.
	StartedOver() bool
}

// open opens the key and the heads of the installation, or begins them where
// there never were any. Heads that were signed and are not there, or not by
// this key or one before it, are a *HeadsError: they are never made anew, unless
// the keyring was lost for good and started over.
func (n *Notary) open(ctx context.Context) (*integrity.Key, *HeadsFile, error) {
	path := filepath.Join(n.dir, HeadsName)
	secret, rotations, err := n.keys.AuditKey()
	if err != nil {
		return nil, nil, err
	}
	if secret == "" {
		row, ok, err := readRow(ctx, n.pool)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case n.keys.StartedOver():
			err = setAside(path)
		case ok:
			err = &HeadsError{fmt.Errorf("the heads of this log are signed by %s, a key that this keyring does not have: "+
				"put the keyring there that the log was begun with", row.Key)}
		}
		if err == nil {
			secret, err = begin(path, n.keys)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	key, err := integrity.ParseKey(secret, rotations)
	if err != nil {
		return nil, nil, &HeadsError{fmt.Errorf("the keyring is damaged: %w", err)}
	}
	heads, err := OpenHeads(path, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &HeadsError{fmt.Errorf("heads of this log were signed, and %s, which had them, is gone or empty. It is never made anew: "+
			"put it back from a backup, or write a head into it that was kept elsewhere, as GET /v1/audit/head and exports have it, with an empty line behind; "+
			"UNDERSTUDY_AUDIT_DIR says where it is", path)}
	}
	if errors.Is(err, errSigning) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, &HeadsError{err}
	}
	return key, heads, nil
}

// begin makes a key and the file with the head of the empty log: first the
// file, because a key without one means that heads were lost.
func begin(path string, keys Keys) (string, error) {
	secret, err := integrity.NewKey(rand.Reader)
	if err != nil {
		return "", err
	}
	key, err := integrity.ParseKey(secret, "")
	if err != nil {
		return "", err
	}
	if err := beginHeads(path, key); err != nil {
		return "", &HeadsError{err}
	}
	return keys.AddAuditKey(secret)
}

// setAside keeps the heads that a lost key has signed, beside the file of those
// to come: they still hold, and the last one is proven before another key signs.
func setAside(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && noteLength(text) == 0) {
		return nil
	}
	if err != nil {
		return err
	}
	origin, _, _ := strings.Cut(string(text), "\n")
	return os.Rename(path, path+"-of-"+filepath.Base(origin))
}
