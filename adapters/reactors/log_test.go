package reactors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/adapters/reactors"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/notice"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/eventstore/storetest"
	"understudy/test/patience"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var (
	begin = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))
	meta  = domain.Meta{CorrelationID: "c1", Actor: "api", OrganizationID: "org_1", Environment: domain.Live}
)

// eventLog is the embedded store with an empty log.
type eventLog struct {
	t      *testing.T
	socket string
	store  *eventstore.Store
}

func newLog(t *testing.T) *eventLog {
	t.Helper()
	dir := t.TempDir()
	l := &eventLog{t: t, socket: filepath.Join(dir, "es.sock")}
	n, err := node.Start(context.Background(), node.Options{Dir: filepath.Join(dir, "log"), Socket: l.socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	l.store = l.open(process.Catalogue())
	return l
}

// open is a program that knows these events.
func (l *eventLog) open(catalogue []domain.Entry) *eventstore.Store {
	l.t.Helper()
	store, err := eventstore.Open(eventstore.Config{Socket: l.socket, Codec: eventstore.NewCodec(catalogue), CallTimeout: patience.Scaled(storetest.Patience)})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if err := store.Close(); err != nil {
			l.t.Error(err)
		}
	})
	return store
}

func (l *eventLog) context() context.Context {
	l.t.Helper()
	ctx, cancel := patience.Context(context.Background(), 4*storetest.Patience)
	l.t.Cleanup(cancel)
	return ctx
}

// record appends events to a stream and returns the last of them as recorded.
func (l *eventLog) record(stream string, events ...domain.Event) domain.Recorded {
	l.t.Helper()
	return l.recordBy(l.store, stream, events...)
}

func (l *eventLog) recordBy(store *eventstore.Store, stream string, events ...domain.Event) domain.Recorded {
	l.t.Helper()
	before, at := len(l.stream(stream)), eventstore.NoStream()
	if before > 0 {
		at = eventstore.Revision(uint64(before - 1))
	}
	var pending []eventstore.Pending
	for i, e := range events {
		pending = append(pending, eventstore.Pending{ID: domain.DeriveUUID(stream, fmt.Sprint(before+i)), Event: e, Meta: meta})
	}
	if _, err := store.Append(l.context(), stream, at, pending); err != nil {
		l.t.Fatal(err)
	}
	all := l.stream(stream)
	return all[len(all)-1]
}

// stream is all events of a stream.
func (l *eventLog) stream(name string) []domain.Recorded {
	l.t.Helper()
	all, err := l.read(l.context(), name)
	if err != nil && !errors.Is(err, eventstore.ErrStreamNotFound) {
		l.t.Fatal(err)
	}
	return all
}

func (l *eventLog) read(ctx context.Context, stream string) (all []domain.Recorded, err error) {
	err = l.store.ReadStream(ctx, stream, 0, func(r domain.Recorded) error {
		all = append(all, r)
		return nil
	})
	return all, err
}

// await waits until a stream has as many events and returns them.
func (l *eventLog) await(stream string, n int) (all []domain.Recorded) {
	l.t.Helper()
	storetest.Eventually(l.t, fmt.Sprintf("%d events of %s", n, stream), func() bool {
		all = l.stream(stream)
		return len(all) >= n
	})
	return all
}

func (l *eventLog) head() uint64 {
	l.t.Helper()
	head, err := l.store.Head(l.context())
	if err != nil {
		l.t.Fatal(err)
	}
	return head
}

// commands runs commands on the streams of the log, as the program does.
type commands struct {
	store      *eventstore.Store
	tests      *eventstore.Handler[testrun.State, testrun.Command, testrun.Event]
	sessions   *eventstore.Handler[session.State, session.Command, session.Event]
	deliveries *eventstore.Handler[delivery.State, delivery.Command, delivery.Event]
	webhooks   *eventstore.Handler[webhook.State, webhook.Command, webhook.Event]
	notices    *eventstore.Handler[notice.State, notice.Command, notice.Event]
	// before, if set, is asked before each command.
	before func(ctx context.Context, e domain.Envelope) error
}

func newCommands(store *eventstore.Store) *commands {
	return &commands{
		store:      store,
		tests:      eventstore.NewHandler(store, testrun.Decider, 16),
		sessions:   eventstore.NewHandler(store, session.Decider, 16),
		deliveries: eventstore.NewHandler(store, delivery.Decider, 16),
		webhooks:   eventstore.NewHandler(store, webhook.Decider, 16),
		notices:    eventstore.NewHandler(store, notice.Decider, 16),
	}
}

