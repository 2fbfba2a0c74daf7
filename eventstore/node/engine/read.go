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
		return StreamPage{}, fmt.Errorf("read stream %q: %w", stream, refusal(err))
	}
	defer closeIterator(it, &err)
	if err := e.fill(&page, it, stream, dir, count, oldest); err != nil {
		return StreamPage{}, err
	}
	return page, nil
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
		r, position, err := e.recordAt(it, stream, page.Next)
		if err != nil {
			return err
		}
		if r.ticks >= oldest {
			if r, err = e.whole(r); err != nil {
				return fmt.Errorf("event %d: %w", position, err)
			}
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
	if err := it.Error(); err != nil {
		return fmt.Errorf("read event %d of stream %q: %w", page.Next, stream, refusal(err))
	}
	if !ok && page.Next >= page.First && page.Next <= page.Last {
		return missing(stream, page.Next, false)
	}
	page.End = !ok
	return nil
}

// recordAt is the event that an iterator over a stream's keys stands on, which
// has to be the one of the given revision.
func (e *Engine) recordAt(it *pebble.Iterator, stream string, revision int64) (r record, position uint64, err error) {
	if key := it.Key(); int64(binary.BigEndian.Uint64(key[len(key)-8:])) != revision {
		return record{}, 0, missing(stream, revision, false)
	}
	position = binary.BigEndian.Uint64(it.Value())
	body, found, err := get(e.db, eventKey(position))
	if err != nil || !found {
		return record{}, 0, errors.Join(err, missing(stream, revision, found))
	}
	if r, err = decode(body); err != nil {
		return record{}, 0, fmt.Errorf("event %d: %w", position, err)
	}
	if r.revision != revision || string(r.stream) != stream {
		return record{}, 0, fmt.Errorf("%w: event %d is not the event %d of stream %q that it should be", ErrUnreadable, position, revision, stream)
	}
	return r, position, nil
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
	last := e.durable.Load()
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: eventKey(0), UpperBound: eventKey(last + 1)})
	if err != nil {
		return AllPage{}, fmt.Errorf("read all: %w", refusal(err))
	}
	defer closeIterator(it, &err)
	page.Next = q.From
	// due is the position that has to come next: there are no gaps.
	var due uint64
	var ok bool
	if q.Direction == Forwards {
		due = max(q.From, 1)
		ok = it.SeekGE(eventKey(q.From))
	} else {
		due = min(max(q.From, 1)-1, last)
		ok = it.SeekLT(eventKey(q.From))
	}
	for size := 0; ok && page.Seen < q.Window && len(page.Events) < q.Count && size < pageBytes; page.Seen++ {
		position := binary.BigEndian.Uint64(it.Key()[1:])
		if position != due {
			return AllPage{}, missingEvents(due, due)
		}
		r, err := decode(it.Value())
		if err != nil {
			return AllPage{}, fmt.Errorf("event %d: %w", position, err)
		}
		if q.Match == nil || q.Match(string(r.stream), string(r.kind)) {
			if r, err = e.whole(r); err != nil {
				return AllPage{}, fmt.Errorf("event %d: %w", position, err)
			}
			page.Events = append(page.Events, r.event(position))
			size += r.size()
		}
		if q.Direction == Forwards {
			page.Next, due = position+1, position+1
			ok = it.Next()
		} else {
			page.Next, due = position, position-1
			ok = it.Prev()
		}
	}
	if err := it.Error(); err != nil {
		return AllPage{}, fmt.Errorf("read event %d: %w", due, refusal(err))
	}
	if !ok && due >= 1 && due <= last {
		return AllPage{}, missingEvents(due, due)
	}
	page.End = !ok
	return page, nil
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
		return -1, 0, fmt.Errorf("last event of stream %q: %w", stream, refusal(err))
	}
	defer closeIterator(it, &err)
	for ok := it.Last(); ok; ok = it.Prev() {
		if position = binary.BigEndian.Uint64(it.Value()); position < limit {
			return int64(binary.BigEndian.Uint64(it.Key()[len(prefix):])), position, nil
		}
	}
	if err := it.Error(); err != nil {
		return -1, 0, fmt.Errorf("last event of stream %q: %w", stream, refusal(err))
	}
	return -1, 0, nil
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

// closeIterator closes an iterator. What it met it says again when it is
// closed; once is enough.
func closeIterator(it *pebble.Iterator, err *error) {
	if met := it.Close(); met != nil && *err == nil {
		*err = refusal(met)
	}
}

// get reads one value; the bytes are the caller's own.
func get(r pebble.Reader, key []byte) (value []byte, ok bool, err error) {
	stored, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read event store: %w", refusal(err))
	}
	value = append([]byte(nil), stored...)
	return value, true, closer.Close()
}
