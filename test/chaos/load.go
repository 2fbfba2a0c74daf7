package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
)

// callLimit bounds one call; the load is cut off long before.
const callLimit = 20 * time.Second

// commonStreams is how many streams all writers append to.
const commonStreams = 4

// load is what works on the store during one of its lives.
type load struct {
	c       *client
	journal *journal
	began   time.Time // of the run
	nextID  *atomic.Uint64
	known   func(stream string) int64 // last revision before this life
	acked   atomic.Int64
	failure atomic.Pointer[error]
}

// run lets writers write until ctx ends.
func (l *load) run(ctx context.Context, seed uint64, life, writers int, retries []*operation, from uint64) {
	go l.follow(ctx, from)
	var group sync.WaitGroup
	for n := range writers {
		w := &writer{load: l, random: rand.New(rand.NewPCG(seed, uint64(life)<<16|uint64(n))), last: map[string]int64{}, life: life, number: n}
		for i, o := range retries {
			if i%writers == n {
				w.retries = append(w.retries, o)
			}
		}
		group.Go(func() { w.run(ctx) })
	}
	group.Wait()
}

// fail keeps the first answer that no operation may get.
func (l *load) fail(err error) { l.failure.CompareAndSwap(nil, &err) }

// follow reads everything as it is recorded: a position that somebody has read
// must never hold another event.
func (l *load) follow(ctx context.Context, after uint64) {
	sub, err := l.c.SubscribeToAll(ctx, esdb.SubscribeToAllOptions{From: esdb.Position{Commit: after, Prepare: after}})
	if err != nil {
		return // it was killed
	}
	defer func() { _ = sub.Close() }()
	for last := after; ; {
		e := sub.Recv()
		if e.SubscriptionDropped != nil {
			return
		}
		if e.EventAppeared == nil {
			continue
		}
		ev := e.EventAppeared.OriginalEvent()
		if ev.Position.Commit != last+1 {
			l.fail(fmt.Errorf("a subscriber got event %d after event %d", ev.Position.Commit, last))
			return
		}
		last = ev.Position.Commit
		l.journal.saw(sight{last, ev.EventID})
	}
}

// writer makes one call after the other.
type writer struct {
	*load
	random  *rand.Rand
	last    map[string]int64 // revisions as far as it knows
	life    int
	number  int
	retries []*operation // of calls whose outcome nobody knows
	deaths  int
	before  *operation // the newest append that was acknowledged
}

// run works until the store is gone.
func (w *writer) run(ctx context.Context) {
	for _, o := range w.retries {
		again := &operation{kind: o.kind, stream: o.stream, expected: o.expected, ids: o.ids, repeat: true}
		if w.do(ctx, again) == unknown {
			return
		}
	}
	for ctx.Err() == nil {
		if w.random.IntN(8) == 0 {
			if !w.batch(ctx) {
				return
			}
			continue
		}
		if w.do(ctx, w.choose()) == unknown {
			return
		}
	}
}

// choose draws the next operation.
func (w *writer) choose() *operation {
	own := fmt.Sprintf("own-%d", w.number)
	common := fmt.Sprintf("shared-%d", w.random.IntN(commonStreams))
	switch n := w.random.IntN(100); {
	case n < 30: // the usual case: an exact revision of a stream of its own
		return w.append(own, w.revision(own))
	case n < 45:
		return w.append(common, expectAny)
	case n < 60: // others will have been faster, often
		return w.append(common, w.revision(common))
	case n < 70:
		return w.append(fmt.Sprintf("new-%d", w.nextID.Add(1)), expectNoStream)
	case n < 75:
		return w.append(own, expectExists)
	case n < 80:
		if w.before == nil {
			return w.append(own, expectAny)
		}
		o := w.before // as a caller that has not seen the answer
		return &operation{kind: kindAppend, stream: o.stream, expected: o.expected, ids: o.ids, repeat: true}
	case n < 82: // metadata is an append like any other, and hides nothing here
		return w.append("$$"+common, expectAny)
	case n < 90:
		return &operation{kind: kindRead, stream: common}
	case n < 97:
		return w.append(w.mortal(), expectAny)
	case n < 99:
		return &operation{kind: kindDelete, stream: w.mortal(), expected: expectAny}
	default:
		o := &operation{kind: kindTombstone, stream: w.mortal(), expected: expectAny}
		w.deaths++
		return o
	}
}

// mortal is a stream of its own that it may delete.
func (w *writer) mortal() string { return fmt.Sprintf("mortal-%d-%d-%d", w.life, w.number, w.deaths) }

