package domain

import (
	"time"

	"github.com/google/uuid"
)

// Environment separates real work from the sandbox. A key sees only its own.
type Environment string

// The two environments, named after the key prefixes svc_live_ and svc_test_.
const (
	Live    Environment = "live"
	Sandbox Environment = "test"
)

// Meta says who caused an event and how. The two identifiers that start with
// $ are EventStoreDB's own names, so that foreign tools can follow causation.
type Meta struct {
	CorrelationID  string      `json:"$correlationId,omitempty"`
	CausationID    string      `json:"$causationId,omitempty"`
	Actor          string      `json:"actor,omitempty"`
	KeyID          string      `json:"key_id,omitempty"`
	OrganizationID string      `json:"organization_id,omitempty"`
	Environment    Environment `json:"environment,omitempty"`
	RequestID      string      `json:"request_id,omitempty"`
	Traceparent    string      `json:"traceparent,omitempty"`
	// Address is where a person was who asked for access or changed it, ciphertext of the
	// person's own key. Reason is why, where somebody has said so.
	Address string `json:"address,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Recorded is an event as the log holds it.
type Recorded struct {
	ID       uuid.UUID
	Stream   string
	Revision uint64
	// Position is the commit position in the whole log; it only grows.
	Position uint64
	Time     time.Time
	Event    Event
	Meta     Meta
}

// Envelope is a command on its way to a stream. ID makes it idempotent: the
// ids of the events it yields are derived from it.
type Envelope struct {
	ID      uuid.UUID
	Stream  string
	Command any
	Meta    Meta
}

// CausedBy is the metadata of what follows from an event: same correlation,
// organization and environment; the event as its cause; the process as actor.
func CausedBy(e Recorded, actor string) Meta {
	m := e.Meta
	m.CausationID = e.ID.String()
	m.Actor = actor
	m.KeyID, m.RequestID = "", ""
	return m
}

// Time is a moment as events and answers write it: UTC, milliseconds, "Z".
type Time struct{ time.Time }

// TimeFormat is the layout of every timestamp in events and answers.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// At makes a Time of t, cut to milliseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON writes the time in TimeFormat.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(TimeFormat) + `"`), nil
}

// String writes the time in TimeFormat.
func (t Time) String() string { return t.UTC().Format(TimeFormat) }
