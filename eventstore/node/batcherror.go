package node

import (
	"context"
	"errors"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"

	"understudy/eventstore/node/engine"
)

// batchError is an error as a batch append's answer carries it: clients tell
// errors apart by the type of the detail.
func batchError(err error) *rpcstatus.Status {
	st, _ := describe(err)
	out := &rpcstatus.Status{Code: int32(st.Code()), Message: st.Message()}
	if detail, packErr := anypb.New(batchDetail(err, st.Code(), st.Message())); packErr == nil {
		out.Details = []*anypb.Any{detail}
	}
	return out
}

func batchDetail(err error, code codes.Code, message string) proto.Message {
	var (
		wrong   *engine.WrongExpectedError
		deleted *engine.DeletedError
		large   *engine.TooLargeError
	)
	switch {
	case errors.As(err, &wrong):
		return wrongExpectedDetail(wrong)
	case errors.As(err, &deleted):
		return &shared.StreamDeleted{StreamIdentifier: streamIdentifier(deleted.Stream)}
	case errors.As(err, &large):
		return &shared.MaximumAppendSizeExceeded{MaxAppendSize: uint32(large.Limit)}
	case errors.Is(err, context.DeadlineExceeded):
		return &shared.Timeout{}
	case code == codes.PermissionDenied:
		return &shared.AccessDenied{}
	case code == codes.InvalidArgument:
		return &shared.BadRequest{Message: message}
	default:
		return &shared.Unknown{}
	}
}

func wrongExpectedDetail(w *engine.WrongExpectedError) *shared.WrongExpectedVersion {
	out := &shared.WrongExpectedVersion{}
	if w.Current < 0 {
		out.CurrentStreamRevisionOption = &shared.WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &emptypb.Empty{}}
	} else {
		out.CurrentStreamRevisionOption = &shared.WrongExpectedVersion_CurrentStreamRevision{CurrentStreamRevision: uint64(w.Current)}
	}
	switch w.Expected {
	case engine.Any:
		out.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedAny{ExpectedAny: &emptypb.Empty{}}
	case engine.StreamExists:
		out.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &emptypb.Empty{}}
	case engine.NoStream:
		out.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &emptypb.Empty{}}
	default:
		out.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedStreamPosition{ExpectedStreamPosition: uint64(w.Expected)}
	}
	return out
}
