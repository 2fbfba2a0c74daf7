package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/gate"
	"understudy/projections"
)

var (
	keys          = projections.PostgresSchema("accounts", version) + ".keys"
	organizations = projections.PostgresSchema("accounts", version) + ".organizations"
)

// Key is an API key with what its organization's plan allows.
type Key struct {
	ID             string
	OrganizationID string
	Environment    domain.Environment
	Scopes         []string
	Plan           account.Plan
}

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

// Get reads an organization. Both environments see the same one.
func Get(ctx context.Context, q projections.Querier, organizationID string) (projections.Document[Document], error) {
	d := projections.Document[Document]{ID: organizationID}
	var revision int64
	err := q.QueryRow(ctx, `SELECT doc, revision FROM `+organizations+` WHERE id = $1`, organizationID).Scan(&d.JSON, &revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, projections.NotFound(organizationID)
	}
	d.Revision = uint64(revision)
	return d, err
}

// Rule is what an organization demands of tests that say nothing else.
func Rule(ctx context.Context, q projections.Querier, organizationID string) (gate.Rule, error) {
	stored, err := Get(ctx, q, organizationID)
	if err != nil {
		return gate.Rule{}, err
	}
	var d Document
	if err := json.Unmarshal(stored.JSON, &d); err != nil {
		return gate.Rule{}, fmt.Errorf("organization %s: %w", organizationID, err)
	}
	return gate.Rule{Threshold: &d.QualityGate.Threshold, Criteria: d.QualityGate.Criteria}, nil
}
