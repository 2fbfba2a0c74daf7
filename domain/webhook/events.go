// Package webhook is the stream of one webhook endpoint: registered, changed,
// its secret rotated, its failures counted, its owner warned of them, disabled
// after too many in a row, paused, enabled again, its deliveries replayed, deleted.
package webhook

import (
	"time"

	"understudy/domain"
)

// StreamPrefix begins the name of every endpoint's stream.
const StreamPrefix = "webhook-"

// Stream names the stream of an endpoint.
func Stream(webhookID string) string { return StreamPrefix + webhookID }

// DisableAfter is how many deliveries in a row must have been abandoned for
// the endpoint to be disabled. Source: the interface specification.
const DisableAfter = 10

// WarnAt are the numbers of deliveries abandoned in a row at which the
// endpoint's owner is told. Source: the interface decisions, "Webhooks".
var WarnAt = [...]int{5, 7, DisableAfter}

// RotationOverlap is how long both secrets of a rotation count, unless the new
// one is promoted earlier. Source: the interface decisions, "Webhooks".
const RotationOverlap = 24 * time.Hour

// ReplayWindow is how old a delivery may be that is replayed. Source: the
// interface specification, "Retry policy".
const ReplayWindow = 72 * time.Hour

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

// Paused records that no further deliveries go to the endpoint, because its owner
// wants it so. Reenabled ends it.
type Paused struct {
	At domain.Time `json:"at"`
}

// OwnerWarned records that the endpoint's owner is to be told of failures in a
// row; at DisableAfter of them the endpoint has been disabled as well.
type OwnerWarned struct {
	Consecutive int         `json:"consecutive"`
	At          domain.Time `json:"at"`
}

// Reenabled records that deliveries go to the endpoint again; the count of
// failures starts again from 0.
type Reenabled struct {
	At domain.Time `json:"at"`
}

// Changed records the endpoint's address and events from then on, the whole of
// them. Events is empty for all events.
type Changed struct {
	URL    string      `json:"url"`
	Events []string    `json:"events"`
	At     domain.Time `json:"at"`
}

// SecretRotated records a second secret beside the one in force. Until EndsAt,
// or until it is promoted, deliveries are signed with both.
type SecretRotated struct {
	RotationID string `json:"rotation_id"`
	// Secret is ciphertext under the installation's key.
	Secret string      `json:"secret"`
	EndsAt domain.Time `json:"ends_at"`
	At     domain.Time `json:"at"`
}

// SecretPromoted records that the new secret of a rotation is the only one,
// before the rotation would have ended by itself.
type SecretPromoted struct {
	RotationID string      `json:"rotation_id"`
	At         domain.Time `json:"at"`
}

// ReplayRequested records that deliveries of a time are to be made again: those
// scheduled from From until To, both included, that stood as Which says when
// this was recorded.
type ReplayRequested struct {
	ReplayID string      `json:"replay_id"`
	From     domain.Time `json:"from"`
	To       domain.Time `json:"to"`
	Which    Which       `json:"which"`
	At       domain.Time `json:"at"`
}

// Which selects deliveries by how the last one of their message ended.
type Which string

// The selections of a replay.
const (
	Failed      Which = "failed"      // abandoned
	Skipped     Which = "skipped"     // fell in a time in which the endpoint was disabled
	Undelivered Which = "undelivered" // both
	All         Which = "all"         // those that were delivered, too
)

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
func (Paused) EventType() string { return "webhook.paused.v1" }

// EventType returns the recorded literal.
func (OwnerWarned) EventType() string { return "webhook.owner_warned.v1" }

// EventType returns the recorded literal.
func (Reenabled) EventType() string { return "webhook.reenabled.v1" }

// EventType returns the recorded literal.
func (Changed) EventType() string { return "webhook.changed.v1" }

// EventType returns the recorded literal.
func (SecretRotated) EventType() string { return "webhook.secret_rotated.v1" }

// EventType returns the recorded literal.
func (SecretPromoted) EventType() string { return "webhook.secret_promoted.v1" }

// EventType returns the recorded literal.
func (ReplayRequested) EventType() string { return "webhook.replay_requested.v1" }

// EventType returns the recorded literal.
func (Deleted) EventType() string { return "webhook.deleted.v1" }

func (Registered) webhook()      {}
func (FailureCounted) webhook()  {}
func (Recovered) webhook()       {}
func (Disabled) webhook()        {}
func (Paused) webhook()          {}
func (OwnerWarned) webhook()     {}
func (Reenabled) webhook()       {}
func (Changed) webhook()         {}
func (SecretRotated) webhook()   {}
func (SecretPromoted) webhook()  {}
func (ReplayRequested) webhook() {}
func (Deleted) webhook()         {}

// Catalogue lists every event that an endpoint's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Registered](),
	domain.Recordable[FailureCounted](),
	domain.Recordable[Recovered](),
	domain.Recordable[Disabled](),
	domain.Recordable[Paused](),
	domain.Recordable[OwnerWarned](),
	domain.Recordable[Reenabled](),
	domain.Recordable[Changed](),
	domain.Recordable[SecretRotated](),
	domain.Recordable[SecretPromoted](),
	domain.Recordable[ReplayRequested](),
	domain.Recordable[Deleted](),
}
