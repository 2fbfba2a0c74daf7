package node

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Checkpoint makes a directory with everything that has been acknowledged, on which a
// node can be started.
func (n *Node) Checkpoint(dir string) error { return n.engine.Checkpoint(dir) }

// checkpointMethod has whoever may open the socket make a checkpoint. No EventStoreDB has
// it: there the files are copied.
const checkpointMethod = "/understudy.Node/Checkpoint"

// operations are what is served at the socket alone.
func (n *Node) operations() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "understudy.Node", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "Checkpoint",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var dir wrapperspb.StringValue
			if err := decode(&dir); err != nil {
				return nil, err
			}
			return &emptypb.Empty{}, n.Checkpoint(dir.GetValue())
		},
	}}}
}

// AskCheckpoint has the node that listens at a socket make a checkpoint. The directory is
// as the node's process sees it: an absolute path, in which its user may write.
func AskCheckpoint(ctx context.Context, socket, dir string) error {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Invoke(ctx, checkpointMethod, wrapperspb.String(dir), &emptypb.Empty{})
}
