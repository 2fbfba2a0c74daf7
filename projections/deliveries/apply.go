// Package deliveries is the read model of webhook deliveries with their
// attempts.
package deliveries

import (
	_ "embed"
	"encoding/json"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps the deliveries.
var Projection = projections.Projection{
	Name: "deliveries", Version: version, Schema: schema,
	Prefixes: []string{delivery.StreamPrefix},
	Apply:    table.Apply,
}

// Document is a delivery as the API shows it.
type Document struct {
	ID            string          `json:"id"`
	WebhookID     string          `json:"webhook_id"`
	TestID        string          `json:"test_id"`
	Event         string          `json:"event"`
	Status        delivery.Status `json:"status"`
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
	Doc            Document
}

// Fold is the delivery after one more event of its stream.
func Fold(r Row, e domain.Recorded) Row {
	d := &r.Doc
	switch e := e.Event.(type) {
	case delivery.Scheduled:
		due := e.At
		return Row{
			OrganizationID: e.OrganizationID, Environment: e.Environment,
			Doc: Document{
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
	Name:    "deliveries",
	Columns: []string{"organization_id", "environment", "webhook_id", "status", "doc"},
	ID:      projections.StreamID,
	Fold:    Fold,
	Values: func(r Row) ([]any, error) {
		doc, err := projections.JSON(r.Doc)
		return []any{r.OrganizationID, string(r.Environment), r.Doc.WebhookID, string(r.Doc.Status), doc}, err
	},
	Scan: func(scan func(...any) error) (r Row, err error) {
		var webhook, status string
		var doc []byte
		if err = scan(&r.OrganizationID, (*string)(&r.Environment), &webhook, &status, &doc); err == nil {
			err = json.Unmarshal(doc, &r.Doc)
		}
		return r, err
	},
}
