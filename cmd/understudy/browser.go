package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/adapters/blob"
	"understudy/adapters/browser"
	"understudy/adapters/egress"
	"understudy/adapters/keyring"
	"understudy/adapters/runner"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/mind"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// windowWidths are those of the viewports, in CSS px.
var windowWidths = map[string]int{browser.Desktop: 1280, browser.Tablet: 820, browser.Mobile: 390}

// walkedBrowser is the browser as the runner sees it, below the egress proxy.
type walkedBrowser struct {
	browser *browser.Browser
	proxy   *egress.Proxy
}

// Open opens a page of its own for a session.
func (b walkedBrowser) Open(ctx context.Context, d runner.Device) (runner.Page, error) {
	s, err := b.browser.Open(ctx, browser.SessionOptions{
		Viewport: d.Viewport, Locale: d.Locale, Seed: d.Seed, KeyboardOnly: d.Keyboard,
		Zoom:     persona.Facets{Zoom: d.Zoom}.ZoomOn(windowWidths[d.Viewport]),
		ProxyURL: b.proxy.URL(), ProxyUsername: b.proxy.Username(), ProxyPassword: b.proxy.Password(),
	})
	if err != nil {
		return nil, err
	}
	return walkedPage{s}, nil
}

// walkedPage sorts a page's failures: its own, or the browser's.
type walkedPage struct{ s *browser.Session }

func (p walkedPage) Goto(ctx context.Context, url string) (mind.Effect, error) {
	e, err := p.s.Goto(ctx, url)
	return e, sorted(err)
}

func (p walkedPage) Look(ctx context.Context, selector string) (mind.Page, error) {
	var wanted []string
	if selector != "" {
		wanted = []string{selector}
	}
	page, err := p.s.Look(ctx, wanted...)
	return page, sorted(err)
}

func (p walkedPage) Act(ctx context.Context, a mind.Action, text string) (mind.Effect, error) {
	e, err := p.s.Act(ctx, a, text)
	return e, sorted(err)
}

func (p walkedPage) Screenshot(ctx context.Context) (runner.Picture, error) {
	jpeg, width, height, err := p.s.Screenshot(ctx)
	return runner.Picture{Data: jpeg, ContentType: "image/jpeg", Width: width, Height: height}, sorted(err)
}

func (p walkedPage) Relieve(ctx context.Context, r mind.Relief) error {
	return sorted(p.s.Relieve(ctx, r))
}

// Audit checks the page against accessibility rules. One that is too large, or
// a machine without axe-core, has nothing to say.
func (p walkedPage) Audit(ctx context.Context) ([]mind.Violation, error) {
	found, err := p.s.Audit(ctx)
	if errors.Is(err, browser.ErrAuditSkipped) {
		return nil, nil
	}
	return found, sorted(err)
}

func (p walkedPage) Close() error { return p.s.Close() }

// sorted tells the page's faults from the browser's.
func sorted(err error) error {
	var navigation *browser.NavigationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &navigation):
		return &runner.PageFault{Code: "navigation_" + navigation.Code, Message: navigation.Message}
	case errors.Is(err, browser.ErrPageHung):
		return &runner.PageFault{Code: "page_hung", Message: "the page stopped answering"}
	case errors.Is(err, browser.ErrPageCrashed):
		return &runner.PageFault{Code: "page_crashed", Message: "the page crashed its browser tab"}
	case errors.Is(err, browser.ErrPageClosed):
		return &runner.PageFault{Code: "page_closed", Message: "the page closed its own window"}
	case errors.Is(err, browser.ErrBrowserLost):
		return &runner.Interrupted{Cause: err}
	}
	return err
}

// printer is the browser as reports see it.
type printer struct{ browser *browser.Browser }

// PDF prints a page.
func (p printer) PDF(ctx context.Context, html []byte) ([]byte, error) {
	pdf, err := p.browser.PDF(ctx, html)
	if errors.Is(err, browser.ErrBrowserLost) || errors.Is(err, browser.ErrClosed) {
		return nil, fmt.Errorf("%w (%w)", domain.Refuse(domain.CodeUnavailable, "the browser that prints is being started again; try again in a moment"), err)
	}
	return pdf, err
}

// films encodes recordings.
type films struct{ ffmpeg, tempDir string }

// Encode makes a WebM film of pictures.
func (f films) Encode(ctx context.Context, frames []runner.Frame, total time.Duration) ([]byte, error) {
	pictures := make([]browser.Frame, len(frames))
	for i, frame := range frames {
		pictures[i] = browser.Frame{JPEG: frame.JPEG, At: frame.At}
	}
	return browser.EncodeRecording(ctx, f.ffmpeg, f.tempDir, pictures, total)
}

// runnerFacts is what the runner reads.
type runnerFacts struct {
	*service.Streams
	keys *keyring.Keyring
}

// Session is the session as of now.
func (f runnerFacts) Session(ctx context.Context, stream string) (session.State, error) {
	result, err := f.Sessions.Load(ctx, stream)
	return result.State, err
}

// Inputs decrypts a test's inputs.
func (f runnerFacts) Inputs(_ context.Context, t testrun.Created) (map[string]string, error) {
	return service.OpenInputs(f.keys, t)
}

// target asks the egress policy's probe.
type target struct{ *egress.Policy }

// CheckSyntax refuses what is no address of the web.
func (target) CheckSyntax(url string) error { return egress.CheckSyntax(url) }

// Probe says why a target cannot be tested, "" when it can.
func (t target) Probe(ctx context.Context, url string) string {
	err := t.Policy.Probe(ctx, url)
	var unreachable *egress.Unreachable
	switch {
	case err == nil:
		return ""
	case errors.As(err, &unreachable):
		return unreachable.Message
	case domain.CodeOf(err) != "":
		return err.Error()
	}
	return "the target could not be reached"
}

// blobStore is the blob store as the runner sees it.
type blobStore struct{ *blob.Store }

// Put stores bytes by their content.
func (b blobStore) Put(ctx context.Context, data []byte, contentType string) (string, error) {
	ref, err := b.Store.Put(ctx, data, contentType)
	return ref.SHA256, err
}
