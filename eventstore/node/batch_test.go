package node_test

import (
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"understudy/eventstore/node"
	"understudy/test/patience"
)

// dial is a bare connection, for what the official Go client never sends.
func dial(t testing.TB, n *node.Node) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("unix://"+n.Socket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func textID(id string) *shared.UUID {
	return &shared.UUID{Value: &shared.UUID_String_{String_: id}}
}

func proposals(ids ...string) []*streams.BatchAppendReq_ProposedMessage {
	out := make([]*streams.BatchAppendReq_ProposedMessage, len(ids))
	for i, id := range ids {
		out[i] = &streams.BatchAppendReq_ProposedMessage{
			Id:       textID(id),
			Metadata: map[string]string{"type": "t", "content-type": "application/json"},
			Data:     []byte("{}"),
		}
	}
	return out
}

func noStream(stream string) *streams.BatchAppendReq_Options {
	return &streams.BatchAppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamPosition: &streams.BatchAppendReq_Options_NoStream{NoStream: &emptypb.Empty{}},
		DeadlineOption:         &streams.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(patience.Scaled(limit))},
	}
}

func TestBatchAppendAnswersEachAppendInTheOrderOfCompletion(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	call, err := streams.NewStreamsClient(dial(t, n)).BatchAppend(within(t))
	if err != nil {
		t.Fatal(err)
	}
	whole, pieces, clash, large := uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()
	big := proposals(uuid.NewString())
	big[0].Data = []byte(strings.Repeat("x", 1<<20+1))
	for _, r := range []*streams.BatchAppendReq{
		{CorrelationId: textID(pieces), Options: noStream("pieces"), ProposedMessages: proposals(uuid.NewString())},
		{CorrelationId: textID(whole), Options: noStream("whole"), ProposedMessages: proposals(uuid.NewString()), IsFinal: true},
		{CorrelationId: textID(pieces), ProposedMessages: proposals(uuid.NewString(), uuid.NewString()), IsFinal: true},
		{CorrelationId: textID(clash), Options: noStream("whole"), ProposedMessages: proposals(uuid.NewString()), IsFinal: true},
		{CorrelationId: textID(large), Options: noStream("large"), ProposedMessages: big, IsFinal: true},
	} {
		if err := call.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := call.CloseSend(); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id       string
		revision uint64
		position uint64
		detail   string
	}{
		{whole, 0, 1, ""},
		{pieces, 2, 4, ""},
		{clash, 0, 0, "event_store.client.WrongExpectedVersion"},
		{large, 0, 0, "event_store.client.MaximumAppendSizeExceeded"},
	}
	for i, w := range want {
		got, err := call.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if got.GetCorrelationId().GetString_() != w.id {
			t.Fatalf("answer %d is for %s", i, got.GetCorrelationId())
		}
		if w.detail != "" {
			details := got.GetError().GetDetails()
			if len(details) != 1 || string(details[0].MessageName()) != w.detail {
				t.Errorf("answer %d is %v, want detail %s", i, got, w.detail)
			}
			continue
		}
		if got.GetSuccess().GetCurrentRevision() != w.revision || got.GetSuccess().GetPosition().GetCommitPosition() != w.position {
			t.Errorf("answer %d is %v", i, got)
		}
	}
}

func TestGossipNamesTheNodeAsLeader(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	info, err := gossip.NewGossipClient(dial(t, n)).Read(within(t), &shared.Empty{})
	if err != nil || len(info.Members) != 1 {
		t.Fatalf("gossip answered %v, %v", info, err)
	}
	if m := info.Members[0]; m.State != gossip.MemberInfo_Leader || !m.IsAlive || m.GetHttpEndPoint().GetAddress() == "" {
		t.Errorf("the member is %v", m)
	}
}

func TestPositionsOfTheEndsAreSentOnlyOnRequest(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	c := connect(t, n)
	appendTo(t, c, "s", nil, event("a", "0"), event("a", "1"))
	for _, compatibility := range []uint32{0, 1} {
		call, err := streams.NewStreamsClient(dial(t, n)).Read(within(t), &streams.ReadReq{Options: &streams.ReadReq_Options{
			StreamOption: &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{
				StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte("s")},
				RevisionOption:   &streams.ReadReq_Options_StreamOptions_Start{Start: &shared.Empty{}},
			}},
			CountOption:   &streams.ReadReq_Options_Count{Count: 10},
			UuidOption:    &streams.ReadReq_Options_UUIDOption{Content: &streams.ReadReq_Options_UUIDOption_String_{String_: &shared.Empty{}}},
			ControlOption: &streams.ReadReq_Options_ControlOption{Compatibility: compatibility},
		}})
		if err != nil {
			t.Fatal(err)
		}
		var last *streams.ReadResp
		for m, err := call.Recv(); err == nil; m, err = call.Recv() {
			last = m
		}
		_, told := last.GetContent().(*streams.ReadResp_LastStreamPosition)
		if told != (compatibility == 1) || (told && last.GetLastStreamPosition() != 1) {
			t.Errorf("compatibility %d: the read ends with %v", compatibility, last)
		}
		if !told {
			if _, err := uuid.Parse(last.GetEvent().GetEvent().GetId().GetString_()); err != nil {
				t.Errorf("the id was asked for as text, and is %v", last.GetEvent().GetEvent().GetId())
			}
		}
	}
}
