// Package accounts is the read model of organizations and their API keys.
package accounts

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps organizations and keys.
var Projection = projections.Projection{
	Name: "accounts", Version: version, Schema: schema,
	Prefixes: []string{account.StreamPrefix},
	Apply:    apply,
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	var batch pgx.Batch
	for _, e := range events {
		switch e := e.Event.(type) {
		case account.OrganizationCreated:
			batch.Queue(`INSERT INTO organizations VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				e.OrganizationID, e.Name, string(e.Plan))
		case account.KeyCreated:
			batch.Queue(`INSERT INTO keys VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
				e.Hash, e.KeyID, e.OrganizationID, string(e.Environment), e.Scopes)
		case account.UserAdded:
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// Key is an API key with what its organization's plan allows.
type Key struct {
	ID             string
	OrganizationID string
	Environment    domain.Environment
	Scopes         []string
	Plan           account.Plan
}

var (
	keys          = projections.PostgresSchema("accounts", version) + ".keys"
	organizations = projections.PostgresSchema("accounts", version) + ".organizations"
)

// FindKey reads the key with this hash.
func FindKey(ctx context.Context, q projections.Querier, hash string) (Key, error) {
	var k Key
	err := q.QueryRow(ctx, `SELECT k.id, k.organization_id, k.environment, k.scopes, o.plan
		FROM `+keys+` k JOIN `+organizations+` o ON o.id = k.organization_id WHERE k.hash = $1`, hash).
		Scan(&k.ID, &k.OrganizationID, (*string)(&k.Environment), &k.Scopes, (*string)(&k.Plan))
	if errors.Is(err, pgx.ErrNoRows) {
		return k, projections.NotFound("key")
	}
	return k, err
}
