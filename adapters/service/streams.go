package service

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/apikey"
	"understudy/domain/comparison"
	"understudy/domain/custompersona"
	"understudy/domain/delivery"
	"understudy/domain/grant"
	"understudy/domain/notice"
	"understudy/domain/oauthclient"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/user"
	"understudy/domain/webhook"
	"understudy/eventstore"
)

// Streams runs the commands of every kind of stream.
type Streams struct {
	Store      *eventstore.Store
	Tests      *eventstore.Handler[testrun.State, testrun.Command, testrun.Event]
	Sessions   *eventstore.Handler[session.State, session.Command, session.Event]
	Deliveries *eventstore.Handler[delivery.State, delivery.Command, delivery.Event]
	Webhooks   *eventstore.Handler[webhook.State, webhook.Command, webhook.Event]
	Reports    *eventstore.Handler[report.State, report.Command, report.Event]
	Accounts   *eventstore.Handler[account.State, account.Command, account.Event]
	Personas   *eventstore.Handler[custompersona.State, custompersona.Command, custompersona.Event]
	APIKeys    *eventstore.Handler[apikey.State, apikey.Command, apikey.Event]
	Users      *eventstore.Handler[user.State, user.Command, user.Event]
	Addresses  *eventstore.Handler[address.State, address.Command, address.Event]
	created    firstEvents

	Comparisons *eventstore.Handler[comparison.State, comparison.Command, comparison.Event]
	Notices     *eventstore.Handler[notice.State, notice.Command, notice.Event]
	Clients     *eventstore.Handler[oauthclient.State, oauthclient.Command, oauthclient.Event]
	Grants      *eventstore.Handler[grant.State, grant.Command, grant.Event]
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

// NewStreams runs commands on the streams of a log.
func NewStreams(store *eventstore.Store) *Streams {
	return &Streams{
		Store: store,
		// States of tests are small and used by each of their sessions.
		Tests:      eventstore.NewHandler(store, testrun.Decider, 1024),
		Sessions:   eventstore.NewHandler(store, session.Decider, 4096),
		Deliveries: eventstore.NewHandler(store, delivery.Decider, 16384),
		Webhooks:   eventstore.NewHandler(store, webhook.Decider, 4096),
		Reports:    eventstore.NewHandler(store, report.Decider, 0),
		Accounts:   eventstore.NewHandler(store, account.Decider, 16),
		Personas:   eventstore.NewHandler(store, custompersona.Decider, 16),
		APIKeys:    eventstore.NewHandler(store, apikey.Decider, 16),
		Users:      eventstore.NewHandler(store, user.Decider, 256),
		Addresses:  eventstore.NewHandler(store, address.Decider, 256),

		Comparisons: eventstore.NewHandler(store, comparison.Decider, 0),
		Notices:     eventstore.NewHandler(store, notice.Decider, 0),
		Clients:     eventstore.NewHandler(store, oauthclient.Decider, 64),
		Grants:      eventstore.NewHandler(store, grant.Decider, 1024),
	}
}

// Execute runs a command on the stream it is addressed to and tells the
// position of what it recorded.
func (s *Streams) Execute(ctx context.Context, e domain.Envelope) (uint64, error) {
	switch kind, _, _ := strings.Cut(e.Stream, "-"); kind + "-" {
	case testrun.StreamPrefix:
		return execute(ctx, s.Tests, e)
	case session.StreamPrefix:
		return execute(ctx, s.Sessions, e)
	case delivery.StreamPrefix:
		return execute(ctx, s.Deliveries, e)
	case webhook.StreamPrefix:
		return execute(ctx, s.Webhooks, e)
	case notice.StreamPrefix:
		return execute(ctx, s.Notices, e)
	case report.StreamPrefix:
		return execute(ctx, s.Reports, e)
	case comparison.StreamPrefix:
		return execute(ctx, s.Comparisons, e)
	case user.StreamPrefix:
		return execute(ctx, s.Users, e)
	case apikey.StreamPrefix:
		return execute(ctx, s.APIKeys, e)
	case grant.StreamPrefix:
		return execute(ctx, s.Grants, e)
	}
	return 0, fmt.Errorf("no command goes to stream %s", e.Stream)
}

func execute[S, C any, E domain.Event](ctx context.Context, h *eventstore.Handler[S, C, E], e domain.Envelope) (uint64, error) {
	command, ok := e.Command.(C)
	if !ok {
		return 0, fmt.Errorf("command %T does not belong to stream %s", e.Command, e.Stream)
	}
	begin := h.Handle
	switch e.Command.(type) {
	case delivery.Schedule, session.Queue: // of these there can be thousands at once
		begin = h.Begin
	}
	result, err := begin(ctx, e.ID, e.Stream, command, e.Meta)
	return result.Position, err
}

// Schedule is Execute for a new delivery. Its attempts go on with the traceparent,
// which is "" where it was scheduled before.
func (s *Streams) Schedule(ctx context.Context, e domain.Envelope) (traceparent string, err error) {
	result, err := s.Deliveries.Begin(ctx, e.ID, e.Stream, e.Command.(delivery.Schedule), e.Meta)
	for _, recorded := range result.Events {
		traceparent = recorded.Meta.Traceparent
	}
	return traceparent, err
}

// errFirst ends a read after the first event.
var errFirst = fmt.Errorf("first event read")

// Created reads the event that made a test.
func (s *Streams) Created(ctx context.Context, testID string) (created domain.Recorded, err error) {
	if created, ok := s.created.get(testID); ok {
		return created, nil
	}
	err = s.Store.ReadStream(ctx, testrun.Stream(testID), 0, func(r domain.Recorded) error {
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
func (s *Streams) Test(ctx context.Context, testID string) (testrun.State, error) {
	result, err := s.Tests.Load(ctx, testrun.Stream(testID))
	return result.State, err
}

// Over reports whether a test no longer runs, with the position that says so.
func (s *Streams) Over(ctx context.Context, testID string) (position uint64, over bool, err error) {
	result, err := s.Tests.Load(ctx, testrun.Stream(testID))
	return result.Position, result.State.Status != testrun.Running, err
}

// Latest reads a test as of now and the position of its latest event.
func (s *Streams) Latest(ctx context.Context, testID string) (testrun.State, uint64, error) {
	result, err := s.Tests.Load(ctx, testrun.Stream(testID))
	return result.State, result.Position, err
}

// Comparison reads the event that began a comparison.
func (s *Streams) Comparison(ctx context.Context, stream string) (began domain.Recorded, err error) {
	err = s.Store.ReadStream(ctx, stream, 0, func(r domain.Recorded) error {
		began = r
		return errFirst
	})
	if began.Event != nil {
		return began, nil
	}
	return began, fmt.Errorf("read comparison %s: %w", stream, err)
}

// Finished reads the event that told the end of a test's sessions.
func (s *Streams) Finished(ctx context.Context, testID string) (finished domain.Recorded, err error) {
	err = s.Store.ReadStream(ctx, testrun.Stream(testID), 0, func(r domain.Recorded) error {
		if _, ok := r.Event.(testrun.SessionsFinished); ok {
			finished = r
		}
		return nil
	})
	if err == nil && finished.Event == nil {
		err = fmt.Errorf("the sessions of test %s have not ended", testID)
	}
	return finished, err
}
