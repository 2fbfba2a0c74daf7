// Package deliveries is the read model of webhook deliveries with their
// attempts.
package deliveries

import (
	_ "embed"
	"encoding/json"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 3

// Projection keeps the deliveries.
var Projection = projections.Projection{
	Name: "deliveries", Version: version, Schema: schema,
	// Endpoints' events change nothing here; following them keeps the position
	// beside theirs, so that a replay can wait for the deliveries of its time.
	Prefixes: []string{delivery.StreamPrefix, webhook.StreamPrefix},
	Apply:    table.Apply,
}

// Document is a delivery as the API shows it.
type Document struct {
	ID            string          `json:"id"`
	WebhookID     string          `json:"webhook_id"`
	TestID        string          `json:"test_id"`
	Event         string          `json:"event"`
	Status        delivery.Status `json:"status"`
	MessageID     string          `json:"message_id"`
	ReplayOf      *string         `json:"replay_of"`
	CreatedAt     domain.Time     `json:"created_at"`
	NextAttemptAt *domain.Time    `json:"next_attempt_at"`
	CompletedAt   *domain.Time    `json:"completed_at"`
	SkipReason    *string         `json:"skip_reason"`
	Attempts      []Attempt       `json:"attempts"`
	Payload       json.RawMessage `json:"payload"`
}

// Attempt is one attempt as the API shows it.
type Attempt struct {
	Attempt    int         `json:"attempt"`
	At         domain.Time `json:"at"`
	StatusCode *int        `json:"status_code"`
	Error      *string     `json:"error"`
	LatencyMS  int64       `json:"latency_ms"`
	Response   string      `json:"response"`
}

// Row is a delivery with what lists filter by.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	// Scheduled is the position of the event that made it.
	Scheduled uint64
	Doc       Document
}

// Fold is the delivery after one more event of its stream.
func Fold(r Row, recorded domain.Recorded) Row {
	d := &r.Doc
	switch e := recorded.Event.(type) {
	case delivery.Scheduled:
		due := e.At
		var source *string
		if e.ReplayOf != "" {
			source = &e.ReplayOf
		}
		return Row{
			OrganizationID: e.OrganizationID, Environment: e.Environment, Scheduled: recorded.Position,
			Doc: Document{
				MessageID: e.Message(), ReplayOf: source,
				ID: e.DeliveryID, WebhookID: e.WebhookID, TestID: e.TestID, Event: e.EventName,
				Status: delivery.Pending, CreatedAt: e.At, NextAttemptAt: &due,
				Attempts: []Attempt{}, Payload: json.RawMessage(e.Body),
			},
		}
	case delivery.Attempted:
		a := Attempt{Attempt: e.Attempt, At: e.At, LatencyMS: e.LatencyMS, Response: e.Response}
		if e.StatusCode != 0 {
			a.StatusCode = &e.StatusCode
		}
		if e.Error != "" {
			a.Error = &e.Error
		}
		d.Attempts = append(d.Attempts[:len(d.Attempts):len(d.Attempts)], a)
		d.NextAttemptAt = e.NextDueAt
	case delivery.Delivered:
		d.end(delivery.StatusDelivered, e.At)
	case delivery.Abandoned:
		d.end(delivery.StatusAbandoned, e.At)
	case delivery.Skipped:
		d.SkipReason = &e.Reason
		d.end(delivery.StatusSkipped, e.At)
	}
	return r
}

func (d *Document) end(status delivery.Status, at domain.Time) {
	d.Status, d.CompletedAt, d.NextAttemptAt = status, &at, nil
}

var table = projections.Table[Row]{
	Name: "deliveries",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Derived("webhook_id", func(r *Row) any { return r.Doc.WebhookID }),
		projections.Derived("status", func(r *Row) any { return r.Doc.Status }),
		projections.Derived("event", func(r *Row) any { return r.Doc.Event }),
		projections.Derived("test_id", func(r *Row) any { return r.Doc.TestID }),
		projections.Derived("message_id", func(r *Row) any { return r.Doc.MessageID }),
		projections.Derived("created_at", func(r *Row) any { return r.Doc.CreatedAt.Time }),
		projections.Kept("scheduled", func(r *Row) *uint64 { return &r.Scheduled }),
		projections.KeptJSON("doc", func(r *Row) *Document { return &r.Doc }),
	},
	ID:   streamID,
	Fold: Fold,
}

// streamID is the row of an event: none for what another stream tells.
func streamID(e domain.Recorded) string {
	if _, ours := e.Event.(delivery.Event); !ours {
		return ""
	}
	return projections.StreamID(e)
}
