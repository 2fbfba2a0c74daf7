package apikey

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"

	"understudy/domain"
)

// The alphabet of keys, digits first, and the lengths of their parts.
const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyRandom   = 30 // characters of randomness, 178 bits
	keyChecksum = 6  // base62 of the CRC32 of what stands before it
)

// The prefixes of API keys name their environment.
const (
	LivePrefix    = "svc_live_"
	SandboxPrefix = "svc_test_"
)

// NewKey writes an API key from entropy: prefix, 30 base62 characters, and 6
// of checksum, the layout that lets secret scanners find leaked keys offline.
// entropy must hold at least 64 random bytes; bytes that would favour some
// characters over others are passed over, and "" is returned when they run out.
func NewKey(env domain.Environment, entropy []byte) string {
	prefix := SandboxPrefix
	if env == domain.Live {
		prefix = LivePrefix
	}
	var b strings.Builder
	b.WriteString(prefix)
	n := 0
	for _, c := range entropy {
		if n == keyRandom {
			break
		}
		if c >= 248 { // 4 × 62: the rest would fall on the first eight characters
			continue
		}
		b.WriteByte(base62[c%62])
		n++
	}
	if n < keyRandom {
		return ""
	}
	return b.String() + checksum(b.String())
}

// KeyEnvironment tells the environment of a well-formed key, and whether it is
// one: prefix, length, alphabet and checksum. A typing error costs no look-up.
func KeyEnvironment(key string) (domain.Environment, bool) {
	env, prefix := domain.Live, LivePrefix
	if strings.HasPrefix(key, SandboxPrefix) {
		env, prefix = domain.Sandbox, SandboxPrefix
	}
	rest, ok := strings.CutPrefix(key, prefix)
	if !ok || len(rest) != keyRandom+keyChecksum || strings.Trim(rest, base62) != "" {
		return "", false
	}
	body := len(key) - keyChecksum
	return env, checksum(key[:body]) == key[body:]
}

// HashKey is how a key is stored and found: the hex SHA-256. Keys carry 178
// bits of randomness, so a slow hash would protect nothing more.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var out [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}
