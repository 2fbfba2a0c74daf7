package node

import (
	"errors"
	"io"
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node/engine"
)

// streamsService is the protocol's Streams.
type streamsService struct {
	streams.UnimplementedStreamsServer
	engine  *engine.Engine
	closing <-chan struct{}
}

// maxDrain bounds, in bytes, what is still read of an append that is refused.
const maxDrain = 64 << 20

// Append records the events of one call. It reads the call to its end before
// it answers an error: a client that still sends would only see that the call
// has ended, not why.
func (s *streamsService) Append(call streams.Streams_AppendServer) error {
	request, fault := receiveAppend(call, mayWrite(call.Context()))
	if fault != nil {
		return rpcError(call.Context(), fault)
	}
	done, err := s.engine.Append(call.Context(), request)
	var wrong *engine.WrongExpectedError
	if errors.As(err, &wrong) {
		return call.SendAndClose(&streams.AppendResp{Result: wrongExpected(wrong)})
	}
	if err != nil {
		return rpcError(call.Context(), err)
	}
	return call.SendAndClose(&streams.AppendResp{Result: &streams.AppendResp_Success_{Success: success(done)}})
}

// receiveAppend reads a call to its end. Of one that has a fault, be it from the
// beginning, nothing is kept.
func receiveAppend(call streams.Streams_AppendServer, fault error) (request engine.Append, _ error) {
	first, err := call.Recv()
	if err != nil {
		return request, appendCut(err)
	}
	if o := first.GetOptions(); fault == nil && o == nil {
		fault = status.Error(codes.InvalidArgument, "an append begins with its options")
	} else if fault == nil {
		request.Stream = string(o.GetStreamIdentifier().GetStreamName())
		request.Expected, fault = appendExpectation(o)
	}
	for size, drained := 0, 0; ; {
		message, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return request, fault
		}
		if err != nil {
			return request, appendCut(err)
		}
		p := message.GetProposedMessage()
		if drained += max(len(p.GetData())+len(p.GetCustomMetadata()), engine.MinEventSize); drained > maxDrain {
			return request, &engine.TooLargeError{Limit: engine.MaxAppendSize}
		}
		if fault != nil {
			request.Events = nil
			continue
		}
		if p == nil {
			fault = status.Error(codes.InvalidArgument, "options may only come first")
			continue
		}
		var ev engine.NewEvent
		if ev, fault = newEvent(p); fault != nil {
			continue
		}
		if size += ev.Size(); size > engine.MaxAppendSize {
			fault = &engine.TooLargeError{Limit: engine.MaxAppendSize}
			continue
		}
		request.Events = append(request.Events, ev)
	}
}

func appendCut(err error) error {
	if errors.Is(err, io.EOF) {
		return status.Error(codes.InvalidArgument, "an append begins with its options")
	}
	return err
}

func appendExpectation(o *streams.AppendReq_Options) (engine.Expected, error) {
	switch v := o.GetExpectedStreamRevision().(type) {
	case *streams.AppendReq_Options_Revision:
		return exact(v.Revision)
	case *streams.AppendReq_Options_NoStream:
		return engine.NoStream, nil
	case *streams.AppendReq_Options_Any:
		return engine.Any, nil
	case *streams.AppendReq_Options_StreamExists:
		return engine.StreamExists, nil
	default:
		return 0, status.Error(codes.InvalidArgument, "an append names the revision it expects")
	}
}

func success(done engine.Appended) *streams.AppendResp_Success {
	out := &streams.AppendResp_Success{
		CurrentRevisionOption: &streams.AppendResp_Success_NoStream{NoStream: &shared.Empty{}},
		PositionOption:        &streams.AppendResp_Success_NoPosition{NoPosition: &shared.Empty{}},
	}
	if done.Revision >= 0 {
		out.CurrentRevisionOption = &streams.AppendResp_Success_CurrentRevision{CurrentRevision: uint64(done.Revision)}
	}
	if done.Position > 0 {
		out.PositionOption = &streams.AppendResp_Success_Position{Position: &streams.AppendResp_Position{
			CommitPosition: done.Position, PreparePosition: done.Position,
		}}
	}
	return out
}

// wrongExpected fills the fields of today's clients and those from before
// 20.6, as EventStoreDB does.
func wrongExpected(w *engine.WrongExpectedError) *streams.AppendResp_WrongExpectedVersion_ {
	out := &streams.AppendResp_WrongExpectedVersion{}
	if w.Current < 0 {
		out.CurrentRevisionOption = &streams.AppendResp_WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &shared.Empty{}}
		out.CurrentRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_NoStream_20_6_0{NoStream_20_6_0: &shared.Empty{}}
	} else {
		out.CurrentRevisionOption = &streams.AppendResp_WrongExpectedVersion_CurrentRevision{CurrentRevision: uint64(w.Current)}
		out.CurrentRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_CurrentRevision_20_6_0{CurrentRevision_20_6_0: uint64(w.Current)}
	}
	switch w.Expected {
	case engine.Any:
		out.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedAny{ExpectedAny: &shared.Empty{}}
		out.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_Any_20_6_0{Any_20_6_0: &shared.Empty{}}
	case engine.StreamExists:
		out.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &shared.Empty{}}
		out.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_StreamExists_20_6_0{StreamExists_20_6_0: &shared.Empty{}}
	case engine.NoStream:
		out.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &shared.Empty{}}
		out.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision_20_6_0{ExpectedRevision_20_6_0: math.MaxUint64}
	default:
		out.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision{ExpectedRevision: uint64(w.Expected)}
		out.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision_20_6_0{ExpectedRevision_20_6_0: uint64(w.Expected)}
	}
	return &streams.AppendResp_WrongExpectedVersion_{WrongExpectedVersion: out}
}
