package dashboard

import (
	"context"
	"net/http"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/projections/comparisons"
	"understudy/projections/tests"
)

// comparisonsPage is a part of an organization's comparisons. Next is where the list goes
// on, "" at its end.
type comparisonsPage struct {
	Comparisons []comparisons.Document
	Next        string
}

func (d *Dashboard) comparisons(w http.ResponseWriter, r *http.Request, who service.Principal) {
	listed, err := d.Results.Comparisons(r.Context(), who, service.Query{Limit: 50, After: r.URL.Query().Get("after")})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	all, err := decoded(listed)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "comparisons", view{Title: "Comparisons", Who: &who, Data: comparisonsPage{all, listed.Next}})
}

// comparePage is what may be compared.
type comparePage struct {
	// A is the test that others are held against, nil before it is chosen.
	A *tests.Document
	// Tests are those to choose from.
	Tests []tests.Document
	Next  string
}

func (d *Dashboard) newComparison(w http.ResponseWriter, r *http.Request, who service.Principal) {
	form := r.URL.Query()
	who, v, err := d.compareView(r.Context(), who, form.Get("a"), form.Get("after"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Who = &who
	d.show(w, r, http.StatusOK, "compare", v)
}

// compareView is what may be held against a test, or, without one, all that may be held
// against others.
func (d *Dashboard) compareView(ctx context.Context, who service.Principal, a, after string) (service.Principal, view, error) {
	page, v := comparePage{}, view{Title: "New comparison"}
	q := service.Query{Limit: 50, After: after, Status: string(testrun.StatusCompleted)}
	if a != "" {
		there, test, err := d.testSeen(ctx, who, a)
		if err != nil {
			return who, v, err
		}
		who, page.A, q.Task = there, &test, test.Task
		q.Status = "" // one that runs is waited for
	}
	listed, err := d.Results.Tests(ctx, who, q)
	if err != nil {
		return who, v, err
	}
	all, err := decoded(listed)
	for _, t := range all {
		if (t.Status == testrun.Running || t.Status == testrun.StatusCompleted) && t.ID != a {
			page.Tests = append(page.Tests, t)
		}
	}
	page.Next, v.Data = listed.Next, page
	return who, v, err
}

func (d *Dashboard) compare(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	there, v, err := d.compareView(r.Context(), who, r.PostFormValue("a"), "")
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), there)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, id, err := d.once(r, call, domain.PrefixComparison)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	_, err = d.Results.CreateComparison(r.Context(), call, id, service.NewComparison{
		Name: strings.TrimSpace(r.PostFormValue("name")), A: service.NewSide{TestID: r.PostFormValue("a")}, B: service.NewSide{TestID: r.PostFormValue("b")},
	})
	if err != nil {
		v.Who = &there
		d.again(w, r, "compare", v, err)
		return
	}
	d.goOn(w, r, "/comparisons/"+id, "")
}
