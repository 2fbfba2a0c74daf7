package eventstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
)

const (
	// maxDecisions is how often a command is decided before it is given up as
	// being in conflict. Only other processes cause conflicts: the commands
	// of this one take turns.
	maxDecisions = 10
	// conflictPause is the longest wait before deciding again.
	conflictPause = 10 * time.Millisecond
	// turnTimeout bounds the wait for the commands ahead on the same stream.
	turnTimeout = 30 * time.Second
)

// Handler runs the commands of one kind of stream: it folds the stream,
// decides and appends at exactly the revision that it decided on. It keeps the
// folded states of the streams used last and then reads only their tails.
//
// The states are shared: Evolve must return a new value and leave the one it
// is given, and everything reachable from it, as it was (copy on write), and
// who gets a Result must not change its State.
type Handler[S, C any, E domain.Event] struct {
	store   *Store
	decider domain.Decider[S, C, E]
	cache   *cache[S]
	turns   *turns
}

// NewHandler makes the handler of one kind of stream. cacheSize is how many
// streams' states it keeps; with 0 every command reads its whole stream.
func NewHandler[S, C any, E domain.Event](store *Store, d domain.Decider[S, C, E], cacheSize int) *Handler[S, C, E] {
	return &Handler[S, C, E]{store: store, decider: d, cache: newCache[S](cacheSize), turns: newTurns()}
}

// Result is what a stream looks like after a command.
type Result[S any] struct {
	State S
	// Events are those that the command recorded, in their order; none when
	// it was refused, changed nothing or had been executed before. Time is
	// left zero, because only the store knows it, and Position is that of the
	// last of them.
	Events []domain.Recorded
	// Revision and Position are those of the last event that State reflects;
	// Position is its commit position. Both are 0 for a stream without events.
	Revision, Position uint64
}

// Handle executes a command on a stream. id names the command: the same id
// again records nothing more, however often it comes and whatever happened in
// between. The error is the domain's refusal as Decide returned it, a refusal
// with CodeConflict when other processes were faster again and again, a
// *PoisonError when the stream has an event that this program cannot fold, or
// ErrUnavailable: then nobody knows whether the command was executed, and it
// is safe to send again. A refusal comes with the state that it was made on.
func (h *Handler[S, C, E]) Handle(ctx context.Context, id uuid.UUID, stream string, cmd C, meta domain.Meta) (Result[S], error) {
	return h.HandleSeen(ctx, id, stream, cmd, meta, always)
}

// always is said of every revision.
func always(uint64) bool { return true }

// HandleSeen is Handle for a command that was given for certain revisions of the
// stream: what it has by now is for seen to tell. Where that is another one, and
// the command has not been executed before, it is refused with CodeChanged.
func (h *Handler[S, C, E]) HandleSeen(ctx context.Context, id uuid.UUID, stream string, cmd C, meta domain.Meta, seen func(revision uint64) bool) (result Result[S], err error) {
	ctx, span, meta := beginCommand(ctx, stream, cmd, meta)
	defer func() { endCommand(span, len(result.Events), err) }()
	return h.handle(ctx, id, stream, cmd, meta, seen)
}

func (h *Handler[S, C, E]) handle(ctx context.Context, id uuid.UUID, stream string, cmd C, meta domain.Meta, seen func(revision uint64) bool) (Result[S], error) {
	giveBack, err := h.takeTurn(ctx, stream)
	if err != nil {
		return Result[S]{}, err
	}
	defer giveBack()

	at, known := h.cache.get(stream)
	if !known {
		if at, err = h.refresh(ctx, stream, h.initial()); err != nil {
			return Result[S]{}, err
		}
	}
	// The cached state may be behind what other processes have recorded. An
	// append finds that out by itself; a decision not to append must not
	// stand on it.
	certain := !known
	first := eventID(id, 0)
	for decisions := 0; decisions < maxDecisions; {
		if at.ids.has(first) {
			return h.executedBefore(ctx, stream, at)
		}
		var events []E
		var refusal error
		if seen(at.revision) {
			events, refusal = h.decider.Decide(at.state, cmd)
		} else {
			refusal = domain.Refuse(domain.CodeChanged, "it has changed and is at revision %d; read it again", at.revision)
		}
		if refusal != nil || len(events) == 0 {
			if certain || h.final(at.state) {
				return at.result(nil), refusal
			}
			certain = true
			if at, err = h.refresh(ctx, stream, at); err != nil {
				return Result[S]{}, err
			}
			continue
		}
		decisions++
		result, err := h.record(ctx, id, stream, at, events, meta)
		if err == nil {
			return result, nil
		}
		h.cache.drop(stream)
		if !errors.Is(err, ErrWrongExpected) {
			return Result[S]{}, err
		}
		certain = true
		if at, err = h.catchUp(ctx, stream, at, decisions); err != nil {
			return Result[S]{}, err
		}
	}
	return at.result(nil), domain.Refuse(domain.CodeConflict, "%s kept changing while the command was being decided", stream)
}

