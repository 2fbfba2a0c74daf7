package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"html/template"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections/reports"
)

// The bounds of the pictures in a report as a file. The first piece of every
// issue's evidence has its picture before the others do.
const (
	maxPictures     = 40
	maxPicturesSize = 5 << 20 // bytes of JPEG
	// pictureWidth is as wide as they are shown at most, in pixels.
	pictureWidth = 800
)

// wantedPicture is a screenshot that a report shows, and what is drawn on it.
type wantedPicture struct {
	id, address string
	mark        mark
}

// wantedPictures lists what a report shows, the most telling first.
func wantedPictures(r reports.Document) (out []wantedPicture) {
	add := func(e reports.Evidence) {
		m, _ := markOfEvidence(e)
		out = append(out, wantedPicture{e.ScreenshotID, e.ScreenshotURL, m})
	}
	for _, issue := range r.Issues {
		if len(issue.Evidence) > 0 {
			add(issue.Evidence[0])
		}
	}
	for _, h := range r.Highlights {
		out = append(out, wantedPicture{id: h.ScreenshotID, address: h.ScreenshotURL})
	}
	for _, issue := range r.Issues {
		for _, e := range issue.Evidence[min(1, len(issue.Evidence)):] {
			add(e)
		}
	}
	return out
}

// embeddedPicture is a picture as a data: address, and in how many places of the
// report it may still stand.
type embeddedPicture struct {
	url    template.URL
	size   int // of the JPEG in bytes
	places int
}

// embedded reads a report's pictures, by their address. One that is no longer
// there is left out.
func (a *api) embedded(ctx context.Context, r reportOf) (map[string]*embeddedPicture, error) {
	out := map[string]*embeddedPicture{}
	places, size := 0, 0
	for _, w := range wantedPictures(r.Report) {
		if w.id == "" {
			continue
		}
		if places == maxPictures || size >= maxPicturesSize {
			break
		}
		e, known := out[w.address]
		if !known {
			jpeg, err := a.picture(ctx, r.principal, w)
			if domain.CodeOf(err) == domain.CodeNotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			e = &embeddedPicture{size: len(jpeg), url: template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(jpeg))}
			out[w.address] = e
		}
		e.places++
		places++
		size += e.size
	}
	return out, nil
}

// picture reads a screenshot of the principal's, small enough to be embedded.
func (a *api) picture(ctx context.Context, p service.Principal, w wantedPicture) (_ []byte, err error) {
	file, err := a.Artifacts.OpenArtifact(ctx, w.id)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Content.Close()) }()
	if file.OrganizationID != p.OrganizationID || file.Environment != p.Environment || file.ContentType != "image/jpeg" {
		return nil, domain.Refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return annotate(ctx, a.drawing, file.Content, w.mark, pictureWidth)
}