func (c *commands) Execute(ctx context.Context, e domain.Envelope) (uint64, error) {
	if c.before != nil {
		if err := c.before(ctx, e); err != nil {
			return 0, err
		}
	}
	switch command := e.Command.(type) {
	case testrun.Command:
		return handle(ctx, c.tests, e, command)
	case session.Command:
		return handle(ctx, c.sessions, e, command)
	case delivery.Command:
		return handle(ctx, c.deliveries, e, command)
	case webhook.Command:
		return handle(ctx, c.webhooks, e, command)
	case notice.Command:
		return handle(ctx, c.notices, e, command)
	}
	return 0, fmt.Errorf("nobody takes a %T", e.Command)
}

func (c *commands) Schedule(ctx context.Context, e domain.Envelope) (string, error) {
	_, err := c.Execute(ctx, e)
	return "traceparent of " + e.Stream, err
}

func handle[S, C any, E domain.Event](ctx context.Context, h *eventstore.Handler[S, C, E], e domain.Envelope, command C) (uint64, error) {
	result, err := h.Handle(ctx, e.ID, e.Stream, command, e.Meta)
	return result.Position, err
}

func (c *commands) Created(ctx context.Context, testID string) (created domain.Recorded, err error) {
	err = c.store.ReadStream(ctx, testrun.Stream(testID), 0, func(r domain.Recorded) error {
		if r.Revision == 0 {
			created = r
		}
		return nil
	})
	return created, err
}

func (c *commands) Test(ctx context.Context, testID string) (testrun.State, error) {
	result, err := c.tests.Load(ctx, testrun.Stream(testID))
	return result.State, err
}

// links makes addresses without signatures.
type links struct{}

func (links) ReportURL(_ string, _ domain.Environment, id string, _ time.Time) string {
	return "https://app.example/reports/" + id
}

// checkpoints are kept in memory.
type checkpoints struct {
	mu sync.Mutex
	at map[string]uint64
}

func newCheckpoints() *checkpoints { return &checkpoints{at: map[string]uint64{}} }

func (c *checkpoints) Load(_ context.Context, name string) (uint64, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.at[name]
	return at, ok, nil
}

func (c *checkpoints) Save(_ context.Context, name string, position uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[name] = position
	return nil
}

func (c *checkpoints) Stop(_ context.Context, name, why string) error {
	return errors.New(name + " " + why)
}

func (c *checkpoints) of(name string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at[name]
}

// said is a log that can be read while it is written.
type said struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// reactorsOf are the reactors over a log with checkpoints of their own.
func reactorsOf(l *eventLog, change func(*reactors.Reactors)) *reactors.Reactors {
	c := newCommands(l.store)
	r := &reactors.Reactors{
		Log: l.store, Commands: c, Tests: c, Endpoints: nobody{}, Sender: &taking{}, Replays: nothing{}, Retries: nothing{}, Links: links{},
		Checkpoints: newCheckpoints(), Logger: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(r)
	}
	return r
}

// run runs reactors until stop, which waits for their end.
func run(t *testing.T, r *reactors.Reactors) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := storetest.Wait(t, "the end of the reactors", ended); !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// settled waits until every reactor has done all that there is for it.
func (l *eventLog) settled(r *reactors.Reactors) {
	l.t.Helper()
	kept := r.Checkpoints.(*checkpoints)
	for _, reactor := range r.All() {
		storetest.Eventually(l.t, reactor.Name+" at the end of the log", func() bool {
			return kept.of(reactor.Name) >= l.last(reactor.Prefixes)
		})
	}
}

// last is the position of the last event of streams with these prefixes.
func (l *eventLog) last(prefixes []string) (position uint64) {
	l.t.Helper()
	head := l.head()
	err := l.store.Subscribe(l.context(), eventstore.Subscription{Name: "test", Prefixes: prefixes, UpTo: &head}, func(_ context.Context, b eventstore.Batch) error {
		for _, e := range b.Events {
			position = e.Position
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return position
}

// settledTwice lets the reactors do everything, and then others that know of
// nothing again: to them every event is new, and none of it has any effect.
func (l *eventLog) settledTwice(r *reactors.Reactors, stop func()) {
	l.t.Helper()
	for before := uint64(0); before != l.head(); { // what they record is for them too
		before = l.head()
		l.settled(r)
	}
	stop()
	head, again := l.head(), *r
	c := newCommands(l.store)
	again.Checkpoints, again.Commands, again.Tests = newCheckpoints(), c, c
	stop = run(l.t, &again)
	l.settled(&again)
	stop()
	if now := l.head(); now != head {
		l.t.Errorf("events that came again were recorded on: the log's end moved from %d to %d", head, now)
	}
}
