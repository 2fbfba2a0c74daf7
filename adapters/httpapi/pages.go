package httpapi

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/walk"
)

// pageFiles are the pages, the style and the parts that they share.
//
//go:embed *.html
var pageFiles embed.FS

var problemTemplate = pageTemplate("problem.html")

// words are what pages and files say things with.
var words = template.FuncMap{
	"percent": percent, "words": plain, "page": pageWords, "scrolled": scrollWords, "seconds": span, "quote": walk.Quote, "inner": walk.Single, "capital": capital, "of": ofAll,
	"counted": counted, "times": times, "least": func(a, b int) int { return min(a, b) },
	"margin": marginWords, "gate": gateWords, "gist": gist, "ease": easeWords, "fixes": fixesWords, "folded": foldedWords, "basis": basisWords, "way": wayWords, "facet": facetWords, "group": groupWords,
	"signed": signed, "between": betweenWords, "decimal": func(v float64) string { return fmt.Sprintf("%.2f", v) }, "columns": columns, "gauge": gaugeOf,
}

// pageTemplate parses a page, with what all pages share.
func pageTemplate(file string) *template.Template {
	t := template.New(file).Funcs(words)
	return template.Must(t.ParseFS(pageFiles, "style.html", "parts.html", file))
}

// Look is the style that all pages of the product share.
func Look() string {
	var style strings.Builder
	if err := problemTemplate.ExecuteTemplate(&style, "style", nil); err != nil {
		panic("httpapi: the style: " + err.Error()) // it is embedded
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(style.String()), "<style>"), "</style>")
}

// bare is an address without its scheme and the slash at its end.
func bare(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = address
	}
	return strings.TrimSuffix(rest, "/")
}

// withoutQuery is an address without what varies from visit to visit.
func withoutQuery(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		return address[:i]
	}
	return address
}

// plain is a name of the interface as words.
func plain(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	if rest, found := strings.CutPrefix(words, "cta "); found {
		return "CTA " + rest
	}
	return words
}

// admit lets a reader through to a page: by the token in its address, which is
// good for this page alone, by a bearer key with the scope, or because they have
// signed in with a browser. It tells until when, in Unix seconds, the addresses of
// pages may open that this page leads to: as long as its own, so that nobody renews
// what they were given by following links.
func (a *api) admit(c echo.Context, purpose, scope string) (until int64, err error) {
	call, id, now := callOf(c), c.Param("id"), a.Now()
	if token := c.QueryParam("token"); token != "" {
		expires := c.QueryParam("expires")
		if call.principal, err = a.signer.bearerOf(purpose, id+" "+expires, token); err != nil {
			return 0, refuse(domain.CodeForbidden, "this token is not one of this %s; %s", pagesOf[purpose].noun, pagesOf[purpose].from)
		}
		if until, err = strconv.ParseInt(expires, 10, 64); err != nil || now.Unix() >= until {
			return 0, refuse(domain.CodeForbidden, "this address has expired; %s anew", pagesOf[purpose].from)
		}
		return until, nil
	}
	if c.Request().Header.Get(echo.HeaderAuthorization) == "" && a.Visitors != nil {
		call.principal, err = a.admitVisitor(c, pagesOf[purpose], scope)
		return withoutToken, err
	}
	if call.principal, err = a.bearer(c); err != nil {
		return 0, err
	}
	if !access.Allows(call.principal.Scopes, scope) {
		return 0, refuse(domain.CodeForbidden, "this needs a key with the scope %s", scope)
	}
	return pageExpiry(now), nil
}

// sendPage answers with a page. What is shown to who has signed in is gone once they
// have signed out.
func (a *api) sendPage(c echo.Context, t *template.Template, around surround, data any) error {
	var page bytes.Buffer
	if err := t.Execute(&page, data); err != nil {
		return fmt.Errorf("page %s of %s: %w", t.Name(), c.Param("id"), err)
	}
	h := c.Response().Header()
	h.Set("Content-Security-Policy", around.policy(a.links.origin()))
	h.Set("Cache-Control", "private, no-cache")
	if callOf(c).principal.SignedIn {
		h.Set("Cache-Control", "no-store")
	}
	return c.HTMLBlob(http.StatusOK, page.Bytes())
}

// wantsPage: a person looks, with a browser, at what is a page.
func wantsPage(c echo.Context) bool {
	path := c.Request().URL.Path
	return !isInterface(path) && !probes[path] && strings.Contains(strings.Join(c.Request().Header.Values(echo.HeaderAccept), ","), echo.MIMETextHTML)
}

// writeProblemPage answers a person with what writeProblem tells programs.
func writeProblemPage(c echo.Context, call *call, p *problem) error {
	var page bytes.Buffer
	m := meanings[p.code]
	if err := problemTemplate.Execute(&page, map[string]any{"Title": m.title, "Detail": p.detail, "RequestID": call.requestID}); err != nil {
		return err
	}
	problemHeaders(c, call, p)
	c.Response().Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	return c.HTMLBlob(m.status, page.Bytes())
}
