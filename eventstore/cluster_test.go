package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"understudy/eventstore"
	"understudy/eventstore/storetest"
	"understudy/test/patience"
)

// cluster is three addresses of one log, of which one leads: what clients see of three
// nodes that replicate. It tells them by gossip who leads, and a member that does not
// sends away who must have the leader.
type cluster struct {
	gossip.UnimplementedGossipServer
	log *grpc.ClientConn

	mu      sync.Mutex
	leader  int
	members [3]struct {
		address string
		server  *grpc.Server // nil: dead
	}
	turnedAway int
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	log, err := grpc.NewClient("unix://"+startServer(t).socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{log: log}
	t.Cleanup(func() {
		for i := range c.members {
			c.kill(i)
		}
		_ = log.Close()
	})
	for i := range c.members {
		c.start(t, i)
	}
	return c
}

// start starts a member, where it was before.
func (c *cluster) start(t *testing.T, i int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	address := c.members[i].address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(passing{}), grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		return c.pass(i, s)
	}))
	gossip.RegisterGossipServer(server, c)
	c.members[i].address, c.members[i].server = listener.Addr().String(), server
	go func() { _ = server.Serve(listener) }() // until it is killed
}

// kill cuts off who is connected to a member, and refuses whoever comes.
func (c *cluster) kill(i int) {
	c.mu.Lock()
	server := c.members[i].server
	c.members[i].server = nil
	c.mu.Unlock()
	if server != nil {
		server.Stop()
	}
}

// lead lets a member lead.
func (c *cluster) lead(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leader = i
}

func (c *cluster) Read(context.Context, *shared.Empty) (*gossip.ClusterInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info := &gossip.ClusterInfo{}
	for i, m := range c.members {
		host, port := endpoint(m.address)
		state := gossip.MemberInfo_Follower
		if i == c.leader {
			state = gossip.MemberInfo_Leader
		}
		info.Members = append(info.Members, &gossip.MemberInfo{
			InstanceId: &shared.UUID{Value: &shared.UUID_String_{String_: fmt.Sprintf("00000000-0000-4000-8000-%012d", i)}},
			State:      state, IsAlive: m.server != nil, HttpEndPoint: &gossip.EndPoint{Address: host, Port: port},
		})
	}
	return info, nil
}

func endpoint(address string) (host string, port uint32) {
	host, digits, _ := net.SplitHostPort(address)
	number, _ := strconv.ParseUint(digits, 10, 16) // a listener's
	return host, uint32(number)
}

// pass has the log answer a call, or sends it to the leader.
func (c *cluster) pass(i int, s grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(s.Context())
	c.mu.Lock()
	leader, leads := c.members[c.leader].address, i == c.leader
	if must := md.Get("requires-leader"); len(must) > 0 && must[0] == "true" && !leads {
		c.turnedAway++
		c.mu.Unlock()
		host, port := endpoint(leader)
		s.SetTrailer(metadata.Pairs("exception", "not-leader", "leader-endpoint-host", host, "leader-endpoint-port", strconv.Itoa(int(port))))
		return status.Error(codes.NotFound, "another leads")
	}
	c.mu.Unlock()
	method, _ := grpc.MethodFromServerStream(s)
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(s.Context(), md))
	defer cancel()
	log, err := c.log.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method, grpc.ForceCodec(passing{}))
	if err != nil {
		return err
	}
	go func() {
		var m message
		for s.RecvMsg(&m) == nil && log.SendMsg(&m) == nil {
		}
		_ = log.CloseSend()
	}()
	for {
		var m message
		switch err := log.RecvMsg(&m); {
		case errors.Is(err, io.EOF):
			s.SetTrailer(log.Trailer())
			return nil
		case err != nil:
			s.SetTrailer(log.Trailer())
			return err
		}
		if err := s.SendMsg(&m); err != nil {
			return err
		}
	}
}

// message is one that is passed on as it is, by passing.
type message struct{ raw []byte }

type passing struct{}

func (passing) Name() string { return "proto" }

func (passing) Marshal(v any) ([]byte, error) {
	if m, ok := v.(*message); ok {
		return m.raw, nil
	}
	return proto.Marshal(v.(proto.Message))
}

func (passing) Unmarshal(data []byte, v any) error {
	if m, ok := v.(*message); ok {
		m.raw = data
		return nil
	}
	return proto.Unmarshal(data, v.(proto.Message))
}

// Who writes to a cluster and follows it goes on when another member leads, and when the
// one that led is killed: each event is there once, in its order.
func TestAnotherLeaderIsFound(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	var seeds []string
	for _, m := range c.members {
		seeds = append(seeds, m.address)
	}
	store, err := eventstore.Open(eventstore.Config{
		URL: "esdb://" + strings.Join(seeds, ",") + "?tls=false", Codec: eventstore.NewCodec(tillCatalogue), CallTimeout: patience.Scaled(storetest.Patience),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})

	const each = 10
	follow, unfollow := context.WithCancel(t.Context())
	heard := make(chan uint64, 10*each)
	followed := make(chan error, 1)
	go func() {
		followed <- store.Subscribe(follow, eventstore.Subscription{}, func(_ context.Context, b eventstore.Batch) error {
			for _, e := range b.Events {
				heard <- e.Revision
			}
			return nil
		})
	}()
	written := uint64(0)
	write := func(when string) {
		t.Helper()
		for range each {
			events, at := pendingPaid(strconv.FormatUint(written, 10), 1), eventstore.NoStream()
			if written > 0 {
				at = eventstore.Revision(written - 1)
			}
			// Nobody knows of what was not answered; the same again is written once.
			var got eventstore.Appended
			var err error
			patience.Eventually(t, time.Minute, when, func() bool {
				got, err = store.Append(t.Context(), "till-1", at, events)
				return !errors.Is(err, eventstore.ErrUnavailable)
			})
			if err != nil || got.Revision != written {
				t.Fatalf("%s: append %d is at %d: %v", when, written, got.Revision, err)
			}
			written++
		}
	}

	write("to the first leader")
	c.lead(1)
	write("to the next, while the first goes on")
	c.lead(2)
	c.kill(1)
	write("with that one dead")
	c.start(t, 1)
	c.lead(0)
	c.kill(2)
	write("with another dead, and the first leading again")
	c.mu.Lock()
	if c.turnedAway == 0 {
		t.Error("nobody came to a member that does not lead")
	}
	c.mu.Unlock()

	for want := range written {
		if got := patience.Receive(t, time.Minute, "each event once", heard); got != want {
			t.Fatalf("after event %d came event %d", int64(want)-1, got)
		}
	}
	unfollow()
	if err := storetest.Wait(t, "the subscription's end", followed); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if all := readAll(t, store, "till-1", 0); uint64(len(all)) != written {
		t.Errorf("%d of %d events are there", len(all), written)
	}
}
