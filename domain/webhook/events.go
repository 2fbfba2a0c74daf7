// Package webhook is the stream of one webhook endpoint: registered, its
// failures counted, disabled after too many in a row, deleted.
package webhook

import "understudy/domain"

// StreamPrefix begins the name of every endpoint's stream.
const StreamPrefix = "webhook-"

// Stream names the stream of an endpoint.
func Stream(webhookID string) string { return StreamPrefix + webhookID }

// DisableAfter is how many deliveries in a row must have been abandoned for
// the endpoint to be disabled. Source: the interface specification.
const DisableAfter = 10

// Names are the events an endpoint can subscribe to, in the order of the
// interface specification.
var Names = []string{
	"test.started", "test.progress", "test.completed", "test.failed",
	"quality_gate.passed", "quality_gate.failed",
}

// Event is a fact of an endpoint's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	webhook()
}

// Registered records an endpoint. Events is empty for all events.
type Registered struct {
	WebhookID      string             `json:"webhook_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	URL            string             `json:"url"`
	Events         []string           `json:"events"`
	// Secret is ciphertext under the installation's key.
	Secret string      `json:"secret"`
	At     domain.Time `json:"at"`
}

// FailureCounted records an abandoned delivery; Consecutive is how many there
// were in a row.
type FailureCounted struct {
	DeliveryID  string      `json:"delivery_id"`
	Consecutive int         `json:"consecutive"`
	At          domain.Time `json:"at"`
}

// Recovered records a delivery after failures; the count starts again from 0.
type Recovered struct {
	DeliveryID string      `json:"delivery_id"`
	At         domain.Time `json:"at"`
}

// Disabled records that no further deliveries go to the endpoint.
type Disabled struct {
	Consecutive int         `json:"consecutive"`
	At          domain.Time `json:"at"`
}

// Deleted records that the endpoint is gone.
type Deleted struct {
	At domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Registered) EventType() string { return "webhook.registered.v1" }

// EventType returns the recorded literal.
func (FailureCounted) EventType() string { return "webhook.failure_counted.v1" }

// EventType returns the recorded literal.
func (Recovered) EventType() string { return "webhook.recovered.v1" }

// EventType returns the recorded literal.
func (Disabled) EventType() string { return "webhook.disabled.v1" }

// EventType returns the recorded literal.
func (Deleted) EventType() string { return "webhook.deleted.v1" }

func (Registered) webhook()     {}
func (FailureCounted) webhook() {}
func (Recovered) webhook()      {}
func (Disabled) webhook()       {}
func (Deleted) webhook()        {}

// Catalogue lists every event that an endpoint's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Registered](),
	domain.Recordable[FailureCounted](),
	domain.Recordable[Recovered](),
	domain.Recordable[Disabled](),
	domain.Recordable[Deleted](),
}
