package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// MaxAppendSize is the most one append may carry, in bytes, counting type,
// data and metadata of all its events, of each MinEventSize at least. It is
// EventStoreDB's own default (MaxAppendSize, 1 MiB), so what fits here fits a
// cluster too.
const MaxAppendSize = 1 << 20

// MinEventSize is what an event counts at least, in bytes: an append of events
// that hold nothing takes memory all the same.
const MinEventSize = 64

// MaxStreamName is the longest stream name in bytes.
const MaxStreamName = 1024

// MaxEventType is the longest event type in bytes.
const MaxEventType = 1024

// tombstoneRevision is the revision of the event that ends a tombstoned
// stream, the same number EventStoreDB uses for it.
const tombstoneRevision = int64(math.MaxInt64)

// Names of the two system events the engine writes or understands, as
// EventStoreDB spells them.
const (
	TypeMetadata      = "$metadata"
	TypeStreamDeleted = "$streamDeleted"
)

// Event is a recorded event.
type Event struct {
	// Position is the event's place in the order of all events: 1 for the
	// first, without gaps.
	Position uint64
	Stream   string
	// Revision is the event's place in its stream: 0 for the first.
	Revision int64
	ID       [16]byte
	Type     string
	// JSON says that Data is JSON; otherwise it is opaque bytes.
	JSON     bool
	Data     []byte
	Metadata []byte
	// Created is when the engine accepted the event, UTC, in steps of 100 ns.
	Created time.Time
}

// NewEvent is an event to append.
type NewEvent struct {
	// ID makes a repeated append recognizable; the caller chooses it.
	ID       [16]byte
	Type     string
	JSON     bool
	Data     []byte
	Metadata []byte
}

// Size is what the event counts of MaxAppendSize.
func (e NewEvent) Size() int {
	return max(len(e.Type)+len(e.Data)+len(e.Metadata), MinEventSize)
}

// Expected is what an append expects of its stream: an exact last revision
// (0 or more) or one of Any, NoStream, StreamExists.
type Expected int64

// The three expectations that name no revision, numbered as in EventStoreDB.
const (
	NoStream     Expected = -1
	Any          Expected = -2
	StreamExists Expected = -4
)

func (x Expected) String() string {
	switch x {
	case NoStream:
		return "no stream"
	case Any:
		return "any"
	case StreamExists:
		return "stream exists"
	default:
		return fmt.Sprintf("revision %d", int64(x))
	}
}

// Append is a request to add events to the end of one stream, all or none.
type Append struct {
	Stream   string
	Expected Expected
	Events   []NewEvent
}

// Appended tells where an append's events are.
type Appended struct {
	// Revision is that of the append's last event; for an append without
	// events, the stream's last revision. -1: the stream is empty.
	Revision int64
	// Position is that of the append's last event; 0 for an append without
	// events.
	Position uint64
}

// Errors of the engine that callers tell apart with errors.Is.
var (
	// ErrLocked: another process, or this one, has the directory open.
	ErrLocked = errors.New("the event store directory is in use by another process")
	// ErrUnreadable: the directory holds something that cannot be read as an
	// event store, or lacks events. No event in it was changed.
	ErrUnreadable = errors.New("the event store directory cannot be read")
	// ErrUnwritable: the directory's disk is full or read-only. Nothing was
	// lost; make room and open it again.
	ErrUnwritable = errors.New("the event store directory cannot be written")
	// ErrArchive: an event was scavenged and the archive that has it is away. Put it
	// back.
	ErrArchive = errors.New("an archive of events is away")
	// ErrFailed: an earlier write met a disk error; nothing is accepted until
	// the engine is opened again. An append that gets this error may or may
	// not have been recorded: repeat it with the same event ids.
	ErrFailed = errors.New("the event store stopped accepting events after a disk error")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("the event store is closed")
	// ErrInvalid: the request can never succeed.
	ErrInvalid = errors.New("invalid request")
	// ErrNotFound: the stream has no events, or was deleted and may be
	// written again.
	ErrNotFound = errors.New("stream not found")
)

// WrongExpectedError says that a stream was not as an append expected it.
type WrongExpectedError struct {
	Stream   string
	Expected Expected
	// Current is the stream's last revision, -1 when it has none.
	Current int64
}

func (e *WrongExpectedError) Error() string {
	return fmt.Sprintf("stream %q: expected %s, but its last revision is %d", e.Stream, e.Expected, e.Current)
}

// DeletedError says that a stream was tombstoned: it can never be written
// again. An append that expects a soft-deleted stream to exist gets it too.
type DeletedError struct{ Stream string }

func (e *DeletedError) Error() string { return fmt.Sprintf("stream %q is deleted", e.Stream) }

// TooLargeError says that an append carries more than Limit bytes.
type TooLargeError struct{ Limit int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the append is larger than %d bytes", e.Limit)
}
