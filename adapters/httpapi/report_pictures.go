package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"html/template"

	"understudy/adapters/service"
	"understudy/domain"
)

// picture is a screenshot as a report shows it, with what is drawn on it. The
// zero one is none.
type picture struct {
	id   string
	mark mark
}

// pictures finds what is shown of a picture: its address, or its bytes; "" for
// none. A report asks for the most telling ones first.
type pictures func(picture) template.URL

func noPictures(picture) template.URL { return "" }

// The bounds of the pictures in a report as a file.
const (
	maxPictures     = 40
	maxPicturesSize = 5 << 20 // bytes of JPEG
	// pictureWidth is as wide as they are shown at most, in pixels.
	pictureWidth = 800
)

// album puts pictures into a file, until it is full or one cannot be read.
type album struct {
	api   *api
	owner service.Principal
	known map[picture]template.URL
	size  int // bytes of JPEG
	shown int
	err   error
}

// embedded is a picture as a data: address. One that is no longer there is left
// out.
func (b *album) embedded(ctx context.Context, p picture) template.URL {
	if p.id == "" || b.err != nil || b.shown == maxPictures || b.size >= maxPicturesSize {
		return ""
	}
	url, known := b.known[p]
	if !known {
		jpeg, err := b.api.picture(ctx, b.owner, p)
		if code := domain.CodeOf(err); code == domain.CodeNotFound || code == domain.CodeGone {
			return ""
		}
		if err != nil {
			b.err = err
			return ""
		}
		url = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(jpeg))
		b.known[p] = url
	}
	b.shown++
	b.size += len(url) * 3 / 4
	return url
}

// picture reads a screenshot of the principal's, small enough to be embedded.
func (a *api) picture(ctx context.Context, p service.Principal, w picture) (_ []byte, err error) {
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
