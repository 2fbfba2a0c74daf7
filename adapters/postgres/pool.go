package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Limits of a pool unless its options say otherwise. A private server takes 60
// connections, enough for three pools and what an operator opens by hand.
const (
	defaultMaxConns    = 16
	defaultConnectWait = 30 * time.Second
	dialLimit          = 5 * time.Second
	idleLimit          = 5 * time.Minute
	connLifetime       = time.Hour
	firstRetry         = 20 * time.Millisecond
	lastRetry          = time.Second
	// turnedAway is how long a pool asks for no connection after the server has said that
	// it takes none yet: each one costs it a process, and time while it recovers.
	turnedAway = 100 * time.Millisecond
)

// PoolOptions are the limits of a pool; zero values mean the defaults.
type PoolOptions struct {
	// MaxConns is the most connections open at once, 16 by default.
	MaxConns int32
	// Wait is how long Connect waits for a server that does not answer yet,
	// 30 s by default.
	Wait time.Duration
	// Name is shown by the server's views as application_name, "understudy"
	// by default.
	Name string
	// Asynchronous commits do not wait for the disk: a crash of the server may
	// forget the last of them.
	Asynchronous bool
}

// Connect opens a pool and returns once the server has answered. It waits for
// a server that is starting or not reachable yet, but not for one that refuses
// the credentials or has no such database. Sessions speak UTC.
func Connect(ctx context.Context, url string, o PoolOptions) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err) // pgx leaves passwords out of it
	}
	cfg.MaxConns = defaultMaxConns
	if o.MaxConns > 0 {
		cfg.MaxConns = o.MaxConns
	}
	if o.Wait <= 0 {
		o.Wait = defaultConnectWait
	}
	if o.Name == "" {
		o.Name = "understudy"
	}
	cfg.MaxConnIdleTime = idleLimit
	cfg.MaxConnLifetime = connLifetime
	cfg.MaxConnLifetimeJitter = connLifetime / 10
	cfg.ConnConfig.ConnectTimeout = dialLimit
	cfg.ConnConfig.RuntimeParams["application_name"] = o.Name
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if o.Asynchronous {
		cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	var away gate
	cfg.BeforeConnect = away.check
	cfg.ConnConfig.OnPgError = func(_ *pgconn.PgConn, err *pgconn.PgError) bool {
		away.note(err)
		return usableAfter(err)
	}
	cfg.AfterConnect = preferLZ4
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database pool: %w", err)
	}
	if err := awaitAnswer(ctx, pool, o.Wait); err != nil {
		pool.Close()
		return nil, fmt.Errorf("database: %w", err)
	}
	return pool, nil
}

// preferLZ4 has long values compressed with LZ4 where the server can: walks are
// written once a step and read by the thousand, and with pglz either takes half
// as long again for the same size.
func preferLZ4(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)`)
	return err
}

func awaitAnswer(ctx context.Context, pool *pgxpool.Pool, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for delay := firstRetry; ; delay = min(2*delay, lastRetry) {
		err := pool.Ping(ctx)
		if err == nil || final(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer within %s: %w", limit, err)
		case <-time.After(delay):
		}
	}
}

// final reports whether trying again cannot help: the server has refused the
// credentials (SQLSTATE class 28) or has no such database.
func final(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (strings.HasPrefix(e.Code, "28") || e.Code == codeNoDatabase)
}

// codeReadOnly is read_only_sql_transaction: the server is a standby, or was made one.
const codeReadOnly = "25006"

// usableAfter reports whether a connection is of use after an error. One to a server
// that only reads is not: the next connection may find the one that writes.
func usableAfter(err *pgconn.PgError) bool {
	return err.Code != codeReadOnly && !strings.EqualFold(err.Severity, "FATAL")
}

// codeStarting is cannot_connect_now: the server starts, recovers or shuts down.
const codeStarting = "57P03"

// gate answers for a server that has just said that it takes no connections.
type gate struct{ refused atomic.Pointer[refusal] }

type refusal struct {
	err *pgconn.PgError
	at  time.Time
}

func (g *gate) note(err *pgconn.PgError) {
	if err.Code == codeStarting {
		g.refused.Store(&refusal{err, time.Now()})
	}
}

func (g *gate) check(context.Context, *pgx.ConnConfig) error {
	if r := g.refused.Load(); r != nil && time.Since(r.at) < turnedAway {
		return r.err
	}
	return nil
}

// IsOutage reports whether an error means that the server is away, went away while it
// answered, or only reads.
func IsOutage(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		class := pg.Code[:2]
		return class == "08" || class == "53" || class == "57" || pg.Code == codeReadOnly
	}
	var connect *pgconn.ConnectError
	var broken *net.OpError
	return errors.As(err, &connect) || pgconn.SafeToRetry(err) || errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF)
}
