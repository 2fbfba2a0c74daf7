// Package domain holds what every stream of facts has in common: deciders,
// recorded events and their metadata, identifiers and coded errors.
//
// It and the packages below it are pure: no clock, no I/O, no randomness.
// Time and identifiers arrive inside commands.
package domain

// Event is a fact. Its type is the literal it is recorded under, such as
// "testrun.created.v1"; the Go type only ever has the newest shape.
type Event interface {
	EventType() string
}

// Decider is one kind of stream as three pure functions.
type Decider[S, C any, E Event] struct {
	// Initial is the state of a stream without events.
	Initial S
	// Decide answers a command with new events, none when it tells a thing
	// that is already true, or an *Error when the command is refused.
	Decide func(S, C) ([]E, error)
	// Evolve is total: whatever was recorded is taken, the past is never refused.
	Evolve func(S, E) S
	// Done reports that no command will ever yield another event.
	Done func(S) bool
}

// Fold evolves a state over events in their order.
func (d Decider[S, C, E]) Fold(state S, events []E) S {
	for _, e := range events {
		state = d.Evolve(state, e)
	}
	return state
}