// Begin is Handle for a command that makes its stream, such as a new delivery's:
// it is decided on the state of a stream without events and appended to none, so
// that nothing has to be read. Where the stream is there already, it is Handle.
// Of a command that was executed before, the result may be that of then, as is the
// state that is kept: see Kept.
func (h *Handler[S, C, E]) Begin(ctx context.Context, id uuid.UUID, stream string, cmd C, meta domain.Meta) (result Result[S], err error) {
	ctx, span, meta := beginCommand(ctx, stream, cmd, meta)
	defer func() { endCommand(span, len(result.Events), err) }()
	if _, known := h.cache.get(stream); !known {
		events, refusal := h.decider.Decide(h.decider.Initial, cmd)
		if refusal == nil && len(events) > 0 {
			result, err = h.record(ctx, id, stream, h.initial(), events, meta)
			if !errors.Is(err, ErrWrongExpected) {
				return result, err
			}
		}
	}
	return h.handle(ctx, id, stream, cmd, meta, always)
}

// Load returns a stream's state as of now. Events is empty. A stream without
// events has the initial state, with ErrStreamNotFound.
func (h *Handler[S, C, E]) Load(ctx context.Context, stream string) (Result[S], error) {
	at, known := h.cache.get(stream)
	if !known {
		at = h.initial()
	}
	at, err := h.refresh(ctx, stream, at)
	if err != nil {
		return Result[S]{}, err
	}
	if !at.exists {
		return at.result(nil), fmt.Errorf("eventstore: load %s: %w", stream, ErrStreamNotFound)
	}
	return at.result(nil), nil
}

// Kept is a stream's state as this process has seen it last, without asking the
// store: other processes may have recorded more. It reports whether the state
// is among those that are kept.
func (h *Handler[S, C, E]) Kept(stream string) (Result[S], bool) {
	at, known := h.cache.get(stream)
	if !known {
		return Result[S]{}, false
	}
	return at.result(nil), true
}

// Forget lets go of the state that is kept of a stream when it is of before a
// revision that the stream is known to have.
func (h *Handler[S, C, E]) Forget(stream string, revision uint64) {
	h.cache.dropBefore(stream, revision)
}

func (h *Handler[S, C, E]) initial() folded[S] {
	return folded[S]{state: h.decider.Initial, ids: newIDSet()}
}

func (h *Handler[S, C, E]) final(state S) bool {
	return h.decider.Done != nil && h.decider.Done(state)
}

func (h *Handler[S, C, E]) takeTurn(ctx context.Context, stream string) (giveBack func(), err error) {
	wait, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	giveBack, err = h.turns.take(wait, stream)
	if err != nil {
		return nil, outcome(wait, "wait for the commands ahead on "+stream, err)
	}
	return giveBack, nil
}

// executedBefore answers a command that came again. The cached state has its
// events, unless only the set of ids, which other readers fill too, has them.
func (h *Handler[S, C, E]) executedBefore(ctx context.Context, stream string, at folded[S]) (Result[S], error) {
	at, err := h.refresh(ctx, stream, at)
	if err != nil {
		return Result[S]{}, err
	}
	return at.result(nil), nil
}

