package domain

import "encoding/json"

// Entry is one recordable event type: its recorded literal and how its JSON
// becomes the newest Go shape. Older shapes have an entry of their own whose
// Decode upcasts.
type Entry struct {
	Type   string
	Decode func(data []byte) (Event, error)
}

// Recordable is the entry of an event whose recorded shape is its Go shape.
func Recordable[T Event]() Entry {
	var zero T
	return Entry{
		Type: zero.EventType(),
		Decode: func(data []byte) (Event, error) {
			var e T
			if err := json.Unmarshal(data, &e); err != nil {
				return nil, err
			}
			return e, nil
		},
	}
}

// Lifted is the entry of an older shape that events were recorded in as typ:
// how it becomes the newest one. Nothing is recorded as typ any more.
func Lifted[Old any, T Event](typ string, lift func(Old) T) Entry {
	return Entry{
		Type: typ,
		Decode: func(data []byte) (Event, error) {
			var old Old
			if err := json.Unmarshal(data, &old); err != nil {
				return nil, err
			}
			return lift(old), nil
		},
	}
}

// Unknown is an event that this program has no entry for, recorded by a newer
// one. Projectors skip and count it; reactors hold.
type Unknown struct {
	Type string
	Data json.RawMessage
}

// EventType returns the literal that the event was recorded under.
func (u Unknown) EventType() string { return u.Type }
