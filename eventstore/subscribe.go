package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/domain"
)

const (
	// defaultMaxBatch is Subscription.MaxBatch when it is zero.
	defaultMaxBatch = 512
	// searchWindow is after how many events that do not match the filter the
	// store sends a checkpoint. To a projection each is a transaction, and one
	// that follows few events would have more of these than of its own: nobody
	// waits for a position between its events.
	searchWindow = 512
)

// Subscription says which events to follow.
type Subscription struct {
	// Name is for the log.
	Name string
	// From is the commit position after which to begin; nil is the start of
	// the log.
	From *uint64
	// FromEnd begins with the events recorded from now on. From wins over it.
	FromEnd bool
	// Prefixes are stream name prefixes ("testrun-"); none means all streams.
	Prefixes []string
	// MaxBatch is the most events in one Batch; zero means 512.
	MaxBatch int
	// Closely: once caught up, a batch with the checkpoint alone comes whenever the
	// log has grown by events that are not followed, for who must know how current
	// it is. Without, one comes now and then.
	Closely bool
	// UpTo ends the subscription, without an error, when everything up to this
	// position has been handled. It is to be one that the log has.
	UpTo *uint64
}

// Batch is a run of events in commit order.
type Batch = BatchOf[domain.Recorded]

// BatchOf is a run of events, in one of their forms, in commit order.
type BatchOf[T any] struct {
	Events []T
	// Checkpoint is the commit position up to which the log has been seen: at
	// least that of the last event. A batch may have a checkpoint alone.
	Checkpoint uint64
}

// Subscribe delivers the events of sub in commit order, in batches of what has
// already arrived, until ctx ends (its error is returned), sub.UpTo is handled (nil is),
// handle returns an error (returned as it is) or panics (a *Panic is), or an event is not
// as it was recorded (ErrDamaged). It survives restarts of the store: it
// goes on after the last checkpoint that handle has taken, and within one Subscribe
// no event comes twice or is left out. The store's own events ($…) never come.
//
// With FromEnd the first batch is only the checkpoint of that end, so that
// handle can note where it began. A *PoisonError ends the subscription after
// the events before it have been handled.
func (s *Store) Subscribe(ctx context.Context, sub Subscription, handle func(ctx context.Context, b Batch) error) error {
	return subscribe(ctx, s, sub, s.decode, decoded, handle)
}

