package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/gate"
	"understudy/domain/testrun"
	"understudy/projections/tests"
)

// Tests is the use cases of tests.
type Tests interface {
	Tests(ctx context.Context, p service.Principal, q service.Query) (service.Page[tests.Document], error)
	TestScores(ctx context.Context, p service.Principal, urls, tasks []string) ([]tests.Score, error)
	OpenTests(ctx context.Context, p service.Principal) (tests.Open, error)
}

// testRoutes are the pages of tests, and of making them.
func (d *Dashboard) testRoutes() map[string]signedIn {
	write := func(next signedIn) signedIn { return d.withScope(access.TestsWrite, next) }
	return map[string]signedIn{
		"GET /tests": d.tests, "POST /tests/example": write(d.example),
		"GET /tests/new": write(d.newTest), "POST /tests/new": write(d.createTest),
		"POST /tests/new/address": write(d.seeAddress), "POST /tests/new/task": write(d.understand), "POST /tests/new/cast": write(d.foresee),
		triesOut: write(d.tryOut),
	}
}

// testsPage is a part of an organization's tests.
type testsPage struct {
	Rows []testRow
	Form url.Values
	// Filtered: only some are asked for.
	Filtered bool
	Open     tests.Open
	// Here is the page's own address, Next where the list goes on, "" at its end.
	Here, Next string
	Try        tryForm
}

// Statuses are those to choose from.
func (testsPage) Statuses() []testrun.Status {
	return []testrun.Status{testrun.Running, testrun.StatusCompleted, testrun.StatusFailed, testrun.StatusCancelled}
}

// Running: something of what is shown has not ended.
func (p testsPage) Running() bool { return slices.ContainsFunc(p.Rows, testRow.Running) }

// testRow is a test, and how those like it came out until then.
type testRow struct {
	tests.Document
	Spark spark
}

// tryForm is the shortest way to a test.
type tryForm struct {
	Draft       string
	Environment domain.Environment
	Form        url.Values
	Faults      map[string]string
}

// Running: the test has not ended.
func (t testRow) Running() bool { return t.Status == testrun.Running }

// Called is what the test is called: its name, or its task.
func (t testRow) Called() string {
	if t.Name != nil {
		return *t.Name
	}
	return t.Task
}

// Overall is the overall score, nil where there is none.
func (t testRow) Overall() *float64 { return t.AggregateScores[gate.Overall] }

// perPage is how many tests a page lists.
const perPage = 25

func (d *Dashboard) tests(w http.ResponseWriter, r *http.Request, who service.Principal) {
	page, err := d.testsPage(r.Context(), who, r.URL.Query())
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v := view{Title: "Tests", Who: &who, Data: page}
	if asked(r) {
		d.part(w, r, "tests", "rows", v)
		return
	}
	d.show(w, r, http.StatusOK, "tests", v)
}

func (d *Dashboard) testsPage(ctx context.Context, who service.Principal, form url.Values) (page testsPage, err error) {
	get := func(name string) string { return strings.ReplaceAll(strings.TrimSpace(form.Get(name)), "\x00", "") }
	q := service.Query{Status: get("status"), Text: get("q"), CreatedAfter: day(get("from")), After: get("after"), Limit: perPage}
	if last := day(get("to")); !last.IsZero() {
		q.CreatedBefore = last.AddDate(0, 0, 1)
	}
	page = testsPage{Form: form, Filtered: q.Status != "" || q.Text != "" || !q.CreatedAfter.IsZero() || !q.CreatedBefore.IsZero()}
	page.Try = tryForm{Draft: newID(domain.PrefixTest), Environment: who.Environment, Form: url.Values{}}
	listed, err := d.Tests.Tests(ctx, who, q)
	if err != nil {
		return page, err
	}
	all, err := decoded(listed)
	if err != nil {
		return page, err
	}
	if page.Rows, err = d.rows(ctx, who, all); err != nil {
		return page, err
	}
	if page.Open, err = d.Tests.OpenTests(ctx, who); err != nil {
		return page, err
	}
	kept := url.Values{}
	for _, name := range []string{"q", "status", "from", "to", "after"} {
		if given := get(name); given != "" {
			kept.Set(name, given)
		}
	}
	page.Here = "/tests?" + kept.Encode()
	if listed.Next != "" {
		kept.Set("after", listed.Next)
		page.Next = "/tests?" + kept.Encode()
	}
	return page, nil
}

// rows are tests with how those of the same address and task came out.
func (d *Dashboard) rows(ctx context.Context, who service.Principal, all []tests.Document) (rows []testRow, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	var urls, tasks []string
	for _, t := range all {
		urls, tasks = append(urls, t.URL), append(tasks, t.Task)
	}
	scores, err := d.Tests.TestScores(ctx, who, urls, tasks)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		rows = append(rows, testRow{t, sparkOf(t, scores)})
	}
	return rows, nil
}
