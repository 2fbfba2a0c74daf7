package engine

import "encoding/binary"

// Key layout. Numbers are big-endian so that byte order is numeric order;
// a stream name holds no NUL, so that no name's keys fall among another's.
//
//	f                    format of the directory
//	e <position>         event
//	s <stream> 0 <rev>   position of the stream's event at that revision
//	i <stream> 0 <id>    revision of the stream's event with that id
var formatKey = []byte{'f'}

const format = "understudy-events-1"

func eventKey(position uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 9), 'e'), position)
}

func streamKey(stream string, revision uint64) []byte {
	return binary.BigEndian.AppendUint64(streamPrefix('s', stream, 8), revision)
}

func idKey(stream string, id [16]byte) []byte {
	return append(streamPrefix('i', stream, 16), id[:]...)
}

func streamPrefix(kind byte, stream string, room int) []byte {
	k := make([]byte, 0, len(stream)+2+room)
	k = append(k, kind)
	k = append(k, stream...)
	return append(k, 0)
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
