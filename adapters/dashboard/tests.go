package dashboard

import (
	"context"
	"net/http"

	"understudy/adapters/service"
	"understudy/projections/tests"
)

// Tests is the use cases of tests.
type Tests interface {
	Tests(ctx context.Context, p service.Principal, q service.Query) (service.Page[tests.Document], error)
}

// testRoutes are the pages of tests.
func (d *Dashboard) testRoutes() map[string]signedIn {
	return map[string]signedIn{"GET /tests": d.tests}
}

// testsPage is a part of an organization's tests. Next is where the list goes on, "" at
// its end.
type testsPage struct {
	Tests []tests.Document
	Next  string
}

func (d *Dashboard) tests(w http.ResponseWriter, r *http.Request, who service.Principal) {
	listed, err := d.Tests.Tests(r.Context(), who, service.Query{Limit: shown, After: r.URL.Query().Get("after")})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	all, err := decoded(listed)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "tests", view{Title: "Tests", Who: &who, Data: testsPage{all, listed.Next}})
}
