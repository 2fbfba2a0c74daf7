// Package webhooks is the read model of webhook endpoints, now and as of any
// position of the log.
package webhooks

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps the endpoints.
var Projection = projections.Projection{
	Name: "webhooks", Version: version, Schema: schema,
	// Tests' events change nothing here; following them keeps the position
	// beside theirs, so that a fan-out can wait for the endpoints of its time.
	Prefixes: []string{webhook.StreamPrefix, testrun.StreamPrefix},
	Apply:    apply,
}

// Document is an endpoint as the API shows it, never with its secret.
type Document struct {
	ID                  string         `json:"id"`
	URL                 string         `json:"url"`
	Events              []string       `json:"events"`
	Status              webhook.Status `json:"status"`
	CreatedAt           domain.Time    `json:"created_at"`
	ConsecutiveFailures int            `json:"consecutive_failures"`
	DisabledAt          *domain.Time   `json:"disabled_at"`
}

// Row is an endpoint with what lists filter by.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	Doc            Document
}

// Fold is the endpoint after one more event of its stream.
func Fold(r Row, e domain.Recorded) Row {
	d := &r.Doc
	switch e := e.Event.(type) {
	case webhook.Registered:
		events := e.Events
		if len(events) == 0 {
			events = webhook.Names
		}
		return Row{
			OrganizationID: e.OrganizationID, Environment: e.Environment,
			Doc: Document{ID: e.WebhookID, URL: e.URL, Events: events, Status: webhook.Enabled, CreatedAt: e.At},
		}
	case webhook.FailureCounted:
		d.ConsecutiveFailures = e.Consecutive
	case webhook.Recovered:
		d.ConsecutiveFailures = 0
	case webhook.Disabled:
		at := e.At
		d.Status, d.DisabledAt = webhook.StatusDisabled, &at
	case webhook.Deleted:
		d.Status = webhook.StatusDeleted
	}
	return r
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	if err := table.Apply(ctx, tx, events); err != nil {
		return err
	}
	var batch pgx.Batch
	for _, e := range events {
		id := projections.StreamID(e)
		status := webhook.Status("")
		switch event := e.Event.(type) {
		case webhook.Registered:
			subscribed := event.Events
			if len(subscribed) == 0 {
				subscribed = webhook.Names
			}
			batch.Queue(`INSERT INTO states VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
				id, int64(e.Position), event.OrganizationID, string(event.Environment), string(webhook.Enabled), subscribed)
		case webhook.Disabled:
			status = webhook.StatusDisabled
		case webhook.Deleted:
			status = webhook.StatusDeleted
		}
		if status != "" {
			batch.Queue(`INSERT INTO states
				SELECT id, $2, organization_id, environment, $3, ARRAY(SELECT json_array_elements_text(doc->'events'))
				FROM webhooks WHERE id = $1 ON CONFLICT DO NOTHING`, id, int64(e.Position), string(status))
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}

var table = projections.Table[Row]{
	Name:    "webhooks",
	Columns: []string{"organization_id", "environment", "status", "doc"},
	ID:      streamID,
	Fold:    Fold,
	Values: func(r Row) ([]any, error) {
		doc, err := projections.JSON(r.Doc)
		return []any{r.OrganizationID, string(r.Environment), string(r.Doc.Status), doc}, err
	},
	Scan: func(scan func(...any) error) (r Row, err error) {
		var status string
		var doc []byte
		if err = scan(&r.OrganizationID, (*string)(&r.Environment), &status, &doc); err == nil {
			err = json.Unmarshal(doc, &r.Doc)
		}
		return r, err
	},
}

// streamID is the row of an event: none for what another stream tells.
func streamID(e domain.Recorded) string {
	if _, ours := e.Event.(webhook.Event); !ours {
		return ""
	}
	return projections.StreamID(e)
}
