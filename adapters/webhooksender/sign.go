package webhooksender

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const (
	// secretPrefix marks a secret that stands for base64-encoded bytes.
	// Source: the Standard Webhooks specification.
	secretPrefix = "whsec_"
	// secretBytes is the length of a generated secret, in bytes. Standard
	// Webhooks asks for 24 to 64; 32 fill a SHA-256 key.
	secretBytes = 32
)

// GenerateSecret makes a random secret, "whsec_" and the base64 of 32 bytes.
func GenerateSecret() string {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// SignService is the value of X-Service-Signature: "sha256=" and the lower-case
// hex HMAC-SHA256 of the body, keyed with the secret as it is written.
func SignService(secret string, body []byte) string {
	return "sha256=" + hex.EncodeToString(mac([]byte(secret), body))
}

// SignStandard is one signature of the webhook-signature header of Standard
// Webhooks: "v1," and the base64 HMAC-SHA256 of "id.timestamp.body", with the
// time in Unix seconds. The key is what follows "whsec_", base64-decoded; of a
// secret that is not of that form, its own bytes.
func SignStandard(secret, id string, at time.Time, body []byte) string {
	signed := make([]byte, 0, len(id)+len(body)+16)
	signed = append(signed, id...)
	signed = append(signed, '.')
	signed = strconv.AppendInt(signed, at.Unix(), 10)
	signed = append(signed, '.')
	signed = append(signed, body...)
	return "v1," + base64.StdEncoding.EncodeToString(mac(standardKey(secret), signed))
}

func standardKey(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, secretPrefix); ok {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil && len(key) > 0 {
			return key
		}
	}
	return []byte(secret)
}

func mac(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}
