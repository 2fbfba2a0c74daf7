package engine

import "encoding/binary"

// verdict says what an append that meets its expectation amounts to.
type verdict struct {
	// repeated: all its events are recorded already, the last at revision
	// last.
	repeated bool
	last     int64
}

// judge checks an append against its stream's head, with EventStoreDB's
// rules. Under an exact revision or NoStream, the same ids at the same places
// are a repetition. Under Any and StreamExists, ids known to the stream are
// one. A mixture of known and new ids is never accepted.
func (g *group) judge(h *head, a Append) (verdict, error) {
	wrong := &WrongExpectedError{Stream: a.Stream, Expected: a.Expected, Current: h.last}
	if h.last == tombstoneRevision {
		return verdict{}, &DeletedError{Stream: a.Stream}
	}
	if a.Expected == StreamExists {
		if h.deleted {
			return verdict{}, &DeletedError{Stream: a.Stream}
		}
		if h.last < 0 {
			described, err := g.hasMetadata(a.Stream)
			if err != nil {
				return verdict{}, err
			}
			if !described {
				return verdict{}, wrong
			}
		}
	}
	switch {
	case a.Expected == Any || a.Expected == StreamExists:
		return g.judgeByID(a, wrong)
	case int64(a.Expected) > h.last:
		return verdict{}, wrong
	case int64(a.Expected) == h.last:
		return verdict{}, nil
	}
	return g.judgeByPlace(h, a, wrong)
}

func (g *group) judgeByID(a Append, wrong error) (verdict, error) {
	v := verdict{}
	for i, ev := range a.Events {
		value, ok, err := get(g.batch, idKey(a.Stream, ev.ID))
		if err != nil {
			return verdict{}, err
		}
		if ok != v.repeated && i > 0 {
			// EventStoreDB lets an append through whose first id is new,
			// whatever follows; that could record an event twice.
			return verdict{}, wrong
		}
		if v.repeated = ok; ok {
			v.last = int64(binary.BigEndian.Uint64(value))
		}
	}
	return v, nil
}

func (g *group) judgeByPlace(h *head, a Append, wrong error) (verdict, error) {
	revision := int64(a.Expected)
	for _, ev := range a.Events {
		revision++
		id, ok, err := g.idAt(a.Stream, revision)
		if err != nil {
			return verdict{}, err
		}
		if ok && id == ev.ID {
			continue
		}
		if revision == int64(a.Expected)+1 && a.Expected == NoStream && h.deleted {
			return verdict{}, nil
		}
		return verdict{}, wrong
	}
	if len(a.Events) == 0 {
		return verdict{}, wrong
	}
	return verdict{repeated: true, last: revision}, nil
}

func (g *group) hasMetadata(stream string) (bool, error) {
	if _, meta := described(stream); meta {
		return false, nil
	}
	h, err := g.head(metaPrefix + stream)
	return err == nil && h.last >= 0, err
}

func (g *group) idAt(stream string, revision int64) (id [16]byte, ok bool, err error) {
	value, ok, err := get(g.batch, streamKey(stream, uint64(revision)))
	if err != nil || !ok {
		return id, false, err
	}
	body, ok, err := get(g.batch, eventKey(binary.BigEndian.Uint64(value)))
	if err != nil || !ok {
		return id, false, err
	}
	r, err := decode(body)
	return r.id, err == nil, err
}
