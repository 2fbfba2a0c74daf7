package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
)

// recorded is an event as it is read from the store.
type recorded struct {
	position uint64
	stream   string
	revision int64
	id       uuid.UUID
	kind     string
	data     []byte
}

func (r recorded) sum() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d %q %d %s %q ", r.position, r.stream, r.revision, r.id, r.kind)
	h.Write(r.data)
	return [sha256.Size]byte(h.Sum(nil))
}

// entry is what is remembered of an event.
type entry struct {
	id       uuid.UUID
	stream   string
	revision int64
	kind     string
	sum      [sha256.Size]byte
}

// counts are what a run tells at its end.
type counts struct {
	acknowledged, events int // appends and deletions, and the events of the former
	present, absent      int // unacknowledged, and there or not there after the kill
	refused, repeats     int
	lost, duplicated     int
	torn                 int // half-written
	misplaced            int // at another place than was said, or out of order
	strange              int // altered, or appended by nobody
	checked, undecided   int // operations that porcupine judged, and those it gave up on
}

// broken says whether any promise was.
func (c counts) broken() bool { return c.lost+c.duplicated+c.torn+c.misplaced+c.strange > 0 }

// ledger knows every event of the log and judges, life by life of the store,
// what was said of it.
type ledger struct {
	counts
	log     []entry
	at      map[uuid.UUID]uint64
	streams map[string]*version
	// opening are the streams' versions at the start of this life, of those
	// that have changed since.
	opening map[string]*version
	before  uint64 // events at the start of this life
	// counted are the appends of this life that were, by their first id.
	counted map[uuid.UUID]bool
	// findings are the first of what is wrong, in words.
	findings []string
}

func newLedger() *ledger {
	return &ledger{at: map[uuid.UUID]uint64{}, streams: map[string]*version{}, opening: map[string]*version{}, counted: map[uuid.UUID]bool{}}
}

const maxFindings = 20

func (l *ledger) find(count *int, format string, args ...any) {
	*count++
	if len(l.findings) < maxFindings {
		l.findings = append(l.findings, fmt.Sprintf(format, args...))
	}
}

// extend adds what was recorded since the last time.
func (l *ledger) extend(tail []recorded) {
	for _, e := range tail {
		if want := uint64(len(l.log) + 1); e.position != want {
			l.find(&l.misplaced, "event %d follows event %d", e.position, want-1)
			return
		}
		was := l.streams[e.stream]
		if _, touched := l.opening[e.stream]; !touched {
			l.opening[e.stream] = was
		}
		ended := e.kind == "$streamDeleted"
		if want := was.last() + 1; e.revision != want && (!ended || e.revision != tombstone) {
			l.find(&l.misplaced, "event %d is revision %d of %s, not %d", e.position, e.revision, e.stream, want)
		}
		id := e.id
		if ended {
			id = uuid.Nil // the store chose it
		}
		l.streams[e.stream] = was.next(id, e.revision)
		if e.kind == "chaos" {
			if first, twice := l.at[e.id]; twice {
				l.find(&l.duplicated, "event %d is event %d once more", e.position, first)
			}
			if !bytes.Equal(e.data, body(e.id)) {
				l.find(&l.strange, "event %d of %s has other data than was appended", e.position, e.stream)
			}
			l.at[e.id] = e.position
		}
		l.log = append(l.log, entry{e.id, e.stream, e.revision, e.kind, e.sum()})
	}
}

// settle judges a life of the store: what is in the log, extended to its end,
// against what was said and read. at is a moment after all of it.
func (l *ledger) settle(j *journal, at time.Duration) {
	asked := map[uuid.UUID]bool{}
	for _, o := range j.operations {
		for _, id := range o.ids {
			asked[id] = true
		}
		switch o.kind {
		case kindAppend:
			l.judgeAppend(o, at)
		case kindDelete, kindTombstone:
			l.judgeEnd(o, at)
		case kindRead, kindAll:
		}
	}
	for i, e := range l.log[l.before:] {
		if e.kind == "chaos" && !asked[e.id] {
			l.find(&l.strange, "event %d of %s was appended by nobody", l.before+uint64(i)+1, e.stream)
		}
	}
	for _, s := range j.read {
		if s.position > uint64(len(l.log)) || l.log[s.position-1].id != s.id {
			l.find(&l.lost, "event %d was read, and is not there any more", s.position)
		}
	}
	l.judgeOrder(j.operations)
	l.judgeStreams(j.operations, at)
	l.before = uint64(len(l.log))
	clear(l.opening)
	clear(l.counted)
}

// place finds an append's events; n is how many of them are there. They have
// to follow each other.
func (l *ledger) place(o *operation) (first uint64, n int, whole bool) {
	whole = true
	for i, id := range o.ids {
		at, ok := l.at[id]
		if !ok {
			continue
		}
		if n++; i == 0 {
			first = at
		}
		whole = whole && at == first+uint64(i) && l.log[at-1].stream == o.stream && l.log[at-1].revision == l.log[first-1].revision+int64(i)
	}
	return first, n, n == 0 || whole && n == len(o.ids)
}

