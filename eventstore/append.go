package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"understudy/domain"
)

// maxAppend is EventStoreDB's limit for one append, in bytes. It is checked
// here because the client loses the server's word on it.
const maxAppend = 1 << 20

// Expected is the state that an append requires of its stream. The zero value
// is NoStream.
type Expected struct {
	exists   bool
	revision uint64
}

// NoStream requires that the stream has no events.
func NoStream() Expected { return Expected{} }

// Revision requires that the stream's last event has revision n.
func Revision(n uint64) Expected { return Expected{exists: true, revision: n} }

// after is the revision that the last of n appended events has.
func (e Expected) after(n int) uint64 {
	if e.exists {
		return e.revision + uint64(n)
	}
	return uint64(n) - 1
}

func (e Expected) option() esdb.ExpectedRevision {
	if e.exists {
		return esdb.Revision(e.revision)
	}
	return esdb.NoStream{}
}

// Pending is an event about to be recorded. ID makes it idempotent and is
// never random: see domain.DeriveUUID.
type Pending struct {
	ID    uuid.UUID
	Event domain.Event
	Meta  domain.Meta
}

// Appended says where the last event of an append is.
type Appended struct {
	Revision uint64 // in its stream
	Position uint64 // commit position in the log
}

// Append records events at the end of a stream, all or none. The same append
// again answers as the first one did and writes nothing. ErrWrongExpected: the
// stream is elsewhere; ErrUnavailable: no answer within the call timeout.
func (s *Store) Append(ctx context.Context, stream string, expected Expected, events []Pending) (Appended, error) {
	proposed, err := s.encode(events)
	if err != nil {
		return Appended{}, fmt.Errorf("eventstore: append to %s: %w", stream, err)
	}
	return s.append(ctx, stream, expected, proposed)
}

// encode makes proposals of events.
func (s *Store) encode(events []Pending) ([]esdb.EventData, error) {
	if len(events) == 0 {
		return nil, errors.New("no events")
	}
	size := 0
	proposed := make([]esdb.EventData, len(events))
	for i, p := range events {
		if p.ID == uuid.Nil {
			return nil, fmt.Errorf("event %d has no id", i)
		}
		typ, data, err := s.codec.Encode(p.Event)
		if err != nil {
			return nil, err
		}
		meta, err := json.Marshal(p.Meta)
		if err != nil {
			return nil, fmt.Errorf("metadata of %s: %w", typ, err)
		}
		proposed[i] = esdb.EventData{
			EventID:     p.ID,
			EventType:   typ,
			ContentType: esdb.ContentTypeJson,
			Data:        data,
			Metadata:    meta,
		}
		size += len(typ) + len(data) + len(meta)
	}
	if size > maxAppend {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, maxAppend)
	}
	return proposed, nil
}

func (s *Store) append(ctx context.Context, stream string, expected Expected, proposed []esdb.EventData) (Appended, error) {
	op := "append to " + stream
	at := Appended{Revision: expected.after(len(proposed))}
	var err error
	at.Position, err = call(ctx, s, op, func(ctx context.Context, client *esdb.Client) (uint64, error) {
		written, err := client.AppendToStream(leaderOnly(ctx), stream, esdb.AppendToStreamOptions{
			ExpectedRevision: expected.option(),
			Deadline:         &s.timeout,
		}, proposed...)
		if err != nil {
			return 0, err
		}
		return written.CommitPosition, nil
	})
	if err != nil {
		return Appended{}, err
	}
	if at.Position == 0 {
		// A cluster may answer a repeated append without its position.
		at.Position, err = s.positionAt(ctx, stream, at.Revision)
		if err != nil {
			return Appended{}, err
		}
	}
	return at, nil
}

// positionAt looks up the commit position of one event.
func (s *Store) positionAt(ctx context.Context, stream string, revision uint64) (uint64, error) {
	e, err := s.readOne(ctx, stream, esdb.ReadStreamOptions{Direction: esdb.Forwards, From: esdb.Revision(revision)})
	if err != nil {
		return 0, err
	}
	return position(e), nil
}
