package node

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"understudy/eventstore/node/engine"
)

const (
	// maxOpenBatches bounds the appends of one call whose events are still
	// arriving in pieces.
	maxOpenBatches = 256
	// maxUnanswered bounds the appends of one call that wait for their
	// outcome; a client that sends more is read no further until then.
	maxUnanswered = 64
	// maxBatchWait bounds the wait for an append whose client named no
	// deadline.
	maxBatchWait = 30 * time.Second
)

// batch is one append of a BatchAppend call.
type batch struct {
	id       *shared.UUID
	options  *streams.BatchAppendReq_Options
	request  engine.Append
	size     int
	deadline time.Time
	// fault is why the append is refused, once known.
	fault   error
	pending *engine.Pending
}

// BatchAppend serves many appends on one call. Each is answered under its
// correlation id; appends are decided in the order in which they are
// complete.
func (s *streamsService) BatchAppend(call streams.Streams_BatchAppendServer) error {
	complete := make(chan *batch, maxUnanswered)
	ended := make(chan error, 1)
	go func() {
		ended <- s.receiveBatches(call, complete)
		close(complete)
	}()
	for {
		select {
		case b, open := <-complete:
			if !open {
				return rpcError(call.Context(), <-ended)
			}
			if err := call.Send(b.answer(call.Context())); err != nil {
				return err
			}
		case <-s.closing:
			return errClosing
		}
	}
}

// receiveBatches assembles the appends and queues each once it is complete.
// It ends with the call.
func (s *streamsService) receiveBatches(call streams.Streams_BatchAppendServer, complete chan<- *batch) error {
	ctx := call.Context()
	open := map[[16]byte]*batch{}
	for {
		part, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		key, err := eventID(part.GetCorrelationId())
		if err != nil {
			return status.Error(codes.InvalidArgument, "an append has no correlation id")
		}
		b := open[key]
		if b == nil {
			if len(open) >= maxOpenBatches {
				return status.Errorf(codes.ResourceExhausted, "more than %d appends are incomplete", maxOpenBatches)
			}
			b = newBatch(part)
			if b.fault == nil {
				b.fault = mayWrite(ctx)
			}
			open[key] = b
		}
		b.add(part.GetProposedMessages())
		if !part.GetIsFinal() {
			continue
		}
		delete(open, key)
		if b.fault == nil {
			b.pending, b.fault = s.engine.Submit(ctx, b.request)
		}
		select {
		case complete <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func newBatch(first *streams.BatchAppendReq) *batch {
	b := &batch{id: first.GetCorrelationId(), options: first.GetOptions(), deadline: time.Now().Add(maxBatchWait)}
	if b.options == nil {
		b.fault = status.Error(codes.InvalidArgument, "an append begins with its options")
		return b
	}
	switch v := b.options.GetDeadlineOption().(type) {
	case *streams.BatchAppendReq_Options_Deadline:
		b.deadline = time.Now().Add(v.Deadline.AsDuration())
	case *streams.BatchAppendReq_Options_Deadline_21_10_0:
		b.deadline = v.Deadline_21_10_0.AsTime()
	}
	b.request.Stream = string(b.options.GetStreamIdentifier().GetStreamName())
	switch v := b.options.GetExpectedStreamPosition().(type) {
	case *streams.BatchAppendReq_Options_StreamPosition:
		b.request.Expected, b.fault = exact(v.StreamPosition)
	case *streams.BatchAppendReq_Options_NoStream:
		b.request.Expected = engine.NoStream
	case *streams.BatchAppendReq_Options_Any:
		b.request.Expected = engine.Any
	case *streams.BatchAppendReq_Options_StreamExists:
		b.request.Expected = engine.StreamExists
	default:
		b.fault = status.Error(codes.InvalidArgument, "an append names the revision it expects")
	}
	return b
}

// add takes events into an append. Of one that has a fault nothing is kept.
func (b *batch) add(messages []*streams.BatchAppendReq_ProposedMessage) {
	for _, p := range messages {
		if b.fault != nil {
			break
		}
		var ev engine.NewEvent
		if ev, b.fault = newEvent(p); b.fault != nil {
			break
		}
		if b.size += ev.Size(); b.size > engine.MaxAppendSize {
			b.fault = &engine.TooLargeError{Limit: engine.MaxAppendSize}
			break
		}
		b.request.Events = append(b.request.Events, ev)
	}
	if b.fault != nil {
		b.request.Events = nil
	}
}

// answer waits for the append's outcome.
func (b *batch) answer(ctx context.Context) *streams.BatchAppendResp {
	out := &streams.BatchAppendResp{CorrelationId: b.id, StreamIdentifier: b.options.GetStreamIdentifier()}
	b.repeatExpectation(out)
	done, err := engine.Appended{}, b.fault
	if err == nil {
		ctx, cancel := context.WithDeadline(ctx, b.deadline)
		defer cancel()
		done, err = b.pending.Wait(ctx)
	}
	if err != nil {
		out.Result = &streams.BatchAppendResp_Error{Error: batchError(err)}
		return out
	}
	ok := &streams.BatchAppendResp_Success{
		CurrentRevisionOption: &streams.BatchAppendResp_Success_NoStream{NoStream: &emptypb.Empty{}},
		PositionOption:        &streams.BatchAppendResp_Success_NoPosition{NoPosition: &emptypb.Empty{}},
	}
	if done.Revision >= 0 {
		ok.CurrentRevisionOption = &streams.BatchAppendResp_Success_CurrentRevision{CurrentRevision: uint64(done.Revision)}
	}
	if done.Position > 0 {
		ok.PositionOption = &streams.BatchAppendResp_Success_Position{Position: &shared.AllStreamPosition{
			CommitPosition: done.Position, PreparePosition: done.Position,
		}}
	}
	out.Result = &streams.BatchAppendResp_Success_{Success: ok}
	return out
}

func (b *batch) repeatExpectation(out *streams.BatchAppendResp) {
	switch v := b.options.GetExpectedStreamPosition().(type) {
	case *streams.BatchAppendReq_Options_StreamPosition:
		out.ExpectedStreamPosition = &streams.BatchAppendResp_StreamPosition{StreamPosition: v.StreamPosition}
	case *streams.BatchAppendReq_Options_NoStream:
		out.ExpectedStreamPosition = &streams.BatchAppendResp_NoStream{NoStream: &emptypb.Empty{}}
	case *streams.BatchAppendReq_Options_Any:
		out.ExpectedStreamPosition = &streams.BatchAppendResp_Any{Any: &emptypb.Empty{}}
	case *streams.BatchAppendReq_Options_StreamExists:
		out.ExpectedStreamPosition = &streams.BatchAppendResp_StreamExists{StreamExists: &emptypb.Empty{}}
	}
}
