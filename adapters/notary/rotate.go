package notary

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"understudy/eventstore/integrity"
)

const (
	// rotationLimit is how long a rotation waits for the process that signs.
	rotationLimit = 20 * time.Second
	// rotationPause is the time between two looks at the keyring.
	rotationPause = 100 * time.Millisecond
)

// errHandOver: it is not known which key is the one that signs now. The keyring
// tells, when it is read again.
var errHandOver = errors.New("the key that signs heads could not be rotated")

// endsReading tells what only another reading can get over.
func endsReading(err error) bool { return errors.Is(err, errAgain) || errors.Is(err, errHandOver) }

// handOver makes the next key, if there is one, the key that signs from the last
// head on. That is done at once when the keyring is written: before, the next
// key has signed nothing, and after, the old one does not any more.
func handOver(keys Keys, key *integrity.Key, last integrity.Head) (*integrity.Key, error) {
	secret, err := keys.NextAuditKey()
	if err != nil || secret == "" {
		return key, err
	}
	next, err := key.HandOver(secret, last)
	if err == nil {
		err = keys.RotateAuditKey(secret, next.Chain().Rotations())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errHandOver, err)
	}
	return next, nil
}

// Preparing keys can be given the next one.
type Preparing interface {
	Keys
	// PrepareAuditKey keeps the next key, once: it answers with the one that is
	// kept.
	PrepareAuditKey(secret string) (string, error)
}

// Rotate hands over to a new key: by itself where nobody else signs, else by the
// process that does, for which it waits.
func (a Auditor) Rotate(ctx context.Context, keys Preparing) (*integrity.Key, error) {
	secret, err := a.Key.Another(rand.Reader)
	if err == nil {
		secret, err = keys.PrepareAuditKey(secret)
	}
	if err != nil {
		return nil, err
	}
	if a.Alone {
		heads, err := OpenHeads(a.headsPath(), a.Key)
		if err != nil {
			return nil, err
		}
		next, err := handOver(keys, a.Key, heads.Last())
		return next, errors.Join(err, heads.Close())
	}
	next, err := integrity.ParseKey(secret, "")
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(rotationLimit); ; {
		now, err := AuditKey(keys)
		if err != nil || now.Public().String() == next.Public().String() {
			return now, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s still signs after %s: the next key is in the keyring, and the process with the role projector takes it up once it runs and has proven the log",
				now.Public(), rotationLimit)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(rotationPause):
		}
	}
}
