package service

import (
	"context"
	"strings"

	"understudy/domain"
	"understudy/domain/apikey"
	"understudy/domain/delivery"
	"understudy/domain/grant"
	"understudy/domain/process"
	"understudy/domain/report"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/gates"
	"understudy/projections/grants"
	"understudy/projections/keys"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/timeline"
)

// Those who follow the log, and not a person's wish, read through these: each
// waits until all that is answered about an event has come as far as the event.

// Feed is the timeline as subscribers get it.
type Feed struct{ Reads }

// After reads messages of a test.
func (f Feed) After(ctx context.Context, testID string, position int64, limit int) ([]timeline.Stored, error) {
	return f.readable(ctx)(timeline.After(ctx, f.Pool, testID, position, limit))
}

// Last is the position of the newest message.
func (f Feed) Last(ctx context.Context) (int64, error) { return timeline.Last(ctx, f.Pool) }

// Between reads messages of the tests, or of all.
func (f Feed) Between(ctx context.Context, after, upTo int64, tests []string, limit int) ([]timeline.Stored, error) {
	return f.readable(ctx)(timeline.Between(ctx, f.Pool, after, upTo, tests, limit))
}

// readable passes messages on once every other answer about their tests has
// come as far: whoever is told that a session has ended also reads it so.
func (f Feed) readable(ctx context.Context) func([]timeline.Stored, error) ([]timeline.Stored, error) {
	return func(messages []timeline.Stored, err error) ([]timeline.Stored, error) {
		if err != nil || len(messages) == 0 {
			return nil, err
		}
		if err := f.Positions.WaitOwnWrite(ctx, sessions.Projection.Name, messages[len(messages)-1].Position); err != nil {
			return nil, err
		}
		// The tests' read model follows the tests' own streams: it may never come
		// to the position of a session's event.
		for i := len(messages) - 1; i >= 0; i-- {
			if !strings.HasPrefix(messages[i].Type, "session.") {
				return messages, f.Positions.WaitOwnWrite(ctx, tests.Projection.Name, messages[i].Position)
			}
		}
		return messages, nil
	}
}

// Ended are the tests for which nothing more will come.
func (f Feed) Ended(ctx context.Context, tests []string, position uint64) ([]string, error) {
	return timeline.Ended(ctx, f.Pool, tests, position)
}

// Changed is closed when there may be new messages.
func (f Feed) Changed() <-chan struct{} { return f.Positions.Changed(timeline.Projection.Name) }

// Replays is the deliveries read model as the reactor of replays sees it.
type Replays struct {
	Reads
	Streams *Streams
}

// Page reads what a replay makes again, once the read model has come to its
// position.
func (r Replays) Page(ctx context.Context, which deliveries.Replay, after string, limit int) ([]string, error) {
	if err := r.Positions.WaitOwnWrite(ctx, deliveries.Projection.Name, which.Position); err != nil {
		return nil, err
	}
	return deliveries.ReplayPage(ctx, r.Pool, which, after, limit)
}

// Scheduled reads what a delivery sends, byte for byte.
func (r Replays) Scheduled(ctx context.Context, deliveryID string) (delivery.Scheduled, error) {
	loaded, err := r.Streams.Deliveries.Load(ctx, delivery.Stream(deliveryID))
	return loaded.State.Delivery, err
}

// Retries tells which deliveries wait for one.
type Retries struct {
	Reads
	Streams *Streams
}

// Waiting reads the deliveries to an endpoint that wait for a retry which is due
// after an event of its own, once the read model has come to it; none when the
// endpoint takes deliveries again.
func (r Retries) Waiting(ctx context.Context, because domain.Recorded, after string, limit int) ([]string, error) {
	endpoint, err := r.Streams.Webhooks.Load(ctx, because.Stream)
	if err != nil || endpoint.State.Status == webhook.Enabled {
		return nil, err
	}
	if err := r.Positions.WaitOwnWrite(ctx, deliveries.Projection.Name, because.Position); err != nil {
		return nil, err
	}
	return deliveries.Waiting(ctx, r.Pool, projections.StreamID(because), because.Time, after, limit)
}

// Credentials reads what people may still call with.
type Credentials struct{ Reads }

// Standing are those from before an event that were not revoked, of its organization and a
// person, everybody for "", with the commands that end them.
func (r Credentials) Standing(ctx context.Context, because domain.Recorded, userID, reason string) (out []process.Credential, err error) {
	organizationID := projections.StreamID(because)
	for _, model := range []string{keys.Projection.Name, grants.Projection.Name} {
		if err := r.Positions.WaitOwnWrite(ctx, model, because.Position); err != nil {
			return nil, err
		}
	}
	made, err := keys.Unrevoked(ctx, r.Pool, organizationID, userID)
	if err != nil {
		return nil, err
	}
	for _, k := range made {
		if k.CreatedAt.After(because.Time) {
			continue // of who has come again
		}
		out = append(out, process.Credential{
			Stream: apikey.Stream(k.ID), Environment: k.Environment, Command: adopting(k, apikey.Revoke{Reason: reason, Now: domain.At(because.Time)}),
		})
	}
	given, err := grants.Unrevoked(ctx, r.Pool, organizationID, userID)
	for _, g := range given {
		if g.CreatedAt.After(because.Time) {
			continue
		}
		out = append(out, process.Credential{
			Stream: grant.Stream(g.ID), Environment: g.Environment, Command: grant.Revoke{Reason: reason, Now: domain.At(because.Time)},
		})
	}
	return out, err
}

// Evidence is what reports and comparisons are built of, once it is there.
type Evidence struct{ Reads }

// EachSession calls fn with every session of a test as of position, on several
// goroutines.
func (e Evidence) EachSession(ctx context.Context, testID string, position uint64, fn func(sessions.Walked) error) error {
	if err := e.Positions.WaitOwnWrite(ctx, sessions.Projection.Name, position); err != nil {
		return err
	}
	return sessions.Each(ctx, e.Pool, testID, fn)
}

// Judgement is what the gate says of a test as of position.
func (e Evidence) Judgement(ctx context.Context, testID string, position uint64) (report.Judgement, error) {
	if err := e.Positions.WaitOwnWrite(ctx, gates.Projection.Name, position); err != nil {
		return report.Judgement{}, err
	}
	row, err := gates.Get(ctx, e.Pool, testID)
	return row.Judgement(), err
}

// AwaitReport returns when a report recorded at position can be read.
func (e Evidence) AwaitReport(ctx context.Context, position uint64) error {
	return e.Positions.WaitOwnWrite(ctx, reports.Projection.Name, position)
}
