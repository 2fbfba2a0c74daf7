// Package eventstore is the product's one port on EventStoreDB: append, read
// and subscribe over the official Go client, and on top of them the running
// of commands (Handler) and of reactors.
//
// The client has faults that this package keeps from everybody else: it ends
// for good once it has not found a server, it waits past its context for a
// connection, and its subscriptions end with the connection. Here every call
// is bounded, outlives a restart of the store when that is shorter than the
// bound, and a Store needs never be replaced.
package eventstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// DefaultCallTimeout bounds a call when Config.CallTimeout is zero.
const DefaultCallTimeout = 5 * time.Second

// pingTimeout bounds Ping: who asks for readiness has little patience.
const pingTimeout = time.Second

// localURL is what the client is told when only a socket is configured; its
// host is never dialled.
const localURL = "esdb://localhost:2113?tls=false"

// Config says where the store is and how its events are read and written.
type Config struct {
	// URL is a connection string, esdb:// or esdb+discover://. It may be
	// empty when Socket is set.
	URL string
	// Socket is the path of a unix socket that is dialled instead of the
	// hosts of URL, without TLS: the file's mode is the access control.
	Socket string
	// Codec knows every event type of the program. Required.
	Codec *Codec
	// CallTimeout bounds each call: an append altogether, a read the wait for
	// its next event. Zero means DefaultCallTimeout.
	CallTimeout time.Duration
	// Logger is told about lost and regained subscriptions, and at debug
	// level what the client says. Nil means silence.
	Logger *slog.Logger
}

// Store is a connection to an event store. It is safe for concurrent use and
// is meant to live as long as the program.
type Store struct {
	codec   *Codec
	timeout time.Duration
	log     *slog.Logger
	conns   *connections
	// life ends with Close, and with it every call under way.
	life context.Context
	end  context.CancelCauseFunc
	// tail is what subscriptions that have caught up read; it is kept from the
	// first of them on.
	tail      *tail
	beginTail sync.Once
	// own are events on their way from here to the tail.
	own own
}

// Open prepares a Store. It does not wait for the store to be reachable: the
// first call does, within its own bound. An error means that cfg is unusable.
func Open(cfg Config) (*Store, error) {
	if cfg.Codec == nil {
		return nil, errors.New("eventstore: Config.Codec is missing")
	}
	if cfg.CallTimeout < 0 {
		return nil, fmt.Errorf("eventstore: Config.CallTimeout is negative: %s", cfg.CallTimeout)
	}
	timeout := cfg.CallTimeout
	if timeout == 0 {
		timeout = DefaultCallTimeout
	}
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	client, err := clientConfig(cfg, logger)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancelCause(context.Background())
	return &Store{
		codec:   cfg.Codec,
		timeout: timeout,
		log:     logger,
		conns:   newConnections(client),
		life:    life,
		end:     end,
		tail:    newTail(),
	}, nil
}

// clientConfig translates cfg for the official client.
func clientConfig(cfg Config, logger *slog.Logger) (*esdb.Configuration, error) {
	target := cfg.URL
	if target == "" {
		if cfg.Socket == "" {
			return nil, errors.New("eventstore: Config needs a URL or a Socket")
		}
		target = localURL
	}
	conf, err := esdb.ParseConnectionString(target)
	if err != nil {
		// The text is left out on purpose: url.Error repeats the whole
		// connection string, password included.
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("eventstore: connection string: %w", err)
	}
	if cfg.Socket != "" {
		path, err := filepath.Abs(cfg.Socket)
		if err != nil {
			return nil, fmt.Errorf("eventstore: socket: %w", err)
		}
		conf.Address = (&url.URL{Scheme: "unix", Path: path}).String()
		conf.DisableTLS = true
		conf.DnsDiscover = false
		conf.GossipSeeds = nil
	}
	conf.MaxDiscoverAttempts = searchTries
	conf.DiscoveryInterval = int(searchPause / time.Millisecond)
	conf.Logger = clientLog(logger)
	if err := conf.Validate(); err != nil {
		return nil, fmt.Errorf("eventstore: connection string: %w", err)
	}
	return conf, nil
}

// clientLog passes on what the client says, at debug level: its errors are
// returned as well and reported there.
func clientLog(logger *slog.Logger) esdb.LoggingFunc {
	return func(level esdb.LogLevel, format string, args ...any) {
		if !logger.Enabled(context.Background(), slog.LevelDebug) {
			return
		}
		logger.Debug("event store client", "level", level, "text", fmt.Sprintf(format, args...))
	}
}

// Close ends every call and subscription under way and lets go of the
// connection. It waits at most CallTimeout for them; an error says that some
// are still held up inside the client.
func (s *Store) Close() error {
	s.end(errClosed)
	return s.conns.shutdown(s.timeout)
}

// bind makes ctx end with the Store, too.
func (s *Store) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.life, func() { cancel(errClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Ping reports whether the store answers now: one question, no second try,
// and at most a second.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := s.bind(ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, min(s.timeout, pingTimeout))
	defer stop()
	_, err := attempt(ctx, s, lastPosition)
	return outcome(ctx, "ping", err)
}

// Head returns the commit position of the last event that is not one of the
// store's own ($…), or 0 when there is none.
func (s *Store) Head(ctx context.Context) (uint64, error) {
	return call(ctx, s, "read head", lastPosition)
}

// lastPosition looks for the last event of the program from the end of the
// log backwards, further back each time that it only finds the store's own.
func lastPosition(ctx context.Context, client *esdb.Client) (uint64, error) {
	for count := uint64(1); ; count *= 64 {
		at, found, err := lastPositionWithin(ctx, client, count)
		if err != nil || found || count >= wholeLog/64 {
			return at, err
		}
	}
}

// lastPositionWithin looks among the last count events. found is also true
// when there are no more, and the position then 0.
func lastPositionWithin(ctx context.Context, client *esdb.Client, count uint64) (at uint64, found bool, err error) {
	read, err := client.ReadAll(leaderOnly(ctx), esdb.ReadAllOptions{
		Direction: esdb.Backwards,
		From:      esdb.End{},
	}, count)
	if err != nil {
		return 0, false, err
	}
	defer read.Close()
	for seen := uint64(0); ; seen++ {
		e, err := read.Recv()
		if errors.Is(err, io.EOF) {
			return 0, seen < count, nil
		}
		if err != nil {
			return 0, false, err
		}
		if r := e.OriginalEvent(); !isSystem(r) {
			return position(r), true, nil
		}
	}
}

// isSystem reports whether an event is the store's own: by its type, or by
// its stream, where links and stream metadata live.
func isSystem(e *esdb.RecordedEvent) bool {
	return strings.HasPrefix(e.EventType, "$") || strings.HasPrefix(e.StreamID, "$")
}
