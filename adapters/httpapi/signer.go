package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
)

// The purposes of signatures. What was signed for one is nothing for another.
const (
	forArtifact   = "artifact"
	forAnnotated  = "annotated"
	forStream     = "stream"
	forReport     = "report"
	forSession    = "session"
	forComparison = "comparison"
	forCursor     = "cursor"
)

// macSize is how much of an HMAC-SHA256 signatures carry: 128 bits, as much as
// RFC 2104 asks for (at least half of the hash).
const macSize = 16

// minKeySize is the least length of a signing key in bytes.
const minKeySize = 32

// Signer makes and checks the signatures in addresses and cursors.
type Signer struct{ keys func() [][]byte }

// NewSigner signs with the first of the keys, and takes what any of them has
// signed; each has at least 32 random bytes. All nodes of an installation share
// them. They are asked for each time, so that they can be rotated while it runs;
// a key that is no longer among them ends every address that it has signed.
func NewSigner(keys func() [][]byte) (*Signer, error) {
	now := keys()
	if len(now) == 0 {
		return nil, errors.New("there is no signing key")
	}
	for _, key := range now {
		if len(key) < minKeySize {
			return nil, fmt.Errorf("a signing key needs at least %d bytes, this one has %d", minKeySize, len(key))
		}
	}
	return &Signer{keys: keys}, nil
}

// mac is the signature over the parts.
func (s *Signer) mac(parts ...string) []byte { return macWith(s.keys()[0], parts) }

// macWith is the signature of a key over the parts, each with its length, so
// that no two lists of parts look the same.
func macWith(key []byte, parts []string) []byte {
	h := hmac.New(sha256.New, key)
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)[:macSize]
}

func (s *Signer) sign(parts ...string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac(parts...))
}

// unbase64 reads what was written in base64 for addresses, in its one spelling:
// the library's decoder passes over the ends of lines.
func unbase64(text string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(text) != base64.RawURLEncoding.EncodedLen(len(raw)) {
		err = errors.New("it has ends of lines in it")
	}
	return raw, err
}

func (s *Signer) verify(signature string, parts ...string) bool {
	got, err := unbase64(signature)
	return err == nil && slices.ContainsFunc(s.keys(), func(key []byte) bool { return hmac.Equal(got, macWith(key, parts)) })
}

// day is the bucket that addresses of artifacts expire in: all made on one day
// (UTC) are the same, so that caches and ETags hold.
const day = 24 * time.Hour

func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

// expiryOf is when an address made at t expires, in Unix seconds: at the end
// of the following day, so after 24 to 48 hours.
func expiryOf(t time.Time) int64 { return (dayOf(t) + 2) * int64(day/time.Second) }

// The capability tokens of streams and report pages name the organization and
// environment to read as; both are signed together with the resource.
func (s *Signer) token(purpose, id, organizationID string, env domain.Environment) string {
	owner := base64.RawURLEncoding.EncodeToString([]byte(string(env) + ":" + organizationID))
	return owner + "." + s.sign(purpose, id, organizationID, string(env))
}

var errToken = errors.New("not a token of this resource")

// bearerOf is the principal that a capability token stands for. It may read,
// and only what the token was made for: the caller passes that id.
func (s *Signer) bearerOf(purpose, id, token string) (service.Principal, error) {
	encoded, signature, ok := strings.Cut(token, ".")
	if !ok {
		return service.Principal{}, errToken
	}
	owner, err := unbase64(encoded)
	if err != nil {
		return service.Principal{}, errToken
	}
	env, organizationID, ok := strings.Cut(string(owner), ":")
	if !ok || !s.verify(signature, purpose, id, organizationID, env) {
		return service.Principal{}, errToken
	}
	return service.Principal{
		OrganizationID: organizationID,
		Environment:    domain.Environment(env),
		Actor:          purpose + "-token",
	}, nil
}
