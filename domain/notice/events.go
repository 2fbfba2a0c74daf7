// Package notice is the stream of one notice to an organization's owner about a
// failing webhook: requested, tried by mail, and told or abandoned.
package notice

import (
	"time"

	"understudy/domain"
)

// StreamPrefix begins the name of every notice's stream.
const StreamPrefix = "notice-"

// Stream names the stream of a notice.
func Stream(noticeID string) string { return StreamPrefix + noticeID }

// Backoff is how long after a failed try the next one is due. When the try
// after the last wait fails too, the notice is abandoned: what it says stands in
// the endpoint's own document all the same.
var Backoff = [...]time.Duration{time.Minute, 10 * time.Minute, time.Hour}

// Channel is how an owner was told.
type Channel string

// The channels.
const (
	Mail Channel = "mail"
	// Log is a line in the service's log, where no mail server is configured.
	Log Channel = "log"
)

// Event is a fact of a notice's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	notice()
}

// Requested records what the owner is to be told: that so many deliveries to an
// endpoint were abandoned in a row and, if so, that it was disabled.
type Requested struct {
	NoticeID       string             `json:"notice_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	WebhookID      string             `json:"webhook_id"`
	Consecutive    int                `json:"consecutive"`
	Disabled       bool               `json:"disabled"`
	At             domain.Time        `json:"at"`
}

// Attempted records a try that failed. Error is a class of failure and names
// nobody.
type Attempted struct {
	Attempt int         `json:"attempt"` // from 1
	Error   string      `json:"error"`
	At      domain.Time `json:"at"`
	// NextDueAt is when the next try is due, null after the last one.
	NextDueAt *domain.Time `json:"next_due_at"`
}

// Told records that the owner was told.
type Told struct {
	Channel Channel     `json:"channel"`
	At      domain.Time `json:"at"`
}

// Abandoned records that the last try failed too.
type Abandoned struct {
	Attempts int         `json:"attempts"`
	At       domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Requested) EventType() string { return "notice.requested.v1" }

// EventType returns the recorded literal.
func (Attempted) EventType() string { return "notice.attempted.v1" }

// EventType returns the recorded literal.
func (Told) EventType() string { return "notice.told.v1" }

// EventType returns the recorded literal.
func (Abandoned) EventType() string { return "notice.abandoned.v1" }

func (Requested) notice() {}
func (Attempted) notice() {}
func (Told) notice()      {}
func (Abandoned) notice() {}

// Catalogue lists every event that a notice's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Requested](),
	domain.Recordable[Attempted](),
	domain.Recordable[Told](),
	domain.Recordable[Abandoned](),
}
