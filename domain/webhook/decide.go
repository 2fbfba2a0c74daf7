package webhook

import "understudy/domain"

// Command is a wish to an endpoint's stream.
//
//sumtype:decl
type Command interface{ webhookCommand() }

// Register makes the endpoint.
type Register struct{ Webhook Registered }

// RecordDelivery tells how a delivery to the endpoint ended.
type RecordDelivery struct {
	DeliveryID string
	Delivered  bool
	Now        domain.Time
}

// Delete removes the endpoint.
type Delete struct{ Now domain.Time }

func (Register) webhookCommand()       {}
func (RecordDelivery) webhookCommand() {}
func (Delete) webhookCommand()         {}

// Status is where an endpoint stands.
type Status string

// The statuses of an endpoint. A stream without events has the empty one.
const (
	Enabled        Status = "enabled"
	StatusDisabled Status = "disabled"
	StatusDeleted  Status = "deleted"
)

// State is what deciding, and the sender, need to know.
type State struct {
	Status      Status
	Consecutive int
	// Last is the delivery counted last, so that a redelivered ending is not
	// counted twice.
	Last    string
	Webhook Registered
}

// Decider is the endpoint's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Status == StatusDeleted },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Registered:
		s.Status, s.Webhook = Enabled, e
	case FailureCounted:
		s.Consecutive, s.Last = e.Consecutive, e.DeliveryID
	case Recovered:
		s.Consecutive, s.Last = 0, e.DeliveryID
	case Disabled:
		s.Status = StatusDisabled
	case Deleted:
		s.Status = StatusDeleted
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	there := s.Status != "" && s.Status != StatusDeleted
	switch c := c.(type) {
	case Register:
		if s.Status != "" {
			return nil, nil
		}
		return []Event{c.Webhook}, nil
	case Delete:
		if !there {
			return nil, domain.Refuse(domain.CodeNotFound, "there is no such webhook")
		}
		return []Event{Deleted{At: c.Now}}, nil
	case RecordDelivery:
		if !there {
			return nil, nil
		}
		return recordDelivery(s, c), nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func recordDelivery(s State, c RecordDelivery) []Event {
	switch {
	case s.Status != Enabled || s.Last == c.DeliveryID:
		return nil
	case c.Delivered && s.Consecutive == 0:
		return nil
	case c.Delivered:
		return []Event{Recovered{DeliveryID: c.DeliveryID, At: c.Now}}
	}
	n := s.Consecutive + 1
	events := []Event{FailureCounted{DeliveryID: c.DeliveryID, Consecutive: n, At: c.Now}}
	if n >= DisableAfter {
		events = append(events, Disabled{Consecutive: n, At: c.Now})
	}
	return events
}
