package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"understudy/domain"
)

// The classes of a failed connection, as the proxy's answer header and the
// probe's codes name them.
const (
	ClassBlocked  = "blocked"  // the policy denied the address
	ClassUnlisted = "unlisted" // the address is private, and the test does not name it
	ClassDNS      = "dns"      // the name did not resolve
	ClassRefused  = "refused"  // nothing listens there
	ClassTimeout  = "timeout"  // no answer in time
	ClassTLS      = "tls"      // no trusted encrypted connection
	ClassNetwork  = "network"  // anything else: reset, no route, broken answer
)

// Class names the class of an error that a connection, or a request over one,
// failed with.
func Class(err error) string {
	var (
		dns         *net.DNSError
		timeout     net.Error
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		operation   *net.OpError
	)
	switch {
	case errors.Is(err, errUnlisted):
		return ClassUnlisted
	case domain.CodeOf(err) == domain.CodeTargetNotAllowed:
		return ClassBlocked
	case errors.As(err, &dns):
		return ClassDNS
	case errors.Is(err, syscall.ECONNREFUSED):
		return ClassRefused
	case errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return ClassTimeout
	case errors.As(err, &certificate), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ClassTLS
	case errors.As(err, &operation) && (operation.Op == "remote error" || operation.Op == "local error"):
		return ClassTLS // how crypto/tls reports an alert, received or sent
	}
	return ClassNetwork
}
