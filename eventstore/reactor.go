package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"understudy/domain"
)

const (
	// firstRetry and longestRetry bound the wait before a failed reaction or
	// checkpoint is tried again; it doubles in between. What is tried again after an
	// outage stands in a row behind others that are: none may wait long by itself.
	firstRetry   = 50 * time.Millisecond
	longestRetry = 500 * time.Millisecond
	// holdRetry is how often a reactor that holds looks again.
	holdRetry = 30 * time.Second
	// quietSave is how often the checkpoint is saved while no event concerns
	// the reactor.
	quietSave = 5 * time.Second
)

// Checkpoints remember how far each reactor has come.
type Checkpoints interface {
	// Load returns the position that was saved last; ok is false when there
	// is none.
	Load(ctx context.Context, name string) (pos uint64, ok bool, err error)
	// Save replaces the position. A reactor whose position moves has not stopped.
	Save(ctx context.Context, name string, pos uint64) error
	// Stop notes why a reactor has stopped.
	Stop(ctx context.Context, name, why string) error
}

// Reactor does something about events: the next command, a delivery.
type Reactor struct {
	// Name is the key of its checkpoint, for ever.
	Name string
	// Prefixes are stream name prefixes; none means all streams.
	Prefixes []string
	// Concurrency is how many streams are worked on at once; 0 means 1.
	Concurrency int
	// React handles one event. It may get the same event again and must then
	// have no further effect. An error means: again later.
	React func(ctx context.Context, e domain.Recorded) error
	// ReactAll, when set, takes React's place and handles all events of a
	// batch at once, whatever their streams.
	ReactAll func(ctx context.Context, events []domain.Recorded) error
	// MaxBatch is the most events in a batch; 0 means 512.
	MaxBatch    int
	Checkpoints Checkpoints
	// Logger is told about troubles and their end. Nil means the Store's.
	Logger *slog.Logger
	// FromEnd: a reactor without a checkpoint begins at the end of the log
	// instead of at its start.
	FromEnd bool
}

// RunReactor runs a reactor until ctx ends, whose error it returns, or the
// store refuses the subscription. Every event is reacted to at least once, in
// the order of positions; with Concurrency above 1 only the events of the same
// stream keep their order. A reaction that fails is tried again for ever, and
// nothing after it in its stream, nor the next batch, comes before it. The
// checkpoint is saved when a whole batch is done.
//
// An event of an unknown type, or one that does not fit its type, was recorded
// by a newer program: the reactor finishes what comes before it, says so in
// the log and holds there, for that program to go on. An event over which React
// panics stops it: it says so in the log and to Checkpoints and does nothing more
// until ctx ends.
func (s *Store) RunReactor(ctx context.Context, r Reactor) error {
	if r.Concurrency < 1 {
		r.Concurrency = 1
	}
	log := r.Logger
	if log == nil {
		log = s.log
	}
	ctx, cancel := s.bind(ctx)
	defer cancel()
	w := &reacting{Reactor: r, log: log.With("reactor", r.Name)}
	if err := w.load(ctx); err != nil {
		return err
	}
	for {
		err := s.Subscribe(ctx, Subscription{
			Name:     r.Name,
			From:     w.from,
			FromEnd:  r.FromEnd,
			Prefixes: r.Prefixes,
			MaxBatch: r.MaxBatch,
		}, w.batch)
		poison, ok := errPoison(err)
		if !ok {
			return err
		}
		if broken := (*Panic)(nil); errors.As(err, &broken) {
			w.stop(ctx, poison, broken)
			<-ctx.Done()
			return context.Cause(ctx)
		}
		w.log.Error("holding before an event that a newer program recorded",
			"stream", poison.Stream, "revision", poison.Revision, "position", poison.Position,
			"type", poison.Type, "error", poison.Err)
		if !sleep(ctx, holdRetry) {
			return context.Cause(ctx)
		}
	}
}

// stop tells everybody that the reactor has stopped at an event.
func (w *reacting) stop(ctx context.Context, at *PoisonError, why *Panic) {
	w.log.Error("stopped at an event that it cannot react to", "stream", at.Stream, "revision", at.Revision, "position", at.Position,
		"type", at.Type, "error", at.Err, "stack", string(why.Stack))
	_ = w.insist(ctx, "note why it stopped", nil, func() error { // it fails only when ctx ends
		return w.Checkpoints.Stop(ctx, w.Name, fmt.Sprintf("reactor %s stopped: %v", w.Name, at))
	})
}

// reacting is one reactor under way.
type reacting struct {
	Reactor
	log *slog.Logger
	// from is the position up to which everything is done; nil is none.
	from  *uint64
	saved time.Time
}

func (w *reacting) load(ctx context.Context) error {
	return w.insist(ctx, "load checkpoint", nil, func() error {
		pos, ok, err := w.Checkpoints.Load(ctx, w.Name)
		if err == nil && ok {
			w.from = &pos
		}
		return err
	})
}

