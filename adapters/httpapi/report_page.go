package httpapi

import (
	"bytes"
	"context"
	_ "embed" // the report's page
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/domain"
	"understudy/domain/report"
	"understudy/domain/stats"
	"understudy/projections/reports"
	"understudy/projections/tests"
)

//go:embed report.html
var reportHTML string

var reportTemplate = pageTemplate("report", reportHTML)

// fileCSP is the policy of a report as a file: it has everything in it.
const fileCSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

// reportView is what the page of a report shows.
type reportView struct {
	Report reports.Document
	Test   tests.Document
	Scores []scoreRow
	// Success is the interval of the share of sessions that succeeded.
	Success report.Interval
	Issues  []issueView
	// Severe counts the issues of severity 3 and 4.
	Severe     int
	Highlights []momentView
	// File: the page is a file that stands alone. Unfolded: it is for paper.
	File, Unfolded bool
}

// scoreRow is a line of the table of scores.
type scoreRow struct {
	Criterion string
	Score     *float64
	// Reason is why there is no score, "" where that is not known.
	Reason   string
	Interval *report.Interval
	Spread   *report.Distribution
	Margin   *report.Margin
	Formula  string
}

// issueView is an issue with its evidence illustrated.
type issueView struct {
	reports.Issue
	Moments []momentView
}

// momentView is a step of a session on a report's page.
type momentView struct {
	Quote      string
	Step       int
	SessionURL string
	// Picture is what is shown, "" for none; Full what a click on it opens.
	Picture template.URL
	Full    string
	Framed  bool
	// Kind, Tone and Why are a highlight's.
	Kind, Tone, Why string
}

// pictures finds what is shown of a screenshot: its address, or its bytes.
type pictures func(address string) template.URL

// reportPage shows a report to people. The token in report_url gives access to
// this page and the sessions it names; a bearer key with reports:read works too.
func (a *api) reportPage(c echo.Context) error {
	call := callOf(c)
	until, err := a.admit(c, forReport, "reports:read")
	if err != nil {
		return err
	}
	doc, err := find(c, a.Reads.Report, domain.PrefixReport, c.Param("id"))
	if err != nil {
		return err
	}
	r, err := a.readReport(c, doc, a.shownReport(call.principal, a.Now(), until))
	if err != nil {
		return err
	}
	view := viewOf(r, func(address string) template.URL { return template.URL(address) }) // an address of this service
	return a.sendPage(c, reportTemplate, view)
}

// reportFile is a report's page as a file that needs nothing else.
func (a *api) reportFile(ctx context.Context, r reportOf, unfolded bool) ([]byte, error) {
	found, err := a.embedded(ctx, r)
	if err != nil {
		return nil, err
	}
	view := viewOf(r, func(address string) template.URL {
		e := found[address]
		if e == nil || e.places == 0 {
			return ""
		}
		e.places--
		return e.url
	})
	view.File, view.Unfolded = true, unfolded
	var page bytes.Buffer
	if err := reportTemplate.Execute(&page, view); err != nil {
		return nil, fmt.Errorf("page of report %s: %w", r.Report.ID, err)
	}
	return page.Bytes(), nil
}

func viewOf(r reportOf, picture pictures) reportView {
	v := reportView{Report: r.Report, Test: r.Test, Scores: scoreRows(r.Report)}
	v.Success.Low, v.Success.High = stats.Wilson(r.Report.Sessions.Succeeded, r.Report.Sessions.Completed, stats.Z95)
	for _, issue := range r.Report.Issues {
		shown := issueView{Issue: issue}
		for _, e := range issue.Evidence {
			shown.Moments = append(shown.Moments, momentView{
				Quote: e.Quote, Step: e.Step, SessionURL: e.SessionURL, Framed: e.ViewportWidth > 0,
				Picture: picture(e.ScreenshotURL), Full: e.ScreenshotURL,
			})
		}
		v.Issues = append(v.Issues, shown)
		if issue.Severity >= severe {
			v.Severe++
		}
	}
	for _, h := range r.Report.Highlights {
		v.Highlights = append(v.Highlights, momentView{
			Quote: h.Quote, Step: h.Step, SessionURL: h.SessionURL, Kind: momentWords(h), Tone: h.Tone, Why: h.Why,
			Picture: picture(h.ScreenshotURL), Full: h.ScreenshotURL,
		})
	}
	return v
}

// severe is the severity from which on an issue fails a build.
const severe = 3

// overall is the name under which the mean of the criteria stands.
const overall = "overall"

// scoreRows has overall first, then the criteria in the order of their names,
// those without evidence among them.
func scoreRows(r reports.Document) []scoreRow {
	scores := map[string]*float64{}
	for _, criterion := range r.WithoutEvidence {
		scores[criterion] = nil
	}
	for criterion, score := range r.AggregateScores {
		scores[criterion] = &score
	}
	rows := make([]scoreRow, 0, len(scores))
	for criterion, score := range scores {
		row := scoreRow{Criterion: criterion, Score: score, Reason: r.Reasons[criterion], Formula: r.Formulas[criterion]}
		if interval, ok := r.Intervals[criterion]; ok {
			row.Interval = &interval
		}
		if spread, ok := r.Distributions[criterion]; ok && len(spread.Histogram) > 0 {
			row.Spread = &spread
		}
		if i := slices.IndexFunc(r.QualityGate.Margins, func(m report.Margin) bool { return m.Criterion == criterion }); i >= 0 {
			row.Margin = &r.QualityGate.Margins[i]
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b scoreRow) int {
		if (a.Criterion == overall) != (b.Criterion == overall) {
			if a.Criterion == overall {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Criterion, b.Criterion)
	})
	return rows
}

// column is one bar of a histogram, in percent of the chart's height.
type column struct {
	X       int
	Y, Tall float64
}

// columns are the bars of a histogram, the tallest as high as the chart.
func columns(counts []int) []column {
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	out := make([]column, len(counts))
	for i, n := range counts {
		tall := 100 * float64(n) / float64(most)
		if n > 0 {
			tall = max(tall, 6) // one of 10,000 is still to be seen
		}
		out[i] = column{X: 10 * i, Y: 100 - tall, Tall: tall}
	}
	return out
}

// atWidth is how far to the right the mark of an estimate may begin, so that
// all of it is seen at 100 %.
const atWidth = 98.4

// gauge is an interval with its estimate as a drawing of 100 units' width.
// Fill is the estimate itself.
type gauge struct{ Fill, At, Low, Wide float64 }

func gaugeOf(at, low, high float64) gauge {
	low = min(low, 0.995)
	return gauge{Fill: 100 * at, At: atWidth * at, Low: 100 * low, Wide: max(0.5, 100*(high-low))}
}

// noPictures is for forms that show none.
func noPictures(string) template.URL { return "" }
