package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections/webhooks"
)

// endpointStates tells the sender how endpoints stand, for each attempt anew.
// What this process has kept of an endpoint is good as long as nobody knows a later
// revision: a change of an endpoint is answered only when the read model shows it,
// so no attempt that begins after the answer misses it.
//
// A process that shares its log with none has recorded every change itself, and
// kept it before the answer, and asks nobody.
type endpointStates struct {
	streams   *Streams
	shared    bool
	revisions revisions
}

func newEndpointStates(s *Streams, r Reads, shared bool) *endpointStates {
	return &endpointStates{streams: s, shared: shared, revisions: revisions{ask: func(ctx context.Context, ids []string) (map[string]uint64, error) {
		if _, stopped := r.Positions.Stopped()[webhooks.Projection.Name]; stopped {
			return map[string]uint64{}, nil // it tells nothing any more: the log does
		}
		return webhooks.Revisions(ctx, r.Pool, ids)
	}}}
}

// now is an endpoint's state; one that was never there has the initial one.
func (e *endpointStates) now(ctx context.Context, webhookID string) (webhook.State, error) {
	stream := webhook.Stream(webhookID)
	if kept, ok := e.streams.Webhooks.Kept(stream); ok {
		if !e.shared {
			return kept.State, nil
		}
		revision, known, err := e.revisions.of(ctx, webhookID)
		if err != nil || known && revision <= kept.Revision {
			return kept.State, err
		}
	}
	loaded, err := e.streams.Webhooks.Load(ctx, stream)
	if errors.Is(err, eventstore.ErrStreamNotFound) {
		err = nil
	}
	return loaded.State, err
}

// revisionsLimit bounds one question.
const revisionsLimit = 5 * time.Second

// revisions asks for the revisions of streams by id. Those who ask while a
// question is under way share the next one: each is told what was read after it
// asked, at the price of one question for all.
type revisions struct {
	ask func(ctx context.Context, ids []string) (map[string]uint64, error)

	mu     sync.Mutex
	next   *question // that is still gathered; nil when nobody waits for one
	asking bool
}

type question struct {
	ids      []string
	answered chan struct{}
	of       map[string]uint64
	err      error
}

// of is the revision of one stream, if it is known.
func (r *revisions) of(ctx context.Context, id string) (revision uint64, known bool, err error) {
	r.mu.Lock()
	if r.next == nil {
		r.next = &question{answered: make(chan struct{})}
	}
	q := r.next
	q.ids = append(q.ids, id)
	if !r.asking {
		r.asking = true
		go r.answer()
	}
	r.mu.Unlock()
	select {
	case <-q.answered:
		revision, known = q.of[id]
		return revision, known, q.err
	case <-ctx.Done():
		return 0, false, context.Cause(ctx)
	}
}

// answer asks until nobody waits.
func (r *revisions) answer() {
	for {
		r.mu.Lock()
		q := r.next
		r.next, r.asking = nil, q != nil
		r.mu.Unlock()
		if q == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), revisionsLimit)
		q.of, q.err = r.ask(ctx, q.ids)
		cancel()
		close(q.answered)
	}
}