// batch reacts to a batch and saves the checkpoint. A *PoisonError makes the
// reactor hold.
func (w *reacting) batch(ctx context.Context, b Batch) error {
	events, upTo := b.Events, b.Checkpoint
	var poison *PoisonError
	for i, e := range events {
		if _, unknown := e.Event.(domain.Unknown); unknown {
			poison = poisonOf(e)
			if events = events[:i]; i > 0 {
				upTo = events[i-1].Position
			}
			break
		}
	}
	if err := w.reactToAll(ctx, events); err != nil {
		return err
	}
	if poison != nil && len(events) == 0 {
		return poison
	}
	if err := w.done(ctx, upTo, len(events) > 0); err != nil {
		return err
	}
	if poison != nil {
		return poison
	}
	return nil
}

// done notes that everything up to a position is done. A position without
// events is saved only now and then.
func (w *reacting) done(ctx context.Context, upTo uint64, events bool) error {
	first := w.from == nil
	w.from = &upTo
	if !events && !first && time.Since(w.saved) < quietSave {
		return nil
	}
	err := w.insist(ctx, "save checkpoint", nil, func() error {
		return w.Checkpoints.Save(ctx, w.Name, upTo)
	})
	w.saved = time.Now()
	return err
}

// reactToAll reacts to events, each stream's in their order, on at most
// Concurrency streams at once. It fails only when ctx ends, or with a *PoisonError
// for an event over which it panics.
func (w *reacting) reactToAll(ctx context.Context, events []domain.Recorded) error {
	if w.ReactAll != nil && len(events) > 0 {
		return w.reactAtOnce(ctx, events)
	}
	if w.Concurrency == 1 || len(events) < 2 {
		return w.reactInOrder(ctx, events)
	}
	streams := byStream(events)
	queue := make(chan []domain.Recorded, len(streams))
	for _, s := range streams {
		queue <- s
	}
	close(queue)
	var workers sync.WaitGroup
	failures := make([]error, min(w.Concurrency, len(streams)))
	for i := range failures {
		workers.Go(func() {
			for s := range queue {
				if failures[i] = w.reactInOrder(ctx, s); failures[i] != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// reactAtOnce reacts to events with ReactAll. When that panics it goes one by one, to
// do what can be done before the event that it is about, and to name that one.
func (w *reacting) reactAtOnce(ctx context.Context, events []domain.Recorded) error {
	about := []any{"from", events[0].Position, "to", events[len(events)-1].Position}
	err := w.insist(ctx, "react", about, func() error { return w.ReactAll(ctx, events) })
	broken := (*Panic)(nil)
	if !errors.As(err, &broken) {
		return err
	}
	for _, e := range events[:len(events)-1] {
		if err := w.insist(ctx, "react", about, func() error { return w.ReactAll(ctx, []domain.Recorded{e}) }); err != nil {
			return brokenBy(e, err)
		}
	}
	return brokenBy(events[len(events)-1], err)
}

// brokenBy is the *PoisonError of a panic over an event; other errors stay.
func brokenBy(e domain.Recorded, err error) error {
	if broken := (*Panic)(nil); !errors.As(err, &broken) {
		return err
	}
	return &PoisonError{Position: e.Position, Stream: e.Stream, Revision: e.Revision, Time: e.Time, Type: e.Event.EventType(), Err: err}
}

// byStream groups events by stream; streams and the events of each keep the
// order of first appearance.
func byStream(events []domain.Recorded) [][]domain.Recorded {
	var groups [][]domain.Recorded
	index := make(map[string]int)
	for _, e := range events {
		i, ok := index[e.Stream]
		if !ok {
			i = len(groups)
			index[e.Stream] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}

func (w *reacting) reactInOrder(ctx context.Context, events []domain.Recorded) error {
	for _, e := range events {
		about := []any{"stream", e.Stream, "revision", e.Revision, "type", e.Event.EventType()}
		if err := w.insist(ctx, "react", about, func() error { return w.React(ctx, e) }); err != nil {
			return brokenBy(e, err)
		}
	}
	return nil
}

// insist tries until it works or ctx ends, whose error it then returns, or panics,
// which is a *Panic. A streak of failures is logged at its beginning and its end.
func (w *reacting) insist(ctx context.Context, what string, about []any, try func() error) error {
	pause := backoff{first: firstRetry, longest: longestRetry}
	for failures := 0; ; failures++ {
		if ctx.Err() != nil {
			return fmt.Errorf("eventstore: %s of %s: %w", what, w.Name, context.Cause(ctx))
		}
		err := Safely(try)
		if broken := (*Panic)(nil); errors.As(err, &broken) {
			return err
		}
		if err == nil {
			if failures > 0 {
				w.log.Info("recovered: "+what, append(about, "failures", failures)...)
			}
			return nil
		}
		if failures == 0 && ctx.Err() == nil {
			w.log.Warn("failing, will try again: "+what, append(about, "error", err)...)
		}
		pause.wait(ctx)
	}
}
