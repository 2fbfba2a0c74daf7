package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2"
)

// groupBytes bounds what one sync makes durable. With one more append of the
// largest size it stays under half a memtable, above which Pebble treats a
// batch as a table of its own.
const groupBytes = 2 << 20

// deed is what a write does to its stream.
type deed int

const (
	deedAppend deed = iota
	deedDelete
	deedTombstone
)

// write is a request on its way through the writer.
type write struct {
	Append
	deed   deed
	result Appended
	err    error
	done   chan struct{} // closed by the writer once result and err are set
}

// Pending is an append that was accepted into the queue and whose outcome is
// not known yet.
type Pending struct {
	w *write
	e *Engine
}

// Append records events at the end of a stream and returns when they are on
// disk. Repeating an append with the same event ids and the same expectation
// records nothing and returns where the events are. Errors:
// *WrongExpectedError, *DeletedError, *TooLargeError, ErrInvalid, ErrFailed,
// ErrClosed, or ctx's error; after ErrFailed and ctx's error the outcome is
// unknown.
func (e *Engine) Append(ctx context.Context, a Append) (Appended, error) {
	p, err := e.Submit(ctx, a)
	if err != nil {
		return Appended{}, err
	}
	return p.Wait(ctx)
}

// Submit queues an append and returns at once unless the queue is full.
// Appends that one goroutine submits are decided in that order.
func (e *Engine) Submit(ctx context.Context, a Append) (*Pending, error) {
	if err := a.validate(); err != nil {
		return nil, err
	}
	return e.submit(ctx, &write{Append: a, deed: deedAppend})
}

// Delete soft-deletes a stream: it reads as not found, and may be written
// again, continuing at its next revision. It returns the position of the
// deletion. Errors as for Append.
func (e *Engine) Delete(ctx context.Context, stream string, expected Expected) (uint64, error) {
	return e.end(ctx, stream, expected, deedDelete)
}

// Tombstone deletes a stream for ever: reads and writes of it get
// *DeletedError. It returns the position of the tombstone. Errors as for
// Append.
func (e *Engine) Tombstone(ctx context.Context, stream string, expected Expected) (uint64, error) {
	return e.end(ctx, stream, expected, deedTombstone)
}

func (e *Engine) end(ctx context.Context, stream string, expected Expected, d deed) (uint64, error) {
	if err := validStream(stream); err != nil {
		return 0, err
	}
	if _, meta := described(stream); meta {
		return 0, fmt.Errorf("%w: the metadata stream %q cannot be deleted", ErrInvalid, stream)
	}
	p, err := e.submit(ctx, &write{Append: Append{Stream: stream, Expected: expected}, deed: d})
	if err != nil {
		return 0, err
	}
	done, err := p.Wait(ctx)
	return done.Position, err
}

