package httpapi

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
	"understudy/projections/sessions"
)

// GetSession answers with a session and its trace, as they are or were.
func (a *api) GetSession(c echo.Context, id SessionID, params GetSessionParams) error {
	session, trace, err := a.sessionAndTrace(c, id, params.At)
	if err != nil {
		return err
	}
	now := a.Now()
	etag := dailyRevision(session.Revision, now)
	if trace.Revision != session.Revision {
		// The two read models move one after the other; each state is another.
		etag = fmt.Sprintf(`"%d.%d-%d"`, session.Revision, trace.Revision, dayOf(now))
	}
	return sendDocument(c, etag, session, a.shownSession(callOf(c).principal, now, trace.JSON))
}

func (a *api) sessionAndTrace(c echo.Context, id, at string) (s projections.Document[sessions.Document], trace projections.Document[sessions.Trace], err error) {
	if at != "" {
		moment, err := a.momentOf(c.Request().Context(), domain.PrefixSession, id, at)
		if err != nil {
			return s, trace, err
		}
		return a.Histories.SessionAsOf(c.Request().Context(), callOf(c).principal, id, moment)
	}
	if s, err = find(c, a.Reads.Session, domain.PrefixSession, id); err != nil {
		return s, trace, err
	}
	trace, err = find(c, a.Reads.Trace, domain.PrefixSession, id)
	return s, trace, err
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
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, with(func(r sessions.Recording) shownRecording {
		return shownRecording{r, a.links.ArtifactURL(r.ArtifactID, now)}
	}))
}

// ListScreenshots lists a session's screenshots.
func (a *api) ListScreenshots(c echo.Context, id SessionID, params ListScreenshotsParams) error {
	if _, err := find(c, a.Reads.Session, domain.PrefixSession, id); err != nil {
		return err
	}
	return list(a, c, a.Reads.Screenshots, service.Query{SessionID: id, Ascending: string(params.Order) == string(OrderAsc)}, params.Limit, params.Cursor, with(func(s sessions.Screenshot) shownScreenshot {
		return shownScreenshot{s, a.links.ArtifactURL(s.ID, a.Now())}
	}))
}
