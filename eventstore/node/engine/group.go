package engine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/google/uuid"
)

// group is the writes that one sync makes durable. Reading through its batch
// shows what is recorded already and what the group adds.
type group struct {
	batch   *pebble.Batch
	heads   *heads
	next    uint64   // position of the next event
	lastID  [16]byte // of the newest event
	now     time.Time
	changed map[string]struct{} // streams with new events
	broken  error               // a disk error; the group must not be recorded
}

// head is what a write has to know of its stream.
type head struct {
	last    int64 // last revision, -1 without events, tombstoneRevision at the end
	deleted bool  // soft-deleted
}

// maxHeads bounds the streams whose heads are kept in memory, some 100 bytes
// each. They are forgotten all at once: looking one up again is cheap.
const maxHeads = 16384

type heads struct{ m map[string]*head }

func newHeads() *heads { return &heads{m: map[string]*head{}} }

func (h *heads) keep(stream string, hd *head) {
	if len(h.m) >= maxHeads {
		clear(h.m)
	}
	h.m[stream] = hd
}

func (g *group) head(stream string) (*head, error) {
	if h := g.heads.m[stream]; h != nil {
		return h, nil
	}
	last, err := g.last(stream)
	if err != nil {
		return nil, err
	}
	h := &head{last: last}
	if of, meta := described(stream); meta {
		// The metadata of a tombstoned stream is as closed as the stream.
		if end, err := g.last(of); err != nil {
			return nil, err
		} else if end == tombstoneRevision {
			h.last = tombstoneRevision
		}
	} else if meta, err := g.last(metaPrefix + stream); err != nil {
		return nil, err
	} else if meta >= 0 {
		doc, err := metadataOf(g.batch, stream, g.next)
		if err != nil {
			return nil, err
		}
		h.deleted = parseRetention(doc).deleted()
	}
	g.heads.keep(stream, h)
	return h, nil
}

// last is a stream's last revision, -1 when it has none. Most streams that a
// writer has not seen yet are new: two point reads, of the first revision and of a
// tombstone's, tell so by the tables' filters, where an iterator would read blocks.
func (g *group) last(stream string) (int64, error) {
	for _, revision := range []int64{0, tombstoneRevision} {
		if _, ok, err := get(g.batch, streamKey(stream, uint64(revision))); err != nil {
			return -1, err
		} else if ok {
			last, _, err := lastOf(g.batch, stream, g.next)
			return last, err
		}
	}
	return -1, nil
}

// append decides an append and adds its events.
func (g *group) append(a Append) (Appended, error) {
	h, err := g.head(a.Stream)
	if err != nil {
		return Appended{}, err
	}
	v, err := g.judge(h, a)
	if err != nil {
		return Appended{}, err
	}
	if v.repeated {
		position, err := g.position(a.Stream, v.last)
		return Appended{Revision: v.last, Position: position}, err
	}
	if len(a.Events) == 0 {
		return Appended{Revision: h.last}, nil
	}
	of, isMeta := described(a.Stream)
	if !isMeta && h.deleted {
		if err := g.recreate(a.Stream, h); err != nil {
			return Appended{}, err
		}
	}
	var described *head
	if isMeta {
		if described, err = g.head(of); err != nil {
			return Appended{}, err
		}
	}
	done, err := g.add(a.Stream, h, a.Events)
	if err != nil || !isMeta {
		return done, err
	}
	return done, g.described(of, described, a.Events[len(a.Events)-1])
}

// described takes note of a stream's new metadata. A soft-deleted stream that
// gets new metadata begins anew after its old events, which must not come
// back: one more metadata event says so.
func (g *group) described(of string, h *head, meta NewEvent) error {
	now := parseRetention(meta.Data).deleted()
	if h.deleted && !now {
		if doc, ok := recreated(meta.Data, h.last+1); ok {
			if err := g.writeMetadata(of, doc); err != nil {
				return err
			}
		}
	}
	h.deleted = now
	return nil
}

// recreate lets a soft-deleted stream begin anew behind its old events.
func (g *group) recreate(stream string, h *head) error {
	doc, err := metadataOf(g.batch, stream, g.next)
	if err != nil {
		return err
	}
	doc, ok := recreated(doc, h.last+1)
	if !ok {
		return fmt.Errorf("%w: the metadata of stream %q is not JSON", ErrUnreadable, stream)
	}
	h.deleted = false
	return g.writeMetadata(stream, doc)
}

func (g *group) delete(stream string, expected Expected) (Appended, error) {
	h, err := g.head(stream)
	if err != nil {
		return Appended{}, err
	}
	if _, err := g.judge(h, Append{Stream: stream, Expected: expected, Events: []NewEvent{{ID: uuid.New()}}}); err != nil {
		return Appended{}, err
	}
	doc, err := json.Marshal(map[string]int64{"$tb": softDeleted})
	if err != nil {
		return Appended{}, fmt.Errorf("delete stream: %w", err)
	}
	h.deleted = true
	if err := g.writeMetadata(stream, doc); err != nil {
		return Appended{}, err
	}
	return Appended{Revision: h.last, Position: g.next - 1}, nil
}

func (g *group) tombstone(stream string, expected Expected) (Appended, error) {
	h, err := g.head(stream)
	if err != nil {
		return Appended{}, err
	}
	end := NewEvent{ID: uuid.New(), Type: TypeStreamDeleted}
	if _, err := g.judge(h, Append{Stream: stream, Expected: expected, Events: []NewEvent{end}}); err != nil {
		return Appended{}, err
	}
	h.last = tombstoneRevision - 1
	delete(g.heads.m, metaPrefix+stream)
	return g.add(stream, h, []NewEvent{end})
}

func (g *group) writeMetadata(stream string, doc []byte) error {
	meta := metaPrefix + stream
	h, err := g.head(meta)
	if err != nil {
		return err
	}
	_, err = g.add(meta, h, []NewEvent{{ID: uuid.New(), Type: TypeMetadata, JSON: true, Data: doc}})
	return err
}

// add puts events behind the stream's head.
func (g *group) add(stream string, h *head, events []NewEvent) (Appended, error) {
	for _, ev := range events {
		revision := h.last + 1
		position := number(g.next)
		err := errors.Join(
			g.batch.Set(eventKey(g.next), encode(stream, revision, ev, g.now), nil),
			g.batch.Set(streamKey(stream, uint64(revision)), position, nil),
			g.batch.Set(idKey(stream, ev.ID), number(uint64(revision)), nil),
		)
		if err != nil {
			return Appended{}, fmt.Errorf("append to stream %q: %w", stream, err)
		}
		h.last, g.lastID = revision, ev.ID
		g.next++
	}
	g.changed[stream] = struct{}{}
	return Appended{Revision: h.last, Position: g.next - 1}, nil
}

// position is where the stream's event at revision is.
func (g *group) position(stream string, revision int64) (uint64, error) {
	value, ok, err := get(g.batch, streamKey(stream, uint64(revision)))
	if err != nil || !ok {
		return 0, errors.Join(err, missing(stream, revision, ok))
	}
	return binary.BigEndian.Uint64(value), nil
}

func missing(stream string, revision int64, ok bool) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%w: event %d of stream %q is missing", ErrUnreadable, revision, stream)
}
