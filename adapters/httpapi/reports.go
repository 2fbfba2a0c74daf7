package httpapi

import (
	"bytes"
	_ "embed" // the report page
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
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

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) },
	"words":   func(name string) string { return strings.ReplaceAll(name, "_", " ") },
	"host":    func(address string) string { _, rest, _ := strings.Cut(address, "://"); return strings.TrimSuffix(rest, "/") },
}).Parse(reportHTML))

// scoreRow is a line of the page's table of scores.
type scoreRow struct {
	Criterion string
	Score     *float64
	Low, High float64
	HasRange  bool
	Formula   string
}

// reportPage shows a report to people. The token in report_url gives access to
// this page alone; a bearer key with reports:read works too.
func (a *api) reportPage(c echo.Context) error {
	id, call := c.Param("id"), callOf(c)
	var err error
	if token := c.QueryParam("token"); token != "" {
		expires := c.QueryParam("expires")
		if call.principal, err = a.signer.bearerOf(forReport, id+" "+expires, token); err != nil {
			return refuse(domain.CodeForbidden, "this token is not one of this report; take its report_url")
		}
		if until, err := strconv.ParseInt(expires, 10, 64); err != nil || a.Now().Unix() >= until {
			return refuse(domain.CodeForbidden, "this address has expired; take the report_url anew")
		}
	} else {
		if call.principal, err = a.bearer(c.Request().Context(), c.Request().Header.Get(echo.HeaderAuthorization)); err != nil {
			return err
		}
		if scopes := call.principal.Scopes; !slices.Contains(scopes, "reports:read") && !slices.Contains(scopes, scopeAdmin) {
			return refuse(domain.CodeForbidden, "this needs a key with the scope reports:read")
		}
	}
	doc, err := find(c, a.Reports, domain.PrefixReport, id)
	if err != nil {
		return err
	}
	body, err := decorate(doc.JSON, a.reportFields(call.principal, a.Now()))
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
	var page bytes.Buffer
	err = reportTemplate.Execute(&page, map[string]any{"Report": report, "Test": test, "Scores": scoreRows(report)})
	if err != nil {
		return fmt.Errorf("report page %s: %w", id, err)
	}
	h := c.Response().Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' "+a.links.origin()+"; frame-ancestors 'none'")
	h.Set("Cache-Control", "private, no-cache")
	return c.HTMLBlob(http.StatusOK, page.Bytes())
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
