package eventstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"understudy/domain"
)

// Codec turns events into what is recorded and back. It is immutable.
type Codec struct {
	entries map[string]domain.Entry
}

// NewCodec makes a codec of the catalogues of all stream kinds. A type that
// occurs twice is a programming error and panics.
func NewCodec(catalogues ...[]domain.Entry) *Codec {
	c := &Codec{entries: make(map[string]domain.Entry)}
	for _, catalogue := range catalogues {
		for _, entry := range catalogue {
			if _, ok := c.entries[entry.Type]; ok {
				panic("eventstore: event type " + entry.Type + " is registered twice")
			}
			c.entries[entry.Type] = entry
		}
	}
	return c
}

// Encode returns the literal and the JSON that an event is recorded as. An
// event that could not be read again, because its type is not registered, is
// an error.
func (c *Codec) Encode(e domain.Event) (typ string, data []byte, err error) {
	if e == nil {
		return "", nil, errors.New("eventstore: encode: no event")
	}
	typ = e.EventType()
	if _, ok := c.entries[typ]; !ok {
		return "", nil, fmt.Errorf("eventstore: encode %s: not registered", typ)
	}
	data, err = json.Marshal(e)
	if err != nil {
		return "", nil, fmt.Errorf("eventstore: encode %s: %w", typ, err)
	}
	return typ, data, nil
}

// Decode returns the event in its newest shape, or domain.Unknown when no
// catalogue has the type. Data that does not fit its type is an error.
func (c *Codec) Decode(typ string, data []byte) (domain.Event, error) {
	entry, ok := c.entries[typ]
	if !ok {
		return domain.Unknown{Type: typ, Data: bytes.Clone(data)}, nil
	}
	var e domain.Event
	err := Safely(func() (err error) {
		e, err = entry.Decode(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("eventstore: decode %s: %w", typ, err)
	}
	return e, nil
}

// Recorded makes an event of what was recorded. The error is a *PoisonError.
func (c *Codec) Recorded(e Raw) (domain.Recorded, error) {
	event, err := c.Decode(e.Type, e.Data)
	var meta domain.Meta
	if err == nil && len(e.Metadata) > 0 {
		// What others record may have metadata of any shape.
		_, foreign := event.(domain.Unknown)
		if merr := json.Unmarshal(e.Metadata, &meta); merr != nil && !foreign {
			err = fmt.Errorf("eventstore: metadata of %s: %w", e.Type, merr)
		}
	}
	if err != nil {
		return domain.Recorded{}, &PoisonError{
			Position: e.Position, Stream: e.Stream, Revision: e.Revision, Time: domain.At(e.Created).Time, Type: e.Type, Err: err,
		}
	}
	return domain.Recorded{
		ID: e.ID, Stream: e.Stream, Revision: e.Revision, Position: e.Position, Time: domain.At(e.Created).Time,
		Event: event, Meta: meta,
	}, nil
}
