package report_test

import (
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/report"
)

var generated = report.Generated{
	ReportID: "rep_1", TestID: "test_1", OrganizationID: "org_1", Environment: domain.Live, Document: report.Document{Measures: report.Measures{ID: "rep_1"}},
}

func TestReportsNeverChange(t *testing.T) {
	t.Parallel()
	other := generated
	other.Document.Issues = []report.Issue{{ID: "iss_1"}}
	domaintest.For(t, report.Decider).
		When(report.Generate{Report: generated}).Then(generated).
		When(report.Generate{Report: generated}).Then().
		When(report.Generate{Report: other}).Then()
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, report.Decider, rapid.Just[report.Command](report.Generate{Report: generated}))
	domaintest.Total(t, report.Decider, report.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, report.Catalogue)
}
