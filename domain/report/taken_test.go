package report

import (
	"reflect"
	"testing"

	"understudy/domain/domaintest"
	"understudy/domain/findings"
)

// An issue's field that is not taken over would be missing in every report.
func TestIssuesAreTakenWhole(t *testing.T) {
	t.Parallel()
	issue := issueOf(domaintest.Full[findings.Issue]())
	issue.Evidence[0].ScreenshotID = "of the session's step"
	for _, c := range []struct {
		found, taken any
		own          []string // fields that only one of them has
	}{
		{findings.Issue{}, issue, []string{"Score"}}, // only the ranking needs it
		{findings.Evidence{}, issue.Evidence[0], []string{"ScreenshotID"}},
		{findings.Element{}, *issue.Element, nil},
	} {
		names := map[string]int{}
		for _, v := range []any{c.found, c.taken} {
			for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
				names[f.Name]++
			}
		}
		for _, name := range c.own {
			names[name]++
		}
		for name, n := range names {
			if n != 2 {
				t.Errorf("%T and %T: %s is in one of them only", c.found, c.taken, name)
			}
		}
		for i, v := 0, reflect.ValueOf(c.taken); i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Errorf("%T: %s is not taken over", c.taken, v.Type().Field(i).Name)
			}
		}
	}
}
