// Package integrity makes the log tamper-evident: a Merkle tree over every
// event (RFC 6962, as golang.org/x/mod/sumdb/tlog computes it), heads of the
// tree signed with Ed25519 in the text form of C2SP's tlog-checkpoint, and
// exports of histories that can be checked offline.
//
// The n-th leaf, from 0, is the n-th event of the log that is not one of the
// store's own. The package is pure: no clock, no files, no network.
package integrity

import (
	"encoding/binary"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
)

// leafVersion begins every record. It must never change: a log that is hashed
// in another way has other heads than those that were signed.
const leafVersion = "understudy event v1\n"

// Record is the canonical form of an event, which the tree's leaves hash.
// Everything that was recorded is in it, and no two different events have the
// same one: after the version line come, each of fixed length, the commit
// position (8 bytes), the revision (8), the store's time of the append in
// nanoseconds since 1970 (8, two's complement) and the event's id (16); then
// the stream, the type, the content type, the data and the metadata, each with
// its length in bytes (8) before it. Numbers are big-endian.
func Record(e eventstore.Raw) []byte {
	size := len(leafVersion) + 3*8 + len(e.ID) + 5*8 +
		len(e.Stream) + len(e.Type) + len(e.ContentType) + len(e.Data) + len(e.Metadata)
	out := make([]byte, 0, size)
	out = append(out, leafVersion...)
	out = binary.BigEndian.AppendUint64(out, e.Position)
	out = binary.BigEndian.AppendUint64(out, e.Revision)
	out = binary.BigEndian.AppendUint64(out, uint64(e.Created.UnixNano()))
	out = append(out, e.ID[:]...)
	for _, field := range []string{e.Stream, e.Type, e.ContentType} {
		out = binary.BigEndian.AppendUint64(out, uint64(len(field)))
		out = append(out, field...)
	}
	for _, field := range [][]byte{e.Data, e.Metadata} {
		out = binary.BigEndian.AppendUint64(out, uint64(len(field)))
		out = append(out, field...)
	}
	return out
}

// Leaf is the hash of an event in the tree: RFC 6962's leaf hash of its Record.
func Leaf(e eventstore.Raw) tlog.Hash { return tlog.RecordHash(Record(e)) }
