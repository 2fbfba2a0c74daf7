package domain

import (
	"errors"
	"fmt"
)

// Code is the stable, machine-readable name of a refusal. Clients program
// against it; adapters/httpapi maps each one to an HTTP status in one table.
type Code string

// The refusals that the domain itself knows.
const (
	CodeNotFound         Code = "not_found"
	CodeWrongState       Code = "wrong_state"
	CodeConflict         Code = "conflict"
	CodeChanged          Code = "precondition_failed"
	CodeValidationFailed Code = "validation_failed"
	CodeForbidden        Code = "forbidden"
	CodeTargetNotAllowed Code = "target_not_allowed"
	CodeGone             Code = "gone"
	CodeTooOld           Code = "too_old"
	CodeModelUnavailable Code = "model_not_available"
	CodeQuotaExceeded    Code = "session_quota_exceeded"
	CodeTooManyAtOnce    Code = "too_many_at_once"
	CodeTooMany          Code = "too_many"
	CodeUnavailable      Code = "unavailable"
)

// RetryUnavailable is after how many seconds a caller who was told CodeUnavailable is
// to try again.
const RetryUnavailable = 2

// FieldError names one field of what was asked for: "sessions", or where it is
// inside another "quality_gate.criteria.trust" and "persona_ids.2"; "" is all of
// it.
type FieldError struct {
	Field   string
	Code    string
	Message string
}

// Error is a refusal with a code. Message is for people and holds no secrets.
type Error struct {
	Code    Code
	Message string
	Fields  []FieldError
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Refuse makes a coded error.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes a validation_failed error for one field of what was asked for.
func Invalid(field, code, format string, args ...any) *Error {
	msg := fmt.Sprintf(format, args...)
	return &Error{
		Code:    CodeValidationFailed,
		Message: msg,
		Fields:  []FieldError{{Field: field, Code: code, Message: msg}},
	}
}

// CodeOf returns the code of a refusal anywhere in err's chain, or "" when
// err is not a refusal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// ErrErased is the answer to what was sealed for a person or an organization whose key
// is destroyed.
var ErrErased = errors.New("its key was destroyed")
