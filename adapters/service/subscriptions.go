package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// maxSubscriptions is how many answers are remembered between two changes of
// endpoints.
const maxSubscriptions = 16384

// Subscriptions tells fan-out which endpoints are to be told of an event. They are
// read once and remembered until one of any organization changes: the log is followed
// for that, since the read model's position, which only changes move, does not tell
// how current it is.
type Subscriptions struct {
	Reads
	Log    *eventstore.Store
	Logger *slog.Logger

	// seen is how far the log has been followed.
	seen *projections.Positions

	mu sync.Mutex
	// changed is the position of the last change.
	changed int64
	// known are the answers since then.
	known map[subscription][]webhooks.Endpoint
}

type subscription struct {
	owner projections.Owner
	event string
}

// subscriptions names what Subscriptions.seen tells.
const subscriptions = "subscriptions"

// NewSubscriptions answers once it runs.
func NewSubscriptions(reads Reads, log *eventstore.Store, logger *slog.Logger) *Subscriptions {
	return &Subscriptions{Reads: reads, Log: log, Logger: logger, seen: projections.NewPositions(), changed: -1}
}

// Run follows the log until ctx ends.
func (s *Subscriptions) Run(ctx context.Context) error {
	return following(ctx, s.Logger, "changes of endpoints are followed anew; until then webhooks wait", s.follow)
}

// follow takes in what changes endpoints from where the read model is on: what
// changed before is in it.
func (s *Subscriptions) follow(ctx context.Context) error {
	position, err := projections.ReadPosition(ctx, s.Pool, webhooks.Projection)
	if err != nil && !errors.Is(err, projections.ErrNotBuilt) {
		return fmt.Errorf("position of webhooks: %w", err)
	}
	sub := eventstore.Subscription{Name: subscriptions, Prefixes: []string{webhook.StreamPrefix}, Closely: true}
	if position >= 0 {
		from := uint64(position)
		sub.From = &from
	}
	s.change(position)
	s.seen.Advance(subscriptions, position)
	return s.Log.SubscribeRaw(ctx, sub, func(_ context.Context, b eventstore.RawBatch) error {
		if n := len(b.Events); n > 0 {
			s.change(int64(b.Events[n-1].Position)) //nolint:gosec // positions of a log fit
		}
		s.seen.Advance(subscriptions, int64(b.Checkpoint)) //nolint:gosec // as above
		return nil
	})
}

// change forgets what was known before a change. A later one that is known of stays: the
// read model may be behind it where following begins anew.
func (s *Subscriptions) change(position int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed, s.known = max(s.changed, position), map[subscription][]webhooks.Endpoint{}
}

// Subscribed is the endpoints as of a position, once the log has been followed and the
// read model has come as far.
func (s *Subscriptions) Subscribed(ctx context.Context, o projections.Owner, event string, position uint64) ([]webhooks.Endpoint, error) {
	if err := s.seen.WaitOwnWrite(ctx, subscriptions, position); err != nil {
		return nil, err
	}
	of := subscription{o, event}
	s.mu.Lock()
	changed := s.changed
	known, ok := s.known[of]
	s.mu.Unlock()
	since := int64(position) >= changed //nolint:gosec // positions of a log fit
	if ok && since {
		return known, nil
	}
	if changed >= 0 {
		if err := s.Positions.WaitOwnWrite(ctx, webhooks.Projection.Name, uint64(changed)); err != nil {
			return nil, err
		}
	}
	read, err := s.read(ctx, of, position, changed)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if since && s.changed == changed && len(s.known) < maxSubscriptions {
		s.known[of] = read
	}
	return read, nil
}

// read asks the database, if it has the last change: one that crashed may have lost what
// it had committed.
func (s *Subscriptions) read(ctx context.Context, of subscription, position uint64, changed int64) (read []webhooks.Endpoint, err error) {
	err = pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		shown, err := projections.ReadPosition(ctx, tx, webhooks.Projection)
		if err != nil {
			return err
		}
		if shown < changed {
			return domain.Refuse(domain.CodeUnavailable, "the endpoints that the database has are older than those it had")
		}
		read, err = webhooks.Subscribed(ctx, tx, of.owner, of.event, position)
		return err
	})
	return read, err
}

// Shown returns when the answers about tests have come as far as a position:
// whoever is told of an event also reads it.
func (s *Subscriptions) Shown(ctx context.Context, position uint64) error {
	for _, name := range []string{tests.Projection.Name, sessions.Projection.Name} {
		if err := s.Positions.WaitOwnWrite(ctx, name, position); err != nil {
			return err
		}
	}
	return nil
}
