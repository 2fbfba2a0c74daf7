package node

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"google.golang.org/grpc/metadata"

	"understudy/eventstore/node/engine"
)

// protocolVersion is the EventStoreDB release whose protocol the node speaks:
// the long-term line that is open source.
const protocolVersion = "23.10.0"

// features answers what clients ask first: which calls there are.
type features struct {
	serverfeatures.UnimplementedServerFeaturesServer
}

func (features) GetSupportedMethods(context.Context, *shared.Empty) (*serverfeatures.SupportedMethods, error) {
	method := func(service, name string, features ...string) *serverfeatures.SupportedMethod {
		return &serverfeatures.SupportedMethod{ServiceName: service, MethodName: name, Features: features}
	}
	const streams = "event_store.client.streams.streams"
	return &serverfeatures.SupportedMethods{
		EventStoreServerVersion: protocolVersion,
		Methods: []*serverfeatures.SupportedMethod{
			method(streams, "append"),
			method(streams, "batchappend", "deadline_duration"),
			method(streams, "read", "position", "events"),
			method(streams, "delete"),
			method(streams, "tombstone"),
			method("event_store.client.server_features.serverfeatures", "getsupportedmethods"),
			method("event_store.client.gossip.gossip", "read"),
		},
	}, nil
}

// members answers clients that look for a cluster: it has one member, which
// leads, under the address the client used.
type members struct {
	gossip.UnimplementedGossipServer
}

// defaultPort is EventStoreDB's.
const defaultPort = 2113

func (members) Read(ctx context.Context, _ *shared.Empty) (*gossip.ClusterInfo, error) {
	host, port := "localhost", uint32(defaultPort)
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		if authority := md.Get(":authority"); len(authority) > 0 {
			if h, p, err := net.SplitHostPort(authority[0]); err == nil {
				if number, err := strconv.ParseUint(p, 10, 16); err == nil {
					host, port = h, uint32(number)
				}
			}
		}
	}
	return &gossip.ClusterInfo{Members: []*gossip.MemberInfo{{
		InstanceId:   &shared.UUID{Value: &shared.UUID_String_{String_: "00000000-0000-4000-8000-000000000001"}},
		TimeStamp:    engine.Ticks(time.Now()),
		State:        gossip.MemberInfo_Leader,
		IsAlive:      true,
		HttpEndPoint: &gossip.EndPoint{Address: host, Port: port},
	}}}, nil
}
