package service

import (
	"context"

	"understudy/domain/account"
	"understudy/projections"
	"understudy/projections/accounts"
)

// ChangeOrganization changes what the caller's organization is called and demands of
// tests that say nothing else. Tests that are created after it has answered see the change.
func (s *Service) ChangeOrganization(ctx context.Context, call Call, change account.Change) (projections.Document[accounts.Document], error) {
	change.Now = now()
	id := call.Principal.OrganizationID
	return handle(ctx, s, s.Streams.Accounts, call.about(id), account.Stream(id), account.Command(change), []string{accounts.Projection.Name},
		func(account.State) (projections.Document[accounts.Document], error) {
			return s.Organization(ctx, call.Principal)
		})
}
