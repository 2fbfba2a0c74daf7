package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// largestProblem bounds what is read of a refusal, in bytes.
const largestProblem = 1 << 20

// Error is what the service refused a request with (RFC 9457).
type Error struct {
	Status    int // of HTTP
	Code      string
	Detail    string
	RequestID string  `json:"request_id"`
	Faults    []Fault `json:"errors"`
}

// Fault is what is wrong with one field of a request.
type Fault struct {
	Pointer string // RFC 6901; the name of a parameter of the address
	Code    string
	Message string
}

// Error tells the reason, and the request's id to ask with where that may help.
func (e *Error) Error() string {
	if e.Status >= http.StatusInternalServerError && e.RequestID != "" {
		return fmt.Sprintf("%s (request %s)", e.Detail, e.RequestID)
	}
	return e.Detail
}

// UnreachableError is that a service gave no answer.
type UnreachableError struct {
	Address string
	Cause   error
}

func (e *UnreachableError) Error() string {
	cause := e.Cause
	if inner := (*url.Error)(nil); errors.As(cause, &inner) {
		cause = inner.Err // the address is told once
	}
	return fmt.Sprintf("%s does not answer: %v", e.Address, cause)
}

func (e *UnreachableError) Unwrap() error { return e.Cause }

// refusal reads a problem document. Another answer is none of Understudy's.
func refusal(res *http.Response) error {
	e := &Error{Status: res.StatusCode}
	raw, err := io.ReadAll(io.LimitReader(res.Body, largestProblem))
	if err != nil || json.Unmarshal(raw, e) != nil || e.Code == "" {
		return foreign(res)
	}
	e.Status = res.StatusCode
	return e
}

// foreign is the error of an answer that is none of the interface.
func foreign(res *http.Response) error {
	said := res.Status
	if to, err := res.Location(); err == nil {
		said += " to " + to.Redacted()
	}
	return &Error{Status: res.StatusCode, Detail: fmt.Sprintf("%s answers %s, which is no answer of Understudy", res.Request.URL.Redacted(), said)}
}
