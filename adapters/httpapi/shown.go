package httpapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"understudy/adapters/service"
	"understudy/projections"
	"understudy/projections/comparisons"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

// show writes a document as it is answered. nil: as it is stored.
type show[T any] func(projections.Document[T]) ([]byte, error)

// with writes a document as what add makes of it.
func with[T, Shown any](add func(T) Shown) show[T] {
	return func(d projections.Document[T]) ([]byte, error) {
		value, err := d.Decode()
		if err != nil {
			return nil, err
		}
		return encoded(add(value))
	}
}

// encoded is JSON without escapes for HTML and without a line's end.
func encoded(v any) ([]byte, error) {
	body, err := encode(v)
	return bytes.TrimSuffix(body, []byte("\n")), err
}

// spliced is a stored object, which has members, with those of another behind its
// own, and without escapes for HTML.
func spliced(stored []byte, behind any) ([]byte, error) {
	more, err := encoded(behind)
	if err != nil {
		return nil, err
	}
	stored = stored[:len(stored)-1] // without its closing brace
	if bytes.Contains(stored, []byte(`\u00`)) {
		stored = []byte(unescaping.Replace(string(stored)))
	}
	more[0] = ',' // in place of the opening one
	return slices.Concat(stored, more), nil
}

// unescaping takes the escapes for HTML out of JSON. An escaped backslash comes
// first: what follows it is text.
var unescaping = strings.NewReplacer(`\\`, `\\`, `\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`)

// testAddresses are a test's addresses.
type testAddresses struct {
	StreamURL string  `json:"stream_url"`
	ReportURL *string `json:"report_url"`
}

// shownTest is a test with its addresses.
func (a *api) shownTest(p service.Principal) show[tests.Document] {
	return func(doc projections.Document[tests.Document]) ([]byte, error) {
		body, _, err := a.testAnswer(p, doc)
		return body, err
	}
}

// testAnswer is a test as it is answered, and its ETag: once there is a report,
// it has an address that changes from day to day.
func (a *api) testAnswer(p service.Principal, doc projections.Document[tests.Document]) (body []byte, etag string, err error) {
	etag = revision(doc.Revision)
	addresses := testAddresses{StreamURL: a.links.StreamURL(p.OrganizationID, p.Environment, doc.ID)}
	// The one member that is needed: reading all of them would be a tenth of the answer.
	if report := gjson.GetBytes(doc.JSON, "report_id"); report.Type == gjson.String {
		now := a.Now()
		etag = dailyRevision(doc.Revision, now)
		address := a.links.ReportURL(p.OrganizationID, p.Environment, report.Str, now)
		addresses.ReportURL = &address
	}
	body, err = spliced(doc.JSON, addresses)
	return body, etag, err
}

// sessionParts are a session's links, and its trace where it is read alone.
type sessionParts struct {
	Links sessionLinks    `json:"links"`
	Trace json.RawMessage `json:"trace,omitempty"`
}

// sessionLinks are a session's addresses. Its page is the only one that opens
// without a key.
type sessionLinks struct {
	Trace       string `json:"trace"`
	Recording   string `json:"recording"`
	Screenshots string `json:"screenshots"`
	Page        string `json:"page"`
}

// shownSession is a session with its links, and with a trace unless that is nil.
func (a *api) shownSession(p service.Principal, now time.Time, trace json.RawMessage) show[sessions.Document] {
	return func(doc projections.Document[sessions.Document]) ([]byte, error) {
		base := a.links.APIURL("/sessions/" + doc.ID)
		page := a.links.SessionURL(p.OrganizationID, p.Environment, doc.ID, now)
		return spliced(doc.JSON, sessionParts{sessionLinks{base + "/trace", base + "/recording", base + "/screenshots", page}, trace})
	}
}

// comparisonAddress is the address of a comparison's page.
type comparisonAddress struct {
	ComparisonURL string `json:"comparison_url"`
}

// shownComparison is a comparison with the address of its page.
func (a *api) shownComparison(p service.Principal, now time.Time) show[comparisons.Document] {
	return func(doc projections.Document[comparisons.Document]) ([]byte, error) {
		return spliced(doc.JSON, comparisonAddress{a.links.comparisonURL(p.OrganizationID, p.Environment, doc.ID, pageExpiry(now))})
	}
}

// shownRecording is a recording with its address.
type shownRecording struct {
	sessions.Recording
	URL string `json:"url"`
}

// shownScreenshot is a screenshot with its address.
type shownScreenshot struct {
	sessions.Screenshot
	URL string `json:"url"`
}

// shownReport adds to a report its page, the address of each screenshot beside
// its id, with the box drawn on it where there is one, and the page of each
// session that is named, at the step where one is. Pages open until then.
func (a *api) shownReport(p service.Principal, now time.Time, until int64) func(reports.Document) reports.Document {
	address := func(sessionID string, step int, screenshotID string, m mark, marked bool) (l reports.Links) {
		l.SessionURL = a.links.sessionURL(p.OrganizationID, p.Environment, sessionID, until) + stepAnchor(step)
		switch {
		case screenshotID == "":
		case marked:
			l.ScreenshotURL = a.links.annotatedURL(screenshotID, m, now)
		default:
			l.ScreenshotURL = a.links.ArtifactURL(screenshotID, now)
		}
		return l
	}
	return func(r reports.Document) reports.Document {
		scores := map[string]*float64{overall: nil}
		maps.Copy(scores, r.AggregateScores)
		r.AggregateScores = scores
		r.ReportURL = a.links.reportURL(p.OrganizationID, p.Environment, r.ID, until)
		for i, line := range r.SessionList {
			r.SessionList[i].SessionURL = a.links.sessionURL(p.OrganizationID, p.Environment, line.SessionID, until)
		}
		for i, m := range r.Clicks {
			r.Clicks[i].ScreenshotURL = a.links.ArtifactURL(m.ScreenshotID, now)
		}
		for i, h := range r.Highlights {
			r.Highlights[i].Links = address(h.SessionID, h.Step, h.ScreenshotID, mark{}, false)
		}
		for _, issue := range slices.Concat(r.Issues, r.Notes) {
			for i, e := range issue.Evidence {
				m, marked := markOfEvidence(e)
				issue.Evidence[i].Links = address(e.SessionID, e.Step, e.ScreenshotID, m, marked)
			}
			for i, p := range issue.Places {
				m, marked := markOfEvidence(p.Shown)
				issue.Places[i].Shown.Links = address(p.Shown.SessionID, p.Shown.Step, p.Shown.ScreenshotID, m, marked)
			}
		}
		for _, positive := range r.Positives {
			for i, e := range positive.Evidence {
				positive.Evidence[i].Links = address(e.SessionID, e.Step, e.ScreenshotID, mark{}, false)
			}
		}
		return r
	}
}

// markOfEvidence is the box of the evidence of an issue, where it has one.
func markOfEvidence(e reports.Evidence) (mark, bool) {
	if e.Box == nil {
		return mark{}, false
	}
	return markOf(e.Box.X, e.Box.Y, e.Box.W, e.Box.H, e.ViewportWidth)
}