func (e *Engine) submit(ctx context.Context, w *write) (*Pending, error) {
	if err := e.Err(); err != nil {
		return nil, err
	}
	w.done = make(chan struct{})
	select {
	case <-e.closing:
		return nil, ErrClosed
	default:
	}
	select {
	case e.queue <- w:
		return &Pending{w: w, e: e}, nil
	case <-e.failed:
		return nil, e.failure
	case <-e.closing:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Wait returns the outcome once it is durable, or ctx's error.
func (p *Pending) Wait(ctx context.Context) (Appended, error) {
	select {
	case <-p.w.done:
		return p.w.result, p.w.err
	case <-ctx.Done():
		return Appended{}, ctx.Err()
	case <-p.e.stopped:
	case <-p.e.failed:
	}
	// An outcome that is known wins over how the engine ended.
	select {
	case <-p.w.done:
		return p.w.result, p.w.err
	default:
	}
	if err := p.e.Err(); err != nil {
		return Appended{}, err
	}
	return Appended{}, ErrClosed
}

func (a Append) validate() error {
	if err := validStream(a.Stream); err != nil {
		return err
	}
	if a.Expected < 0 && a.Expected != Any && a.Expected != NoStream && a.Expected != StreamExists {
		return fmt.Errorf("%w: unknown expectation %d", ErrInvalid, int64(a.Expected))
	}
	size := 0
	for _, ev := range a.Events {
		if ev.Type == "" || len(ev.Type) > MaxEventType || !utf8.ValidString(ev.Type) {
			return fmt.Errorf("%w: an event type is 1 to %d bytes of UTF-8", ErrInvalid, MaxEventType)
		}
		if size += ev.Size(); size > MaxAppendSize {
			return &TooLargeError{Limit: MaxAppendSize}
		}
	}
	return nil
}

func validStream(name string) error {
	switch {
	case name == "" || len(name) > MaxStreamName || !utf8.ValidString(name):
		return fmt.Errorf("%w: a stream name is 1 to %d bytes of UTF-8", ErrInvalid, MaxStreamName)
	case strings.ContainsRune(name, 0):
		return fmt.Errorf("%w: a stream name holds no NUL", ErrInvalid)
	case name == "$all":
		return fmt.Errorf("%w: $all cannot be written", ErrInvalid)
	case strings.HasPrefix(name, metaPrefix+metaPrefix):
		return fmt.Errorf("%w: a metadata stream has no metadata of its own", ErrInvalid)
	case name == metaPrefix:
		return fmt.Errorf("%w: %q names no stream", ErrInvalid, name)
	}
	return nil
}

// run is the writer: the only goroutine that writes. Everything queued while
// the last sync ran shares the next one.
func (e *Engine) run() {
	defer close(e.stopped)
	heads := newHeads()
	for {
		select {
		case w := <-e.queue:
			if !e.commit(heads, w) {
				return
			}
		case <-e.failed:
			return
		case <-e.closing:
			for {
				select {
				case w := <-e.queue:
					if !e.commit(heads, w) {
						return
					}
				default:
					return
				}
			}
		}
	}
}

// commit writes first and what is queued behind it, and acknowledges them.
// It returns false when the engine has failed.
func (e *Engine) commit(heads *heads, first *write) bool {
	g := &group{
		batch:   e.db.NewIndexedBatch(),
		heads:   heads,
		next:    e.durable.Load() + 1,
		now:     e.now().Truncate(100 * time.Nanosecond),
		changed: map[string]struct{}{},
	}
	writes := []*write{first}
	g.apply(first)
	for g.batch.Len() < groupBytes && len(writes) < queueLength && g.broken == nil {
		select {
		case w := <-e.queue:
			writes = append(writes, w)
			g.apply(w)
			continue
		default:
		}
		break
	}
	if g.broken != nil {
		e.fail(g.broken)
		return false
	}
	if g.batch.Count() > 0 {
		// A disk error ends in pebbleLog.Fatalf, which does not return here;
		// the waiting callers then see the engine's failure.
		if err := g.batch.Commit(pebble.Sync); err != nil {
			e.fail(err)
			return false
		}
		if err := e.Err(); err != nil {
			return false
		}
		newest := mark{position: g.next - 1, id: g.lastID}
		if _, err := e.mark.WriteAt(newest.encode(), 0); err != nil {
			e.fail(fmt.Errorf("high-water mark: %w", err))
			return false
		}
		e.durable.Store(newest.position)
	}
	// Only now: after an error the batch may still be in Pebble's hands.
	if err := g.batch.Close(); err != nil {
		e.fail(err)
		return false
	}
	for _, w := range writes {
		close(w.done)
	}
	if len(g.changed) > 0 {
		e.hub.tell(g.changed)
	}
	return true
}

// apply decides one write and adds what it records to the group.
func (g *group) apply(w *write) {
	switch w.deed {
	case deedDelete:
		w.result, w.err = g.delete(w.Stream, w.Expected)
	case deedTombstone:
		w.result, w.err = g.tombstone(w.Stream, w.Expected)
	default:
		w.result, w.err = g.append(w.Append)
	}
	var wrong *WrongExpectedError
	var deleted *DeletedError
	if w.err != nil && !errors.As(w.err, &wrong) && !errors.As(w.err, &deleted) {
		// The batch may hold half of this write: none of it may be recorded.
		g.broken = w.err
	}
}
