package service

import (
	"context"
	"time"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/keys"
	"understudy/projections/tests"
	"understudy/projections/usage"
)

// Quotas holds live sessions for tests, so that all nodes together admit what a plan
// allows and no more.
type Quotas interface {
	// Reserve holds the sessions of tests, by the tests' ids, all of them or none
	// with *account.QuotaExceeded. Once it has answered, they are held whatever
	// becomes of this process. Tests of before are not counted again.
	Reserve(ctx context.Context, organizationID string, q account.Quota, tests map[string]int) error
	// Counted are an organization's sessions of a month.
	Counted(ctx context.Context, organizationID string, month account.Month) (used, reserved int, err error)
}

// ChangePlan puts the caller's organization on another plan. Requests that come to
// this node after it has answered are under the new limits, those to others within a
// second.
func (s *Service) ChangePlan(ctx context.Context, call Call, plan account.Plan) (projections.Document[accounts.Document], error) {
	id := call.Principal.OrganizationID
	readModels := []string{accounts.Projection.Name, keys.Projection.Name}
	var position uint64
	record := func() (uint64, error) {
		result, err := s.Streams.Accounts.HandleSeen(ctx, call.CommandID, account.Stream(id), account.ChangePlan{Plan: plan, Now: now()}, call.about(id).Meta, call.seen)
		position = result.Position
		return position, err
	}
	return answer(ctx, s, readModels, record, func() (projections.Document[accounts.Document], error) {
		if err := s.known(ctx, position); err != nil {
			return projections.Document[accounts.Document]{}, err
		}
		return s.Organization(ctx, call.Principal)
	})
}

// reserve holds the sessions of live tests that are about to be created.
func (s *Service) reserve(ctx context.Context, call Call, create ...testrun.Create) error {
	p := call.Principal
	if p.Environment != domain.Live || len(create) == 0 {
		return nil
	}
	limits, known := s.Plans[p.Plan]
	if !known {
		return domain.Refuse(domain.CodeForbidden, "this credential belongs to no organization with a plan")
	}
	q := account.Quota{Plan: p.Plan, Limit: limits.SessionsPerMonth}
	if q.Limit == 0 {
		return nil
	}
	// A test that then could not be read would hold its sessions for nothing.
	if err := s.Ready.Accepts(tests.Projection.Name, usage.Projection.Name); err != nil {
		return err
	}
	wanted := map[string]int{}
	for _, c := range create {
		wanted[c.TestID] = c.Wish.Sessions
	}
	q.Month = account.MonthOf(create[0].Now.Time)
	return s.Quotas.Reserve(ctx, p.OrganizationID, q, wanted)
}

// Quota tells where the caller's organization stands in this month. The sandbox has
// no quota, and nothing counts there.
func (s *Service) Quota(ctx context.Context, p Principal) (account.Quota, error) {
	q := account.Quota{Plan: p.Plan, Month: account.MonthOf(time.Now())}
	if p.Environment != domain.Live {
		return q, nil
	}
	q.Limit = s.Plans[p.Plan].SessionsPerMonth
	var err error
	q.Used, q.Reserved, err = s.Quotas.Counted(ctx, p.OrganizationID, q.Month)
	return q, err
}

// Usage sums up what tests of the caller's organization and environment have used.
func (s *Service) Usage(ctx context.Context, p Principal, which usage.Query) (Page[usage.Sum], error) {
	sums, more, err := usage.List(ctx, s.Pool, p.owner(), which)
	if err != nil {
		return Page[usage.Sum]{}, err
	}
	var docs []projections.Document[usage.Sum]
	for _, sum := range sums {
		doc, err := projections.Made(sum.Group, sum, 0)
		if err != nil {
			return Page[usage.Sum]{}, err
		}
		docs = append(docs, doc)
	}
	return byID(docs, more, nil)
}
