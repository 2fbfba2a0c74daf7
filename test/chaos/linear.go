package main

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/google/uuid"
)

// linearLimit bounds the search for an order of one stream's operations.
const linearLimit = 20 * time.Second

// kindAll is a read of the whole stream, after everything else; its outcome is
// the version that the log shows.
const kindAll kind = -1

// judgeStreams asks porcupine, stream by stream, whether there is an order of
// the operations, each somewhere between its call and its answer, in which a
// stream that works one call at a time would have given the same answers and
// would end as the log does.
//
// A call that was cut off may have been done at any time until the kill, or
// never. Since nobody can be told afterwards what the log does not show, one
// that it does not show is left out, and one that it shows has the answer that
// it would have got, with the kill as its end. So no answer is ambiguous, and
// the search stays short.
func (l *ledger) judgeStreams(operations []*operation, at time.Duration) {
	byStream := map[string][]porcupine.Operation{}
	for i, o := range operations {
		if o.outcome == unknown {
			continue
		}
		byStream[o.stream] = append(byStream[o.stream], porcupine.Operation{
			ClientId: i, Input: o, Output: o, Call: int64(o.call), Return: int64(o.ret),
		})
	}
	for stream, history := range byStream {
		opening, changed := l.opening[stream]
		if !changed {
			opening = l.streams[stream]
		}
		end := int64(at) + 1
		history = append(history, porcupine.Operation{
			ClientId: len(operations), Input: &operation{kind: kindAll, stream: stream}, Output: l.streams[stream], Call: end, Return: end + 1,
		})
		switch porcupine.CheckOperationsTimeout(streamModel(opening), history, linearLimit) {
		case porcupine.Ok:
			l.checked += len(history) - 1
		case porcupine.Unknown:
			l.undecided += len(history) - 1
		case porcupine.Illegal:
			l.find(&l.misplaced, "stream %s: no order of its %d operations explains their answers", stream, len(history)-1)
		}
	}
}

// streamModel is a stream that works one call at a time. States are *version.
func streamModel(opening *version) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return opening },
		Step: func(state, input, output any) (bool, any) {
			v, o := state.(*version), input.(*operation)
			if o.kind == kindAll {
				return v.hash() == output.(*version).hash(), v
			}
			return v.step(o)
		},
		Equal: func(a, b any) bool {
			x, y := a.(*version), b.(*version)
			return x.hash() == y.hash() && x.isDeleted() == y.isDeleted()
		},
		Hash: func(state any) uint64 { return state.(*version).hash() },
	}
}

func (v *version) isDeleted() bool { return v != nil && v.deleted }

// step says whether a stream in this version may answer as o says, and what
// it is afterwards.
func (v *version) step(o *operation) (bool, *version) {
	ended := v.last() == tombstone
	switch o.kind {
	case kindRead:
		if v == nil || v.deleted || ended {
			return o.revision == -1, v
		}
		return o.revision == v.revision && o.found == v.id, v
	case kindAppend, kindAll: // appends come below, kindAll is the model's
	case kindDelete, kindTombstone:
		if o.outcome == refused || ended {
			return o.outcome == refused && ended, v
		}
		if o.kind == kindTombstone {
			return true, v.next(uuid.Nil, tombstone)
		}
		if v == nil {
			return true, &version{revision: -1, deleted: true}
		}
		gone := *v
		gone.deleted = true
		return true, &gone
	}
	if o.outcome == refused {
		return ended || !v.meets(o.expected) && !v.holds(o), v
	}
	if ended {
		return false, v
	}
	if v.holds(o) {
		return true, v
	}
	if !v.meets(o.expected) || o.revision != v.last()+int64(len(o.ids)) {
		return false, v
	}
	for _, id := range o.ids {
		v = v.next(id, v.last()+1)
	}
	return true, v
}

// meets says whether the stream is as an append expects it.
func (v *version) meets(expected int64) bool {
	switch expected {
	case expectAny:
		return true
	case expectExists:
		return v.last() >= 0
	}
	return v.last() == expected
}

// holds says whether an append's events are there already: where its answer
// says or, if it was refused, where it would have put them.
func (v *version) holds(o *operation) bool {
	revision := o.revision
	if o.outcome == refused {
		revision = o.expected + int64(len(o.ids))
	}
	at := v
	for at != nil && at.revision > revision {
		at = at.before
	}
	for _, id := range slices.Backward(o.ids) {
		if at == nil || at.id != id {
			return false
		}
		at = at.before
	}
	return true
}
