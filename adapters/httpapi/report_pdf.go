package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// printTimeout bounds a request for paper. One report is printed at a time, by
// a browser that may have to start and share its cores with walking ones: who
// gave up after requestTimeout would begin at the end of the queue again.
const printTimeout = time.Minute

// wantsPaper reports whether a request's answer has to be printed.
func wantsPaper(r *http.Request) bool {
	format, accept := r.URL.Query().Get("format"), strings.Join(r.Header.Values(echo.HeaderAccept), ",")
	if format != "pdf" && !strings.Contains(accept, "pdf") {
		return false
	}
	form, _ := formOf(format, accept)
	return form.name == "pdf"
}

// reportPDF is a report on paper: its page, printed.
func (a *api) reportPDF(ctx context.Context, r reportOf) ([]byte, error) {
	if a.Printer == nil {
		return nil, &problem{
			code: domain.CodeUnavailable, retryAfter: domain.RetryUnavailable,
			detail: "this process has no browser to print with; take the report as text/html, or ask a process that has one",
		}
	}
	page, err := a.reportFile(ctx, r, true)
	if err != nil {
		return nil, err
	}
	pdf, err := a.Printer.PDF(ctx, page)
	if err != nil {
		return nil, fmt.Errorf("print report %s: %w", r.Report.ID, err)
	}
	return pdf, nil
}
