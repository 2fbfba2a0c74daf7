package keyring

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"

	"understudy/domain"
)

// Subjects are the keys of people and organizations, one for each, sealed with the
// keyring. What is personal enters events as ciphertext of its subject's key;
// destroying that key erases it from the log, which itself is never changed. Keys are
// not remembered: what is destroyed opens nothing on any node.
type Subjects struct {
	kept Shelf
	keys *Keyring
}

// Shelf keeps sealed keys, durably, and for every process of the installation.
type Shelf interface {
	// Put keeps the sealed key of a subject that has had none.
	Put(ctx context.Context, subject string, sealed []byte) error
	// Get finds one: nil without an error when it was destroyed, fs.ErrNotExist when
	// there never was one.
	Get(ctx context.Context, subject string) (sealed []byte, err error)
	// Destroy destroys one for good, because of the event at a position. Without one it
	// keeps others from being put.
	Destroy(ctx context.Context, subject string, position uint64) error
	// Where says where the keys are, for who has to bring them back.
	Where() string
}

// NewSubjects keeps the keys on a shelf.
func NewSubjects(kept Shelf, keys *Keyring) *Subjects { return &Subjects{kept, keys} }

// MissingError says that keys are neither there nor destroyed.
type MissingError struct {
	Subjects []string
	Where    string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s lacks the keys of %s, and no event has destroyed them: restore it from a backup", e.Where, strings.Join(e.Subjects, ", "))
}

// subjectKeyBytes makes AES-256-GCM and HMAC-SHA256.
const subjectKeyBytes = 32

// Create makes the key of a subject that has none, durably.
func (s *Subjects) Create(ctx context.Context, subject string) error {
	key := make([]byte, subjectKeyBytes)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	sealed, err := s.keys.Seal(key, keyPlace(subject))
	if err != nil {
		return err
	}
	if err := s.kept.Put(ctx, subject, sealed); err != nil {
		return fmt.Errorf("keyring: key of %s: %w", subject, err)
	}
	return nil
}

// Seal encrypts what is personal of a subject whose key there is. place is as Seal's
// associated data.
func (s *Subjects) Seal(ctx context.Context, subject, place, plain string) (string, error) {
	key, err := s.key(ctx, subject)
	if err != nil {
		return "", err
	}
	aead, err := subtle.NewAESGCM(key)
	if err != nil {
		return "", fmt.Errorf("keyring: key of %s: %w", subject, err)
	}
	sealed, err := aead.Encrypt([]byte(plain), []byte(place))
	if err != nil {
		return "", fmt.Errorf("keyring: seal for %s: %w", subject, err)
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Open decrypts what Seal made with the same subject and place: ErrErased when the
// key was destroyed, a *MissingError when it is lost.
func (s *Subjects) Open(ctx context.Context, subject, place, sealed string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return "", fmt.Errorf("keyring: open for %s: %w", subject, err)
	}
	key, err := s.key(ctx, subject)
	if err != nil {
		return "", err
	}
	aead, err := subtle.NewAESGCM(key)
	if err != nil {
		return "", fmt.Errorf("keyring: key of %s: %w", subject, err)
	}
	plain, err := aead.Decrypt(raw, []byte(place))
	if err != nil {
		return "", fmt.Errorf("keyring: open for %s: %w", subject, err)
	}
	return string(plain), nil
}

// Destroy destroys a subject's key for good, because of the event at a position of
// the log. A key that was never there counts as destroyed from then on.
func (s *Subjects) Destroy(ctx context.Context, subject string, position uint64) error {
	if err := s.kept.Destroy(ctx, subject, position); err != nil {
		return fmt.Errorf("keyring: destroy the key of %s: %w", subject, err)
	}
	return nil
}

// Check finds out whether the keys of subjects are there or destroyed by an event;
// else the error is a *MissingError.
func (s *Subjects) Check(ctx context.Context, subjects []string) error {
	var missing []string
	for _, subject := range subjects {
		switch _, err := s.kept.Get(ctx, subject); {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, subject)
		case err != nil:
			return fmt.Errorf("keyring: look for the key of %s: %w", subject, err)
		}
	}
	if len(missing) > 0 {
		return &MissingError{missing, s.kept.Where()}
	}
	return nil
}

// namesOf is the subject whose key makes hashes of names.
const namesOf = "names"

// Hash is a keyed hash: the same for the same text in this installation, and of no
// use to who has only the log.
func (s *Subjects) Hash(ctx context.Context, text string) (string, error) {
	key, err := s.key(ctx, namesOf)
	if missing := (*MissingError)(nil); errors.As(err, &missing) {
		if err = s.Create(ctx, namesOf); err == nil {
			key, err = s.key(ctx, namesOf)
		}
	}
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

func (s *Subjects) key(ctx context.Context, subject string) ([]byte, error) {
	sealed, err := s.kept.Get(ctx, subject)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{[]string{subject}, s.kept.Where()}
	case err != nil:
		return nil, fmt.Errorf("keyring: key of %s: %w", subject, err)
	case sealed == nil:
		return nil, domain.ErrErased
	}
	key, err := s.keys.Open(sealed, keyPlace(subject))
	if err != nil {
		return nil, fmt.Errorf("keyring: key of %s: %w", subject, err)
	}
	return key, nil
}

func keyPlace(subject string) []byte { return []byte("subject key " + subject) }
