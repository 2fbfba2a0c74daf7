package httpapi

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"understudy/domain"
)

// Links makes the addresses that clients are given. Fan-out uses the same ones
// in webhook payloads.
type Links struct {
	base   string
	stream string
	app    string
	signer *Signer
}

// NewLinks makes addresses from {base_url}, which ends in /v1, and {app_url},
// both absolute http or https addresses without a trailing slash.
func NewLinks(baseURL, appURL string, signer *Signer) (*Links, error) {
	base, err := webAddress(baseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if !strings.HasSuffix(base, "/v1") {
		return nil, fmt.Errorf("base URL: %s does not end in /v1", base)
	}
	app, err := webAddress(appURL)
	if err != nil {
		return nil, fmt.Errorf("app URL: %w", err)
	}
	// http becomes ws, https becomes wss.
	return &Links{base: base, stream: "ws" + strings.TrimPrefix(base, "http"), app: app, signer: signer}, nil
}

func webAddress(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil {
		return "", err
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not an absolute http or https address", s)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// StreamURL is the WebSocket address of a test, with a capability for it.
func (l *Links) StreamURL(organizationID string, env domain.Environment, testID string) string {
	return l.stream + "/tests/" + testID + "/stream?token=" + l.signer.token(forStream, testID, organizationID, env)
}

// pageDays is how long the address of a page opens it: who gets it in a webhook
// may look at it after a holiday.
const pageDays = 30

// pageExpiry is when the address of a page made at t expires, in Unix seconds.
func pageExpiry(t time.Time) int64 { return (dayOf(t) + pageDays + 1) * int64(day/time.Second) }

// ReportURL is the page of a report, with a capability for it that lasts 30
// days from now. It is the same all day (UTC).
func (l *Links) ReportURL(organizationID string, env domain.Environment, reportID string, now time.Time) string {
	return l.reportURL(organizationID, env, reportID, pageExpiry(now))
}

func (l *Links) reportURL(organizationID string, env domain.Environment, reportID string, until int64) string {
	return l.pageURL("/reports/", forReport, organizationID, env, reportID, until)
}

// SessionURL is the page of a session, under the terms of ReportURL.
func (l *Links) SessionURL(organizationID string, env domain.Environment, sessionID string, now time.Time) string {
	return l.sessionURL(organizationID, env, sessionID, pageExpiry(now))
}

func (l *Links) sessionURL(organizationID string, env domain.Environment, sessionID string, until int64) string {
	return l.pageURL("/sessions/", forSession, organizationID, env, sessionID, until)
}

// comparisonURL is the page of a comparison, under the terms of ReportURL.
func (l *Links) comparisonURL(organizationID string, env domain.Environment, comparisonID string, until int64) string {
	return l.pageURL("/comparisons/", forComparison, organizationID, env, comparisonID, until)
}

func (l *Links) pageURL(folder, purpose, organizationID string, env domain.Environment, id string, until int64) string {
	if until == withoutToken {
		return folder + id
	}
	expires := strconv.FormatInt(until, 10)
	return l.app + folder + id + "?expires=" + expires +
		"&token=" + l.signer.token(purpose, id+" "+expires, organizationID, env)
}

// ArtifactURL serves an artifact to whoever has it, for 24 to 48 hours from
// now. It is the same all day (UTC).
func (l *Links) ArtifactURL(artifactID string, now time.Time) string {
	expires := strconv.FormatInt(expiryOf(now), 10)
	return l.base + "/artifacts/" + artifactID + "?expires=" + expires +
		"&signature=" + l.signer.sign(forArtifact, artifactID, expires)
}

// annotatedURL serves a screenshot with a box drawn on it, under the terms of
// ArtifactURL. The signature covers the box.
func (l *Links) annotatedURL(artifactID string, m mark, now time.Time) string {
	expires := strconv.FormatInt(expiryOf(now), 10)
	return l.base + "/artifacts/" + artifactID + "?box=" + url.QueryEscape(m.String()) + "&expires=" + expires +
		"&signature=" + l.signer.sign(forAnnotated, artifactID, expires, m.String())
}

// pictureURL serves a picture of a page, under the terms of ArtifactURL; "" for
// none.
func (l *Links) pictureURL(p picture, now time.Time) string {
	switch {
	case p.id == "":
		return ""
	case p.mark.width > 0:
		return l.annotatedURL(p.id, p.mark, now)
	}
	return l.ArtifactURL(p.id, now)
}

// APIURL is the address of a path under {base_url}, which starts with a slash.
func (l *Links) APIURL(path string) string { return l.base + path }

// Origins are where pictures, films and streams come from, for a content security policy.
func (l *Links) Origins() []string {
	origin := l.origin()
	return []string{origin, "ws" + strings.TrimPrefix(origin, "http")}
}

// origin is where {base_url} lives, for a content security policy.
func (l *Links) origin() string {
	scheme, rest, _ := strings.Cut(l.base, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}
