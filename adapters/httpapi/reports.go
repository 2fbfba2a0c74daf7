package httpapi

import (
	_ "embed" // the report page
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// ListReports lists reports.
func (a *api) ListReports(c echo.Context, params ListReportsParams) error {
	return a.list(c, a.Reports, ListQuery{TestID: params.TestID}, params.Limit, params.Cursor, a.reportFields(callOf(c).principal, a.Now()))
}

// GetReport answers with a report.
func (a *api) GetReport(c echo.Context, id string, _ GetReportParams) error {
	return a.sendReport(c, id)
}

func (a *api) sendReport(c echo.Context, id string) error {
	doc, err := find(c, a.Reports, domain.PrefixReport, id)
	if err != nil {
		return err
	}
	now := a.Now()
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, a.reportFields(callOf(c).principal, now))
}

//go:embed report.html
var reportHTML string

var reportTemplate = pageTemplate("report", reportHTML)

// scoreRow is a line of the page's table of scores.
type scoreRow struct {
	Criterion string
	Score     *float64
	Low, High float64
	HasRange  bool
	Formula   string
}

// reportPage shows a report to people. The token in report_url gives access to
// this page and the sessions it names; a bearer key with reports:read works too.
func (a *api) reportPage(c echo.Context) error {
	id, call := c.Param("id"), callOf(c)
	until, err := a.admit(c, forReport, "reports:read")
	if err != nil {
		return err
	}
	doc, err := find(c, a.Reports, domain.PrefixReport, id)
	if err != nil {
		return err
	}
	body, err := decorate(doc.JSON, a.reportFieldsUntil(call.principal, a.Now(), until))
	if err != nil {
		return err
	}
	var report Report
	if err := json.Unmarshal(body, &report); err != nil {
		return fmt.Errorf("report %s: %w", id, err)
	}
	test, err := a.stateOf(c, report.TestID)
	if err != nil {
		return err
	}
	return a.sendPage(c, reportTemplate, map[string]any{"Report": report, "Test": test, "Scores": scoreRows(report)})
}

// scoreRows has overall first, then the criteria in the order of their names,
// those without evidence among them.
func scoreRows(report Report) []scoreRow {
	scores := maps.Clone(report.AggregateScores)
	if scores == nil {
		scores = Scores{}
	}
	for _, criterion := range report.CriteriaWithoutEvidence {
		if _, known := scores[criterion]; !known {
			scores[criterion] = nil
		}
	}
	rows := make([]scoreRow, 0, len(scores))
	for criterion, score := range scores {
		row := scoreRow{Criterion: criterion, Score: score, Formula: report.Formulas[criterion]}
		if interval, ok := report.Intervals[criterion]; ok {
			row.Low, row.High, row.HasRange = interval.Low, interval.High, true
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b scoreRow) int {
		if (a.Criterion == "overall") != (b.Criterion == "overall") {
			if a.Criterion == "overall" {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Criterion, b.Criterion)
	})
	return rows
}
