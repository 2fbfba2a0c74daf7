package comparison_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/domaintest"
)

var created = comparison.Created{
	ComparisonID: "cmp_1", OrganizationID: "org_1", Environment: domain.Live, Task: task,
	A: comparison.Side{TestID: "test_1", URL: "https://a.example/"}, B: comparison.Side{TestID: "test_2", URL: "https://b.example/", Started: true},
	Criteria: []string{"task_completion"},
}

func TestAComparisonEndsOnce(t *testing.T) {
	t.Parallel()
	result := json.RawMessage(`{"winner":"a"}`)
	domaintest.For(t, comparison.Decider).
		When(comparison.Complete{Result: result}).ThenRefused(domain.CodeNotFound).
		When(comparison.Create{Comparison: created}).Then(created).
		When(comparison.Create{Comparison: created}).Then().
		When(comparison.Complete{Result: result}).Then(comparison.Completed{Result: result}).
		When(comparison.Complete{Result: result}).Then().
		When(comparison.Fail{Code: comparison.TestFailed}).Then()
	domaintest.For(t, comparison.Decider).Given(created).
		When(comparison.Fail{Code: comparison.TestCancelled, Message: "gone"}).Then(comparison.Failed{Code: comparison.TestCancelled, Message: "gone"}).
		When(comparison.Complete{Result: result}).Then()
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, comparison.Decider, rapid.SampledFrom([]comparison.Command{
		comparison.Create{Comparison: created}, comparison.Complete{Result: json.RawMessage(`{}`)}, comparison.Fail{Code: comparison.TestFailed},
	}))
	domaintest.Total(t, comparison.Decider, comparison.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, comparison.Catalogue)
}
