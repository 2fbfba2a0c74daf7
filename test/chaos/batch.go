package main

import (
	"context"
	"fmt"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
)

// batch sends a few appends on one call without waiting for answers between
// them, which the official Go client never does and others do. It reports
// whether the store is still there.
func (w *writer) batch(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var all []*operation
	for range 1 + w.random.IntN(6) {
		stream := fmt.Sprintf("batch-%d", w.number)
		if w.random.IntN(2) == 0 {
			stream = fmt.Sprintf("shared-%d", w.random.IntN(commonStreams))
		}
		all = append(all, w.append(stream, expectAny))
	}
	open := map[string]*operation{}
	err := w.send(ctx, all, open)
	for _, o := range open {
		o.ret = time.Since(w.began)
		w.journal.add(o)
	}
	return err == nil
}

// send sends the appends and settles them as the answers come; what stays in
// open has none.
func (w *writer) send(ctx context.Context, all []*operation, open map[string]*operation) error {
	call, err := streams.NewStreamsClient(w.c.bare).BatchAppend(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		o.call = time.Since(w.began)
		open[o.ids[0].String()] = o
		if err := call.Send(request(o)); err != nil {
			return err
		}
	}
	if err := call.CloseSend(); err != nil {
		return err
	}
	for len(open) > 0 {
		answer, err := call.Recv()
		if err != nil {
			return err
		}
		key := answer.GetCorrelationId().GetString_()
		o := open[key]
		done := answer.GetSuccess()
		if o == nil || done == nil {
			err := fmt.Errorf("an append that expects nothing was answered with %v", answer)
			w.fail(err)
			return err
		}
		delete(open, key)
		o.ret = time.Since(w.began)
		o.revision, o.position = int64(done.GetCurrentRevision()), done.GetPosition().GetCommitPosition()
		w.settle(ctx, o, nil)
	}
	return nil
}

func request(o *operation) *streams.BatchAppendReq {
	text := func(id string) *shared.UUID { return &shared.UUID{Value: &shared.UUID_String_{String_: id}} }
	r := &streams.BatchAppendReq{
		CorrelationId: text(o.ids[0].String()),
		Options: &streams.BatchAppendReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(o.stream)},
			ExpectedStreamPosition: &streams.BatchAppendReq_Options_Any{Any: &emptypb.Empty{}},
			DeadlineOption:         &streams.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(callLimit)},
		},
		IsFinal: true,
	}
	for _, id := range o.ids {
		r.ProposedMessages = append(r.ProposedMessages, &streams.BatchAppendReq_ProposedMessage{
			Id:       text(id.String()),
			Metadata: map[string]string{"type": "chaos", "content-type": "application/octet-stream"},
			Data:     body(id),
		})
	}
	return r
}
