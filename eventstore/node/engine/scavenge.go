package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
)

// Archive keeps data and metadata of events outside of the store. All methods may be
// called concurrently. An error that is an *fs.PathError says that an archive is away, any
// other that it is damaged.
type Archive interface {
	// Read finds what a reference names.
	Read(ref string) (data, metadata []byte, err error)
	// Each passes the events of one archive, each with the reference that names it from
	// now on. An error of each ends it and is returned as it is.
	Each(archive string, each func(position uint64, ref string, data, metadata []byte) error) error
}

// noArchive is that of a store none of whose events were scavenged.
type noArchive struct{}

var errNoArchive = errors.New("no directory of archives was named")

func (noArchive) Read(string) (data, metadata []byte, err error) { return nil, nil, errNoArchive }

func (noArchive) Each(string, func(uint64, string, []byte, []byte) error) error { return errNoArchive }

// whole is a record with its data and metadata, wherever they are.
func whole(a Archive, r record) (record, error) {
	if r.ref == "" {
		return r, nil
	}
	data, metadata, err := a.Read(r.ref)
	if err != nil {
		return record{}, archiveError(err)
	}
	return r.filled(data, metadata)
}

func archiveError(err error) error {
	if away := (*fs.PathError)(nil); errors.As(err, &away) || errors.Is(err, errNoArchive) {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	return fmt.Errorf("%w: %w", errArchived, err)
}

// errArchived: an archive does not hold what was recorded.
var errArchived = fmt.Errorf("%w: an archive of events is damaged", ErrUnreadable)

func (e *Engine) whole(r record) (record, error) { return whole(e.archive, r) }

// Scavenged is what a scavenge has taken out of the store.
type Scavenged struct {
	Events int
	// Bytes are those of their data and metadata, less what their stubs take.
	Bytes int64
}

// Scavenge takes data and metadata of the events out of the store that archives hold, byte
// for byte; reads find them there from now on. Position, stream, revision, id, type, time
// and a hash of the whole stay. An event of which an archive holds anything else ends it.
// It may be cut off at any time, and repeated: what was scavenged is passed. At the end
// the disk space is given back.
//
// Errors: ErrArchive, ErrInvalid for an event of a $-stream, ErrUnreadable, ErrFailed,
// ErrClosed, or ctx's.
func (e *Engine) Scavenge(ctx context.Context, archives ...string) (Scavenged, error) {
	release, err := e.acquire()
	if err != nil {
		return Scavenged{}, err
	}
	s := &scavenge{engine: e, batch: e.db.NewBatch(), first: e.durable.Load()}
	ended := make(chan error, 1)
	go func() { // which a disk error ends without a word
		defer release()
		ended <- errors.Join(s.run(ctx, archives), s.batch.Close())
	}()
	select {
	case err := <-ended:
		return s.done, err
	case <-e.failed:
		return Scavenged{}, e.failure
	}
}

// scavenge is a Scavenge under way.
type scavenge struct {
	engine *Engine
	batch  *pebble.Batch
	// pending is what the batch takes out, done what the disk has.
	pending, done Scavenged
	// first and last are the positions between which there was something to take out.
	first, last uint64
}

func (s *scavenge) run(ctx context.Context, archives []string) error {
	for _, archive := range archives {
		var stopped error
		err := s.engine.archive.Each(archive, func(position uint64, ref string, data, metadata []byte) error {
			if stopped = ctx.Err(); stopped == nil {
				stopped = s.event(position, ref, data, metadata)
			}
			return stopped
		})
		if err != nil && stopped == nil {
			err = archiveError(err)
		}
		if err != nil {
			return fmt.Errorf("scavenge by %s: %w", archive, err)
		}
	}
	if err := s.commit(); err != nil || s.last == 0 {
		return err
	}
	return s.engine.db.Compact(ctx, eventKey(s.first), eventKey(s.last+1), false)
}

func (s *scavenge) event(position uint64, ref string, data, metadata []byte) error {
	if position == 0 || position > s.engine.durable.Load() {
		return fmt.Errorf("%w: there is no event %d", ErrUnreadable, position)
	}
	stored, ok, err := get(s.engine.db, eventKey(position))
	if err != nil || !ok {
		return errors.Join(err, missingEvents(position, position))
	}
	r, err := decode(stored)
	if err != nil {
		return fmt.Errorf("event %d: %w", position, err)
	}
	s.first, s.last = min(s.first, position), max(s.last, position)
	switch {
	case r.ref != "":
		return nil
	case bytes.HasPrefix(r.stream, []byte{'$'}):
		return fmt.Errorf("%w: event %d is of the stream %q", ErrInvalid, position, r.stream)
	case !bytes.Equal(r.data, data) || !bytes.Equal(r.metadata, metadata):
		return fmt.Errorf("%w: event %d is not what was archived", ErrUnreadable, position)
	}
	stub := r.stub(stored, ref)
	if len(stub) >= len(stored) {
		return nil
	}
	if err := s.batch.Set(eventKey(position), stub, nil); err != nil {
		return err
	}
	s.pending.Events++
	s.pending.Bytes += int64(len(stored) - len(stub))
	if s.batch.Len() < groupBytes {
		return nil
	}
	return s.commit()
}

// commit puts the stubs of the batch in their events' places.
func (s *scavenge) commit() error {
	if err := s.batch.Commit(pebble.Sync); err != nil {
		s.engine.fail(err)
	}
	if err := s.engine.Err(); err != nil {
		return err
	}
	s.done.Events += s.pending.Events
	s.done.Bytes += s.pending.Bytes
	s.pending = Scavenged{}
	if err := s.batch.Close(); err != nil {
		return err
	}
	s.batch = s.engine.db.NewBatch()
	return nil
}
