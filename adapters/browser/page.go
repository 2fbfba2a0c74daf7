package browser

import (
	"context"
	"errors"

	"understudy/domain/persona"
	"understudy/domain/walk"
)

// Pages opens pages to walk on, each in a window of its own.
type Pages struct {
	Browser *Browser
	// ProxyURL is the egress proxy; "" goes out directly.
	ProxyURL string
	// Credentials are what the proxy asks of a session that may reach these private
	// addresses; nil: nothing.
	Credentials func(ctx context.Context, private ...string) (username, password string)
}

// Open opens a page on a device. Its errors are the browser's own, never the
// page's; where Chromium has no sandbox it is a fault, which waiting does not mend.
func (p Pages) Open(ctx context.Context, d walk.Device) (walk.Tab, error) {
	var username, password string
	if p.Credentials != nil {
		username, password = p.Credentials(ctx, d.Private...)
	}
	s, err := p.Browser.Open(ctx, SessionOptions{
		Viewport: d.Viewport, Locale: d.Locale, Seed: d.Seed, KeyboardOnly: d.Keyboard, SecretsAt: d.InputsAt,
		Zoom:     persona.Facets{Zoom: d.Zoom}.ZoomOn(devices[d.Viewport].width),
		ProxyURL: p.ProxyURL, ProxyUsername: username, ProxyPassword: password,
	})
	if errors.Is(err, ErrNoSandbox) {
		return nil, &walk.Fault{Code: "no_sandbox", Message: ErrNoSandbox.Error()}
	}
	if err != nil {
		return nil, err
	}
	return page{s}, nil
}

// page is a session as walks see it: its failures are the page's own, or the
// browser's.
type page struct{ s *Session }

func (p page) Goto(ctx context.Context, url string) (walk.Effect, error) {
	e, err := p.s.Goto(ctx, url)
	return e, p.sorted(err)
}

func (p page) Look(ctx context.Context, selector string) (walk.Page, error) {
	var wanted []string
	if selector != "" {
		wanted = []string{selector}
	}
	look, err := p.s.Look(ctx, wanted...)
	return look, p.sorted(err)
}

func (p page) Act(ctx context.Context, a walk.Action, text string) (walk.Effect, error) {
	e, err := p.s.Act(ctx, a, text)
	return e, p.sorted(err)
}

func (p page) Screenshot(ctx context.Context) (walk.Picture, error) {
	jpeg, width, height, err := p.s.Screenshot(ctx)
	return walk.Picture{Data: jpeg, ContentType: "image/jpeg", Width: width, Height: height}, p.sorted(err)
}

func (p page) Relieve(ctx context.Context, r walk.Relief) error { return p.sorted(p.s.Relieve(ctx, r)) }

func (p page) Withhold(ctx context.Context, again func(method, url string) bool) error {
	return p.sorted(p.s.Withhold(ctx, again))
}

// Audit: a page that is too large, or a machine without axe-core, has nothing to
// say.
func (p page) Audit(ctx context.Context) ([]walk.Violation, error) {
	found, err := p.s.Audit(ctx)
	if errors.Is(err, ErrAuditSkipped) {
		return nil, nil
	}
	return found, p.sorted(err)
}

func (p page) Close() error { return p.s.Close() }

// sorted tells the page's faults from the browser's.
func (p page) sorted(err error) error {
	var navigation *NavigationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &navigation):
		return &walk.Fault{Code: "navigation_" + navigation.Code, Message: navigation.Message}
	case errors.Is(err, ErrPageHung) && p.s.browser.Pace() >= tooLate: // so would any page
		return &walk.Interrupted{Cause: err}
	case errors.Is(err, ErrPageHung):
		return &walk.Fault{Code: "page_hung", Message: "the page stopped answering"}
	case errors.Is(err, ErrPageCrashed):
		return &walk.Fault{Code: "page_crashed", Message: "the page crashed its browser tab"}
	case errors.Is(err, ErrPageClosed):
		return &walk.Fault{Code: "page_closed", Message: "the page closed its own window"}
	case errors.Is(err, ErrBrowserLost):
		return &walk.Interrupted{Cause: err}
	}
	return err
}
