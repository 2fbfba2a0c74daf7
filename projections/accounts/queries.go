package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"understudy/domain/gate"
	"understudy/projections"
)

var organizations = projections.PostgresSchema("accounts", version) + ".organizations"

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

// Read is an organization's document.
func Read(ctx context.Context, q projections.Querier, organizationID string) (Document, error) {
	var d Document
	stored, err := Get(ctx, q, organizationID)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(stored.JSON, &d); err != nil {
		return d, fmt.Errorf("organization %s: %w", organizationID, err)
	}
	return d, nil
}

// Rule is what an organization demands of tests that say nothing else.
func Rule(ctx context.Context, q projections.Querier, organizationID string) (gate.Rule, error) {
	d, err := Read(ctx, q, organizationID)
	if err != nil {
		return gate.Rule{}, err
	}
	return gate.Rule{Threshold: &d.QualityGate.Threshold, Criteria: d.QualityGate.Criteria}, nil
}
