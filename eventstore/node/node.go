// Package node is a single-node server that speaks EventStoreDB's gRPC
// protocol over a unix socket and, on request, over TCP, for installations
// that run no cluster. Any EventStoreDB client can attach to it.
//
// It serves streams (append, batch append, read, catch-up subscriptions,
// delete, tombstone), server features and gossip. Persistent subscriptions
// and server-side projections are not part of it: they are not advertised and
// answered as unimplemented. Whoever may open the socket may do everything;
// over TCP there are TLS and users (see TCP).
package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"understudy/eventstore/node/engine"
)

// Options says where a node keeps its events and where it listens.
type Options struct {
	// Dir is the directory of events; created when missing.
	Dir string
	// Socket is the path of the unix socket, at most 107 bytes. Empty: the
	// node does not listen.
	Socket string
	// TCP is where the node listens besides; nil: nowhere.
	TCP *TCP
	// Archive has what was taken out of the events; nil: nothing was.
	Archive engine.Archive
	// Logger gets what happens in the background; nil discards it.
	Logger *slog.Logger
}

// Node is a running server.
type Node struct {
	engine  *engine.Engine
	servers []*grpc.Server
	socket  string
	addr    net.Addr
	log     *slog.Logger
	closing chan struct{}
	serving sync.WaitGroup

	closeOnce sync.Once
	closeErr  error
}

const (
	// maxMessage is the largest request read, in bytes: well above the append
	// limit, so that an append too large is refused with its own error.
	maxMessage = 8 << 20
	// keepaliveMin allows the clients' pings, every 10 s also when idle.
	keepaliveMin = 5 * time.Second
	// maxStreams bounds the calls and subscriptions of one connection at a
	// time; a client that wants more waits.
	maxStreams = 4096
	// drainWait is how long Close waits for calls to finish by themselves.
	drainWait = 5 * time.Second
)

// Start opens the directory, listens and serves until Close. Its errors wrap
// engine.ErrLocked when another process has the directory open and
// engine.ErrUnreadable when its content is damaged. ctx bounds only the
// start.
func Start(ctx context.Context, o Options) (*Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start event store node: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := checkSocketPath(o.Socket); err != nil {
		return nil, err
	}
	if o.TCP != nil {
		if err := o.TCP.check(); err != nil {
			return nil, err
		}
	}
	e, err := engine.Open(engine.Options{Dir: o.Dir, Archive: o.Archive, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	n := &Node{
		engine:  e,
		log:     o.Logger,
		closing: make(chan struct{}),
	}
	if err := n.listen(ctx, o); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// listen serves at every address of the options.
func (n *Node) listen(ctx context.Context, o Options) error {
	if o.Socket != "" {
		listener, err := listen(ctx, o.Socket)
		if err != nil {
			return err
		}
		n.socket = o.Socket
		n.serve(listener, true)
	}
	if o.TCP != nil {
		listener, err := o.TCP.listen(ctx)
		if err != nil {
			return err
		}
		n.addr = listener.Addr()
		n.serve(listener, false, o.TCP.serverOptions(n.log)...)
	}
	return nil
}

// serve answers at an address, with operations if whoever comes there may have them.
func (n *Node) serve(listener net.Listener, operations bool, more ...grpc.ServerOption) {
	server := grpc.NewServer(append(more,
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime:             keepaliveMin,
			PermitWithoutStream: true,
		}),
		grpc.UnknownServiceHandler(refuse),
	)...)
	streams.RegisterStreamsServer(server, &streamsService{engine: n.engine, closing: n.closing})
	serverfeatures.RegisterServerFeaturesServer(server, features{})
	gossip.RegisterGossipServer(server, members{})
	if operations {
		server.RegisterService(n.operations(), n)
	}
	n.servers = append(n.servers, server)
	n.serving.Go(func() {
		if err := server.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			n.log.Error("event store node stopped serving", "address", listener.Addr().String(), "error", err)
		}
	})
}

// Socket is the path of the unix socket, empty when the node does not listen.
func (n *Node) Socket() string { return n.socket }

// Addr is the TCP address, nil when the node does not listen on one.
func (n *Node) Addr() net.Addr { return n.addr }

// ConnectionString is what a client parses before it sets its address to
// unix:// and Socket's path. The number of discovery attempts is as high as
// it goes, since the client gives up for good once they are used up.
func (n *Node) ConnectionString() string {
	if n.socket == "" {
		return ""
	}
	return "esdb://localhost:2113?tls=false&maxDiscoverAttempts=2147483647"
}

// Failed is closed when a disk error made the node stop accepting events; Err
// then says why.
func (n *Node) Failed() <-chan struct{} { return n.engine.Failed() }

// Err is nil while the node accepts events.
func (n *Node) Err() error { return n.engine.Err() }

// Close ends the subscriptions, lets running calls finish for up to five
// seconds, and closes the directory. Everything acknowledged is on disk
// already. Closing twice returns the first result.
func (n *Node) Close() error {
	n.closeOnce.Do(func() {
		close(n.closing)
		var drained sync.WaitGroup
		for _, server := range n.servers {
			drained.Go(func() { drain(server) })
		}
		drained.Wait()
		n.serving.Wait()
		n.closeErr = n.engine.Close()
	})
	return n.closeErr
}

// drain lets the calls of a server end by themselves, for a while.
func drain(server *grpc.Server) {
	timer := time.AfterFunc(drainWait, server.Stop)
	defer timer.Stop()
	server.GracefulStop()
}
