package eventstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What callers tell apart, with errors.Is.
var (
	// ErrWrongExpected: the stream is not at the revision that was expected.
	ErrWrongExpected = errors.New("wrong expected revision")
	// ErrStreamNotFound: the stream has no events, or was deleted.
	ErrStreamNotFound = errors.New("stream not found")
	// ErrTooLarge: the events are more than one append may have. Trying again
	// changes nothing.
	ErrTooLarge = errors.New("events too large for one append")
	// ErrUnavailable: the store did not answer in time, or an archive that holds
	// what was asked for is away. An append may or may
	// not have happened; the same append again, with the same event ids, is
	// written at most once.
	ErrUnavailable = errors.New("event store unavailable")
	// ErrDamaged: an event is not as it was recorded. Trying again changes nothing.
	ErrDamaged = errors.New("the event store is damaged")
)

var (
	errClosed       = fmt.Errorf("%w: closed", ErrUnavailable)
	errClientFailed = errors.New("the client failed")
	// errUnknownType is the cause of a PoisonError for an event type that
	// only a newer program knows.
	errUnknownType = errors.New("event type is not known to this program")
)

// PoisonError says which recorded event this program cannot take in. It is
// never skipped: a projector stops on it, a reactor holds.
type PoisonError struct {
	Position uint64 // commit position in the log
	Stream   string
	Revision uint64
	Time     time.Time // when it was recorded
	Type     string    // the recorded literal
	Err      error
}

func (e *PoisonError) Error() string {
	return fmt.Sprintf("event %s@%d (%s, position %d) cannot be taken in: %v",
		e.Stream, e.Revision, e.Type, e.Position, e.Err)
}

func (e *PoisonError) Unwrap() error { return e.Err }

// namedError finds which of the errors that callers know err stands for.
func namedError(err error) error {
	var e *esdb.Error
	if errors.As(err, &e) {
		switch e.Code() {
		case esdb.ErrorCodeWrongExpectedVersion:
			return ErrWrongExpected
		case esdb.ErrorCodeResourceNotFound, esdb.ErrorCodeStreamDeleted:
			return ErrStreamNotFound
		default: // the client codes only a part; the status below may say more
		}
	}
	switch status.Code(err) {
	case codes.DataLoss:
		return ErrDamaged
	case codes.FailedPrecondition: // an archive is away
		return ErrUnavailable
	default: // callers do the same about all the others
		return nil
	}
}

// retryable reports whether the same call may succeed a little later. All
// calls of this package can be repeated: appends are idempotent by event id.
func retryable(err error) bool {
	if errors.Is(err, errClosed) {
		return false
	}
	if errors.Is(err, errClientFailed) || errors.Is(err, io.EOF) {
		return true
	}
	var e *esdb.Error
	if errors.As(err, &e) {
		switch e.Code() {
		case esdb.ErrorCodeConnectionClosed, esdb.ErrorUnavailable, esdb.ErrorCodeDeadlineExceeded,
			esdb.ErrorAborted, esdb.ErrorCodeNotLeader:
			return true
		default: // the client codes only a part; the status below may say more
		}
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded, codes.Aborted:
		return true
	default: // an answer, which would come again
		return false
	}
}

// connectionLost judges from a call's error whether its client has lost the
// server, and whether the client is dead, that is of no use to anybody. A
// call that merely ended with its context says nothing.
func connectionLost(ctx context.Context, err error) (lost, dead bool) {
	if err == nil || errors.Is(err, ErrUnavailable) {
		return false, false
	}
	if errors.Is(err, errClientFailed) {
		return true, true
	}
	var e *esdb.Error
	if errors.As(err, &e) {
		switch e.Code() {
		case esdb.ErrorCodeConnectionClosed:
			return true, true
		case esdb.ErrorUnavailable:
			return true, false
		default: // says nothing of the connection; the status below may
		}
	}
	if ctx.Err() != nil {
		return false, false
	}
	// A broken connection shows as EOF while sending and as Canceled when
	// the client has closed it for another call.
	code := status.Code(err)
	return errors.Is(err, io.EOF) || code == codes.Unavailable || code == codes.Canceled, false
}

// refused reports whether the store has understood and will not change its
// mind: a subscription does not try again.
func refused(err error) bool {
	var e *esdb.Error
	if errors.As(err, &e) {
		switch e.Code() {
		case esdb.ErrorCodeAccessDenied, esdb.ErrorCodeUnauthenticated, esdb.ErrorCodeUnsupportedFeature:
			return true
		default: // the client codes only a part; the status below may say more
		}
	}
	switch status.Code(err) {
	case codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented, codes.InvalidArgument:
		return true
	default: // may be otherwise next time
		return false
	}
}
