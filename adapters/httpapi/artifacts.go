package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// checkSignedURL checks the signature and the time of an artifact's address. A
// box to be drawn is part of what was signed: nobody makes the service draw
// what it did not offer.
func (a *api) checkSignedURL(c echo.Context) error {
	expires := c.QueryParam("expires")
	parts := []string{forArtifact, c.Param("id"), expires}
	if box := c.QueryParam("box"); box != "" || c.QueryParams().Has("box") {
		parts = []string{forAnnotated, c.Param("id"), expires, box}
	}
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !a.signer.verify(c.QueryParam("signature"), parts...) {
		return refuse(domain.CodeForbidden, "the signature is not one of this address; read the resource again for a fresh one")
	}
	if a.Now().Unix() >= at {
		return refuse(domain.CodeForbidden, "this address has expired; read the resource again for a fresh one")
	}
	return nil
}

// GetArtifact serves a file.
func (a *api) GetArtifact(c echo.Context, id string, params GetArtifactParams) error {
	call := callOf(c)
	if !domain.ValidID(domain.PrefixArtifact, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	// Opening is bounded; sending takes what it takes.
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	opening := time.AfterFunc(requestTimeout, cancel)
	file, err := a.Artifacts.OpenArtifact(ctx, id)
	if err != nil {
		return err
	}
	defer func() { _ = file.Content.Close() }() // it was only read
	p := call.principal
	if !call.capability && (file.OrganizationID != p.OrganizationID || file.Environment != p.Environment) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	name, etag := id, file.SHA256
	m, wanted := parseMark(params.Box)
	if wanted = wanted && file.ContentType == "image/jpeg"; wanted {
		// Pictures never change, so what is drawn on one has a name of its own
		// that is known before anything is drawn.
		sum := sha256.Sum256([]byte(file.SHA256 + " " + m.String()))
		name, etag = name+"-annotated", hex.EncodeToString(sum[:])
	}
	h := c.Response().Header()
	var content io.ReadSeeker = file.Content
	if wanted && !matches(c.Request().Header.Get("If-None-Match"), `"`+etag+`"`) {
		drawn, err := annotate(ctx, a.drawing, file.Content, m, 0)
		if err != nil {
			return err
		}
		content = bytes.NewReader(drawn)
	}
	opening.Stop()
	h.Set("Content-Type", file.ContentType)
	h.Set("ETag", `"`+etag+`"`)
	h.Set("Cache-Control", "private, max-age=86400, immutable")
	// Pages under test decide what is in these files, so they run nothing, and
	// other sites may show them.
	h.Set("Content-Security-Policy", "default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if extensions, err := mime.ExtensionsByType(file.ContentType); err == nil && len(extensions) > 0 {
		name += extensions[0]
	}
	h.Set("Content-Disposition", `inline; filename="`+name+`"`)
	answer := &fileAnswer{ResponseWriter: c.Response()}
	http.ServeContent(answer, c.Request(), "", time.Time{}, content)
	return answer.refusal()
}
