// Package webhooks is the read model of webhook endpoints, now and as of any
// position of the log.
package webhooks

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 5

// Projection keeps the endpoints.
var Projection = projections.Projection{
	Name: "webhooks", Version: version, Schema: schema,
	Prefixes: []string{webhook.StreamPrefix},
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
	// DisabledReason is Failing or Paused, nil unless it is disabled.
	DisabledReason *string  `json:"disabled_reason"`
	Warning        *Warning `json:"warning"`
	// SecretRotation is the last rotation that was not promoted. It is over once
	// its EndsAt has come; the edge, which knows the time, shows it no longer.
	SecretRotation *Rotation `json:"secret_rotation"`
}

// Why an endpoint is disabled.
const (
	Failing = "failing" // too many deliveries in a row were abandoned
	Paused  = "paused"  // its owner wants it so
)

// Warning is what the owner was told last of failures that still go on.
type Warning struct {
	ConsecutiveFailures int         `json:"consecutive_failures"`
	At                  domain.Time `json:"at"`
	Message             string      `json:"message"`
}

// Rotation is a change of the secret that is under way.
type Rotation struct {
	StartedAt domain.Time `json:"started_at"`
	EndsAt    domain.Time `json:"ends_at"`
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
		return Row{
			OrganizationID: e.OrganizationID, Environment: e.Environment,
			Doc: Document{ID: e.WebhookID, URL: e.URL, Events: subscribed(e.Events), Status: webhook.Enabled, CreatedAt: e.At},
		}
	case webhook.Changed:
		d.URL, d.Events = e.URL, subscribed(e.Events)
	case webhook.FailureCounted:
		d.ConsecutiveFailures = e.Consecutive
	case webhook.Recovered:
		d.ConsecutiveFailures, d.Warning = 0, nil
	case webhook.OwnerWarned:
		d.Warning = &Warning{ConsecutiveFailures: e.Consecutive, At: e.At, Message: warningOf(e.Consecutive)}
	case webhook.Disabled:
		d.disable(Failing, e.At)
	case webhook.Paused:
		d.disable(Paused, e.At)
	case webhook.Reenabled:
		d.Status, d.DisabledAt, d.DisabledReason, d.ConsecutiveFailures, d.Warning = webhook.Enabled, nil, nil, 0, nil
	case webhook.SecretRotated:
		d.SecretRotation = &Rotation{StartedAt: e.At, EndsAt: e.EndsAt}
	case webhook.SecretPromoted:
		d.SecretRotation = nil
	case webhook.Deleted:
		d.Status = webhook.StatusDeleted
	case webhook.ReplayRequested:
	}
	return r
}

func (d *Document) disable(why string, at domain.Time) {
	d.Status, d.DisabledAt, d.DisabledReason = webhook.StatusDisabled, &at, &why
}

// subscribed spells out that no events mean all of them.
func subscribed(events []string) []string {
	if len(events) == 0 {
		return webhook.Names
	}
	return events
}

func warningOf(consecutive int) string {
	if consecutive >= webhook.DisableAfter {
		return fmt.Sprintf("%d deliveries in a row were abandoned, so the webhook is disabled; enable it once the receiver answers again", consecutive)
	}
	return fmt.Sprintf("%d deliveries in a row were abandoned; %d disable the webhook", consecutive, webhook.DisableAfter)
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	if err := table.Apply(ctx, tx, events); err != nil {
		return err
	}
	var batch pgx.Batch
	for _, e := range events {
		var status, events any // nil: as before
		switch event := e.Event.(type) {
		case webhook.Registered:
			batch.Queue(`INSERT INTO states VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
				projections.StreamID(e), int64(e.Position), event.OrganizationID, string(event.Environment), string(webhook.Enabled), subscribed(event.Events))
			continue
		case webhook.Changed:
			events = subscribed(event.Events)
		case webhook.Disabled, webhook.Paused:
			status = string(webhook.StatusDisabled)
		case webhook.Reenabled:
			status = string(webhook.Enabled)
		case webhook.Deleted:
			status = string(webhook.StatusDeleted)
		default:
			continue
		}
		batch.Queue(`INSERT INTO states
			SELECT webhook_id, $2, organization_id, environment, coalesce($3, status), coalesce($4, events)
			FROM states WHERE webhook_id = $1 AND position < $2 ORDER BY position DESC LIMIT 1
			ON CONFLICT DO NOTHING`, projections.StreamID(e), int64(e.Position), status, events)
	}
	return tx.SendBatch(ctx, &batch).Close()
}

var table = projections.Table[Row]{
	Name: "webhooks",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Derived("status", func(r *Row) any { return r.Doc.Status }),
		projections.KeptJSON("doc", func(r *Row) *Document { return &r.Doc }),
	},
	ID:   streamID,
	Fold: Fold,
}

// streamID is the row of an event: none for what another stream tells.
func streamID(e domain.Recorded) string {
	if _, ours := e.Event.(webhook.Event); !ours {
		return ""
	}
	return projections.StreamID(e)
}
