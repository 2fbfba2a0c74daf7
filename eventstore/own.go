package eventstore

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"understudy/domain"
)

// ownEvents and ownBytes (of data) bound what is kept for the tail, which takes an
// event within milliseconds; when it is more, it starts anew.
const (
	ownEvents = 1024
	ownBytes  = 4 << 20
)

// own keeps, until the tail has received them, the events that this process records
// as they were decoded to be folded: most events of a log that its one service
// writes are decoded once and not twice.
type own struct {
	mu    sync.Mutex
	kept  map[uuid.UUID]ownEvent
	bytes int
}

// ownEvent is an event with the bytes that it was decoded from.
type ownEvent struct {
	typ        string
	data, meta []byte

	event   domain.Event
	decoded domain.Meta
}

// keep remembers proposals with what they were decoded to.
func (o *own) keep(proposed []esdb.EventData, events []domain.Event) {
	var meta domain.Meta // one append has one
	if err := json.Unmarshal(proposed[0].Metadata, &meta); err != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, p := range proposed {
		if o.kept == nil || len(o.kept) >= ownEvents || o.bytes >= ownBytes {
			o.kept, o.bytes = map[uuid.UUID]ownEvent{}, 0
		}
		if !bytes.Equal(p.Metadata, proposed[0].Metadata) {
			continue
		}
		o.kept[p.EventID] = ownEvent{p.EventType, p.Data, p.Metadata, events[i], meta}
		o.bytes += len(p.Data)
	}
}

// take returns a recorded event as it was decoded, once.
func (o *own) take(e Raw) (domain.Recorded, bool) {
	o.mu.Lock()
	k, ok := o.kept[e.ID]
	if ok {
		delete(o.kept, e.ID)
		o.bytes -= len(k.data)
	}
	o.mu.Unlock()
	if !ok || k.typ != e.Type || !bytes.Equal(k.data, e.Data) || !bytes.Equal(k.meta, e.Metadata) {
		return domain.Recorded{}, false
	}
	return domain.Recorded{
		ID: e.ID, Stream: e.Stream, Revision: e.Revision, Position: e.Position, Time: domain.At(e.Created).Time,
		Event: k.event, Meta: k.decoded,
	}, true
}
