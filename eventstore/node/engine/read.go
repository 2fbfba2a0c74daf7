package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"
)

// Direction of a read.
type Direction int

// The two directions.
const (
	Forwards Direction = iota
	Backwards
)

// pageBytes bounds the events of one page, besides its first event.
const pageBytes = 1 << 20

// StreamPage is a piece of a stream.
type StreamPage struct {
	Events []Event
	// Next is the revision to go on with.
	Next int64
	// End says that there is nothing more to read in this direction now.
	End bool
	// First and Last are the lowest and highest readable revisions.
	First, Last int64
}

// ReadStream reads up to count events of a stream from a revision on, that
// revision included. Forwards from a revision past the end is an empty page;
// backwards, a revision past the end means the last event. What the stream's
// metadata excludes is left out. Errors: ErrNotFound, *DeletedError,
// ErrClosed, ErrUnreadable.
func (e *Engine) ReadStream(stream string, from int64, dir Direction, count int) (page StreamPage, err error) {
	release, err := e.acquire()
	if err != nil {
		return StreamPage{}, err
	}
	defer release()
	limit := e.durable.Load() + 1
	keep, last, err := e.readable(stream, limit)
	if err != nil {
		return StreamPage{Last: last, First: last + 1, Next: last + 1, End: true}, err
	}
	page = StreamPage{First: keep.first(last), Last: last}
	if dir == Forwards {
		page.Next = max(from, page.First)
	} else {
		page.Next = min(from, last)
	}
	if page.First > last { // the metadata excludes every event
		page.End = true
		return page, nil
	}
	oldest := int64(math.MinInt64)
	if keep.maxAge > 0 {
		oldest = Ticks(e.now().Add(-keep.maxAge))
	}
	it, err := e.db.NewIter(&pebble.IterOptions{
		LowerBound: streamKey(stream, uint64(page.First)),
		UpperBound: streamKey(stream, uint64(last)+1),
	})
	if err != nil {
		return StreamPage{}, fmt.Errorf("read stream %q: %w", stream, err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	return page, e.fill(&page, it, stream, dir, count, oldest)
}

// fill reads the page's events through an iterator over the stream's keys.
func (e *Engine) fill(page *StreamPage, it *pebble.Iterator, stream string, dir Direction, count int, oldest int64) error {
	var ok bool
	if dir == Forwards {
		ok = it.SeekGE(streamKey(stream, uint64(page.Next)))
	} else if page.Next >= page.First {
		ok = it.SeekLT(streamKey(stream, uint64(page.Next)+1))
	}
	for size, seen := 0, 0; ok && seen < count && size < pageBytes; seen++ {
		position := binary.BigEndian.Uint64(it.Value())
		body, found, err := get(e.db, eventKey(position))
		if err != nil || !found {
			return errors.Join(err, missing(stream, page.Next, found))
		}
		r, err := decode(body)
		if err != nil {
			return fmt.Errorf("event %d: %w", position, err)
		}
		if r.ticks >= oldest {
			page.Events = append(page.Events, r.event(position))
		}
		size += r.size()
		if dir == Forwards {
			page.Next = r.revision + 1
			ok = it.Next()
		} else {
			page.Next = r.revision - 1
			ok = it.Prev()
		}
	}
	page.End = !ok
	return it.Error()
}

// readable finds a stream's last revision and what its metadata keeps.
func (e *Engine) readable(stream string, limit uint64) (keep retention, last int64, err error) {
	last, _, err = lastOf(e.db, stream, limit)
	if err != nil {
		return retention{}, -1, err
	}
	of, isMeta := described(stream)
	if isMeta {
		keep = metaRetention
		if end, _, err := lastOf(e.db, of, limit); err != nil {
			return retention{}, -1, err
		} else if end == tombstoneRevision {
			return retention{}, end, &DeletedError{Stream: stream}
		}
	} else {
		doc, err := metadataOf(e.db, stream, limit)
		if err != nil {
			return retention{}, -1, err
		}
		keep = parseRetention(doc)
	}
	switch {
	case last == tombstoneRevision:
		return retention{}, last, &DeletedError{Stream: stream}
	case last < 0 || keep.deleted():
		return retention{}, last, fmt.Errorf("%w: %q", ErrNotFound, stream)
	}
	return keep, last, nil
}

// AllPage is a piece of the order of all events.
type AllPage struct {
	Events []Event
	// Next is the position to go on with: the next event's forwards; one
	// above it backwards, like From.
	Next uint64
	// Seen counts the events looked at, matching or not.
	Seen int
	// End says that there is nothing more to read in this direction now.
	End bool
}

// AllQuery is a read of all events.
type AllQuery struct {
	// From is the position to begin with: forwards that event is the first,
	// backwards the one before it. Any number is allowed.
	From      uint64
	Direction Direction
	// Count bounds the events returned, Window those looked at.
	Count, Window int
	// Match chooses events by stream name and type; nil takes all.
	Match func(stream, eventType string) bool
}

// ReadAll reads events of all streams in their order, deleted streams
// included. Errors: ErrClosed, ErrUnreadable.
func (e *Engine) ReadAll(q AllQuery) (page AllPage, err error) {
	release, err := e.acquire()
	if err != nil {
		return AllPage{}, err
	}
	defer release()
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: eventKey(0), UpperBound: eventKey(e.durable.Load() + 1)})
	if err != nil {
		return AllPage{}, fmt.Errorf("read all: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	page.Next = q.From
	var ok bool
	if q.Direction == Forwards {
		ok = it.SeekGE(eventKey(q.From))
	} else {
		ok = it.SeekLT(eventKey(q.From))
	}
	for size := 0; ok && page.Seen < q.Window && len(page.Events) < q.Count && size < pageBytes; page.Seen++ {
		position := binary.BigEndian.Uint64(it.Key()[1:])
		r, err := decode(it.Value())
		if err != nil {
			return AllPage{}, fmt.Errorf("event %d: %w", position, err)
		}
		if q.Match == nil || q.Match(string(r.stream), string(r.kind)) {
			page.Events = append(page.Events, r.event(position))
			size += r.size()
		}
		if q.Direction == Forwards {
			page.Next = position + 1
			ok = it.Next()
		} else {
			page.Next = position
			ok = it.Prev()
		}
	}
	page.End = !ok
	return page, it.Error()
}

// lastOf finds the last event of a stream below the position limit: revision
// -1 when there is none.
func lastOf(r pebble.Reader, stream string, limit uint64) (revision int64, position uint64, err error) {
	prefix := streamPrefix('s', stream, 8)
	it, err := r.NewIter(&pebble.IterOptions{
		LowerBound: prefix,
		UpperBound: streamKey(stream, math.MaxUint64),
	})
	if err != nil {
		return -1, 0, fmt.Errorf("last event of stream %q: %w", stream, err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.Last(); ok; ok = it.Prev() {
		if position = binary.BigEndian.Uint64(it.Value()); position < limit {
			return int64(binary.BigEndian.Uint64(it.Key()[len(prefix):])), position, nil
		}
	}
	return -1, 0, it.Error()
}

// metadataOf is the newest metadata document of a stream, nil without one.
func metadataOf(r pebble.Reader, stream string, limit uint64) ([]byte, error) {
	revision, position, err := lastOf(r, metaPrefix+stream, limit)
	if err != nil || revision < 0 {
		return nil, err
	}
	body, ok, err := get(r, eventKey(position))
	if err != nil || !ok {
		return nil, errors.Join(err, missing(metaPrefix+stream, revision, ok))
	}
	rec, err := decode(body)
	return rec.data, err
}

// get reads one value; the bytes are the caller's own.
func get(r pebble.Reader, key []byte) (value []byte, ok bool, err error) {
	stored, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read event store: %w", err)
	}
	value = append([]byte(nil), stored...)
	return value, true, closer.Close()
}
