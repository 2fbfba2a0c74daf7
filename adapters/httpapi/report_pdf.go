package httpapi

import (
	"context"
	"fmt"
	"time"

	"understudy/domain"
)

// printTimeout bounds the printing of a report. It leaves time for the rest of
// the request.
const printTimeout = 12 * time.Second

// reportPDF is a report on paper: its page, printed.
func (a *api) reportPDF(ctx context.Context, r reportOf) ([]byte, error) {
	if a.Printer == nil {
		return nil, &problem{
			code: domain.CodeUnavailable, retryAfter: retryUnavailable,
			detail: "this process has no browser to print with; take the report as text/html, or ask a process that has one",
		}
	}
	page, err := a.reportFile(ctx, r, true)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, printTimeout)
	defer cancel()
	pdf, err := a.Printer.PDF(ctx, page)
	if err != nil {
		return nil, fmt.Errorf("print report %s: %w", r.Report.ID, err)
	}
	return pdf, nil
}
