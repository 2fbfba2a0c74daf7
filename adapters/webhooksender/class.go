package webhooksender

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"understudy/domain"
)

// The classes of an attempt that got no answer. Customers see them in the
// delivery log.
const (
	ClassTimeout    = "timeout"     // no complete answer in time
	ClassRefused    = "refused"     // nothing listens there
	ClassDNS        = "dns"         // the name did not resolve
	ClassTLS        = "tls"         // no trusted encrypted connection
	ClassBlocked    = "blocked"     // the egress policy denied the address
	ClassNetwork    = "network"     // anything else: reset, no route, broken answer
	ClassInvalidURL = "invalid_url" // not an http or https address
)

func class(err error) string {
	var (
		dns         *net.DNSError
		failed      net.Error
		operation   *net.OpError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
	)
	switch {
	case domain.CodeOf(err) == domain.CodeTargetNotAllowed:
		return ClassBlocked
	case errors.As(err, &dns):
		return ClassDNS
	case errors.Is(err, syscall.ECONNREFUSED):
		return ClassRefused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &failed) && failed.Timeout():
		return ClassTimeout
	case errors.As(err, &certificate), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ClassTLS
	case errors.As(err, &operation) && (operation.Op == "remote error" || operation.Op == "local error"):
		return ClassTLS // an alert of crypto/tls, received or sent
	}
	return ClassNetwork
}
