// Package postgres is the service's Postgres: the private server of the
// default mode, the pool, and the ordinary tables of schema ops (leases,
// checkpoints, idempotency records, rate windows).
//
// Nothing here is business state. Read models are built by projections from
// the event log; what schema ops holds may be lost without losing a fact.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// roleName is the superuser and the database of a private server.
	roleName = "understudy"
	// stopLimit is how long a fast shutdown may take (it writes a checkpoint)
	// before the server is told to leave at once and to recover later.
	stopLimit = 30 * time.Second
	// quitLimit is how long an immediate shutdown may take before SIGKILL.
	// The postmaster itself gives its children 5 s.
	quitLimit = 7 * time.Second
)

// PrivateOptions says where a private server lives.
type PrivateOptions struct {
	// DataDir is the cluster's own directory, e.g. ./data/postgres. It is made
	// when it does not exist; its parent may be closed to other users.
	DataDir string
	// Logger gets what the supervisor does and, at debug level, the server's
	// own log. Nil discards both.
	Logger *slog.Logger
	// Settings are server settings that win over the built-in ones, such as
	// {"shared_buffers": "256MB"}.
	Settings map[string]string
}

// Private is a Postgres server that lives and dies with this process. It
// listens on a unix socket only, in a directory that nobody but the server's
// user and root can enter; that directory is its whole access control, so it
// asks for no password.
//
// A service that runs as root runs the server as the user that owns the
// cluster, or for a new one as "postgres", or else "nobody"; other processes
// of that user can read the database. A server that dies is started again.
// When the service is killed, the kernel shuts the server down (Linux); what
// is left behind elsewhere is stopped by the next start.
type Private struct {
	log      *slog.Logger
	dir      string // absolute
	socket   string // directory of the socket, absolute
	settings map[string]string
	as       account
	bin      binaries

	stopping chan struct{} // closed by Stop
	hurry    chan struct{} // closed when Stop's context ends
	stopOnce sync.Once
	rushOnce sync.Once
	ready    chan struct{} // closed when the first start has succeeded
	done     chan struct{} // closed when no server runs nor will run again
	err      error         // why, set before done is closed
}

// StartPrivate makes the cluster if there is none, starts its server and
// returns when it answers: within a second on an existing cluster that was
// shut down cleanly, a few seconds on a new one. ctx bounds the start only.
//
// It fails when the directory is in use by another process, when no server
// programs are installed or only ones of another major version than the
// cluster's, and when the server does not come up.
func StartPrivate(ctx context.Context, o PrivateOptions) (*Private, error) {
	if o.DataDir == "" {
		return nil, errors.New("private postgres: no data directory named")
	}
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return nil, fmt.Errorf("private postgres: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Private{
		log:      o.Logger,
		dir:      dir,
		settings: o.Settings,
		stopping: make(chan struct{}),
		hurry:    make(chan struct{}),
		ready:    make(chan struct{}),
		done:     make(chan struct{}),
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, fmt.Errorf("private postgres: %w", err)
	}
	lock, err := lockFile(dir + ".lock")
	if err != nil {
		return nil, fmt.Errorf("private postgres in %s: %w", dir, err)
	}
	go p.supervise(ctx, lock)
	select {
	case <-p.ready:
		return p, nil
	case <-p.done:
		return nil, fmt.Errorf("private postgres in %s: %w", dir, p.err)
	case <-ctx.Done():
		p.rush()
		p.stop()
		<-p.done
		return nil, fmt.Errorf("private postgres in %s: start: %w", dir, ctx.Err())
	}
}

// URL is the connection string of the server's database. It stays the same
// over restarts of the server.
func (p *Private) URL() string { return p.urlOf(roleName) }

func (p *Private) urlOf(database string) string {
	q := url.Values{"host": {p.socket}, "port": {socketPort}, "sslmode": {"disable"}}
	// pgx takes a plus as it stands, as libpq does, and not for a space.
	u := url.URL{Scheme: "postgres", User: url.User(roleName), Path: "/" + database, RawQuery: strings.ReplaceAll(q.Encode(), "+", "%20")}
	return u.String()
}

// Done is closed when the server has stopped for good: after Stop, or when it
// could not be kept running. Err then says which.
func (p *Private) Done() <-chan struct{} { return p.done }

// Err is nil until Done is closed and after a Stop; else it says why the
// server could not be kept running.
func (p *Private) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Stop shuts the server down: open transactions are rolled back, everything
// committed is written out. When ctx ends first the server is made to leave at
// once (its next start then recovers from its log); Stop returns within
// another ten seconds. It may be called more than once.
func (p *Private) Stop(ctx context.Context) error {
	p.stop()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.rush()
		<-p.done
		return errors.Join(p.err, fmt.Errorf("private postgres: stopped without a checkpoint: %w", ctx.Err()))
	}
}

func (p *Private) stop() { p.stopOnce.Do(func() { close(p.stopping) }) }
func (p *Private) rush() { p.rushOnce.Do(func() { close(p.hurry) }) }
