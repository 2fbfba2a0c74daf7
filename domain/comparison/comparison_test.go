package comparison_test

import (
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

// create is the command that created is the fact of.
var create = comparison.Create{
	ComparisonID: "cmp_1", OrganizationID: "org_1", Environment: domain.Live,
	A: candidate("test_1", "https://a.example/", false), B: candidate("test_2", "https://b.example/", true),
}

func candidate(id, url string, started bool) comparison.Candidate {
	return comparison.Candidate{Test: comparison.Test{ID: id, URL: url, Task: task, Criteria: []string{"task_completion"}}, Started: started}
}

func TestWhatIsCompared(t *testing.T) {
	t.Parallel()
	with := func(change func(*comparison.Create)) comparison.Create {
		c := create
		change(&c)
		return c
	}
	more := []string{"speed", "task_completion", "trust"}
	same := func(c *comparison.Create) { c.B.ID = c.A.ID }
	chosen := created
	chosen.Criteria = []string{"trust"}
	domaintest.Run(t, comparison.Decider, []domaintest.Case[comparison.Command, comparison.Event]{
		{Name: "all criteria that both have", When: with(func(c *comparison.Create) { c.B.Criteria = more }), Then: []comparison.Event{created}},
		{
			Name: "the criteria that were asked for",
			When: with(func(c *comparison.Create) {
				c.A.Criteria, c.B.Criteria, c.Criteria = more, more, chosen.Criteria
			}),
			Then: []comparison.Event{chosen},
		},
		{Name: "one that only one of them has", When: with(func(c *comparison.Create) { c.B.Criteria, c.Criteria = more, more }), Refused: domain.CodeValidationFailed},
		{Name: "a test with itself", When: with(same), Refused: domain.CodeValidationFailed},
		{Name: "told again, no rule is looked at", Given: []comparison.Event{created}, When: with(same)},
	})
}

func TestAComparisonEndsOnce(t *testing.T) {
	t.Parallel()
	result := comparison.Result{Decision: "A is better."}
	domaintest.For(t, comparison.Decider).
		When(comparison.Complete{Result: result}).ThenRefused(domain.CodeNotFound).
		When(create).Then(created).
		When(create).Then().
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
		create, comparison.Complete{}, comparison.Fail{Code: comparison.TestFailed},
	}))
	domaintest.Total(t, comparison.Decider, comparison.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, comparison.Catalogue)
}
