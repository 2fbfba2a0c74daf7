package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// A listener that hears nothing for listenQuiet asks the server whether it
	// is still there; that answer must come within pingLimit.
	listenQuiet = 30 * time.Second
	pingLimit   = 5 * time.Second
	// Delays between attempts to connect again.
	firstRelisten = 50 * time.Millisecond
	lastRelisten  = 2 * time.Second
)

// Listen calls notify for every notification on the channels until ctx ends,
// whose error it returns. It uses a connection of its own beside the pool's
// and connects again when that breaks.
//
// Notifications sent while it was not connected are lost. So after each
// successful connection, the first included, notify is called once for every
// channel with an empty payload: the caller looks at what the channel is about
// and has missed nothing. notify runs on Listen's goroutine and must be quick.
func Listen(ctx context.Context, pool *pgxpool.Pool, channels []string, notify func(channel, payload string)) error {
	delay := firstRelisten
	for {
		connected, err := listenOnce(ctx, pool, channels, notify)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if final(err) {
			return fmt.Errorf("listen: %w", err)
		}
		if connected {
			delay = firstRelisten
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(delay):
		}
		delay = min(2*delay, lastRelisten)
	}
}

func listenOnce(ctx context.Context, pool *pgxpool.Pool, channels []string, notify func(channel, payload string)) (connected bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return false, err
	}
	defer func() {
		closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingLimit)
		defer cancel()
		_ = conn.Close(closeCtx)
	}()
	for _, c := range channels {
		if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{c}.Sanitize()); err != nil {
			return false, err
		}
	}
	for _, c := range channels {
		notify(c, "")
	}
	for {
		n, err := nextNotification(ctx, conn)
		if err != nil {
			return true, err
		}
		if n != nil {
			notify(n.Channel, n.Payload)
		}
	}
}

// nextNotification returns nil, nil when the server is well but silent.
func nextNotification(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	quiet, cancel := context.WithTimeout(ctx, listenQuiet)
	defer cancel()
	n, err := conn.WaitForNotification(quiet)
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return n, err
	}
	ping, cancelPing := context.WithTimeout(ctx, pingLimit)
	defer cancelPing()
	return nil, conn.Ping(ping)
}
