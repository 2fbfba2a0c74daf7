package main

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// An append is acknowledged, its stream ended for ever, and the append sent once
// more when the store is killed: that its events are there does not say that the
// repetition was accepted.
func TestACutOffRepetitionIsNotTakenForDone(t *testing.T) {
	t.Parallel()
	const stream, at = "mortal-1-1-0", 10 * time.Millisecond
	for _, c := range []struct {
		name   string
		answer outcome // to the repetition
		broken bool
	}{
		{"cut off", unknown, false},
		{"refused", refused, false},
		{"accepted", acknowledged, true},
	} {
		id := newID(1, 1)
		l := newLedger()
		l.extend([]recorded{
			{position: 1, stream: stream, id: id, kind: "chaos", data: body(id)},
			{position: 2, stream: stream, revision: tombstone, id: uuid.New(), kind: "$streamDeleted"},
		})
		j := &journal{}
		j.add(&operation{kind: kindAppend, stream: stream, expected: expectAny, ids: []uuid.UUID{id}, call: 1, ret: 2, outcome: acknowledged, position: 1})
		j.add(&operation{kind: kindTombstone, stream: stream, expected: expectAny, call: 3, ret: 4, outcome: acknowledged, position: 2})
		again := &operation{kind: kindAppend, stream: stream, expected: expectAny, ids: []uuid.UUID{id}, repeat: true, call: 5, ret: 6, outcome: c.answer}
		if c.answer == acknowledged {
			again.position = 1
		}
		j.add(again)
		l.settle(j, at)
		if l.broken() != c.broken {
			t.Errorf("%s: broken %t: %q", c.name, l.broken(), l.findings)
		}
	}
}
