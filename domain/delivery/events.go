// Package delivery is the stream of one webhook delivery: scheduled, attempted
// by the retry table, and delivered, abandoned or skipped.
package delivery

import (
	"time"

	"understudy/domain"
)

// StreamPrefix begins the name of every delivery's stream.
const StreamPrefix = "delivery-"

// Stream names the stream of a delivery.
func Stream(deliveryID string) string { return StreamPrefix + deliveryID }

// Backoff is how long after a failed attempt the next one is due. When the
// attempt after the last wait fails too, the delivery is abandoned.
// Source: the interface specification, "Retry policy".
var Backoff = [...]time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute}

// Event is a fact of a delivery's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	delivery()
}

// Scheduled records what is to be sent, and to whom. Body is the exact text of
// every attempt, and of every replay.
type Scheduled struct {
	DeliveryID     string             `json:"delivery_id"`
	WebhookID      string             `json:"webhook_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	EventName      string             `json:"event_name"`
	TestID         string             `json:"test_id"`
	Body           string             `json:"body"`
	At             domain.Time        `json:"at"`
	// ReplayOf is the delivery that this one makes again, "" for none.
	ReplayOf string `json:"replay_of,omitempty"`
	// MessageID is the id of the delivery that first sent the message, "" when
	// this one does.
	MessageID string `json:"message_id,omitempty"`
	// Ping is a message to try the endpoint with: it is sent once, to a disabled
	// endpoint too, and how it ends says nothing about the endpoint.
	Ping bool `json:"ping,omitempty"`
}

// Message is the id of the message, by which receivers know it again: the same
// for a delivery and its replays.
func (s Scheduled) Message() string {
	if s.MessageID != "" {
		return s.MessageID
	}
	return s.DeliveryID
}

// Attempted records one attempt.
type Attempted struct {
	Attempt    int         `json:"attempt"` // from 1
	StatusCode int         `json:"status_code,omitempty"`
	Error      string      `json:"error,omitempty"`
	LatencyMS  int64       `json:"latency_ms"`
	Response   string      `json:"response,omitempty"` // the first 4 KiB of the answer
	At         domain.Time `json:"at"`
	// NextDueAt is when the next attempt is due, null after the last one.
	NextDueAt *domain.Time `json:"next_due_at"`
}

// Delivered records that the receiver answered with a 2xx status.
type Delivered struct {
	WebhookID string      `json:"webhook_id"`
	Attempts  int         `json:"attempts"`
	Ping      bool        `json:"ping,omitempty"`
	At        domain.Time `json:"at"`
}

// Abandoned records that the last retry failed too; of a ping, its one attempt.
type Abandoned struct {
	WebhookID string      `json:"webhook_id"`
	Attempts  int         `json:"attempts"`
	Ping      bool        `json:"ping,omitempty"`
	At        domain.Time `json:"at"`
}

// Skipped records that the delivery is not attempted (any more), because its
// endpoint is disabled or deleted.
type Skipped struct {
	WebhookID string      `json:"webhook_id"`
	Reason    string      `json:"reason"`
	At        domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Scheduled) EventType() string { return "delivery.scheduled.v1" }

// EventType returns the recorded literal.
func (Attempted) EventType() string { return "delivery.attempted.v1" }

// EventType returns the recorded literal.
func (Delivered) EventType() string { return "delivery.delivered.v1" }

// EventType returns the recorded literal.
func (Abandoned) EventType() string { return "delivery.abandoned.v1" }

// EventType returns the recorded literal.
func (Skipped) EventType() string { return "delivery.skipped.v1" }

func (Scheduled) delivery() {}
func (Attempted) delivery() {}
func (Delivered) delivery() {}
func (Abandoned) delivery() {}
func (Skipped) delivery()   {}

// Catalogue lists every event that a delivery's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Scheduled](),
	domain.Recordable[Attempted](),
	domain.Recordable[Delivered](),
	domain.Recordable[Abandoned](),
	domain.Recordable[Skipped](),
}
