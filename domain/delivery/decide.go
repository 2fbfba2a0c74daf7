package delivery

import "understudy/domain"

// Command is a wish to a delivery's stream.
//
//sumtype:decl
type Command interface{ deliveryCommand() }

// Schedule makes the delivery, due at once. SkipReason is set when the
// endpoint is disabled: the delivery is recorded as skipped.
type Schedule struct {
	Delivery   Scheduled
	SkipReason string
}

// RecordAttempt tells how an attempt went. Attempt counts from 1.
type RecordAttempt struct {
	Attempt    int
	Delivered  bool
	StatusCode int
	Error      string
	LatencyMS  int64
	Response   string
	Now        domain.Time
}

// Skip ends a delivery whose endpoint is disabled or gone.
type Skip struct {
	Reason string
	Now    domain.Time
}

func (Schedule) deliveryCommand()      {}
func (RecordAttempt) deliveryCommand() {}
func (Skip) deliveryCommand()          {}

// Status is where a delivery stands.
type Status string

// The statuses of a delivery. A stream without events has the empty one.
const (
	Pending         Status = "pending"
	StatusDelivered Status = "delivered"
	StatusAbandoned Status = "abandoned"
	StatusSkipped   Status = "skipped"
)

// State is what deciding, and the sender, need to know.
type State struct {
	Status   Status
	Attempts int
	Delivery Scheduled
}

// Decider is the delivery's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Status != "" && s.Status != Pending },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Scheduled:
		s.Status, s.Delivery = Pending, e
	case Attempted:
		s.Attempts = e.Attempt
	case Delivered:
		s.Status = StatusDelivered
	case Abandoned:
		s.Status = StatusAbandoned
	case Skipped:
		s.Status = StatusSkipped
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	switch c := c.(type) {
	case Schedule:
		if s.Status != "" {
			return nil, nil
		}
		if c.SkipReason != "" {
			return []Event{c.Delivery, Skipped{WebhookID: c.Delivery.WebhookID, Reason: c.SkipReason, At: c.Delivery.At}}, nil
		}
		return []Event{c.Delivery}, nil
	case Skip:
		if s.Status != Pending {
			return nil, nil
		}
		return []Event{Skipped{WebhookID: s.Delivery.WebhookID, Reason: c.Reason, At: c.Now}}, nil
	case RecordAttempt:
		return recordAttempt(s, c)
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func recordAttempt(s State, c RecordAttempt) ([]Event, error) {
	if s.Status != Pending || c.Attempt <= s.Attempts {
		return nil, nil // told before, or too late to matter
	}
	if c.Attempt != s.Attempts+1 {
		return nil, domain.Refuse(domain.CodeConflict, "attempt %d cannot follow attempt %d", c.Attempt, s.Attempts)
	}
	attempted := Attempted{
		Attempt: c.Attempt, StatusCode: c.StatusCode, Error: c.Error,
		LatencyMS: c.LatencyMS, Response: c.Response, At: c.Now,
	}
	webhook, ping := s.Delivery.WebhookID, s.Delivery.Ping
	switch {
	case c.Delivered:
		return []Event{attempted, Delivered{WebhookID: webhook, Attempts: c.Attempt, Ping: ping, At: c.Now}}, nil
	case c.Attempt > len(Backoff), ping:
		return []Event{attempted, Abandoned{WebhookID: webhook, Attempts: c.Attempt, Ping: ping, At: c.Now}}, nil
	}
	due := domain.At(c.Now.Add(Backoff[c.Attempt-1]))
	attempted.NextDueAt = &due
	return []Event{attempted}, nil
}
