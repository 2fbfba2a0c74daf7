package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/jpeg"
	"slices"
	"strings"
	"time"

	"understudy/domain/walk"
)

// Bounds of one look.
const (
	maxElements = 3000
	maxTexts    = 2000
	lookBudget  = 4 * time.Second // of the page's thread
)

// Look perceives the page in front, and which of some CSS selectors have a
// visible match there. Its elements' refs hold until the next Look.
func (s *Session) Look(ctx context.Context, selectors ...string) (walk.Page, error) {
	s.use.Lock()
	defer s.use.Unlock()
	t, err := s.current()
	if err != nil {
		return walk.Page{}, err
	}
	s.looks++
	var page walk.Page
	question := fmt.Sprintf("look(%d, %d, %d, %d, %s)", s.looks, maxElements, maxTexts, times(s.browser.Pace(), lookBudget).Milliseconds(), jsStrings(selectors))
	if err := s.askSteady(ctx, t, question, &page); err != nil {
		return walk.Page{}, fmt.Errorf("look at the page: %w", err)
	}
	page.Vitals.LCPMS *= s.promptly
	d := s.log.documentIn(t)
	page.Status, page.Missing, page.Private = d.status, slices.Clone(d.missing), slices.Clone(d.private)
	if strings.HasPrefix(page.URL, "chrome-error:") {
		page.URL, page.Status = s.address(t), 0
	}
	s.strikePage(&page)
	return page, nil
}

// Screenshot takes what the viewport shows as a JPEG of quality 70, with its
// size in pixels (CSS px times zoom). What shows a typed secret is covered.
func (s *Session) Screenshot(ctx context.Context) ([]byte, int, int, error) {
	s.use.Lock()
	defer s.use.Unlock()
	t, err := s.current()
	if err != nil {
		return nil, 0, 0, err
	}
	take := s.capture
	if s.sealed {
		take = s.discreet
	}
	var picture []byte
	err = s.call(ctx, s.browser.cfg.HangLimit, func() error {
		if err := s.attach(t); err != nil {
			return err
		}
		picture, err = take(t)
		return err
	})
	if err != nil {
		return nil, 0, 0, fmt.Errorf("take a screenshot: %w", err)
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return nil, 0, 0, fmt.Errorf("read the screenshot: %w", err)
	}
	return picture, size.Width, size.Height, nil
}

const (
	// repaint is how long it may take until another process paints in place of one that has
	// ended (an assumption): until then a picture is refused at once.
	repaint = 5 * time.Second
	// repaintPause is the time between two questions for it.
	repaintPause = 50 * time.Millisecond
)

// capture takes a picture of a tab as it is.
func (s *Session) capture(t *tab) (picture []byte, err error) {
	if s.device.Zoom != 1 {
		if err := s.enlarge(t, s.device.Zoom); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.enlarge(t, 1)) }()
	}
	options := map[string]any{
		"format": "jpeg", "quality": pictureQuality, "optimizeForSpeed": true, "captureBeyondViewport": false,
	}
	answer, err := t.cdp.Send("Page.captureScreenshot", options)
	for began := time.Now(); err != nil && strings.Contains(err.Error(), "Unable to capture screenshot") && s.browser.pace.left(began, repaint) > 0; {
		// The process that paints ended meanwhile. The next one takes the same picture.
		select {
		case <-s.ended:
			return nil, err
		case <-time.After(repaintPause):
		}
		answer, err = t.cdp.Send("Page.captureScreenshot", options)
	}
	if err != nil {
		return nil, err
	}
	text, ok := dig(answer, "data").(string)
	if !ok {
		return nil, errors.New("unexpected answer of the browser")
	}
	return base64.StdEncoding.DecodeString(text)
}

// enlarge shows a tab's page scale times as large as its window is in CSS px, which changes
// nothing for the page. Input would miss what is shown at another scale than 1.
func (s *Session) enlarge(t *tab, scale float64) error {
	width, height := s.device.size()
	mobile, orientation := devices[s.device.Viewport].mobile, "landscapePrimary"
	if mobile {
		orientation = "portraitPrimary"
	}
	_, err := t.cdp.Send("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "screenWidth": width, "screenHeight": height,
		"deviceScaleFactor": s.device.Zoom, "scale": scale,
		"mobile": mobile, "screenOrientation": map[string]any{"type": orientation, "angle": 0},
	})
	return err
}
