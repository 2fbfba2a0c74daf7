package node

import (
	"context"
	"errors"
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node/engine"
)

// Sizes of the pieces in which the engine is read; no lock or iterator is
// held while a piece is sent.
const (
	pageEvents = 256
	pageWindow = 4096
)

// Read answers reads and catch-up subscriptions of a stream or of $all. Links
// are never resolved: nothing here makes any.
func (s *streamsService) Read(request *streams.ReadReq, call streams.Streams_ReadServer) error {
	o := request.GetOptions()
	r := &reader{engine: s.engine, closing: s.closing, call: call}
	r.idAsString = o.GetUuidOption().GetString_() != nil
	r.compatible = o.GetControlOption().GetCompatibility() >= 1
	_, live := o.GetCountOption().(*streams.ReadReq_Options_Subscription)
	direction := engine.Forwards
	if o.GetReadDirection() == streams.ReadReq_Options_Backwards {
		if live {
			return status.Error(codes.InvalidArgument, "a subscription reads forwards")
		}
		direction = engine.Backwards
	}
	var err error
	switch v := o.GetStreamOption().(type) {
	case *streams.ReadReq_Options_Stream:
		if o.GetFilter() != nil {
			return status.Error(codes.InvalidArgument, "only $all can be filtered")
		}
		if live {
			err = r.subscribeStream(v.Stream)
		} else {
			err = r.readStream(v.Stream, direction, o.GetCount())
		}
	case *streams.ReadReq_Options_All:
		if o.GetFilter() != nil {
			if r.filter, err = newFilter(o.GetFilter()); err != nil {
				return err
			}
		}
		if live {
			err = r.subscribeAll(v.All)
		} else {
			err = r.readAll(v.All, direction, o.GetCount())
		}
	default:
		return status.Error(codes.InvalidArgument, "a read names a stream or $all")
	}
	return rpcError(call.Context(), err)
}

// reader serves one Read call.
type reader struct {
	engine     *engine.Engine
	closing    <-chan struct{}
	call       streams.Streams_ReadServer
	filter     *filter
	idAsString bool
	// compatible: the client understands the positions of a stream's ends;
	// the official Go client panics on them.
	compatible bool
}

func (r *reader) context() context.Context { return r.call.Context() }

// interrupted says whether the call has to end.
func (r *reader) interrupted() error {
	select {
	case <-r.closing:
		return errClosing
	default:
		return r.context().Err()
	}
}

func (r *reader) send(events []engine.Event) error {
	for _, ev := range events {
		if err := r.call.Send(protoEvent(ev, r.idAsString)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readStream(o *streams.ReadReq_Options_StreamOptions, dir engine.Direction, count uint64) error {
	name := string(o.GetStreamIdentifier().GetStreamName())
	from, err := streamStart(o)
	if err != nil {
		return err
	}
	for left := count; ; {
		if err := r.interrupted(); err != nil {
			return err
		}
		page, err := r.engine.ReadStream(name, from, dir, int(min(left, pageEvents)))
		if errors.Is(err, engine.ErrNotFound) {
			return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{
				StreamNotFound: &streams.ReadResp_StreamNotFound{StreamIdentifier: streamIdentifier(name)},
			}})
		}
		if err != nil {
			return err
		}
		if err := r.send(page.Events); err != nil {
			return err
		}
		left -= uint64(len(page.Events))
		from = page.Next
		if page.End || left == 0 {
			return r.streamEnds(page)
		}
	}
}

// streamEnds tells clients that ask for it where the stream begins and ends.
func (r *reader) streamEnds(page engine.StreamPage) error {
	if !r.compatible || !page.End {
		return nil
	}
	if page.First > 0 {
		if err := r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_FirstStreamPosition{FirstStreamPosition: uint64(page.First)}}); err != nil {
			return err
		}
	}
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_LastStreamPosition{LastStreamPosition: uint64(page.Last)}})
}

// streamStart is the revision a read begins with. Forwards from the end and
// past any stream's end come to the same.
func streamStart(o *streams.ReadReq_Options_StreamOptions) (int64, error) {
	switch v := o.GetRevisionOption().(type) {
	case *streams.ReadReq_Options_StreamOptions_Revision:
		if v.Revision > math.MaxInt64 {
			return math.MaxInt64 - 1, nil
		}
		return int64(v.Revision), nil
	case *streams.ReadReq_Options_StreamOptions_Start:
		return 0, nil
	case *streams.ReadReq_Options_StreamOptions_End:
		return math.MaxInt64 - 1, nil
	default:
		return 0, status.Error(codes.InvalidArgument, "a read says where it begins")
	}
}

func (r *reader) readAll(o *streams.ReadReq_Options_AllOptions, dir engine.Direction, count uint64) error {
	q := engine.AllQuery{Direction: dir, Window: pageWindow}
	switch v := o.GetAllOption().(type) {
	case *streams.ReadReq_Options_AllOptions_Position:
		q.From = v.Position.GetCommitPosition()
	case *streams.ReadReq_Options_AllOptions_Start:
	case *streams.ReadReq_Options_AllOptions_End:
		q.From = r.engine.Last() + 1
	default:
		return status.Error(codes.InvalidArgument, "a read says where it begins")
	}
	if r.filter != nil {
		q.Match = r.filter.match
	}
	for left := count; left > 0; {
		if err := r.interrupted(); err != nil {
			return err
		}
		q.Count = int(min(left, pageEvents))
		page, err := r.engine.ReadAll(q)
		if err != nil {
			return err
		}
		if err := r.send(page.Events); err != nil {
			return err
		}
		left -= uint64(len(page.Events))
		q.From = page.Next
		if page.End {
			break
		}
	}
	if !r.compatible {
		return nil
	}
	last := r.engine.Last()
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_LastAllStreamPosition{
		LastAllStreamPosition: &shared.AllStreamPosition{CommitPosition: last, PreparePosition: last},
	}})
}
