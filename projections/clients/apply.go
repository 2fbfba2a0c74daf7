// Package clients is the read model of OAuth clients.
package clients

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/oauthclient"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps the clients.
var Projection = projections.Projection{
	Name: "clients", Version: version, Schema: schema,
	Prefixes: []string{oauthclient.StreamPrefix},
	Apply:    apply,
}

// Client is a client as it is now. Its secrets are not here: who authenticates one
// folds its stream.
type Client struct {
	ID             string       `json:"id"`
	OrganizationID string       `json:"organization_id"`
	Name           string       `json:"name"`
	RedirectURIs   []string     `json:"redirect_uris"`
	Confidential   bool         `json:"confidential"`
	SecretLastFour string       `json:"secret_last_four,omitempty"`
	PreviousUntil  *domain.Time `json:"previous_until,omitempty"`
	CreatedBy      string       `json:"created_by"`
	CreatedAt      domain.Time  `json:"created_at"`
	Deleted        bool         `json:"deleted,omitempty"`
}

// Fold is the client after one more event of its stream.
func Fold(c Client, e domain.Recorded) Client {
	switch e := e.Event.(type) {
	case oauthclient.Registered:
		return Client{
			ID: e.ClientID, OrganizationID: e.OrganizationID, Name: e.Name, RedirectURIs: e.RedirectURIs,
			Confidential: e.SecretHash != "", SecretLastFour: e.SecretLastFour, CreatedBy: e.CreatedBy, CreatedAt: e.At,
		}
	case oauthclient.Changed:
		c.Name, c.RedirectURIs = e.Name, e.RedirectURIs
	case oauthclient.SecretRotated:
		until := e.PreviousUntil
		c.SecretLastFour, c.PreviousUntil = e.SecretLastFour, &until
	case oauthclient.Deleted:
		c.Deleted = true
	}
	return c
}

var table = projections.Table[Client]{
	Name: "clients",
	Columns: []projections.Column[Client]{
		projections.Derived("organization_id", func(c *Client) any { return c.OrganizationID }),
		projections.Derived("deleted", func(c *Client) any { return c.Deleted }),
		projections.KeptJSON("doc", func(c *Client) *Client { return c }),
	},
	ID:   projections.StreamID,
	Fold: Fold,
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	return table.Apply(ctx, tx, events)
}
