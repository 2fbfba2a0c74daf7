package service

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"understudy/domain"
)

// The parameters of argon2id that RFC 9106 recommends second: 3 passes over
// 64 MiB in 4 lanes.
const (
	argonTime    = 3
	argonMemory  = 64 << 10 // KiB
	argonThreads = 4
	argonSalt    = 16
	argonKey     = 32
)

const (
	minPassword = 10
	maxPassword = 200
	// passwordWait is how long a password waits for its turn.
	passwordWait = 5 * time.Second
)

// Passwords hashes and checks them, a few at a time: each takes 64 MiB, and nobody
// may take the memory of all.
type Passwords struct {
	turns chan struct{}
}

// stranger is the hash that is checked for who is not there; whatever it is of.
var stranger = hashText(make([]byte, argonSalt), make([]byte, argonKey))

// NewPasswords hashes so many at once.
func NewPasswords(atOnce int) *Passwords {
	return &Passwords{turns: make(chan struct{}, atOnce)}
}

func (p *Passwords) turn(ctx context.Context, do func()) error {
	wait, cancel := context.WithTimeout(ctx, passwordWait)
	defer cancel()
	select {
	case p.turns <- struct{}{}:
	case <-wait.Done():
		return domain.Refuse(domain.CodeUnavailable, "too many people sign in at once; try again in a moment")
	}
	defer func() { <-p.turns }()
	do()
	return nil
}

// Hash makes an argon2id hash in its usual text form.
func (p *Passwords) Hash(ctx context.Context, password string) (hash string, err error) {
	err = p.turn(ctx, func() { hash = HashPassword(password) })
	return hash, err
}

// Check reports whether a password is that of a hash, "" for that of nobody, which
// takes as long.
func (p *Passwords) Check(ctx context.Context, password, hash string) (ok bool, err error) {
	known := hash != ""
	if !known {
		hash = stranger
	}
	turnErr := p.turn(ctx, func() { ok, err = checkPassword(password, hash) })
	if turnErr != nil {
		return false, turnErr
	}
	return ok && known, err
}

// HashPassword is Hash for who takes no turn.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: it ends the program instead
	return hashText(salt, argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey))
}

func hashText(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		b64.EncodeToString(salt), b64.EncodeToString(key))
}

func checkPassword(password, hash string) (bool, error) {
	parts := strings.Split(hash, "$") // "", argon2id, v=, m=,t=,p=, salt, key
	var version int
	var memory, passes uint32
	var threads uint8
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("a password's hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &threads); err != nil || version != argon2.Version || memory > 1<<20 {
		return false, fmt.Errorf("a password's hash has parameters that cannot be read")
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("a password's hash: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 {
		return false, fmt.Errorf("a password's hash has no key")
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, threads, uint32(len(want))) //nolint:gosec // some 32 bytes
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// checkNewPassword refuses one that is too easy or too long.
func checkNewPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		return domain.Invalid("password", "length", "a password has %d to %d characters", minPassword, maxPassword)
	}
	return nil
}
