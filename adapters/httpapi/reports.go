package httpapi

import (
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
)

// ListReports lists reports.
func (a *api) ListReports(c echo.Context, params ListReportsParams) error {
	q := service.Query{TestID: params.TestID, CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}
	return list(a, c, a.Reads.Reports, q, params.Limit, params.Cursor, with(a.shownReport(callOf(c).principal, a.Now(), pageExpiry(a.Now()))))
}

// GetReport answers with a report.
func (a *api) GetReport(c echo.Context, id string, params GetReportParams) error {
	return a.sendReport(c, id, string(params.Format), pageExpiry(a.Now()))
}