func (w *writer) revision(stream string) int64 {
	if _, ok := w.last[stream]; !ok {
		w.last[stream] = w.known(stream)
	}
	return w.last[stream]
}

// append makes an append of one event, or of up to seven.
func (w *writer) append(stream string, expected int64) *operation {
	n := 1
	if w.random.IntN(3) == 0 {
		n = 2 + w.random.IntN(6)
	}
	o := &operation{kind: kindAppend, stream: stream, expected: expected}
	for range n {
		o.ids = append(o.ids, newID(w.nextID.Add(1), w.random.Uint64()))
	}
	return o
}

// do makes a call and notes what came of it.
func (w *writer) do(ctx context.Context, o *operation) outcome {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	o.call = time.Since(w.began)
	done, err := answer(ctx, func() (told, error) { return w.call(ctx, o) })
	o.revision, o.position, o.found = done.revision, done.position, done.found
	o.ret = time.Since(w.began)
	w.settle(ctx, o, err)
	return o.outcome
}

// told is what an answer says.
type told struct {
	revision int64
	position uint64
	found    uuid.UUID
}

// call makes the call that an operation is.
func (w *writer) call(ctx context.Context, o *operation) (told, error) {
	expected := expectation(o.expected)
	switch o.kind {
	case kindAppend:
		done, err := w.c.AppendToStream(ctx, o.stream, esdb.AppendToStreamOptions{ExpectedRevision: expected}, events(o)...)
		if err != nil {
			return told{}, err
		}
		return told{revision: int64(done.NextExpectedVersion), position: done.CommitPosition}, nil
	case kindDelete:
		done, err := w.c.DeleteStream(ctx, o.stream, esdb.DeleteStreamOptions{ExpectedRevision: expected})
		if err != nil {
			return told{}, err
		}
		return told{position: done.Position.Commit}, nil
	case kindTombstone:
		done, err := w.c.TombstoneStream(ctx, o.stream, esdb.TombstoneStreamOptions{ExpectedRevision: expected})
		if err != nil {
			return told{}, err
		}
		return told{position: done.Position.Commit}, nil
	case kindRead, kindAll:
	}
	return w.newest(ctx, o.stream)
}

// answer makes a call and leaves it alone when ctx ends: the official client
// may never return from one whose server is gone.
func answer(ctx context.Context, call func() (told, error)) (told, error) {
	type result struct {
		told told
		err  error
	}
	c := make(chan result, 1)
	go func() {
		done, err := call()
		c <- result{done, err}
	}()
	select {
	case r := <-c:
		return r.told, r.err
	case <-ctx.Done():
		return told{}, ctx.Err()
	}
}

// settle notes the outcome that an answer means.
func (w *writer) settle(ctx context.Context, o *operation, err error) {
	var known *esdb.Error
	switch {
	case err == nil:
		o.outcome = acknowledged
		if o.kind == kindAppend {
			w.last[o.stream] = o.revision
			w.before = o
		}
		if o.kind != kindRead {
			w.acked.Add(1)
		}
	case errors.As(err, &known) && (known.Code() == esdb.ErrorCodeWrongExpectedVersion || known.Code() == esdb.ErrorCodeStreamDeleted):
		o.outcome = refused
		delete(w.last, o.stream)
		if now, err := answer(ctx, func() (told, error) { return w.newest(ctx, o.stream) }); err == nil {
			w.last[o.stream] = now.revision
		}
	}
	w.journal.add(o)
}

// newest reads a stream's newest event, revision -1 when it has none.
func (w *writer) newest(ctx context.Context, stream string) (told, error) {
	read, err := w.c.ReadStream(ctx, stream, esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
	if err != nil {
		return told{}, err
	}
	defer read.Close()
	got, err := read.Recv()
	var known *esdb.Error
	if errors.As(err, &known) && known.Code() == esdb.ErrorCodeResourceNotFound {
		return told{revision: -1}, nil
	}
	if err != nil {
		return told{}, err
	}
	return told{revision: int64(got.Event.EventNumber), found: got.Event.EventID}, nil
}

func events(o *operation) []esdb.EventData {
	out := make([]esdb.EventData, len(o.ids))
	for i, id := range o.ids {
		out[i] = esdb.EventData{EventID: id, EventType: "chaos", ContentType: esdb.ContentTypeBinary, Data: body(id)}
	}
	return out
}

func expectation(n int64) esdb.ExpectedRevision {
	switch n {
	case expectNoStream:
		return esdb.NoStream{}
	case expectAny:
		return esdb.Any{}
	case expectExists:
		return esdb.StreamExists{}
	}
	return esdb.Revision(uint64(n))
}
