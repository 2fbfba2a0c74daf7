package testrun_test

import (
	"testing"

	"understudy/domain"
	"understudy/domain/testrun"
)

// FuzzConditions: conditions of success are taken or refused at their field.
func FuzzConditions(f *testing.F) {
	f.Add("/thanks", "Thank you", "main > .ok:not(:nth-child(2n+1 of .x))", "^/api")
	f.Add("(", "", `[a="\`, "[")
	f.Add("a{1000}{1000}", "\x00", ":is(:is(:is(", "")
	f.Fuzz(func(t *testing.T, url, text, selector, request string) {
		c := testrun.Create{Wish: testrun.Wish{
			URL: "https://shop.example/", Task: "buy a lamp", Sessions: 1, Model: "forager-2", Personas: testrun.Personas{Source: "auto-diverse"},
			Criteria: []string{"task_completion"}, Viewports: []string{"desktop"}, MaxSteps: 25,
			Success: &testrun.Success{URLMatches: url, TextVisible: text, SelectorVisible: selector, RequestMade: request},
		}, Models: []string{"forager-2"}}
		if err := c.Check(); err != nil && domain.CodeOf(err) != domain.CodeValidationFailed {
			t.Errorf("%q %q %q %q: %v", url, text, selector, request, err)
		}
	})
}
