package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"understudy/eventstore/node/engine"
)

// model is the engine's behaviour in its simplest form: all events in one
// slice, looked through from the start for every question.
type model struct{ log []engine.Event }

func (m *model) stream(name string) []engine.Event {
	var out []engine.Event
	for _, ev := range m.log {
		if ev.Stream == name {
			out = append(out, ev)
		}
	}
	return out
}

func (m *model) last(name string) int64 {
	if of, ok := cutMeta(name); ok && m.last(of) == math.MaxInt64 {
		return math.MaxInt64
	}
	events := m.stream(name)
	if len(events) == 0 {
		return -1
	}
	return events[len(events)-1].Revision
}

func cutMeta(name string) (string, bool) {
	if len(name) > 2 && name[:2] == "$$" {
		return name[2:], true
	}
	return name, false
}

func (m *model) metadata(name string) map[string]int64 {
	out := map[string]int64{}
	if events := m.stream("$$" + name); len(events) > 0 {
		if err := json.Unmarshal(events[len(events)-1].Data, &out); err != nil {
			panic(err) // the test writes no other documents
		}
	}
	return out
}

func (m *model) softDeleted(name string) bool { return m.metadata(name)["$tb"] == math.MaxInt64 }

func (m *model) record(stream string, ev engine.NewEvent) {
	revision := m.last(stream) + 1
	if ev.Type == "$streamDeleted" {
		revision = math.MaxInt64
	}
	m.log = append(m.log, engine.Event{
		Position: uint64(len(m.log) + 1), Stream: stream, Revision: revision,
		ID: ev.ID, Type: ev.Type, JSON: ev.JSON, Data: ev.Data, Metadata: ev.Metadata,
	})
}

func (m *model) recordMetadata(stream string, doc map[string]int64) {
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	m.record("$$"+stream, engine.NewEvent{Type: "$metadata", JSON: true, Data: data})
}

// allowed says whether an append may go ahead (nil), was made before
// (repeated), or is refused.
func (m *model) allowed(a engine.Append) (repeated []engine.Event, refused error) {
	last := m.last(a.Stream)
	wrong := &engine.WrongExpectedError{Stream: a.Stream, Expected: a.Expected, Current: last}
	switch {
	case last == math.MaxInt64:
		return nil, &engine.DeletedError{Stream: a.Stream}
	case a.Expected == engine.StreamExists && m.softDeleted(a.Stream):
		return nil, &engine.DeletedError{Stream: a.Stream}
	case a.Expected == engine.StreamExists && last < 0 && len(m.stream("$$"+a.Stream)) == 0:
		return nil, wrong
	}
	existing := m.stream(a.Stream)
	if a.Expected == engine.Any || a.Expected == engine.StreamExists {
		for _, ev := range a.Events {
			at := -1
			for i, old := range existing {
				if old.ID == ev.ID {
					at = i
				}
			}
			if at >= 0 {
				repeated = append(repeated, existing[at])
			}
		}
		if len(repeated) > 0 && len(repeated) < len(a.Events) {
			return nil, wrong
		}
		return repeated, nil
	}
	if int64(a.Expected) == last {
		return nil, nil
	}
	if int64(a.Expected) > last || len(a.Events) == 0 {
		return nil, wrong
	}
	for i, ev := range a.Events {
		at := int(a.Expected) + 1 + i
		if at < len(existing) && existing[at].ID == ev.ID {
			repeated = append(repeated, existing[at])
			continue
		}
		if i == 0 && a.Expected == engine.NoStream && m.softDeleted(a.Stream) {
			return nil, nil
		}
		return nil, wrong
	}
	return repeated, nil
}

func (m *model) append(a engine.Append) (engine.Appended, error) {
	repeated, refused := m.allowed(a)
	switch {
	case refused != nil:
		return engine.Appended{}, refused
	case len(repeated) > 0:
		end := repeated[len(repeated)-1]
		return engine.Appended{Revision: end.Revision, Position: end.Position}, nil
	case len(a.Events) == 0:
		return engine.Appended{Revision: m.last(a.Stream)}, nil
	}
	of, isMeta := cutMeta(a.Stream)
	wasDeleted := m.softDeleted(of)
	if !isMeta && wasDeleted {
		doc := m.metadata(a.Stream)
		doc["$tb"] = m.last(a.Stream) + 1
		m.recordMetadata(a.Stream, doc)
	}
	for _, ev := range a.Events {
		m.record(a.Stream, ev)
	}
	end := m.log[len(m.log)-1]
	if isMeta && wasDeleted && !m.softDeleted(of) {
		doc := m.metadata(of)
		doc["$tb"] = m.last(of) + 1
		m.recordMetadata(of, doc)
	}
	return engine.Appended{Revision: end.Revision, Position: end.Position}, nil
}

func (m *model) end(stream string, expected engine.Expected, tombstone bool) (uint64, error) {
	probe := engine.NewEvent{ID: [16]byte{255}, Type: "$streamDeleted"}
	if _, err := m.allowed(engine.Append{Stream: stream, Expected: expected, Events: []engine.NewEvent{probe}}); err != nil {
		return 0, err
	}
	if tombstone {
		m.record(stream, probe)
	} else {
		m.recordMetadata(stream, map[string]int64{"$tb": math.MaxInt64})
	}
	return uint64(len(m.log)), nil
}

// readable is what a read of the whole stream returns.
func (m *model) readable(name string) ([]engine.Event, error) {
	last := m.last(name)
	if last == math.MaxInt64 {
		return nil, &engine.DeletedError{Stream: name}
	}
	keep := map[string]int64{"$maxCount": 1}
	if _, isMeta := cutMeta(name); !isMeta {
		keep = m.metadata(name)
	}
	if last < 0 || keep["$tb"] == math.MaxInt64 {
		return nil, fmt.Errorf("%w: %q", engine.ErrNotFound, name)
	}
	events := m.stream(name)
	if n := keep["$maxCount"]; n > 0 && int64(len(events)) > n {
		events = events[int64(len(events))-n:]
	}
	return slices.DeleteFunc(events, func(ev engine.Event) bool { return ev.Revision < keep["$tb"] }), nil
}

// sameError compares errors by what a caller can tell.
func sameError(a, b error) bool {
	var wrongA, wrongB *engine.WrongExpectedError
	var deletedA, deletedB *engine.DeletedError
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case errors.As(a, &wrongA) && errors.As(b, &wrongB):
		return *wrongA == *wrongB
	case errors.As(a, &deletedA) && errors.As(b, &deletedB):
		return *deletedA == *deletedB
	default:
		return errors.Is(a, engine.ErrNotFound) && errors.Is(b, engine.ErrNotFound)
	}
}
