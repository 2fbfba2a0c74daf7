package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// Each recorded event starts with its layout: whole, or a stub, whose data and
// metadata are in an archive.
const (
	layoutWhole = 1
	layoutStub  = 2
)

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
	b = append(b, layoutWhole, flags)
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
	// envelope is the record up to where data begins.
	envelope []byte
	// of a stub: the SHA-256 of the whole record, and where data and metadata are.
	digest [sha256.Size]byte
	ref    string
}

func decode(b []byte) (record, error) {
	if len(b) < headerSize || (b[0] != layoutWhole && b[0] != layoutStub) {
		return record{}, fmt.Errorf("%w: an event is not in a known layout", ErrUnreadable)
	}
	r := record{
		flags:    b[1],
		ticks:    int64(binary.BigEndian.Uint64(b[2:])),
		revision: int64(binary.BigEndian.Uint64(b[10:])),
		id:       [16]byte(b[18:headerSize]),
	}
	rest, err := fields(b[headerSize:], &r.stream, &r.kind)
	if err != nil {
		return record{}, err
	}
	r.envelope = b[:len(b)-len(rest)]
	if b[0] == layoutWhole {
		_, err = fields(rest, &r.data, &r.metadata)
		return r, err
	}
	if len(rest) <= len(r.digest) {
		return record{}, errCutShort
	}
	r.ref = string(rest[copy(r.digest[:], rest):])
	return r, nil
}

var errCutShort = fmt.Errorf("%w: an event is cut short", ErrUnreadable)

// fields reads what appendBytes has written and returns what follows.
func fields(b []byte, all ...*[]byte) (rest []byte, err error) {
	for _, field := range all {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return nil, errCutShort
		}
		*field, b = b[w:w+int(n)], b[w+int(n):]
	}
	return b, nil
}

// stub is the record without data and metadata, which are found by ref. The receiver is
// whole, stored the bytes that it was decoded from.
func (r record) stub(stored []byte, ref string) []byte {
	digest := sha256.Sum256(stored)
	b := make([]byte, 0, len(r.envelope)+len(digest)+len(ref))
	b = append(b, r.envelope...)
	b[0] = layoutStub
	return append(append(b, digest[:]...), ref...)
}

// filled is the record of a stub with what was found by its ref, if that is what it had.
func (r record) filled(data, metadata []byte) (record, error) {
	b := make([]byte, 0, len(r.envelope)+len(data)+len(metadata)+2*binary.MaxVarintLen32)
	b = append(b, r.envelope...)
	b[0] = layoutWhole
	b = appendBytes(appendBytes(b, data), metadata)
	if sha256.Sum256(b) != r.digest {
		return record{}, fmt.Errorf("%w: %s is not what was recorded", errArchived, r.ref)
	}
	return decode(b)
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
