package dashboard

import (
	"cmp"
	"context"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/report"
	"understudy/domain/scoring"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/comparisons"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

// Results is the use cases of what comes of tests.
type Results interface {
	Test(ctx context.Context, p service.Principal, id string) (projections.Document[tests.Document], error)
	Tests(ctx context.Context, p service.Principal, q service.Query) (service.Page[tests.Document], error)
	CancelTest(ctx context.Context, call service.Call, testID string) (projections.Document[tests.Document], error)
	Walks(ctx context.Context, p service.Principal, q service.Query) (walks []service.Walk, next string, err error)
	Tally(ctx context.Context, p service.Principal, testID string) ([]sessions.Count, error)
	StreamHead(ctx context.Context) (uint64, error)
	Report(ctx context.Context, p service.Principal, id string) (projections.Document[reports.Document], error)
	Alike(ctx context.Context, p service.Principal, limit int) ([]tests.Alike, error)
	Comparisons(ctx context.Context, p service.Principal, q service.Query) (service.Page[comparisons.Document], error)
	CreateComparison(ctx context.Context, call service.Call, comparisonID string, in service.NewComparison) (projections.Document[comparisons.Document], error)
}

// Links makes the addresses of streams, pictures and reports, each with a capability.
type Links interface {
	StreamURL(organizationID string, env domain.Environment, testID string) string
	ArtifactURL(artifactID string, now time.Time) string
	ReportURL(organizationID string, env domain.Environment, reportID string, now time.Time) string
}

// resultRoutes are the pages of what comes of tests.
func (d *Dashboard) resultRoutes() map[string]signedIn {
	return map[string]signedIn{
		"GET /tests/{id}": d.test, "POST /tests/{id}/cancel": d.withScope(access.TestsWrite, d.cancelTest),
		"GET /comparisons": d.comparisons, "GET /comparisons/new": d.withScope(access.TestsWrite, d.newComparison),
		"POST /comparisons": d.withScope(access.TestsWrite, d.compare), "GET /trend": d.trend,
	}
}

// withScope only lets people through whose role has a scope.
func (d *Dashboard) withScope(scope string, next signedIn) signedIn {
	return func(w http.ResponseWriter, r *http.Request, who service.Principal) {
		if !access.Allows(who.Scopes, scope) {
			d.fail(w, r, domain.Refuse(domain.CodeForbidden, "your role in the organization does not permit this"))
			return
		}
		next(w, r, who)
	}
}

// inEither reads something as somebody, in the environment where they look or, where there
// is nothing of this kind, in the other. It answers with who sees it there.
func inEither[T any](who service.Principal, read func(service.Principal) (T, error)) (service.Principal, T, error) {
	found, err := read(who)
	if domain.CodeOf(err) != domain.CodeNotFound {
		return who, found, err
	}
	there := who
	if there.Environment = domain.Live; who.Environment == domain.Live {
		there.Environment = domain.Sandbox
	}
	if other, otherErr := read(there); domain.CodeOf(otherErr) != domain.CodeNotFound {
		return there, other, otherErr
	}
	return who, found, err
}

// testSeen reads the test that a path names, in either environment.
func (d *Dashboard) testSeen(ctx context.Context, who service.Principal, id string) (service.Principal, tests.Document, error) {
	return inEither(who, func(p service.Principal) (t tests.Document, err error) {
		doc, err := d.Results.Test(ctx, p, id)
		if err != nil {
			return t, err
		}
		return doc.Decode()
	})
}

// testPage is a test as its page shows it.
type testPage struct {
	tests.Document
	// Stream is where what happens is told, "" once nothing more will.
	Stream string
	Scores []scoreLine
	Issues []reports.Issue
	// More is how many issues there are beside these.
	More      int
	Success   *report.Estimate
	ReportURL string
	Expires   time.Time
	Sessions  sessionsPart
	// Reload are the addresses of the parts that are made anew.
	Reload, ReloadSessions string
}

// Running: the test has not ended.
func (p testPage) Running() bool { return p.Status == testrun.Running }

// Heading is what the test is called.
func (p testPage) Heading() string {
	if p.Name != nil {
		return *p.Name
	}
	return p.Task
}

// Again are the query of the tests of the same address and task.
func (p testPage) Again() template.URL { return trendQuery(p.URL, p.Task) }

// trendQuery is the query of the trend of an address and task.
func trendQuery(address, task string) template.URL {
	return template.URL(url.Values{"url": {address}, "task": {task}}.Encode()) // which escapes all
}

// scoreLine is a criterion with its score, nil without evidence.
type scoreLine struct {
	Criterion string
	Score     *float64
	Interval  *report.Interval
	Reason    string
	// Failed: the gate failed by it.
	Failed bool
}

// Bar is the interval as a drawing of 100 units' width.
func (s scoreLine) Bar() (b struct{ At, Low, Wide float64 }) {
	if s.Score != nil {
		b.At = 98.4 * *s.Score
	}
	if s.Interval != nil {
		b.Low = 100 * min(s.Interval.Low, .995)
		b.Wide = max(.5, 100*(s.Interval.High-s.Interval.Low))
	}
	return b
}

const overall = "overall"

// topIssues is how many issues a test's page shows.
const topIssues = 5

func (d *Dashboard) test(w http.ResponseWriter, r *http.Request, who service.Principal) {
	ctx := r.Context()
	head, err := d.Results.StreamHead(ctx)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	who, test, err := d.testSeen(ctx, who, r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page := testPage{Document: test}
	page.Reload, page.ReloadSessions = reload(r.URL, "state"), reload(r.URL, "sessions")
	if page.Running() {
		page.Stream = d.Links.StreamURL(who.OrganizationID, who.Environment, test.ID) + "&after=" + strconv.FormatUint(head, 10)
	}
	v := view{Title: page.Heading(), Who: &who}
	part := r.URL.Query().Get("part")
	if part != "state" {
		if page.Sessions, err = d.sessionsPart(ctx, who, test, r.URL.Query()); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	if part != "sessions" && test.ReportID != nil {
		if err := d.concluded(ctx, who, &page); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	v.Data = page
	if asked(r) && (part == "state" || part == "sessions") {
		d.part(w, r, "test", part, v)
		return
	}
	d.show(w, r, http.StatusOK, "test", v)
}

// reload is the address of a part of a page with what is chosen in it.
func reload(page *url.URL, part string) string {
	query := page.Query()
	query.Set("part", part)
	return page.Path + "?" + query.Encode()
}

// concluded adds what the report of a test says.
func (d *Dashboard) concluded(ctx context.Context, who service.Principal, page *testPage) error {
	doc, err := d.Results.Report(ctx, who, *page.ReportID)
	if err != nil {
		return err
	}
	of, err := doc.Decode()
	if err != nil {
		return err
	}
	now := time.Now()
	page.ReportURL = d.Links.ReportURL(who.OrganizationID, who.Environment, of.ID, now)
	page.Expires = sharedUntil(page.ReportURL)
	page.Success = of.Success
	page.Issues = of.Issues[:min(len(of.Issues), topIssues)]
	page.More = len(of.Issues) - len(page.Issues) + of.IssuesLeftOut
	page.Scores = scoreLines(of)
	return nil
}

// sharedUntil is until when an address opens that says so.
func sharedUntil(address string) time.Time {
	at, err := url.Parse(address)
	if err != nil {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(at.Query().Get("expires"), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// scoreLines are overall, then the criteria in their order.
func scoreLines(of reports.Document) []scoreLine {
	names := []string{overall}
	for _, criterion := range scoring.Criteria {
		if _, known := of.AggregateScores[criterion]; known || slices.Contains(of.WithoutEvidence, criterion) {
			names = append(names, criterion)
		}
	}
	for _, criterion := range slices.Sorted(maps.Keys(of.AggregateScores)) {
		if !slices.Contains(names, criterion) {
			names = append(names, criterion)
		}
	}
	lines := make([]scoreLine, 0, len(names))
	for _, name := range names {
		line := scoreLine{Criterion: name, Score: of.AggregateScores[name], Reason: of.Reasons[name], Failed: slices.Contains(of.QualityGate.FailedCriteria, name)}
		if interval, ok := of.Intervals[name]; ok {
			line.Interval = &interval
		}
		lines = append(lines, line)
	}
	return lines
}

func (d *Dashboard) cancelTest(w http.ResponseWriter, r *http.Request, who service.Principal) {
	who, test, err := d.testSeen(r.Context(), who, r.PathValue("id"))
	if err == nil {
		var call service.Call
		if call, err = d.Team.CallOf(r.Context(), d.visit(r), who); err == nil {
			_, err = d.Results.CancelTest(r.Context(), call, test.ID)
		}
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/tests/"+test.ID, "The test is cancelled. Sessions that were under way end now.")
}

func deref[T any](p *T) (v T) {
	return *cmp.Or(p, &v)
}
