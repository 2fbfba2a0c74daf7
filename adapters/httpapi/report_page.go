package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

var reportTemplate = pageTemplate("report.html")

// fileStyle is the style of a report as a file, which has everything in it.
var fileStyle = styleText(lookStyle) + styleText(partsStyle)

// filePolicy lets through the file's one style, and nothing else that is not in it.
var filePolicy = func() string {
	sum := sha256.Sum256([]byte(fileStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:"
}()

// styleText is a style by its name.
func styleText(name string) template.CSS {
	text, err := Styles.ReadFile(name)
	if err != nil {
		panic("httpapi: " + err.Error()) // it is embedded
	}
	return template.CSS(text) //nolint:gosec // embedded
}

// reportPage shows a report to people. The token in report_url gives access to
// this page and the sessions it names; a bearer key with reports:read works too. With
// ?format= it is sent in another form.
func (a *api) reportPage(c echo.Context) error {
	until, err := a.admit(c, forReport, "reports:read")
	if err != nil {
		return err
	}
	format := c.QueryParam("format")
	if slices.ContainsFunc(reportForms, func(f reportForm) bool { return f.name == format }) {
		if until == withoutToken {
			until = pageExpiry(a.Now()) // files are passed on
		}
		return a.sendReport(c, c.Param("id"), format, until)
	}
	doc, err := find(c, a.Reads.Report, domain.PrefixReport, c.Param("id"))
	if err != nil {
		return err
	}
	now := a.Now()
	r, err := a.readReport(c, doc, a.shownReport(callOf(c).principal, now, until))
	if err != nil {
		return err
	}
	view := viewOf(r, func(p picture) template.URL {
		return template.URL(a.links.pictureURL(p, now)) // an address of this service
	})
	if view.Frame, err = a.around(c, partsStyle); err != nil {
		return err
	}
	return a.sendPage(c, reportTemplate, view.Frame, view)
}

// reportFile is a report's page as a file that needs nothing else.
func (a *api) reportFile(ctx context.Context, r reportOf, unfolded bool) ([]byte, error) {
	album := &album{api: a, owner: r.principal, known: map[picture]template.URL{}}
	view := viewOf(r, func(p picture) template.URL { return album.embedded(ctx, p) })
	if album.err != nil {
		return nil, album.err
	}
	view.Style, view.Policy, view.Unfolded = fileStyle, filePolicy, unfolded
	var page bytes.Buffer
	if err := reportTemplate.Execute(&page, view); err != nil {
		return nil, fmt.Errorf("page of report %s: %w", r.Report.ID, err)
	}
	return page.Bytes(), nil
}
