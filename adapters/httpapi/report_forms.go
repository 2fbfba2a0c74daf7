package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
	"understudy/projections/reports"
	"understudy/projections/tests"
)

// reportForm is a form that a report can be had in.
type reportForm struct {
	// name is the value of ?format.
	name string
	// takes are the media types that it is asked for by, in the order of liking.
	takes []string
	// contentType is what it is sent as, "" for the media type asked for.
	contentType string
	extension   string
	// write makes it; nil: the JSON document itself.
	write func(a *api, ctx context.Context, r reportOf) ([]byte, error)
}

// reportForms in the order in which they are sent to who takes several alike.
var reportForms = []reportForm{
	{name: "json", takes: []string{echo.MIMEApplicationJSON}},
	{
		name: "markdown", takes: []string{"text/markdown"}, contentType: "text/markdown; charset=utf-8", extension: ".md",
		write: func(_ *api, _ context.Context, r reportOf) ([]byte, error) { return markdownOf(r) },
	},
	{
		name: "html", takes: []string{echo.MIMETextHTML}, contentType: echo.MIMETextHTMLCharsetUTF8, extension: ".html",
		write: func(a *api, ctx context.Context, r reportOf) ([]byte, error) { return a.reportFile(ctx, r, false) },
	},
	{name: "pdf", takes: []string{"application/pdf"}, contentType: "application/pdf", extension: ".pdf", write: (*api).reportPDF},
	{
		name: "junit", takes: []string{"application/junit+xml", echo.MIMEApplicationXML}, extension: ".xml",
		write: func(_ *api, _ context.Context, r reportOf) ([]byte, error) { return junitOf(r) },
	},
}

// reportOf is a report with the test that it is about, as one caller may read them.
type reportOf struct {
	Report    reports.Document
	Test      tests.Document
	principal service.Principal
}

// formOf is the form asked for: by name, else the one that an Accept header
// wants most; media is how it was called. checkAccept has made sure that there
// is one.
func formOf(format, accept string) (form reportForm, media string) {
	best := 0.0
	form, media = reportForms[0], echo.MIMEApplicationJSON
	for _, f := range reportForms {
		if f.name == format {
			return f, f.takes[0]
		}
		for _, m := range f.takes {
			if w := weightOf(accept, m); format == "" && w > best {
				best, form, media = w, f, m
			}
		}
	}
	return form, media
}

// sendReport answers with a report in the form that is asked for. The addresses of
// pages in it open until then, in Unix seconds.
func (a *api) sendReport(c echo.Context, id, format string, until int64) error {
	doc, err := find(c, a.Reads.Report, domain.PrefixReport, id)
	if err != nil {
		return err
	}
	call, now, request := callOf(c), a.Now(), c.Request()
	form, media := formOf(format, strings.Join(request.Header.Values(echo.HeaderAccept), ","))
	as := a.shownReport(call.principal, now, until)
	if form.write == nil {
		return sendDocument(c, dailyRevision(doc.Revision, now), doc, with(as))
	}
	h := c.Response().Header()
	etag := fmt.Sprintf(`"%d-%d-%s"`, doc.Revision, dayOf(now), form.name)
	h.Set("ETag", "W/"+etag) // a PDF tells when it was printed
	h.Set("Cache-Control", "private, no-cache")
	if matches(request.Header.Get("If-None-Match"), etag) {
		return c.NoContent(http.StatusNotModified)
	}
	report, err := a.readReport(c, doc, as)
	if err != nil {
		return err
	}
	body, err := form.write(a, request.Context(), report)
	if err != nil {
		return err
	}
	h.Set("Content-Disposition", `inline; filename="`+id+form.extension+`"`)
	if form.name == "html" {
		h.Set("Content-Security-Policy", filePolicy+"; frame-ancestors 'none'")
	}
	if form.contentType != "" {
		media = form.contentType
	}
	return c.Blob(http.StatusOK, media, body)
}

// readReport reads a stored report with the addresses that as makes, and its
// test.
func (a *api) readReport(c echo.Context, doc projections.Document[reports.Document], as func(reports.Document) reports.Document) (r reportOf, err error) {
	stored, err := doc.Decode()
	if err != nil {
		return r, err
	}
	r.Report = as(stored)
	r.principal = callOf(c).principal
	r.Test, err = a.stateOf(c, r.Report.TestID)
	return r, err
}