func (l *ledger) judgeAppend(o *operation, at time.Duration) {
	if o.repeat {
		l.repeats++
	}
	first, n, whole := l.place(o)
	if !whole {
		l.find(&l.torn, "%s: %d of its events are there, or not together", o, n)
		return
	}
	// Of an append and its repetitions one counts.
	counts := first > l.before && !l.counted[o.ids[0]]
	if counts && o.outcome != refused {
		l.counted[o.ids[0]] = true
	}
	switch o.outcome {
	case acknowledged:
		if counts {
			l.acknowledged++
			l.events += len(o.ids)
		}
		last := first + uint64(len(o.ids)) - 1
		if n == 0 {
			l.find(&l.lost, "%s was acknowledged at %d and is not there", o, o.position)
		} else if o.position != last || o.revision != l.log[last-1].revision {
			l.find(&l.misplaced, "%s was acknowledged at %d, revision %d, and is at %d, revision %d", o, o.position, o.revision, last, l.log[last-1].revision)
		}
	case refused:
		l.refused++
		if n > 0 && !o.repeat {
			l.find(&l.strange, "%s was refused and is there at %d", o, first)
		}
	case unknown:
		switch {
		case n == 0:
			l.absent++
		case counts:
			l.present++
			// From now on nobody doubts it; when it happened nobody knows.
			o.outcome, o.position, o.ret = acknowledged, first+uint64(n)-1, at
			o.revision = l.log[o.position-1].revision
		default:
			// The events are those of an operation that was answered. What this
			// repetition of it would have been told nobody knows: perhaps that the
			// stream is deleted by now.
		}
	}
}

// judgeEnd looks for the event that ends a stream.
func (l *ledger) judgeEnd(o *operation, at time.Duration) {
	switch o.outcome {
	case unknown:
		if o.kind == kindTombstone && l.streams[o.stream].last() == tombstone {
			l.present++
			o.outcome, o.ret = acknowledged, at
			for i, e := range l.log[l.before:] {
				if e.stream == o.stream {
					o.position = l.before + uint64(i) + 1 // the last of them
				}
			}
		}
		return
	case refused:
		l.refused++
		return
	case acknowledged:
		l.acknowledged++
	}
	stream, kind := "$$"+o.stream, "$metadata"
	if o.kind == kindTombstone {
		stream, kind = o.stream, "$streamDeleted"
	}
	if o.position == 0 || o.position > uint64(len(l.log)) {
		l.find(&l.lost, "%s was acknowledged at %d and is not there", o, o.position)
	} else if e := l.log[o.position-1]; e.stream != stream || e.kind != kind {
		l.find(&l.misplaced, "%s was acknowledged at %d, where %s of %s is", o, o.position, e.kind, e.stream)
	}
}

// judgeOrder: what began after something else had been acknowledged comes
// after it in the order of all events, whatever the streams.
func (l *ledger) judgeOrder(operations []*operation) {
	type span struct {
		position  uint64
		call, ret time.Duration
	}
	byPosition := map[uint64]*span{}
	for _, o := range operations {
		if o.outcome != acknowledged || o.kind == kindRead || o.position <= l.before {
			continue
		}
		s := byPosition[o.position]
		if s == nil {
			byPosition[o.position] = &span{o.position, o.call, o.ret}
			continue
		}
		s.call, s.ret = min(s.call, o.call), min(s.ret, o.ret)
	}
	spans := make([]*span, 0, len(byPosition))
	for _, s := range byPosition {
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b *span) int { return int(b.position) - int(a.position) })
	earliest, whose := time.Duration(math.MaxInt64), uint64(0)
	for _, s := range spans {
		if s.call > earliest {
			l.find(&l.misplaced, "event %d was acknowledged before event %d was asked for, and comes after it", whose, s.position)
		}
		if s.ret < earliest {
			earliest, whose = s.ret, s.position
		}
	}
}

// again holds the whole log, read once more, against what was read of it at
// first.
func (l *ledger) again(log []recorded) {
	if len(log) != len(l.log) {
		l.find(&l.lost, "at the end there are %d events of %d", len(log), len(l.log))
	}
	for i := range min(len(log), len(l.log)) {
		if log[i].sum() != l.log[i].sum {
			l.find(&l.strange, "event %d is not what it was when it was first read", i+1)
		}
	}
}

// version is a stream up to one of its events: nil is the empty stream.
type version struct {
	before   *version
	id       uuid.UUID
	revision int64
	// chain is a hash of the ids so far.
	chain uint64
	// deleted: it was soft-deleted and reads as not found.
	deleted bool
}

func (v *version) last() int64 {
	if v == nil {
		return -1
	}
	return v.revision
}

func (v *version) hash() uint64 {
	if v == nil {
		return 0
	}
	return v.chain
}

// next is the stream with one more event.
func (v *version) next(id uuid.UUID, revision int64) *version {
	var b [24]byte
	binary.BigEndian.PutUint64(b[:], v.hash())
	copy(b[8:], id[:])
	sum := sha256.Sum256(b[:])
	return &version{before: v, id: id, revision: revision, chain: binary.BigEndian.Uint64(sum[:])}
}
