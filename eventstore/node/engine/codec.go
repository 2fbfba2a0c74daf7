package engine

import (
	"encoding/binary"
	"fmt"
	"time"
)

// recordVersion starts every recorded event, so that a later layout can tell
// the older ones apart.
const recordVersion = 1

// ticksPerSecond: times are kept in .NET ticks (100 ns) since the Unix epoch,
// the unit of the protocol's "created".
const ticksPerSecond = 10_000_000

const flagJSON = 1

// header is fixed: version, flags, ticks, revision, id.
const headerSize = 1 + 1 + 8 + 8 + 16

// Ticks returns t in 100-ns steps since the Unix epoch.
func Ticks(t time.Time) int64 {
	return t.Unix()*ticksPerSecond + int64(t.Nanosecond())/100
}

func fromTicks(n int64) time.Time {
	s, rest := n/ticksPerSecond, n%ticksPerSecond
	return time.Unix(s, rest*100).UTC()
}

func encode(stream string, revision int64, e NewEvent, created time.Time) []byte {
	b := make([]byte, 0, headerSize+len(stream)+e.Size()+4*binary.MaxVarintLen32)
	var flags byte
	if e.JSON {
		flags |= flagJSON
	}
	b = append(b, recordVersion, flags)
	b = binary.BigEndian.AppendUint64(b, uint64(Ticks(created)))
	b = binary.BigEndian.AppendUint64(b, uint64(revision))
	b = append(b, e.ID[:]...)
	b = appendBytes(b, stream)
	b = appendBytes(b, e.Type)
	b = appendBytes(b, e.Data)
	return appendBytes(b, e.Metadata)
}

func appendBytes[T string | []byte](b []byte, v T) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

// record is a recorded event whose fields still point into the stored bytes.
type record struct {
	flags                        byte
	ticks                        int64
	revision                     int64
	id                           [16]byte
	stream, kind, data, metadata []byte
}

func decode(b []byte) (record, error) {
	if len(b) < headerSize || b[0] != recordVersion {
		return record{}, fmt.Errorf("%w: an event is not in a known layout", ErrUnreadable)
	}
	r := record{
		flags:    b[1],
		ticks:    int64(binary.BigEndian.Uint64(b[2:])),
		revision: int64(binary.BigEndian.Uint64(b[10:])),
		id:       [16]byte(b[18:headerSize]),
	}
	rest := b[headerSize:]
	for _, field := range []*[]byte{&r.stream, &r.kind, &r.data, &r.metadata} {
		n, w := binary.Uvarint(rest)
		if w <= 0 || n > uint64(len(rest)-w) {
			return record{}, fmt.Errorf("%w: an event is cut short", ErrUnreadable)
		}
		*field, rest = rest[w:w+int(n)], rest[w+int(n):]
	}
	return r, nil
}

// event copies the record out of the stored bytes.
func (r record) event(position uint64) Event {
	body := make([]byte, len(r.data)+len(r.metadata))
	copy(body, r.data)
	copy(body[len(r.data):], r.metadata)
	return Event{
		Position: position,
		Stream:   string(r.stream),
		Revision: r.revision,
		ID:       r.id,
		Type:     string(r.kind),
		JSON:     r.flags&flagJSON != 0,
		Data:     body[:len(r.data):len(r.data)],
		Metadata: body[len(r.data):],
		Created:  fromTicks(r.ticks),
	}
}

func (r record) size() int {
	return headerSize + len(r.stream) + len(r.kind) + len(r.data) + len(r.metadata)
}
