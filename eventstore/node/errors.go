package node

import (
	"context"
	"errors"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node/engine"
)

// Values of the "exception" trailer by which clients tell errors apart.
const (
	exceptionKey           = "exception"
	exceptionStreamDeleted = "stream-deleted"
	exceptionWrongExpected = "wrong-expected-version"
	exceptionTooLarge      = "maximum-append-size-exceeded"
	exceptionAccessDenied  = "access-denied"
)

// errClosing answers calls that the node's end interrupts.
var errClosing = status.Error(codes.Unavailable, "the event store node is shutting down")

// rpcError turns an error of the engine into the protocol's: a status and,
// set on the call in ctx, the trailers that clients read.
func rpcError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	st, trailer := describe(err)
	if len(trailer) > 0 {
		if err := grpc.SetTrailer(ctx, metadata.Pairs(trailer...)); err != nil {
			return err
		}
	}
	return st.Err()
}

func describe(err error) (st *status.Status, trailer []string) {
	var (
		wrong   *engine.WrongExpectedError
		deleted *engine.DeletedError
		large   *engine.TooLargeError
	)
	switch {
	case errors.As(err, &wrong):
		return status.New(codes.FailedPrecondition, err.Error()), []string{
			exceptionKey, exceptionWrongExpected,
			"stream-name", wrong.Stream,
			"expected-version", strconv.FormatInt(int64(wrong.Expected), 10),
			"actual-version", strconv.FormatInt(wrong.Current, 10),
		}
	case errors.As(err, &deleted):
		return status.New(codes.FailedPrecondition, err.Error()), []string{
			exceptionKey, exceptionStreamDeleted,
			"stream-name", deleted.Stream,
		}
	case errors.As(err, &large):
		return status.New(codes.InvalidArgument, err.Error()), []string{
			exceptionKey, exceptionTooLarge,
			"maximum-append-size", strconv.Itoa(large.Limit),
		}
	case errors.Is(err, errReadOnly):
		return status.Convert(err), []string{exceptionKey, exceptionAccessDenied}
	case errors.Is(err, engine.ErrInvalid):
		return status.New(codes.InvalidArgument, err.Error()), nil
	case errors.Is(err, engine.ErrClosed):
		return status.Convert(errClosing), nil
	case errors.Is(err, engine.ErrArchive):
		return status.New(codes.FailedPrecondition, err.Error()), nil
	case errors.Is(err, engine.ErrFailed):
		return status.New(codes.Internal, err.Error()), nil
	case errors.Is(err, engine.ErrUnreadable):
		return status.New(codes.DataLoss, err.Error()), nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err), nil
	}
	if st, ok := status.FromError(err); ok {
		return st, nil
	}
	return status.New(codes.Internal, err.Error()), nil
}
