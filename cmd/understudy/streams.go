package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/comparison"
	"understudy/domain/custompersona"
	"understudy/domain/delivery"
	"understudy/domain/notice"
	"understudy/domain/process"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/eventstore"
)

// streams runs the commands of every kind of stream.
type streams struct {
	store      *eventstore.Store
	tests      *eventstore.Handler[testrun.State, testrun.Command, testrun.Event]
	sessions   *eventstore.Handler[session.State, session.Command, session.Event]
	deliveries *eventstore.Handler[delivery.State, delivery.Command, delivery.Event]
	webhooks   *eventstore.Handler[webhook.State, webhook.Command, webhook.Event]
	reports    *eventstore.Handler[report.State, report.Command, report.Event]
	accounts   *eventstore.Handler[account.State, account.Command, account.Event]
	personas   *eventstore.Handler[custompersona.State, custompersona.Command, custompersona.Event]
	created    firstEvents

	comparisons *eventstore.Handler[comparison.State, comparison.Command, comparison.Event]
	notices     *eventstore.Handler[notice.State, notice.Command, notice.Event]
}

// firstEvents keeps the events that made the tests in use. They never change,
// and every session asks for its test's, whose stream has an event of every
// session that has ended: reading it each time made a session dearer the more
// its test has.
type firstEvents struct {
	mu   sync.Mutex
	kept map[string]domain.Recorded // by test
}

// maxFirstEvents bounds what is kept; when it is full it starts anew.
const maxFirstEvents = 1024

func (f *firstEvents) get(testID string) (domain.Recorded, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.kept[testID]
	return e, ok
}

func (f *firstEvents) put(testID string, e domain.Recorded) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil || len(f.kept) >= maxFirstEvents {
		f.kept = map[string]domain.Recorded{}
	}
	f.kept[testID] = e
}

// codec knows every event of every stream.
func codec() *eventstore.Codec { return eventstore.NewCodec(process.Catalogue()) }

func newStreams(store *eventstore.Store) *streams {
	return &streams{
		store: store,
		// States of tests are small and used by each of their sessions.
		tests:      eventstore.NewHandler(store, testrun.Decider, 1024),
		sessions:   eventstore.NewHandler(store, session.Decider, 4096),
		deliveries: eventstore.NewHandler(store, delivery.Decider, 16384),
		webhooks:   eventstore.NewHandler(store, webhook.Decider, 4096),
		reports:    eventstore.NewHandler(store, report.Decider, 0),
		accounts:   eventstore.NewHandler(store, account.Decider, 16),
		personas:   eventstore.NewHandler(store, custompersona.Decider, 16),

		comparisons: eventstore.NewHandler(store, comparison.Decider, 0),
		notices:     eventstore.NewHandler(store, notice.Decider, 0),
	}
}

// Execute runs a command on the stream it is addressed to and tells the
// position of what it recorded.
func (s *streams) Execute(ctx context.Context, e domain.Envelope) (uint64, error) {
	switch kind, _, _ := strings.Cut(e.Stream, "-"); kind + "-" {
	case testrun.StreamPrefix:
		return execute(ctx, s.tests, e)
	case session.StreamPrefix:
		return execute(ctx, s.sessions, e)
	case delivery.StreamPrefix:
		return execute(ctx, s.deliveries, e)
	case webhook.StreamPrefix:
		return execute(ctx, s.webhooks, e)
	case notice.StreamPrefix:
		return execute(ctx, s.notices, e)
	case report.StreamPrefix:
		return execute(ctx, s.reports, e)
	case comparison.StreamPrefix:
		return execute(ctx, s.comparisons, e)
	}
	return 0, fmt.Errorf("no command goes to stream %s", e.Stream)
}

func execute[S, C any, E domain.Event](ctx context.Context, h *eventstore.Handler[S, C, E], e domain.Envelope) (uint64, error) {
	command, ok := e.Command.(C)
	if !ok {
		return 0, fmt.Errorf("command %T does not belong to stream %s", e.Command, e.Stream)
	}
	switch e.Command.(type) {
	case delivery.Schedule, session.Queue: // of these there can be thousands at once
		return h.Begin(ctx, e.ID, e.Stream, command, e.Meta)
	}
	result, err := h.Handle(ctx, e.ID, e.Stream, command, e.Meta)
	return result.Position, err
}

// errFirst ends a read after the first event.
var errFirst = fmt.Errorf("first event read")

// Created reads the event that made a test.
func (s *streams) Created(ctx context.Context, testID string) (created domain.Recorded, err error) {
	if created, ok := s.created.get(testID); ok {
		return created, nil
	}
	err = s.store.ReadStream(ctx, testrun.Stream(testID), 0, func(r domain.Recorded) error {
		created = r
		return errFirst
	})
	if _, ok := created.Event.(testrun.Created); ok {
		s.created.put(testID, created)
		return created, nil
	}
	return created, fmt.Errorf("read test %s: %w", testID, err)
}

// Test is a test as of now.
func (s *streams) Test(ctx context.Context, testID string) (testrun.State, error) {
	result, err := s.tests.Load(ctx, testrun.Stream(testID))
	return result.State, err
}

// Over reports whether a test no longer runs, with the position that says so.
func (s *streams) Over(ctx context.Context, testID string) (position uint64, over bool, err error) {
	result, err := s.tests.Load(ctx, testrun.Stream(testID))
	return result.Position, result.State.Status != testrun.Running, err
}
