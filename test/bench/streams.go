package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/postgres"
	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections/timeline"
	"understudy/test/harness"
)

const (
	// sockets is how many follow one test.
	sockets = 10_000
	// told is how many messages they get, one a second.
	toldMessages = 30
	tellEvery    = time.Second
	// messageBytes is the size of each.
	messageBytes = 512
	// connectedLimit bounds the time until all are connected.
	connectedLimit = 5 * time.Minute
	// settled is how long the service may give back what connecting took.
	settled = 10 * time.Second
)

// measureStreams tells one test's messages to many sockets. The service runs
// without workers, so that the test stays as it is; its event store and its
// Postgres are the bench's, the sockets those of a process of their own.
func measureStreams(ctx context.Context, b *bench) (err error) {
	quiet := slog.New(slog.DiscardHandler)
	n, err := node.Start(ctx, node.Options{
		Dir: filepath.Join(b.dir, "streams-node"), Socket: filepath.Join(b.dir, "streams.sock"),
		TCP: &node.TCP{Address: "127.0.0.1:0"}, Logger: quiet,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: filepath.Join(b.dir, "streams-postgres"), Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	address := "esdb://" + n.Addr().String() + "?tls=false"
	store, err := eventstore.Open(eventstore.Config{URL: address, Codec: eventstore.NewCodec(session.Catalogue)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s, err := b.start(ctx, "streams", []string{"--roles", "api,projector"},
		"UNDERSTUDY_EVENTSTORE="+address, "UNDERSTUDY_DATABASE_URL="+server.URL(), fmt.Sprintf("UNDERSTUDY_CAPS=streams=%d", 2*sockets))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	return fanOut(ctx, b, s, store)
}

func fanOut(ctx context.Context, b *bench, s *service, store *eventstore.Store) (err error) {
	test, _, err := s.Sandbox().Create(ctx, harness.SignUp(1))
	if err != nil {
		return err
	}
	from, err := newTeller(ctx, store, test.ID)
	if err != nil {
		return err
	}
	before, err := proportional(s.PID())
	if err != nil {
		return err
	}
	many := b.n(sockets)
	crowd, err := gather(ctx, test.StreamURL, many)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, crowd.disperse()) }()
	select {
	case <-time.After(settled):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := proportional(s.PID())
	if err != nil {
		return err
	}
	const section = "streams"
	b.table.add(section, fmt.Sprintf("memory of each of %d idle sockets", many), fmt.Sprintf("%.1f KB", float64(after-before)/float64(many)/1024), "",
		fmt.Sprintf("the service went from %.0f to %.0f MB", megabytes(before), megabytes(after)))
	computed, err := s.cpu()
	if err != nil {
		return err
	}
	ticks := time.NewTicker(tellEvery)
	defer ticks.Stop()
	for range toldMessages {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := from.tell(ctx); err != nil {
			return err
		}
	}
	now, err := s.cpu()
	if err != nil {
		return err
	}
	heard, err := crowd.heard(many * toldMessages)
	if err != nil {
		return err
	}
	b.table.add(section, fmt.Sprintf("%d bytes a second to %d sockets, from append to receipt", messageBytes, many),
		fmt.Sprintf("p50 %s, p99 %s", short(heard.P50), short(heard.P99)), "p99 < 250 ms",
		fmt.Sprintf("slowest %s; %d messages, the sockets in another process; %s each", short(heard.Slowest), toldMessages, now.minus(computed).shares(toldMessages*many)))
	return nil
}

// teller is a session that the bench itself records.
type teller struct {
	store    *eventstore.Store
	testID   string
	stream   string
	revision uint64
	pad      int
}

func newTeller(ctx context.Context, store *eventstore.Store, testID string) (*teller, error) {
	at := domain.At(time.Now())
	id := domain.DeriveID(domain.PrefixSession, at.Time, "bench", testID)
	w := &teller{store: store, testID: testID, stream: session.Stream(id), revision: 1}
	m, _ := timeline.MessageOf(domain.Recorded{Stream: w.stream, Position: 1000, Event: w.step(time.Now())})
	empty, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	w.pad = max(0, messageBytes-len(empty))
	_, err = store.Append(ctx, w.stream, eventstore.NoStream(), []eventstore.Pending{
		{ID: uuid.New(), Event: session.Queued{
			SessionID: id, TestID: testID, OrganizationID: "org_bench", Environment: domain.Sandbox,
			Persona: persona.Persona{Name: "Ada"}, Viewport: "desktop", Model: "forager-2", At: at,
		}},
		{ID: uuid.New(), Event: session.Started{TestID: testID, Attempt: 1, Worker: "bench", At: at}},
	})
	return w, err
}

// stampPrefix comes before the time at which a message was about to be
// appended, in nanoseconds.
const stampPrefix = `"title":"told at `

func (w *teller) step(now time.Time) session.Stepped {
	return session.Stepped{TestID: w.testID, Attempt: 1, At: domain.At(now), Step: session.Step{
		Title: fmt.Sprintf("told at %d", now.UnixNano()), Thought: strings.Repeat("x", w.pad), Signals: []session.Signal{},
	}}
}

// tell appends one message.
func (w *teller) tell(ctx context.Context) error {
	_, err := w.store.Append(ctx, w.stream, eventstore.Revision(w.revision), []eventstore.Pending{{ID: uuid.New(), Event: w.step(time.Now())}})
	w.revision++
	return err
}

// crowd is the process that has the sockets.
type crowd struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// gather starts the crowd and returns when all of it is connected.
func gather(ctx context.Context, address string, n int) (*crowd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, connectedLimit, fmt.Errorf("%d sockets were not connected within %s", n, connectedLimit))
	defer cancel()
	c := &crowd{cmd: exec.Command(self, crowdCommand, fmt.Sprint(n))}
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			_ = c.cmd.Process.Kill()
		}
	})()
	// The address has a token in it: not for the list of processes.
	if _, err := fmt.Fprintln(c.in, address); err != nil {
		return nil, errors.Join(err, c.disperse())
	}
	if _, err := c.out.ReadString('\n'); err != nil {
		return nil, errors.Join(context.Cause(ctx), err, c.disperse())
	}
	return c, nil
}

// reception is how late messages were.
type reception struct {
	Messages          int
	P50, P99, Slowest time.Duration
}

// heard asks for the latencies once all of n messages have come.
func (c *crowd) heard(n int) (r reception, err error) {
	if _, err := fmt.Fprintln(c.in, n); err != nil {
		return r, err
	}
	line, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err == nil && r.Messages != n {
		err = fmt.Errorf("%d of %d messages came", r.Messages, n)
	}
	return r, err
}

// disperse ends the crowd.
func (c *crowd) disperse() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }
