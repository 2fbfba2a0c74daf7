package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"
)

// kind is what an operation does.
type kind int

const (
	kindAppend kind = iota
	kindDelete
	kindTombstone
	kindRead // the newest event of a stream
)

// outcome is what the caller of an operation knows.
type outcome int

const (
	// unknown: the store was killed before it answered.
	unknown outcome = iota
	// acknowledged: it is done, and has to stay done.
	acknowledged
	// refused: it was not done, and must never be seen.
	refused
)

// Expectations, numbered as EventStoreDB numbers them; 0 and more is an exact
// revision.
const (
	expectNoStream int64 = -1
	expectAny      int64 = -2
	expectExists   int64 = -4
)

// tombstone is the revision of the event that ends a stream for ever.
const tombstone = int64(math.MaxInt64)

// operation is one call and what came of it.
type operation struct {
	kind     kind
	stream   string
	expected int64
	ids      []uuid.UUID // of the events of an append

	// call and ret are when it began and when its answer was there, since the
	// run began.
	call, ret time.Duration
	outcome   outcome
	// repeat: an earlier operation with the same ids was acknowledged or may
	// have been done.
	repeat bool
	// revision is that of an append's last event, or of the newest event that
	// a read found, -1 without one; position is where the log has it.
	revision int64
	position uint64
	// found is the id of the event that a read found.
	found uuid.UUID
}

func (o *operation) String() string {
	what := [...]string{"append", "delete", "tombstone", "read"}[o.kind]
	if o.kind == kindAppend {
		what = fmt.Sprintf("append of %d events (first id %s)", len(o.ids), o.ids[0])
	}
	return fmt.Sprintf("%s to %s, expecting %d", what, o.stream, o.expected)
}

// body is the data of an event, a function of its id, so that a changed byte
// shows: up to 8 KiB, mostly small.
func body(id uuid.UUID) []byte {
	n := 16 + int(id[15])
	if id[14] < 16 {
		n = 512 * int(id[14]+1)
	}
	return append([]byte(nil), bytes.Repeat(id[:], n/16+1)[:n]...)
}

// newID draws an id that nobody else draws.
func newID(n uint64, random uint64) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], n)
	binary.BigEndian.PutUint64(id[8:], random)
	return id
}

// journal collects the operations of one life of the store.
type journal struct {
	mu         sync.Mutex
	closed     bool
	operations []*operation
	read       []sight
}

// sight is an event that somebody has read.
type sight struct {
	position uint64
	id       uuid.UUID
}

func (j *journal) add(o *operation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.operations = append(j.operations, o)
}

func (j *journal) saw(s sight) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.closed {
		j.read = append(j.read, s)
	}
}

// close ends the journal: the store was killed.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
}
