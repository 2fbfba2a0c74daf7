package eventstore

import (
	"context"
	"errors"
	"time"

	"understudy/domain"
)

// Backlog is what a follower of the log has yet to take in.
type Backlog struct {
	// Events is how many there are, at most the limit that was given.
	Events int
	// Oldest is when the first of them was recorded, zero when there is none.
	Oldest time.Time
	// Next names the first of them when this program cannot take it in: its type
	// is unknown or it does not fit its type.
	Next *PoisonError
}

var errCounted = errors.New("eventstore: counted")

// Backlog counts the events of sub that are recorded after sub.From, up to
// limit, which also bounds the effort.
func (s *Store) Backlog(ctx context.Context, sub Subscription, limit int) (Backlog, error) {
	var b Backlog
	head, err := s.Head(ctx)
	if err != nil || sub.From != nil && *sub.From >= head || head == 0 {
		return b, err
	}
	sub.FromEnd, sub.MaxBatch, sub.UpTo = false, limit, &head
	err = s.Subscribe(ctx, sub, func(_ context.Context, batch Batch) error {
		if b.Events == 0 && len(batch.Events) > 0 {
			first := batch.Events[0]
			b.Oldest = first.Time
			if _, unknown := first.Event.(domain.Unknown); unknown {
				b.Next = poisonOf(first)
			}
		}
		b.Events = min(b.Events+len(batch.Events), limit)
		if b.Events == limit {
			return errCounted
		}
		return nil
	})
	if poison, ok := errPoison(err); ok {
		if b.Events == 0 {
			b.Oldest, b.Next = poison.Time, poison
		}
		b.Events = min(b.Events+1, limit) // what follows it is not looked at
		return b, nil
	}
	if errors.Is(err, errCounted) {
		err = nil
	}
	return b, err
}

// poisonOf names an event of unknown type.
func poisonOf(e domain.Recorded) *PoisonError {
	return &PoisonError{
		Position: e.Position, Stream: e.Stream, Revision: e.Revision, Time: e.Time, Type: e.Event.EventType(), Err: errUnknownType,
	}
}
