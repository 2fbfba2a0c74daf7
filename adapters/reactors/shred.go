package reactors

import (
	"context"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/user"
	"understudy/eventstore"
	"understudy/projections"
)

// Shredder destroys the keys of people and organizations.
type Shredder interface {
	// Destroy destroys one for good, because of the event at a position.
	Destroy(ctx context.Context, subject string, position uint64) error
}

// shred destroys the key of who or what has ended: what the log has of it cannot be
// read any longer.
func (r *Reactors) shred(ctx context.Context, e domain.Recorded) (err error) {
	switch e.Event.(type) {
	case account.Deleted, user.Erased:
		ctx, span := reacting(ctx, "shredding", e.Meta)
		defer func() { eventstore.EndSpan(span, err) }()
		return r.Shredder.Destroy(ctx, projections.StreamID(e), e.Position)
	}
	return nil
}
