package oauth

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"understudy/domain"
	"understudy/domain/access"
)

//go:embed page.css
var style string

//go:embed page.html
var pageText string

var pages = template.Must(template.New("page").Parse(pageText))

// styleHash lets the page's own style through, and no other.
var styleHash = func() string {
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// meanings say what scopes mean to who is asked.
var meanings = map[string]string{
	access.TestsRead:     "See your tests, their sessions and recordings",
	access.TestsWrite:    "Start and cancel tests",
	access.ReportsRead:   "Read your reports and comparisons",
	access.PersonasWrite: "Make and change custom personas",
	access.Full:          "Do everything that you may do, including managing your team",
}

type line struct {
	Scope, Meaning string
	Powerful       bool
}

// consentPage asks.
func (d *door) consentPage(w http.ResponseWriter, r *http.Request, req request, v Visitor) {
	within := access.Within(req.scopes, v.Role)
	var lines []line
	for _, scope := range within {
		lines = append(lines, line{scope, meanings[scope], scope == access.Full})
	}
	d.show(w, r, http.StatusOK, formTarget(req.redirectURI), map[string]any{
		"Title": "Allow " + req.client.Client.Name + "?", "Client": req.client.Client.Name, "Lines": lines, "Fewer": len(within) < len(req.scopes),
		"Name": v.Name, "Organization": v.Organization, "Role": v.Role, "Target": targetOf(req.redirectURI), "Sandbox": req.environment == domain.Sandbox,
		"Action": "?" + r.URL.RawQuery, "Visitor": v.UserID + " " + v.OrganizationID,
	})
}

// tellPage tells a person what a client cannot be told.
func (d *door) tellPage(w http.ResponseWriter, r *http.Request, status int, title, detail string) {
	d.show(w, r, status, "'none'", map[string]any{"Title": title, "Detail": detail, "RequestID": requestID(r)})
}

func (d *door) show(w http.ResponseWriter, r *http.Request, status int, formAction string, data map[string]any) {
	data["Style"] = template.CSS(style) //nolint:gosec // embedded
	var page bytes.Buffer
	if err := pages.Execute(&page, data); err != nil {
		d.Logger.Error("page not made", "error", err, "request_id", requestID(r))
		http.Error(w, "something went wrong here", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src "+styleHash+"; form-action "+formAction+"; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // the browser has gone
}

// formTarget is where the form may lead: here, and on to the client, because
// browsers hold a form's redirect to this too.
func formTarget(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	switch {
	case err != nil:
		return "'self'"
	case u.Scheme != "http" && u.Scheme != "https", strings.HasPrefix(u.Host, "["): // the policy has no form for IPv6 addresses
		return "'self' " + u.Scheme + ":"
	}
	return "'self' " + u.Scheme + "://" + u.Host
}

// targetOf is what the page calls where the answer goes.
func targetOf(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	switch {
	case err != nil || u.Host == "":
		scheme, _, _ := strings.Cut(redirectURI, ":")
		return "an app on this device (" + scheme + ")"
	case u.Scheme == "http":
		return "an app on this device (" + u.Host + ")"
	}
	return u.Host
}
