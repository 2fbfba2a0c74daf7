package node

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"understudy/eventstore/node/engine"
)

// Checkpoint makes a directory with everything that has been acknowledged, on which a
// node can be started.
func (n *Node) Checkpoint(dir string) error { return n.engine.Checkpoint(dir) }

// checkpointMethod has whoever may open the socket make a checkpoint. No EventStoreDB has
// it: there the files are copied.
const checkpointMethod = "/understudy.Node/Checkpoint"

// AskCheckpoint has the node that listens at a socket make a checkpoint. The directory is
// as the node's process sees it: an absolute path, in which its user may write.
func AskCheckpoint(ctx context.Context, socket, dir string) error {
	return ask(ctx, socket, checkpointMethod, wrapperspb.String(dir), &emptypb.Empty{})
}

// Scavenge takes out of the store what archives hold.
func (n *Node) Scavenge(ctx context.Context, archives ...string) (engine.Scavenged, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-n.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return n.engine.Scavenge(ctx, archives...)
}

// scavengeMethod has whoever may open the socket scavenge the store. EventStoreDB's own
// scavenge only gives back what was deleted.
const scavengeMethod = "/understudy.Node/Scavenge"

// AskScavenge has the node that listens at a socket take out what archives hold.
func AskScavenge(ctx context.Context, socket string, archives []string) (done engine.Scavenged, err error) {
	var names, counts structpb.ListValue
	for _, name := range archives {
		names.Values = append(names.Values, structpb.NewStringValue(name))
	}
	if err := ask(ctx, socket, scavengeMethod, &names, &counts); err != nil {
		return done, err
	}
	if n := counts.GetValues(); len(n) == 2 {
		done = engine.Scavenged{Events: int(n[0].GetNumberValue()), Bytes: int64(n[1].GetNumberValue())}
	}
	return done, nil
}

// operations are what is served at the socket alone.
func (n *Node) operations() *grpc.ServiceDesc {
	checkpoint := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var dir wrapperspb.StringValue
		if err := decode(&dir); err != nil {
			return nil, err
		}
		return &emptypb.Empty{}, n.Checkpoint(dir.GetValue())
	}
	scavenge := func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var names structpb.ListValue
		if err := decode(&names); err != nil {
			return nil, err
		}
		var archives []string
		for _, name := range names.GetValues() {
			archives = append(archives, name.GetStringValue())
		}
		done, err := n.Scavenge(ctx, archives...)
		return &structpb.ListValue{Values: []*structpb.Value{
			structpb.NewNumberValue(float64(done.Events)), structpb.NewNumberValue(float64(done.Bytes)),
		}}, rpcError(ctx, err)
	}
	return &grpc.ServiceDesc{ServiceName: "understudy.Node", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		{MethodName: "Checkpoint", Handler: checkpoint}, {MethodName: "Scavenge", Handler: scavenge},
	}}
}

// ask calls one of the operations.
func ask(ctx context.Context, socket, method string, in, out any) error {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Invoke(ctx, method, in, out)
}
