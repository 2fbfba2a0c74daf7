package node

import (
	"context"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node/engine"
)

// Delete soft-deletes a stream. The answer always has a position: the
// official client reads it without looking.
func (s *streamsService) Delete(ctx context.Context, request *streams.DeleteReq) (*streams.DeleteResp, error) {
	o := request.GetOptions()
	var expected engine.Expected
	var err error
	switch v := o.GetExpectedStreamRevision().(type) {
	case *streams.DeleteReq_Options_Revision:
		expected, err = exact(v.Revision)
	case *streams.DeleteReq_Options_NoStream:
		expected = engine.NoStream
	case *streams.DeleteReq_Options_Any:
		expected = engine.Any
	case *streams.DeleteReq_Options_StreamExists:
		expected = engine.StreamExists
	default:
		err = status.Error(codes.InvalidArgument, "a delete names the revision it expects")
	}
	if err == nil {
		err = mayWrite(ctx)
	}
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	at, err := s.engine.Delete(ctx, string(o.GetStreamIdentifier().GetStreamName()), expected)
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	return &streams.DeleteResp{PositionOption: &streams.DeleteResp_Position_{
		Position: &streams.DeleteResp_Position{CommitPosition: at, PreparePosition: at},
	}}, nil
}

// Tombstone deletes a stream for ever.
func (s *streamsService) Tombstone(ctx context.Context, request *streams.TombstoneReq) (*streams.TombstoneResp, error) {
	o := request.GetOptions()
	var expected engine.Expected
	var err error
	switch v := o.GetExpectedStreamRevision().(type) {
	case *streams.TombstoneReq_Options_Revision:
		expected, err = exact(v.Revision)
	case *streams.TombstoneReq_Options_NoStream:
		expected = engine.NoStream
	case *streams.TombstoneReq_Options_Any:
		expected = engine.Any
	case *streams.TombstoneReq_Options_StreamExists:
		expected = engine.StreamExists
	default:
		err = status.Error(codes.InvalidArgument, "a tombstone names the revision it expects")
	}
	if err == nil {
		err = mayWrite(ctx)
	}
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	at, err := s.engine.Tombstone(ctx, string(o.GetStreamIdentifier().GetStreamName()), expected)
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	return &streams.TombstoneResp{PositionOption: &streams.TombstoneResp_Position_{
		Position: &streams.TombstoneResp_Position{CommitPosition: at, PreparePosition: at},
	}}, nil
}
