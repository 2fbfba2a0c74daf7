package httpapi

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// GetSession answers with a session and its trace.
func (a *api) GetSession(c echo.Context, id SessionID, _ GetSessionParams) error {
	session, err := find(c, a.Sessions, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	trace, err := find(c, a.Traces, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	etag := revision(session.Revision)
	if trace.Revision != session.Revision {
		// The two read models move one after the other; each state is another.
		etag = fmt.Sprintf(`"%d.%d"`, session.Revision, trace.Revision)
	}
	return sendDocument(c, etag, session, func(depth int, texts map[string]string) []member {
		if depth > 0 {
			return nil
		}
		return append(a.sessionFields(depth, texts), member{"trace", trace.JSON})
	})
}

// GetTrace answers with a session's trace.
func (a *api) GetTrace(c echo.Context, id SessionID, _ GetTraceParams) error {
	doc, err := find(c, a.Traces, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// GetRecording describes a session's recording.
func (a *api) GetRecording(c echo.Context, id SessionID, _ GetRecordingParams) error {
	doc, err := find(c, a.Recordings, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	now := a.Now()
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, a.artifactField("artifact_id", now))
}

// ListScreenshots lists a session's screenshots.
func (a *api) ListScreenshots(c echo.Context, id SessionID, params ListScreenshotsParams) error {
	if _, err := find(c, a.Sessions, domain.PrefixSession, id); err != nil {
		return err
	}
	return a.list(c, a.Screenshots, ListQuery{SessionID: id}, params.Limit, params.Cursor, a.artifactField("id", a.Now()))
}

// checkSignedURL checks the signature and the time of an artifact's address.
func (a *api) checkSignedURL(c echo.Context) error {
	expires := c.QueryParam("expires")
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !a.signer.verify(c.QueryParam("signature"), forArtifact, c.Param("id"), expires) {
		return refuse(domain.CodeForbidden, "the signature is not one of this address; read the resource again for a fresh one")
	}
	if a.Now().Unix() >= at {
		return refuse(domain.CodeForbidden, "this address has expired; read the resource again for a fresh one")
	}
	return nil
}

// GetArtifact serves a file.
func (a *api) GetArtifact(c echo.Context, id string, _ GetArtifactParams) error {
	call := callOf(c)
	if !domain.ValidID(domain.PrefixArtifact, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	// Opening is bounded; sending takes what it takes.
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	opening := time.AfterFunc(requestTimeout, cancel)
	file, err := a.Artifacts.Open(ctx, id)
	if err != nil {
		return err
	}
	opening.Stop()
	defer func() { _ = file.Content.Close() }() // it was only read
	p := call.principal
	if !call.capability && (file.OrganizationID != p.OrganizationID || file.Environment != p.Environment) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	h := c.Response().Header()
	h.Set("Content-Type", file.ContentType)
	h.Set("ETag", `"`+file.SHA256+`"`)
	h.Set("Cache-Control", "private, max-age=86400, immutable")
	// Pages under test decide what is in these files, so they run nothing, and
	// other sites may show them.
	h.Set("Content-Security-Policy", "default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	name := id
	if extensions, err := mime.ExtensionsByType(file.ContentType); err == nil && len(extensions) > 0 {
		name += extensions[0]
	}
	h.Set("Content-Disposition", `inline; filename="`+name+`"`)
	answer := &fileAnswer{ResponseWriter: c.Response()}
	http.ServeContent(answer, c.Request(), "", time.Time{}, file.Content)
	return answer.refusal()
}
