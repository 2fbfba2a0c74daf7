package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/httpapi"
	"understudy/domain/account"
	"understudy/projections"
	"understudy/projections/accounts"
)

// organizations reads and changes the settings of organizations.
type organizations struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
}

// Organization reads the caller's organization.
func (o *organizations) Organization(ctx context.Context, p httpapi.Principal) (httpapi.Document, error) {
	d, err := accounts.Get(ctx, o.pool, p.OrganizationID)
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// ChangeQualityGate changes what the organization demands of tests that say
// nothing else. Tests that are created after it has answered see the change.
func (o *organizations) ChangeQualityGate(ctx context.Context, call httpapi.Call, change account.ChangeQualityGate) (httpapi.Document, error) {
	if err := o.ready.accepts(accounts.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	change.Now = now()
	id := call.Principal.OrganizationID
	call.Meta.CorrelationID = id
	result, err := o.streams.accounts.Handle(ctx, call.CommandID, account.Stream(id), change, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := o.positions.WaitOwnWrite(ctx, accounts.Projection.Name, result.Position); err != nil {
		return httpapi.Document{}, err
	}
	return o.Organization(ctx, call.Principal)
}