// catchUp brings the state up to date after a conflict. When the tail has
// nothing new, the state itself cannot be right (the store was replaced by an
// older copy, say) and the stream is folded anew.
func (h *Handler[S, C, E]) catchUp(ctx context.Context, stream string, at folded[S], decisions int) (folded[S], error) {
	if decisions > 1 && !sleep(ctx, rand.N(conflictPause)) {
		return at, outcome(ctx, "decide on "+stream, context.Cause(ctx))
	}
	now, err := h.refresh(ctx, stream, at)
	if err != nil || now.next() != at.next() {
		return now, err
	}
	h.cache.drop(stream)
	return h.refresh(ctx, stream, h.initial())
}

// refresh folds what the stream has after at, and keeps the state.
func (h *Handler[S, C, E]) refresh(ctx context.Context, stream string, at folded[S]) (folded[S], error) {
	err := h.store.ReadStream(ctx, stream, at.next(), func(r domain.Recorded) error {
		var err error
		at, err = h.fold(at, r)
		return err
	})
	if errors.Is(err, ErrStreamNotFound) {
		h.cache.drop(stream)
		return h.initial(), nil
	}
	if err != nil {
		return at, err
	}
	h.cache.put(stream, at)
	return at, nil
}

// fold evolves the state over one recorded event.
func (h *Handler[S, C, E]) fold(at folded[S], r domain.Recorded) (folded[S], error) {
	e, ok := r.Event.(E)
	if _, unknown := r.Event.(domain.Unknown); unknown || !ok {
		err := errUnknownType
		if !unknown {
			err = errors.New("event type belongs to another kind of stream")
		}
		return at, &PoisonError{Position: r.Position, Stream: r.Stream, Revision: r.Revision, Type: r.Event.EventType(), Err: err}
	}
	at.ids.add(r.ID)
	return folded[S]{
		state:    h.decider.Evolve(at.state, e),
		exists:   true,
		revision: r.Revision,
		position: r.Position,
		ids:      at.ids,
	}, nil
}

// record appends what was decided on at, and folds it as it is recorded: a
// state is the same whether it was kept or read back. What could not be read back
// is not recorded.
func (h *Handler[S, C, E]) record(ctx context.Context, id uuid.UUID, stream string, at folded[S], events []E, meta domain.Meta) (Result[S], error) {
	pending := make([]Pending, len(events))
	for i, e := range events {
		pending[i] = Pending{ID: eventID(id, i), Event: e, Meta: meta}
	}
	proposed, err := h.store.encode(pending)
	if err != nil {
		return Result[S]{}, fmt.Errorf("eventstore: append to %s: %w", stream, err)
	}
	asRecorded := make([]domain.Event, len(events))
	for i, p := range proposed {
		if asRecorded[i], err = h.store.codec.Decode(p.EventType, p.Data); err != nil {
			return Result[S]{}, &PoisonError{Stream: stream, Revision: at.next() + uint64(i), Type: p.EventType, Err: err}
		}
	}
	if h.store.tail.follows() {
		h.store.own.keep(proposed, asRecorded)
	}
	appended, err := h.store.append(ctx, stream, at.expected(), proposed)
	if err != nil {
		return Result[S]{}, err
	}
	recorded := make([]domain.Recorded, len(events))
	for i, p := range proposed {
		recorded[i] = domain.Recorded{
			ID: p.EventID, Stream: stream, Revision: at.next(), Position: appended.Position, Event: asRecorded[i], Meta: meta,
		}
		if at, err = h.fold(at, recorded[i]); err != nil {
			return Result[S]{}, err
		}
	}
	if h.final(at.state) {
		h.cache.drop(stream) // nothing more is decided on it
	} else {
		h.cache.put(stream, at)
	}
	return at.result(recorded), nil
}

func (f folded[S]) result(events []domain.Recorded) Result[S] {
	return Result[S]{State: f.state, Events: events, Revision: f.revision, Position: f.position}
}

// eventID is the id of the i-th event that a command yields.
func eventID(command uuid.UUID, i int) uuid.UUID {
	return domain.DeriveUUID(command.String(), strconv.Itoa(i))
}
