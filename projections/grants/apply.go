// Package grants is the read model of what people have allowed OAuth clients, and
// of the access tokens that follow from it.
package grants

import (
	"context"
	_ "embed"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// maxTokens is how many access tokens of one grant count at once, the newest.
const maxTokens = 10

// Projection keeps grants and what clients are called.
var Projection = projections.Projection{
	Name: "grants", Version: version, Schema: schema,
	Prefixes: []string{grant.StreamPrefix, oauthclient.StreamPrefix},
	Apply:    apply,
}

// Status is what has become of a grant.
type Status string

// The statuses of a grant at a time.
const (
	Pending Status = "pending" // its code was not exchanged yet
	Active  Status = "active"
	Expired Status = "expired"
	Revoked Status = "revoked"
)

// Grant is what a person has allowed a client.
type Grant struct {
	ID             string             `json:"id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	UserID         string             `json:"user_id"`
	ClientID       string             `json:"client_id"`
	Scopes         []string           `json:"scopes"`
	CreatedAt      domain.Time        `json:"created_at"`
	EndsAt         domain.Time        `json:"ends_at"`
	CodeExpiresAt  domain.Time        `json:"code_expires_at"`
	RefreshedAt    *domain.Time       `json:"refreshed_at,omitempty"`
	Revoked        bool               `json:"revoked,omitempty"`
	// Reason is why it was revoked.
	Reason string `json:"reason,omitempty"`
	// Tokens are the access tokens that may still count, oldest first.
	Tokens []Token `json:"tokens,omitempty"`
}

// Token is an access token.
type Token struct {
	Hash      string      `json:"hash"`
	Scopes    []string    `json:"scopes"`
	ExpiresAt domain.Time `json:"expires_at"`
}

// StatusAt is what has become of the grant by a time.
func (g Grant) StatusAt(at time.Time) Status {
	switch {
	case g.Revoked:
		return Revoked
	case !at.Before(g.EndsAt.Time), g.RefreshedAt == nil && !at.Before(g.CodeExpiresAt.Time):
		return Expired
	case g.RefreshedAt == nil:
		return Pending
	}
	return Active
}

// Token is the access token with this hash if it counts at a time.
func (g Grant) Token(hash string, at time.Time) (Token, bool) {
	for _, t := range g.Tokens {
		if t.Hash == hash {
			return t, !g.Revoked && at.Before(t.ExpiresAt.Time)
		}
	}
	return Token{}, false
}

// Fold is the grant after one more event of its stream.
func Fold(g Grant, e domain.Recorded) Grant {
	switch e := e.Event.(type) {
	case grant.Issued:
		return Grant{
			ID: e.GrantID, OrganizationID: e.OrganizationID, Environment: e.Environment, UserID: e.UserID, ClientID: e.ClientID,
			Scopes: e.Scopes, CreatedAt: e.At, EndsAt: e.EndsAt, CodeExpiresAt: e.CodeExpiresAt,
		}
	case grant.Redeemed:
		return g.given(e.Tokens, e.At)
	case grant.Refreshed:
		return g.given(e.Tokens, e.At)
	case grant.Revoked:
		g.Revoked, g.Reason, g.Tokens = true, e.Reason, nil
	case grant.ReuseDetected:
	}
	return g
}

// given is the grant with new tokens. The access tokens before count until they
// expire: requests with them may be under way.
func (g Grant) given(t grant.Tokens, at domain.Time) Grant {
	var kept []Token
	for _, before := range g.Tokens {
		if at.Before(before.ExpiresAt.Time) {
			kept = append(kept, before)
		}
	}
	kept = append(kept, Token{Hash: t.AccessHash, Scopes: t.Scopes, ExpiresAt: t.AccessExpiresAt})
	g.Tokens = slices.Clip(kept[max(0, len(kept)-maxTokens):])
	g.RefreshedAt = &at
	return g
}

var table = projections.Table[Grant]{
	Name: "grants",
	Columns: []projections.Column[Grant]{
		projections.Derived("organization_id", func(g *Grant) any { return g.OrganizationID }),
		projections.Derived("environment", func(g *Grant) any { return string(g.Environment) }),
		projections.Derived("user_id", func(g *Grant) any { return g.UserID }),
		projections.Derived("client_id", func(g *Grant) any { return g.ClientID }),
		projections.Derived("revoked", func(g *Grant) any { return g.Revoked }),
		projections.Derived("redeemed", func(g *Grant) any { return g.RefreshedAt != nil }),
		projections.Derived("ends_at", func(g *Grant) any { return g.EndsAt.Time }),
		projections.Derived("code_expires_at", func(g *Grant) any { return g.CodeExpiresAt.Time }),
		projections.KeptJSON("doc", func(g *Grant) *Grant { return g }),
	},
	ID:   streamID,
	Fold: Fold,
}

// streamID is the row of an event: none for what a client's stream tells.
func streamID(e domain.Recorded) string {
	if _, ours := e.Event.(grant.Event); !ours {
		return ""
	}
	return projections.StreamID(e)
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	if err := table.Apply(ctx, tx, events); err != nil {
		return err
	}
	var batch pgx.Batch
	for _, e := range events {
		switch event := e.Event.(type) {
		case oauthclient.Registered:
			batch.Queue(`INSERT INTO clients VALUES ($1, $2, false) ON CONFLICT (id) DO UPDATE SET name = excluded.name`, projections.StreamID(e), event.Name)
		case oauthclient.Changed:
			batch.Queue(`UPDATE clients SET name = $2 WHERE id = $1`, projections.StreamID(e), event.Name)
		case oauthclient.Deleted:
			batch.Queue(`UPDATE clients SET deleted = true WHERE id = $1`, projections.StreamID(e))
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}
