package node

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// TCP is an address at which a node listens besides its socket, for programs
// of other users and on other machines.
type TCP struct {
	// Address is host:port; port 0 takes a free one, which Node.Addr tells.
	Address string
	// TLS encrypts and lets clients know the node. Nil is plaintext: whoever
	// reaches the address may then do everything, since clients send no
	// credentials without TLS.
	TLS *tls.Config
	// Users may call, with TLS at least one; without TLS there are none.
	Users []User
}

// User is somebody who may call a node over TLS.
type User struct {
	Name string
	// Password has MinPassword bytes at least.
	Password string
	// ReadOnly refuses to append and to delete.
	ReadOnly bool
}

// maxConnections are held at once: whoever opens more waits, and the node keeps its
// files. Clients send all calls over one or two.
const maxConnections = 256

// MinPassword is the length of the shortest password, in bytes.
const MinPassword = 8

// check refuses what could not be meant: TLS that lets everybody in, and
// passwords that nobody would be asked for.
func (t *TCP) check() error {
	if t.TLS == nil && len(t.Users) > 0 {
		return errors.New("event store address: users need TLS, without it clients send no passwords")
	}
	if t.TLS != nil && len(t.Users) == 0 {
		return errors.New("event store address: with TLS there has to be a user")
	}
	for _, u := range t.Users {
		if u.Name == "" || strings.Contains(u.Name, ":") {
			return fmt.Errorf("event store address: %q is no name for a user", u.Name)
		}
		if len(u.Password) < MinPassword {
			return fmt.Errorf("event store address: the password of %s is shorter than %d bytes", u.Name, MinPassword)
		}
	}
	return nil
}

// listen binds the address.
func (t *TCP) listen(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", t.Address)
	if err != nil {
		return nil, fmt.Errorf("event store address: %w", err)
	}
	return netutil.LimitListener(l, maxConnections), nil
}

// serverOptions encrypt, and ask for a user.
func (t *TCP) serverOptions(log *slog.Logger) []grpc.ServerOption {
	if t.TLS == nil {
		return nil
	}
	g := newGuard(t.Users, log)
	return []grpc.ServerOption{
		grpc.Creds(credentials.NewTLS(t.TLS)),
		grpc.UnaryInterceptor(g.unary),
		grpc.StreamInterceptor(g.stream),
	}
}
