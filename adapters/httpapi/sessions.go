package httpapi

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
)

// GetSession answers with a session and its trace, as they are or were.
func (a *api) GetSession(c echo.Context, id SessionID, params GetSessionParams) error {
	session, past, err := a.found(c, a.Reads.Session, domain.PrefixSession, id, params.At)
	if err != nil {
		return err
	}
	trace := projections.Document{JSON: past, Revision: session.Revision}
	if past == nil {
		if trace, err = find(c, a.Reads.Trace, domain.PrefixSession, id); err != nil {
			return err
		}
	}
	now := a.Now()
	etag := dailyRevision(session.Revision, now)
	if trace.Revision != session.Revision {
		// The two read models move one after the other; each state is another.
		etag = fmt.Sprintf(`"%d.%d-%d"`, session.Revision, trace.Revision, dayOf(now))
	}
	links := a.sessionFields(callOf(c).principal, now)
	return sendDocument(c, etag, session, func(depth int, has fields) []member {
		if depth > 0 {
			return nil
		}
		return append(links(depth, has), member{"trace", trace.JSON})
	})
}

// GetTrace answers with a session's trace.
func (a *api) GetTrace(c echo.Context, id SessionID) error {
	doc, err := find(c, a.Reads.Trace, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// GetRecording describes a session's recording.
func (a *api) GetRecording(c echo.Context, id SessionID) error {
	doc, err := find(c, a.Reads.Recording, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	now := a.Now()
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, a.artifactField("artifact_id", now))
}

// ListScreenshots lists a session's screenshots.
func (a *api) ListScreenshots(c echo.Context, id SessionID, params ListScreenshotsParams) error {
	if _, err := find(c, a.Reads.Session, domain.PrefixSession, id); err != nil {
		return err
	}
	return a.list(c, a.Reads.Screenshots, service.Query{SessionID: id}, params.Limit, params.Cursor, a.artifactField("id", a.Now()))
}
