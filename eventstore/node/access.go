package node

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"log/slog"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"understudy/eventstore/node/engine"
)

var (
	// errUnauthenticated is the same for an unknown user and a wrong password.
	errUnauthenticated = status.Error(codes.Unauthenticated, "this node asks for the name and password of a user (HTTP Basic)")
	// errReadOnly refuses what a reader may not.
	errReadOnly = status.Error(codes.PermissionDenied, "this user may only read")
)

// guard lets users of a TCP address call. What a client has to learn before
// it calls (which calls there are, and where) is open to all, as it is in
// EventStoreDB.
type guard struct {
	users []account
	log   *slog.Logger
}

// account is a user with the hash that a password is compared by: equal
// lengths let the comparison take equal time.
type account struct {
	name     string
	password [sha256.Size]byte
	readOnly bool
}

func newGuard(users []User, log *slog.Logger) *guard {
	g := &guard{log: log}
	for _, u := range users {
		g.users = append(g.users, account{u.Name, sha256.Sum256([]byte(u.Password)), u.ReadOnly})
	}
	return g
}

// open names the services that need no user.
func open(method string) bool {
	return strings.HasPrefix(method, "/event_store.client.server_features.") || strings.HasPrefix(method, "/event_store.client.gossip.")
}

// admit finds the user of a call.
func (g *guard) admit(ctx context.Context, method string) (account, error) {
	if open(method) {
		return account{readOnly: true}, nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	for _, header := range md.Get("authorization") {
		name, password, ok := basic(header)
		if !ok {
			continue
		}
		hash := sha256.Sum256([]byte(password))
		for _, u := range g.users {
			if subtle.ConstantTimeCompare([]byte(u.name), []byte(name))&subtle.ConstantTimeCompare(u.password[:], hash[:]) == 1 {
				return u, nil
			}
		}
		from := ""
		if p, ok := peer.FromContext(ctx); ok {
			from = p.Addr.String()
		}
		g.log.Warn("event store node refused a user or password", "from", from)
	}
	return account{}, errUnauthenticated
}

// basic takes name and password out of an authorization header (RFC 7617).
func basic(header string) (name, password string, ok bool) {
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(raw), ":")
}

type readOnlyKey struct{}

// mayWrite refuses a call that writes when its user may only read.
func mayWrite(ctx context.Context) error {
	if readOnly, _ := ctx.Value(readOnlyKey{}).(bool); readOnly {
		return errReadOnly
	}
	return nil
}

func (g *guard) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	u, err := g.admit(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	return next(context.WithValue(ctx, readOnlyKey{}, u.readOnly), request)
}

func (g *guard) stream(service any, call grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	u, err := g.admit(call.Context(), info.FullMethod)
	if err != nil {
		if info.IsClientStream && !info.IsServerStream {
			drainRefused(call)
		}
		return err
	}
	return next(service, admitted{call, context.WithValue(call.Context(), readOnlyKey{}, u.readOnly)})
}

// admitted is a call whose context knows what its user may.
type admitted struct {
	grpc.ServerStream
	ctx context.Context
}

func (a admitted) Context() context.Context { return a.ctx }

const (
	// refusedWait and refusedSize bound what is still read of an append from
	// nobody who may call, the latter in bytes.
	refusedWait = time.Second
	refusedSize = 2 * engine.MaxAppendSize
)

// drainRefused reads on so that the client, which is still sending, sees why
// it was refused. What a stranger may hold up is bounded; the reading ends
// with the call.
func drainRefused(call grpc.ServerStream) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		for size := 0; size < refusedSize; {
			var part streams.AppendReq
			if call.RecvMsg(&part) != nil {
				return
			}
			size += proto.Size(&part) + 1
		}
	}()
	timer := time.NewTimer(refusedWait)
	defer timer.Stop()
	select {
	case <-read:
	case <-timer.C:
	}
}
