package service

import (
	"context"

	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/reports"
	"understudy/projections/sessions"
)

// GenerateReport builds another report of a completed test, by criteria or,
// without any, by the test's own.
func (s *Service) GenerateReport(ctx context.Context, call Call, testID, reportID string, criteria []string) (projections.Document[reports.Document], error) {
	if _, err := s.Test(ctx, call.Principal, testID); err != nil {
		return projections.Document[reports.Document]{}, err
	}
	test, err := s.Streams.Tests.Load(ctx, testrun.Stream(testID))
	if err != nil {
		return projections.Document[reports.Document]{}, err
	}
	if test.State.Status != testrun.StatusCompleted {
		return projections.Document[reports.Document]{}, domain.Refuse(domain.CodeWrongState, "the test is %s; only a completed test has sessions to report on", test.State.Status)
	}
	if len(criteria) == 0 {
		criteria = test.State.Test.Criteria
	}
	record := func() (uint64, error) {
		return s.Reporter.Another(ctx, call.CommandID, call.about(testID).Meta, test.State.Test, reportID, criteria, test.Position)
	}
	return answer(ctx, s, []string{reports.Projection.Name, sessions.Projection.Name}, record,
		func() (projections.Document[reports.Document], error) { return s.Report(ctx, call.Principal, reportID) })
}
