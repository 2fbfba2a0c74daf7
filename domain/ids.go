package domain

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.jetify.com/typeid"
)

// The prefixes of the TypeIDs that clients see.
const (
	PrefixTest         = "test"
	PrefixSession      = "ses"
	PrefixPersona      = "per"
	PrefixPack         = "pack"
	PrefixReport       = "rep"
	PrefixComparison   = "cmp"
	PrefixWebhook      = "whk"
	PrefixDelivery     = "dlv"
	PrefixOrganization = "org"
	PrefixUser         = "usr"
	PrefixKey          = "key"
	PrefixArtifact     = "art"
	PrefixNotice       = "ntc"
	PrefixInvitation   = "inv"
	PrefixSignIn       = "ssn"
	PrefixClient       = "oac"
	PrefixGrant        = "grt"
)

// namespace is the UUIDv5 name space of every identifier that Understudy
// derives. It is part of the recorded format: changing it makes redelivered
// commands write twice.
var namespace = uuid.MustParse("5f7a3f0e-8c1d-4c57-9d0a-6d1f6f6b0a11")

// FormatID writes a UUID as a TypeID, e.g. "test_01h455vb4pex5vsknk084sn02q".
func FormatID(prefix string, id uuid.UUID) string {
	t, err := typeid.FromUUIDBytesWithPrefix(prefix, id[:])
	if err != nil {
		panic("domain: TypeID prefix " + prefix + ": " + err.Error()) // prefixes are constants
	}
	return t.String()
}

// ValidID reports whether s is a TypeID with the given prefix.
func ValidID(prefix, s string) bool {
	t, err := typeid.FromString(s)
	return err == nil && t.Prefix() == prefix
}

// DeriveUUID is the UUIDv5 of the parts: the same parts, the same identifier.
// Commands of reactors and the events of a command take their ids from it, so
// that whatever is delivered twice is written once.
func DeriveUUID(parts ...string) uuid.UUID {
	return uuid.NewSHA1(namespace, []byte(strings.Join(parts, "\x00")))
}

// DeriveID is a TypeID for a resource that follows from an event: a UUIDv7
// with the event's time and, in place of randomness, a hash of the parts.
// It sorts by time like any other id and is the same on every redelivery.
func DeriveID(prefix string, at time.Time, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	var id uuid.UUID
	copy(id[:], sum[:16])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return FormatID(prefix, id)
}
