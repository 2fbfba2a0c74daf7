package eventstore

import (
	"context"
	"errors"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
)

// Raw is an event as it was recorded, byte for byte, whether or not this
// program knows its type. Auditors read it; everybody else reads decoded ones.
type Raw struct {
	ID       uuid.UUID
	Stream   string
	Revision uint64
	// Position is the commit position in the whole log.
	Position uint64
	// Created is the store's time of the append, to 100 ns as the protocol has it.
	Created     time.Time
	Type        string
	ContentType string
	Data        []byte
	Metadata    []byte
}

// RawBatch is a run of raw events in commit order.
type RawBatch = BatchOf[Raw]

// errEnough ends a read that has got all it asked for.
var errEnough = errors.New("eventstore: enough")

// ReadStreamRaw passes at most count events of a stream to each, from the
// revision from (inclusive) on, as they were recorded. An error of each ends
// the read and is returned as it is. ErrStreamNotFound and ErrUnavailable as
// with ReadStream; no event is poison.
func (s *Store) ReadStreamRaw(ctx context.Context, stream string, from, count uint64, each func(Raw) error) error {
	if count == 0 {
		return nil
	}
	err := readStream(ctx, s, stream, from, func(e *esdb.RecordedEvent) error {
		if err := each(raw(e)); err != nil {
			return err
		}
		if count--; count == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// LastRevision is the revision of a stream's last event. ErrStreamNotFound:
// there is none; ErrUnavailable as with Append.
func (s *Store) LastRevision(ctx context.Context, stream string) (uint64, error) {
	e, err := s.readOne(ctx, stream, esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}})
	if err != nil {
		return 0, err
	}
	return e.EventNumber, nil
}

// SubscribeRaw is Subscribe with the events as they were recorded: the store's
// own ($…) never come, those of unknown types do, and none is poison.
func (s *Store) SubscribeRaw(ctx context.Context, sub Subscription, handle func(ctx context.Context, b RawBatch) error) error {
	return subscribe(ctx, s, sub, func(e *esdb.RecordedEvent) (Raw, error) { return raw(e), nil }, asRecorded, handle)
}

func raw(e *esdb.RecordedEvent) Raw {
	return Raw{
		ID: e.EventID, Stream: e.StreamID, Revision: e.EventNumber, Position: position(e), Created: e.CreatedDate.UTC(),
		Type: e.EventType, ContentType: e.ContentType, Data: e.Data, Metadata: e.UserMetadata,
	}
}
