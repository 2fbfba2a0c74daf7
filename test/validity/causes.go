package validity

import (
	"context"
	"errors"
	"net/http/httptest"

	"understudy/adapters/browser"
	"understudy/adapters/runner"
	"understudy/domain/mind"
	"understudy/domain/persona"
)

// device is what a persona walks with.
func device(who persona.Persona, view string, seed uint64, proxy string) browser.SessionOptions {
	return browser.SessionOptions{
		Viewport: view, Seed: int64(seed), ProxyURL: proxy, Zoom: who.Facets.ZoomOn(widths[view]),
		KeyboardOnly: who.Facets.KeyboardOnly || who.Facets.ScreenReader,
	}
}

// explain replays a walk that fell short as the product's runner does, each
// time on a fresh site.
func (w *Walker) explain(ctx context.Context, r *Result, e Errand, o Options) {
	again := runner.Again{
		Browser: stage{walker: w, errand: e, who: r.Who},
		Device: runner.Device{
			Viewport: r.View, Seed: int64(r.Seed), Keyboard: r.Who.Facets.KeyboardOnly || r.Who.Facets.ScreenReader,
		},
		URL: Origin + e.Start, Who: r.Who, Goal: mind.ParseTask(e.Task, nil), Tuning: o.Tuning, MaxSteps: mind.DefaultMaxSteps,
		Typed: func(a mind.Action) string { return a.Text },
	}
	r.Causes = again.Causes(ctx, r.Session())
}

// stage opens a fresh copy of an errand's site for each replay.
type stage struct {
	walker *Walker
	errand Errand
	who    persona.Persona
}

func (s stage) Open(ctx context.Context, d runner.Device) (runner.Page, error) {
	v, err := s.errand.open()
	if err != nil {
		return nil, err
	}
	server := serve(v.site)
	options := device(s.who, d.Viewport, uint64(d.Seed), server.URL)
	options.KeyboardOnly = d.Keyboard
	page, err := s.walker.browser.Open(ctx, options)
	if err != nil {
		server.Close()
		return nil, err
	}
	return staged{page, server}, nil
}

// staged is a page on a stage.
type staged struct {
	*browser.Session
	server *httptest.Server
}

func (p staged) Look(ctx context.Context, selector string) (mind.Page, error) {
	return p.Session.Look(ctx, selector)
}

func (p staged) Screenshot(context.Context) (runner.Picture, error) {
	return runner.Picture{}, errors.New("replays take no pictures")
}

func (p staged) Close() error {
	err := p.Session.Close()
	p.server.CloseClientConnections()
	p.server.Close()
	return err
}
