package httpapi

import (
	"time"

	"understudy/adapters/service"
	"understudy/domain/session"
	"understudy/projections/sessions"

	"github.com/labstack/echo/v4"
)

// shotView is a screenshot on a session's page.
type shotView struct {
	// Thumb is the plain picture, Full the one that a click opens, with the box
	// drawn on it when there is one.
	Thumb, Full   string
	Width, Height int
	// Upright pictures are shown narrower.
	Upright bool
	// Frame is where the target is, nil when nothing on the picture is.
	Frame *frameView
	// Beside are things that were not acted on: overlooked, or in the way.
	Beside []besideView
	// Beyond says where the target is when it is not on the picture.
	Beyond string
	// Up: it is above.
	Up bool
}

// frameView is a box in percent of the picture's width and height.
type frameView struct{ Left, Top, Width, Height float64 }

// pagesOfShots bounds how many pages of 100 are read: as many as a session of
// the longest kind has steps, and once more for repeated looks.
const pagesOfShots = 10

// screenshotsOf reads a session's screenshots by their id.
func (a *api) screenshotsOf(c echo.Context, id string, p service.Principal) (map[string]sessions.Screenshot, error) {
	shots := map[string]sessions.Screenshot{}
	query := service.Query{SessionID: id, Limit: 100}
	for range pagesOfShots {
		page, err := a.Reads.Screenshots(c.Request().Context(), p, query)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			shot, err := item.Decode()
			if err != nil {
				return nil, err
			}
			shots[shot.ID] = shot
		}
		if query.After = page.Next; query.After == "" {
			break
		}
	}
	return shots, nil
}

// shown is how a step's screenshot is shown: with its target framed where the
// viewport that the box is relative to is known.
func shown(step session.Step, shot sessions.Screenshot, links *Links, now time.Time) *shotView {
	v := &shotView{
		Thumb: links.ArtifactURL(shot.ID, now), Width: shot.Width, Height: shot.Height, Upright: shot.Height > shot.Width,
	}
	v.Full = v.Thumb
	box := targetOf(step).Box
	m, ok := markOf(box.X, box.Y, box.W, box.H, step.ViewportWidth)
	if !ok || shot.Width <= 0 || shot.Height <= 0 {
		return v
	}
	v.Full = links.annotatedURL(shot.ID, m, now)
	v.Frame, v.Beyond, v.Up = frameOn(box, step.ViewportWidth, shot.Width, shot.Height)
	return v
}

// frameOn is where a box is on a picture of a viewport so many CSS px wide, or in which
// direction beyond it.
func frameOn(box session.Box, viewport, pictureWidth, pictureHeight int) (frame *frameView, beyond string, up bool) {
	if viewport <= 0 || pictureWidth <= 0 || box.W <= 0 || box.H <= 0 {
		return nil, "", false
	}
	width := float64(viewport)
	height := width * float64(pictureHeight) / float64(pictureWidth)
	switch {
	case box.Y >= height:
		return nil, "further down", false
	case box.Y+box.H <= 0:
		return nil, "further up", true
	case box.X >= width || box.X+box.W <= 0:
		return nil, "beside what is seen", false
	}
	// Kept on the picture, so that all four sides are seen.
	left, top := max(box.X, 0), max(box.Y, 0)
	right, bottom := min(box.X+box.W, width), min(box.Y+box.H, height)
	return &frameView{100 * left / width, 100 * top / height, 100 * (right - left) / width, 100 * (bottom - top) / height}, "", false
}