// subscribe is Subscribe with events in the form that decode gives them, or share
// gives them of those that the tail holds. Without share the tail is not read.
func subscribe[T any](
	ctx context.Context, s *Store, sub Subscription, decode func(*esdb.RecordedEvent) (T, error), share func(told) (T, error),
	handle func(context.Context, BatchOf[T]) error,
) error {
	if share != nil {
		s.awaitTail(ctx)
	}
	ctx, cancel := s.bind(ctx)
	defer cancel()
	if sub.MaxBatch <= 0 {
		sub.MaxBatch = defaultMaxBatch
	}
	f := &follower[T]{store: s, sub: sub, decode: decode, share: share, handle: handle}
	if sub.From != nil {
		f.after, f.begun = *sub.From, true
	}
	pause := backoff{first: firstPause, longest: longestPause}
	lost := false
	for {
		follow := f.follow
		if f.held() {
			follow = f.followTail
		}
		began := time.Now()
		established, err := follow(ctx)
		switch {
		case errors.Is(f.stopped, errReached):
			return nil
		case f.stopped != nil:
			return f.stopped
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case refused(err):
			return fmt.Errorf("eventstore: subscribe %s: %w", sub.Name, err)
		case errors.Is(namedError(err), ErrDamaged):
			return fmt.Errorf("eventstore: subscribe %s: %w: %w", sub.Name, ErrDamaged, err)
		}
		elsewhere := errors.Is(err, errElsewhere)
		// One that ends at once, at an event that the store cannot read, is still lost.
		if established && (elsewhere || time.Since(began) > longestPause) {
			pause.reset()
			lost = false
		}
		if elsewhere {
			continue
		}
		if !lost {
			lost = true
			s.log.Warn("subscription lost, trying again", "subscription", sub.Name, "after", f.after, "error", err)
		}
		if !pause.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// errReached: Subscription.UpTo has been handled.
var errReached = errors.New("eventstore: the position that was asked for is reached")

// errElsewhere: what comes next is to be read from the tail, or no longer from it.
var errElsewhere = errors.New("eventstore: to be followed elsewhere")

// follower is one subscription under way.
type follower[T any] struct {
	store  *Store
	sub    Subscription
	decode func(*esdb.RecordedEvent) (T, error)
	share  func(told) (T, error)
	handle func(context.Context, BatchOf[T]) error
	// after is the position up to which everything has been handled; before
	// begun there is none.
	after uint64
	begun bool
	// stopped is what ended the subscription for good.
	stopped error
}

// notice is one thing that the store says on a subscription.
type notice[T any] struct {
	kind noticeKind
	// seen is the position up to which the log has been seen with it.
	seen uint64
	// event is what came, in the form of the subscription, poison why it cannot be
	// taken in.
	event  T
	poison error
}

type noticeKind int

const (
	confirmed noticeKind = iota
	eventCame
	checkpointCame
)

// followTail delivers from the tail until ctx ends, f.stopped is set or, with
// errElsewhere, the tail no longer holds what comes next.
func (f *follower[T]) followTail(ctx context.Context) (established bool, err error) {
	seen, skipped := f.after, searchWindow // at first it says how far it has come
	for {
		events, head, grown, ok := f.store.tail.after(seen)
		if !ok {
			return true, errElsewhere
		}
		var b BatchOf[T]
		var poison error
		for i, e := range events {
			seen = e.raw.Position
			if !f.wants(e.raw.Stream) {
				skipped++
				continue
			}
			var event T
			if event, poison = f.share(e); poison != nil {
				break
			}
			if b.Events == nil {
				b.Events = make([]T, 0, min(len(events)-i, f.sub.MaxBatch))
			}
			b.Events, b.Checkpoint = append(b.Events, event), seen
			if len(b.Events) == f.sub.MaxBatch {
				break
			}
		}
		whole := poison == nil && len(b.Events) < f.sub.MaxBatch
		if whole {
			seen = head
		}
		if len(b.Events) > 0 || skipped >= searchWindow || f.sub.Closely || f.sub.UpTo != nil {
			if whole {
				b.Checkpoint = head
			}
			skipped = 0
			f.deliver(ctx, b)
		}
		if f.stopped == nil && poison != nil {
			f.stopped = poison
		}
		switch {
		case f.stopped != nil:
			return true, nil //nolint:nilerr // it is the caller's to return
		case !whole:
			continue
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return true, context.Cause(ctx)
		}
	}
}

// held reports whether the tail holds what comes next.
func (f *follower[T]) held() bool { return f.begun && f.share != nil && f.store.tail.holds(f.after) }

// wants reports whether a stream is one of those to follow.
func (f *follower[T]) wants(stream string) bool {
	return len(f.sub.Prefixes) == 0 || slices.ContainsFunc(f.sub.Prefixes, func(p string) bool { return strings.HasPrefix(stream, p) })
}

// follow subscribes once and delivers until the connection or ctx ends, f.stopped
// is set or, with errElsewhere, the tail holds what comes next. It reports whether
// the store had accepted the subscription.
func (f *follower[T]) follow(ctx context.Context) (established bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The end of the log as it is before subscribing: when the store says
	// that the subscription has caught up, at least this far has been seen.
	head, err := f.store.Head(ctx)
	if err != nil {
		return false, err
	}
	if !f.begun && f.sub.FromEnd {
		if f.deliver(ctx, BatchOf[T]{Checkpoint: head}); f.stopped != nil {
			return true, nil
		}
		if f.held() {
			return true, errElsewhere
		}
	}
	options := f.options()
	notices, failure := flow(ctx, f.store, f.sub.MaxBatch, func(client *esdb.Client, emit func(notice[T]) error) error {
		return receive(ctx, client, options, head, f.decode, emit)
	})
	confirmation := time.NewTimer(f.store.timeout)
	defer confirmation.Stop()
	for {
		select {
		case n, ok := <-notices:
			if !ok {
				return established, failure()
			}
			if n.kind == confirmed {
				established = true
				confirmation.Stop()
				continue
			}
			if f.gather(ctx, n, notices); f.stopped != nil {
				return established, nil
			}
			if f.held() {
				return established, errElsewhere
			}
		case <-confirmation.C:
			return false, fmt.Errorf("%w: no confirmation for %s", ErrUnavailable, f.store.timeout)
		case <-ctx.Done():
			return established, context.Cause(ctx)
		}
	}
}

func (f *follower[T]) options() esdb.SubscribeToAllOptions {
	o := esdb.SubscribeToAllOptions{
		From:            esdb.Start{}, // never nil, which means the end
		MaxSearchWindow: searchWindow,
		Filter:          esdb.ExcludeSystemEventsFilter(),
	}
	if f.begun {
		o.From = esdb.Position{Commit: f.after, Prepare: f.after}
	}
	if len(f.sub.Prefixes) > 0 {
		o.Filter = &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: f.sub.Prefixes}
	}
	return o
}

// receive passes on what the store says until the subscription ends. Events are
// decoded here, while those before them are handled elsewhere.
func receive[T any](
	ctx context.Context, client *esdb.Client, options esdb.SubscribeToAllOptions, head uint64,
	decode func(*esdb.RecordedEvent) (T, error), emit func(notice[T]) error,
) error {
	sub, err := client.SubscribeToAll(ctx, options)
	if err != nil {
		return err
	}
	defer sub.Close()
	if err := emit(notice[T]{kind: confirmed}); err != nil {
		return err
	}
	for {
		said := sub.Recv()
		var n notice[T]
		switch {
		case said.EventAppeared != nil:
			e := said.EventAppeared.OriginalEvent()
			n = notice[T]{kind: checkpointCame, seen: position(e)}
			if !isSystem(e) {
				n.kind = eventCame
				n.event, n.poison = decode(e)
			}
		case said.CheckPointReached != nil:
			n = notice[T]{kind: checkpointCame, seen: said.CheckPointReached.Commit}
		case said.CaughtUp != nil:
			n = notice[T]{kind: checkpointCame, seen: head}
		case said.SubscriptionDropped != nil:
			return said.SubscriptionDropped.Error
		default:
			continue // fallen behind: the store catches up by itself
		}
		if err := emit(n); err != nil {
			return err
		}
	}
}

// gather makes a batch of the first notice and of those that have already
// arrived, and delivers it.
func (f *follower[T]) gather(ctx context.Context, first notice[T], more <-chan notice[T]) {
	var b BatchOf[T]
	poison := f.add(&b, first)
	for poison == nil && len(b.Events) < f.sub.MaxBatch {
		select {
		case n, ok := <-more:
			if ok {
				poison = f.add(&b, n)
				continue
			}
		default:
		}
		break
	}
	f.deliver(ctx, b)
	if f.stopped == nil && poison != nil {
		f.stopped = poison
	}
}

// add takes one notice into a batch. The error is a *PoisonError.
func (f *follower[T]) add(b *BatchOf[T], n notice[T]) error {
	if n.kind == eventCame {
		if f.begun && n.seen <= f.after {
			return nil // handled before
		}
		if n.poison != nil {
			return n.poison
		}
		b.Events = append(b.Events, n.event)
	}
	b.Checkpoint = max(b.Checkpoint, n.seen)
	return nil
}

// deliver hands a batch to the subscriber, unless it says nothing new, and
// moves on. A handler's error, or panic, stops the follower.
func (f *follower[T]) deliver(ctx context.Context, b BatchOf[T]) {
	if len(b.Events) == 0 && f.begun && b.Checkpoint <= f.after {
		return
	}
	if f.stopped = Safely(func() error { return f.handle(ctx, b) }); f.stopped != nil {
		return
	}
	f.after, f.begun = max(f.after, b.Checkpoint), true
	if f.sub.UpTo != nil && f.after >= *f.sub.UpTo {
		f.stopped = errReached
	}
}

// errPoison reports whether err is about an event that cannot be taken in.
func errPoison(err error) (*PoisonError, bool) {
	var poison *PoisonError
	ok := errors.As(err, &poison)
	return poison, ok
}
