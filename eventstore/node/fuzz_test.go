package node_test

import (
	"context"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// bytesCodec sends what it is given, as if it were a message.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (bytesCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = data
	return nil
}

// methods are the calls of Streams; all can be made as streams.
var methods = []string{"Append", "BatchAppend", "Read", "Delete", "Tombstone"}

// Whatever bytes a client sends, the node goes on serving.
func FuzzRequests(f *testing.F) {
	seed := func(method uint8, messages ...proto.Message) {
		parts := make([][]byte, 2)
		for i, m := range messages {
			raw, err := proto.Marshal(m)
			if err != nil {
				f.Fatal(err)
			}
			parts[i] = raw
		}
		f.Add(method, parts[0], parts[1])
	}
	stream := &shared.StreamIdentifier{StreamName: []byte("s")}
	none := &shared.Empty{}
	seed(0, &streams.AppendReq{Content: &streams.AppendReq_Options_{Options: &streams.AppendReq_Options{
		StreamIdentifier: stream, ExpectedStreamRevision: &streams.AppendReq_Options_Any{Any: none},
	}}}, &streams.AppendReq{Content: &streams.AppendReq_ProposedMessage_{ProposedMessage: &streams.AppendReq_ProposedMessage{
		Id: textID(uuid.NewString()), Metadata: map[string]string{"type": "t", "content-type": "application/json"}, Data: []byte("{}"),
	}}})
	seed(1, &streams.BatchAppendReq{CorrelationId: textID(uuid.NewString()), Options: noStream("s"), ProposedMessages: proposals(uuid.NewString()), IsFinal: true})
	seed(1, &streams.BatchAppendReq{CorrelationId: textID(uuid.NewString()), IsFinal: true})
	seed(2, &streams.ReadReq{Options: &streams.ReadReq_Options{
		StreamOption: &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{
			StreamIdentifier: stream, RevisionOption: &streams.ReadReq_Options_StreamOptions_Start{Start: none},
		}},
		CountOption: &streams.ReadReq_Options_Count{Count: 10},
	}})
	seed(2, &streams.ReadReq{Options: &streams.ReadReq_Options{
		StreamOption: &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{
			AllOption: &streams.ReadReq_Options_AllOptions_Position{Position: &streams.ReadReq_Options_Position{CommitPosition: 1, PreparePosition: 1}},
		}},
		CountOption: &streams.ReadReq_Options_Subscription{Subscription: &streams.ReadReq_Options_SubscriptionOptions{}},
		FilterOption: &streams.ReadReq_Options_Filter{Filter: &streams.ReadReq_Options_FilterOptions{
			Filter: &streams.ReadReq_Options_FilterOptions_EventType{EventType: &streams.ReadReq_Options_FilterOptions_Expression{Regex: "^a"}},
			Window: &streams.ReadReq_Options_FilterOptions_Max{Max: 32}, CheckpointIntervalMultiplier: 1,
		}},
	}})
	seed(3, &streams.DeleteReq{Options: &streams.DeleteReq_Options{StreamIdentifier: stream, ExpectedStreamRevision: &streams.DeleteReq_Options_Any{Any: none}}})
	seed(4, &streams.TombstoneReq{Options: &streams.TombstoneReq_Options{StreamIdentifier: stream, ExpectedStreamRevision: &streams.TombstoneReq_Options_Any{Any: none}}})
	for method := range methods {
		seed(uint8(method))
	}

	n := start(f, socketDir(f))
	conn, c := dial(f, n), connect(f, n)
	f.Fuzz(func(t *testing.T, method uint8, first, second []byte) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		call, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true},
			"/event_store.client.streams.Streams/"+methods[int(method)%len(methods)], grpc.ForceCodec(bytesCodec{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][]byte{first, second} {
			if err := call.SendMsg(&part); err != nil {
				break // refused already; the reason comes below
			}
			if m := methods[int(method)%len(methods)]; m != "Append" && m != "BatchAppend" {
				break
			}
		}
		if err := call.CloseSend(); err != nil {
			t.Fatal(err)
		}
		defer time.AfterFunc(200*time.Millisecond, cancel).Stop() // subscriptions do not end by themselves
		for err == nil {                                          // until it has ended, in whatever way
			var answer []byte
			err = call.RecvMsg(&answer)
		}
		again := "alive-" + uuid.NewString()
		appendTo(t, c, again, esdb.NoStream{}, event("a", "0"))
		if got, err := readStream(t, c, again, esdb.ReadStreamOptions{}, 1); err != nil || len(got) != 1 {
			t.Fatalf("afterwards the node answers %d events, %v", len(got), err)
		}
	})
}
