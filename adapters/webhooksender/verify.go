package webhooksender

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far a delivery's timestamp may be from the receiver's
// clock, either way. Source: the libraries of Standard Webhooks.
const Tolerance = 5 * time.Minute

// The faults of a delivery that is not what it should be.
var (
	ErrUnsigned  = errors.New("the delivery has neither X-Service-Signature nor webhook-signature")
	ErrService   = errors.New("X-Service-Signature is not that of this secret and body")
	ErrStandard  = errors.New("webhook-signature is not that of this secret, webhook-id, webhook-timestamp and body")
	ErrTimestamp = errors.New("webhook-timestamp is too far from the present")
)

// Verify checks a delivery as a receiver does: each kind of signature that its
// header has, and with Standard Webhooks' the time of the attempt, which may be
// tolerance away from now; 0 asks for no time. Signatures are compared in
// constant time. It returns one of the errors of this package, wrapped.
func Verify(secret string, h http.Header, body []byte, now time.Time, tolerance time.Duration) error {
	service, standard := h.Get("X-Service-Signature"), h.Get("webhook-signature")
	if service == "" && standard == "" {
		return ErrUnsigned
	}
	if service != "" && !hmac.Equal([]byte(service), []byte(SignService(secret, body))) {
		return ErrService
	}
	if standard == "" {
		return nil
	}
	seconds, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: it is no Unix time", ErrTimestamp)
	}
	at := time.Unix(seconds, 0)
	if !signedByAny(standard, SignStandard(secret, h.Get("webhook-id"), at, body)) {
		return ErrStandard
	}
	if off := now.Sub(at).Abs(); tolerance > 0 && off > tolerance {
		return fmt.Errorf("%w: %s off, %s allowed", ErrTimestamp, off.Round(time.Second), tolerance)
	}
	return nil
}

// signedByAny looks for a signature among those of a header, which are
// separated by spaces: while a secret is rotated there are two.
func signedByAny(header, want string) (found bool) {
	for given := range strings.FieldsSeq(header) {
		found = hmac.Equal([]byte(given), []byte(want)) || found
	}
	return found
}
