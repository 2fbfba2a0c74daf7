package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// readyLimit bounds one start of the server. A clean start takes 50 ms; a
	// start after a crash reads at most max_wal_size of log. While it starts it is
	// asked less and less often, for each question costs it a process.
	readyLimit = 2 * time.Minute
	firstPoll  = 10 * time.Millisecond
	lastPoll   = 100 * time.Millisecond
	probeLimit = 2 * time.Second

	// A server that fails this many times in a row is given up. The delays
	// double from firstDelay to lastDelay: a server that has run is tried for
	// about 13 s, one that never came up for 3 s, time enough for the children
	// of an earlier postmaster that was killed to let go of its memory.
	maxFailures      = 8
	maxStartFailures = 6
	firstDelay       = 100 * time.Millisecond
	lastDelay        = 5 * time.Second
	// healthyAfter is how long a server must have answered for its death to count
	// as the first failure again: ten times what it takes to start it again.
	healthyAfter = 500 * time.Millisecond
)

// supervise owns the server's whole life. It runs on one OS thread that ends
// only with it: the kernel's parent-death signal is tied to the thread that
// forked, not to the process.
func (p *Private) supervise(ctx context.Context, lock *os.File) {
	runtime.LockOSThread()
	defer close(p.done)
	defer unlockFile(lock)

	if p.err = p.prepare(ctx); p.err != nil {
		return
	}
	failures := 0
	for {
		answered, err := p.serve()
		if err == nil {
			return
		}
		if failures = inARow(failures, answered, time.Now()); failures >= p.allowedFailures() {
			p.err = fmt.Errorf("failed %d times in a row: %w", failures, err)
			return
		}
		delay := min(firstDelay<<(failures-1), lastDelay)
		p.log.Warn("postgres is not running, starting it again", "error", err, "in", delay)
		select {
		case <-p.stopping:
			return
		case <-time.After(delay):
		}
	}
}

// inARow is how many failures there are in a row with the end of a server that had
// answered since a time, zero: never.
func inARow(failures int, answered, ended time.Time) int {
	if !answered.IsZero() && ended.Sub(answered) >= healthyAfter {
		return 1
	}
	return failures + 1
}

func (p *Private) allowedFailures() int {
	select {
	case <-p.ready:
		return maxFailures
	default:
		return maxStartFailures
	}
}

// serve runs the server once. It returns since when it had answered, if it did, and nil
// after a wanted stop.
func (p *Private) serve() (answered time.Time, err error) {
	cmd, files, err := p.serverCommand()
	if err != nil {
		return answered, err
	}
	out := &serverLog{log: p.log}
	cmd.Stderr = out
	err = cmd.Start()
	closeAll(files)
	if err != nil {
		return answered, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()

	healthy := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), readyLimit)
	defer cancel()
	go func() { healthy <- p.awaitReady(ctx) }()

	for {
		select {
		case err := <-exited:
			return answered, fmt.Errorf("server ended: %w%s", exitReason(err), out.tail())
		case <-p.stopping:
			return answered, p.shutDown(cmd, exited)
		case err := <-healthy:
			if err != nil {
				return answered, errors.Join(fmt.Errorf("server does not answer: %w", err), p.shutDown(cmd, exited))
			}
			answered = time.Now()
			select {
			case <-p.ready:
				p.log.Info("postgres is back", "pid", cmd.Process.Pid)
			default:
				close(p.ready)
			}
			healthy = nil // a nil channel is never ready: only the end is left to wait for
		}
	}
}

// awaitReady returns when the server's database answers, making it in a new
// cluster.
func (p *Private) awaitReady(ctx context.Context) error {
	for wait := firstPoll; ; wait = min(wait*5/4, lastPoll) {
		err := probe(ctx, p.URL())
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == codeNoDatabase {
			err = p.createDatabase(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// codeNoDatabase is SQLSTATE invalid_catalog_name.
const codeNoDatabase = "3D000"

func probe(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (p *Private) createDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.urlOf("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "create database "+pgx.Identifier{roleName}.Sanitize())
	return err
}

// shutDown ends a running server: fast (SIGINT), when that takes too long or
// somebody is in a hurry at once (SIGQUIT), and at last by force.
func (p *Private) shutDown(cmd *exec.Cmd, exited <-chan error) error {
	steps := []struct {
		signal syscall.Signal
		limit  time.Duration
		rush   <-chan struct{}
	}{
		{syscall.SIGINT, stopLimit, p.hurry},
		{syscall.SIGQUIT, quitLimit, nil},
	}
	for _, s := range steps {
		if err := cmd.Process.Signal(s.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("signal the server: %w", err)
		}
		select {
		case <-exited: //nolint:errcheck // it was told to end: how it did is not news
			return nil
		case <-time.After(s.limit):
		case <-s.rush:
		}
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the server: %w", err)
	}
	<-exited //nolint:errcheck // killed
	return nil
}

// exitReason makes an error of the end of a process that was not to end.
func exitReason(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
